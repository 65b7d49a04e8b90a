import { type AnyMessage, typeNameOf } from '../../chain/wire/protoJson.ts';
import { isDenom } from '../../reads/input.ts';
import { type Awaitable, all, andThen, attempt, type Pin, pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { decodeAny } from '../any/codec.ts';
import { AnyMessageRef } from '../any/schema.ts';
import { type Coin, displayOf } from '../bank/query.ts';
import { scopeOfDenom } from '../metadata/address.ts';
import { authorizationSummaries, authzSummaries } from './authz.ts';
import {
  authSummaries,
  bankSummaries,
  feegrantSummaries,
  flatfeesSummaries,
  groupSummaries,
  holdSummaries,
  stakingSummaries,
  wasmSummaries,
} from './cosmos.ts';
import { govBetaSummaries, govSummaries } from './gov.ts';
import {
  count,
  join,
  type MessageReader,
  NoSummaryError,
  readMessage,
  type Summarizer,
  type Summarizers,
  type SummaryContext,
  separated,
} from './phrases.ts';
import { attributeSummaries, markerSummaries, metadataSummaries, nameSummaries } from './provenance.ts';
import { distributionSummaries, mintSummaries, slashingSummaries } from './rewards.ts';

/** Levels of nested messages that are summarized, such as a proposal within a proposal. */
const depthMax = 2;

/** Coins of one amount that are listed one by one. */
const coinsMax = 20;

/** Nested messages of one message that are summarized one by one. */
const messagesMax = 5;

const summarizersByPackage: Readonly<Record<string, Summarizers>> = {
  'cosmos.auth.v1beta1': authSummaries,
  'cosmos.authz.v1beta1': authzSummaries,
  'cosmos.bank.v1beta1': bankSummaries,
  'cosmos.distribution.v1beta1': distributionSummaries,
  'cosmos.feegrant.v1beta1': feegrantSummaries,
  'cosmos.gov.v1': govSummaries,
  'cosmos.gov.v1beta1': govBetaSummaries,
  'cosmos.group.v1': groupSummaries,
  'cosmos.mint.v1beta1': mintSummaries,
  'cosmos.slashing.v1beta1': slashingSummaries,
  'cosmos.staking.v1beta1': stakingSummaries,
  'cosmwasm.wasm.v1': wasmSummaries,
  'provenance.attribute.v1': attributeSummaries,
  'provenance.flatfees.v1': flatfeesSummaries,
  'provenance.hold.v1': holdSummaries,
  'provenance.marker.v1': markerSummaries,
  'provenance.metadata.v1': metadataSummaries,
  'provenance.name.v1': nameSummaries,
};

const messagesByType: ReadonlyMap<string, Summarizer> = new Map(
  Object.entries(summarizersByPackage).flatMap(([name, summarizers]) =>
    Object.entries(summarizers).map(([message, summarizer]) => [`${name}.${message}`, summarizer] as const),
  ),
);

/** Full protobuf names of the message types that have a summary. */
export const summarizedTypes: readonly string[] = [...messagesByType.keys()];

/** The summarizers of messages, and of authorizations of x/authz. */
const byType: ReadonlyMap<string, Summarizer> = new Map([...messagesByType, ...Object.entries(authorizationSummaries)]);

function coinSummary(pin: Pin, coin: Coin): Awaitable<string> {
  // An amount on the chain is a 256-bit integer, which has at most 78 digits.
  if (!/^\d{1,78}$/.test(coin.amount) || !isDenom(coin.denom)) throw new NoSummaryError('not a coin');
  const scope = scopeOfDenom(coin.denom);
  if (scope !== undefined && coin.amount === '1') return `the scope ${scope}`;
  return andThen(displayOf(pin, coin), (display) => {
    const [amount, unit] = display === null ? [coin.amount, coin.denom] : [display.amount, display.symbol || display.denom];
    return `${separated(amount)} ${unit}`;
  });
}

function createContext(pin: Pin, depth: number): SummaryContext {
  function summarizeNested(message: MessageReader): Awaitable<string> {
    const type = typeNameOf(message.word('@type'));
    const summary = depth < depthMax ? summarize(pin, type, message, depth + 1) : null;
    return andThen(summary, (text) => text ?? `a message of type ${type}`);
  }
  return {
    coins(coins) {
      if (coins.length === 0) return 'nothing';
      return andThen(all(coins.map((coin) => attempt(() => coinSummary(pin, coin)))), (texts) => join(texts, coinsMax));
    },
    messages(messages) {
      if (messages.length === 0) return '';
      const summaries = messages.slice(0, messagesMax).map((message) => attempt(() => summarizeNested(message)));
      return andThen(all(summaries), (sentences) => {
        const more = messages.length - messagesMax;
        return `, with ${count(messages.length, 'message')}: ${[...sentences, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')}`;
      });
    },
  };
}

function summarize(pin: Pin, type: string, message: MessageReader, depth: number): Awaitable<string | null> {
  const summary = attempt(() => byType.get(type)?.(message, createContext(pin, depth)) ?? null);
  if (!(summary instanceof Promise)) return summary;
  return summary.catch((error: unknown) => {
    if (error instanceof NoSummaryError) return null;
    throw error;
  });
}

/**
 * Summarizes a message in one English sentence without a final period. Addresses stay in bech32; amounts are in display units,
 * with separators of thousands, where the chain has denom metadata. Returns null for a message type without a summary, for bytes that do not decode as the
 * type, and for a message that lacks a field its summary needs. Throws only if reading the chain fails.
 */
export function summaryOf(pin: Pin, message: AnyMessage): Awaitable<string | null> {
  const type = typeNameOf(message.type);
  if (!byType.has(type)) return null;
  return andThen(decodeAny(pin, message), (json) => (json === null ? null : summarize(pin, type, readMessage(json), 0)));
}

export function addSummaries(builder: Builder): void {
  builder.objectField(AnyMessageRef, 'inWords', (t) =>
    t.string({
      description:
        'derived: a one-sentence English summary of the message, without a final period. Amounts are in display units, with their\nsymbols, where the chain has denom metadata. null if this server has no summary for the message type, or if the message cannot be decoded or is incomplete.',
      resolve: (message) => summaryOf(pinOf(message), message),
    }),
  );
}
