import { type MessageReader, NoSummaryError } from './message.ts';
import { coinFrom, durationText, join, timeText } from './phrases.ts';
import type { Summarizers, SummaryContext } from './summarizer.ts';

/** Levels of nested allowances that are summarized. */
const depthMax = 3;

function lastPart(type: string): string {
  return type.slice(type.lastIndexOf('/') + 1);
}

async function spendLimitText(basic: MessageReader, { coins }: SummaryContext): Promise<string> {
  const limit = basic.parts('spendLimit').map(coinFrom);
  return limit.length === 0 ? 'without limit' : `of up to ${await coins(limit)}`;
}

function expirationText(basic: MessageReader): readonly string[] {
  const expiry = basic.optionalWord('expiration');
  return expiry === undefined ? [] : [`until ${timeText(expiry)}`];
}

/**
 * Summarizes the terms of a fee allowance: "of up to 5 HASH until …". The allowance is canonical JSON with its type in `@type`.
 * Throws `NoSummaryError` for an unknown type.
 */
export async function allowanceSummary(allowance: MessageReader, context: SummaryContext, depth = 0): Promise<string> {
  switch (lastPart(allowance.word('@type'))) {
    case 'cosmos.feegrant.v1beta1.BasicAllowance': {
      return [await spendLimitText(allowance, context), ...expirationText(allowance)].join(' ');
    }
    case 'cosmos.feegrant.v1beta1.PeriodicAllowance': {
      const limit = await context.coins(allowance.parts('periodSpendLimit').map(coinFrom));
      const period = durationText(allowance.word('period')).replace(/^1 (?=\w+$)/, '');
      const basic = allowance.part('basic');
      const total = basic.parts('spendLimit').length === 0 ? [] : [`and ${await spendLimitText(basic, context)} in total`];
      return [`of up to ${limit} every ${period}`, ...total, ...expirationText(basic)].join(' ');
    }
    case 'cosmos.feegrant.v1beta1.AllowedMsgAllowance': {
      if (depth >= depthMax) throw new NoSummaryError('too deep');
      const inner = await allowanceSummary(allowance.part('allowance'), context, depth + 1);
      return `${inner}, for ${join(allowance.wordList('allowedMessages').map(lastPart))} only`;
    }
    default:
      throw new NoSummaryError('an unknown allowance type');
  }
}

/** Summaries of the messages of `cosmos.feegrant.v1beta1`. */
export const feegrantSummaries: Summarizers = {
  MsgGrantAllowance: async (message, context) =>
    `${message.word('granter')} grants ${message.word('grantee')} a fee allowance ${await allowanceSummary(message.part('allowance'), context)}`,
  MsgRevokeAllowance: (message) => `${message.word('granter')} revokes the fee allowance of ${message.word('grantee')}`,
  MsgPruneAllowances: (message) => `${message.word('pruner')} removes expired fee allowances`,
};
