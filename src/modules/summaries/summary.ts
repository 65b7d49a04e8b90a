import { type AnyMessage, typeNameOf } from '../../chain/wire/protoJson.ts';
import { isDenom } from '../../reads/input.ts';
import type { Pin } from '../../reads/pin.ts';
import { decodeAny } from '../any/codec.ts';
import { displayOf } from '../bank/display.ts';
import type { Coin } from '../bank/model.ts';
import { scopeOfDenom } from '../metadata/address.ts';
import { attributeSentences } from './attribute.ts';
import { bankSentences } from './bank.ts';
import { feegrantSentences } from './feegrant.ts';
import { groupSentences } from './group.ts';
import { markerSentences } from './marker.ts';
import { type Message, messageOf, NotToldError } from './message.ts';
import { metadataSentences } from './metadata.ts';
import { nameSentences } from './name.ts';
import { authSentences, flatfeesSentences, holdSentences, stakingSentences } from './others.ts';
import { count, join } from './phrases.ts';
import type { Sentence, Sentences, Teller } from './sentence.ts';

/** Messages within messages that are told: a proposal in a proposal. */
const depthMax = 2;

/** Coins of one amount that are told. */
const coinsMax = 20;

/** Messages of one that are told one by one. */
const messagesMax = 5;

const packages: Readonly<Record<string, Sentences>> = {
  'cosmos.auth.v1beta1': authSentences,
  'cosmos.bank.v1beta1': bankSentences,
  'cosmos.feegrant.v1beta1': feegrantSentences,
  'cosmos.group.v1': groupSentences,
  'cosmos.staking.v1beta1': stakingSentences,
  'provenance.attribute.v1': attributeSentences,
  'provenance.flatfees.v1': flatfeesSentences,
  'provenance.hold.v1': holdSentences,
  'provenance.marker.v1': markerSentences,
  'provenance.metadata.v1': metadataSentences,
  'provenance.name.v1': nameSentences,
};

const byType: ReadonlyMap<string, Sentence> = new Map(
  Object.entries(packages).flatMap(([name, sentences]) =>
    Object.entries(sentences).map(([message, sentence]) => [`${name}.${message}`, sentence] as const),
  ),
);

/** Full names of the messages that there are words for. */
export const toldTypes: readonly string[] = [...byType.keys()];

async function coinWords(pin: Pin, coin: Coin): Promise<string> {
  // Longer ones are no amounts of this chain: a whole number of it has 78 digits at most.
  if (!/^\d{1,78}$/.test(coin.amount) || !isDenom(coin.denom)) throw new NotToldError('not a coin');
  const scope = scopeOfDenom(coin.denom);
  if (scope !== undefined && coin.amount === '1') return `the scope ${scope}`;
  const { amount, denom } = (await displayOf(pin, coin)) ?? coin;
  return `${amount} ${denom}`;
}

function tellerAt(pin: Pin, depth: number): Teller {
  async function tellOne(message: Message): Promise<string> {
    const type = typeNameOf(message.text('@type'));
    const told = depth < depthMax ? await tell(pin, type, message, depth + 1) : null;
    return told ?? `a message of type ${type}`;
  }
  return {
    async coins(coins) {
      return coins.length === 0 ? 'nothing' : join(await Promise.all(coins.map((coin) => coinWords(pin, coin))), coinsMax);
    },
    async messages(messages) {
      if (messages.length === 0) return '';
      const told = await Promise.all(messages.slice(0, messagesMax).map(tellOne));
      const more = messages.length - messagesMax;
      return `, with ${count(messages.length, 'message')}: ${[...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')}`;
    },
  };
}

async function tell(pin: Pin, type: string, message: Message, depth: number): Promise<string | null> {
  try {
    return (await byType.get(type)?.(message, tellerAt(pin, depth))) ?? null;
  } catch (error) {
    if (error instanceof NotToldError) return null;
    throw error;
  }
}

/**
 * What a message does, in one English sentence without the point at its end: addresses as they are, amounts in display units where the
 * chain has metadata for them. null for types that there are no words for, and where the bytes are not of the type or lack what
 * makes sense of it. Fails only where the chain cannot be read.
 */
export async function inWords(pin: Pin, message: AnyMessage): Promise<string | null> {
  const type = typeNameOf(message.type);
  if (!byType.has(type)) return null;
  const json = await decodeAny(pin, message);
  return json === null ? null : tell(pin, type, messageOf(json), 0);
}
