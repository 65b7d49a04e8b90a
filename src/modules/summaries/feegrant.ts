import { type Message, NotToldError } from './message.ts';
import { coinIn, durationWords, join, timeWords } from './phrases.ts';
import type { Sentences, Teller } from './sentence.ts';

/** Allowances within allowances that are told. */
const depthMax = 3;

function lastPart(type: string): string {
  return type.slice(type.lastIndexOf('/') + 1);
}

async function limitWords(basic: Message, { coins }: Teller): Promise<string> {
  const limit = basic.parts('spendLimit').map(coinIn);
  return limit.length === 0 ? 'without limit' : `up to ${await coins(limit)}`;
}

function untilWords(basic: Message): readonly string[] {
  const expiry = basic.maybe('expiration');
  return expiry === undefined ? [] : [`until ${timeWords(expiry)}`];
}

/** Terms of an allowance: "up to 5 hash until …". The type of each is its `@type`. */
export async function allowanceWords(allowance: Message, teller: Teller, depth = 0): Promise<string> {
  switch (lastPart(allowance.text('@type'))) {
    case 'cosmos.feegrant.v1beta1.BasicAllowance': {
      return [await limitWords(allowance, teller), ...untilWords(allowance)].join(' ');
    }
    case 'cosmos.feegrant.v1beta1.PeriodicAllowance': {
      const limit = await teller.coins(allowance.parts('periodSpendLimit').map(coinIn));
      const period = durationWords(allowance.text('period')).replace(/^1 (?=\w+$)/, '');
      const basic = allowance.part('basic');
      const inAll = basic.parts('spendLimit').length === 0 ? [] : [`and ${await limitWords(basic, teller)} in all`];
      return [`up to ${limit} every ${period}`, ...inAll, ...untilWords(basic)].join(' ');
    }
    case 'cosmos.feegrant.v1beta1.AllowedMsgAllowance': {
      if (depth >= depthMax) throw new NotToldError('too deep');
      const inner = await allowanceWords(allowance.part('allowance'), teller, depth + 1);
      return `${inner}, for ${join(allowance.texts('allowedMessages').map(lastPart))} only`;
    }
    default:
      throw new NotToldError('another allowance');
  }
}

/** `cosmos.feegrant.v1beta1`. */
export const feegrantSentences: Sentences = {
  MsgGrantAllowance: async (message, teller) =>
    `${message.text('granter')} pays fees of ${message.text('grantee')}, ${await allowanceWords(message.part('allowance'), teller)}`,
  MsgRevokeAllowance: (message) => `${message.text('granter')} stops paying fees of ${message.text('grantee')}`,
  MsgPruneAllowances: (message) => `${message.text('pruner')} removes fee allowances that have expired`,
};
