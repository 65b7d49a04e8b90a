import { coinFrom, count, join, quote } from './phrases.ts';
import type { Summarizers } from './summarizer.ts';

/** Summaries of the messages of `cosmos.staking.v1beta1`. */
export const stakingSummaries: Summarizers = {
  MsgCreateValidator: async (message, { coins }) =>
    `${message.word('validatorAddress')} creates the validator ${quote(message.part('description').freeText('moniker'))} with a self-delegation of ${await coins([coinFrom(message.part('value'))])}`,
  MsgEditValidator: (message) => `${message.word('validatorAddress')} changes its description or commission`,
  MsgDelegate: async (message, { coins }) =>
    `${message.word('delegatorAddress')} delegates ${await coins([coinFrom(message.part('amount'))])} to ${message.word('validatorAddress')}`,
  MsgBeginRedelegate: async (message, { coins }) =>
    `${message.word('delegatorAddress')} redelegates ${await coins([coinFrom(message.part('amount'))])} from ${message.word('validatorSrcAddress')} to ${message.word('validatorDstAddress')}`,
  MsgUndelegate: async (message, { coins }) =>
    `${message.word('delegatorAddress')} undelegates ${await coins([coinFrom(message.part('amount'))])} from ${message.word('validatorAddress')}`,
  MsgCancelUnbondingDelegation: async (message, { coins }) =>
    `${message.word('delegatorAddress')} cancels the undelegation of ${await coins([coinFrom(message.part('amount'))])} from ${message.word('validatorAddress')}`,
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the staking module`,
};

/** Summaries of the messages of `cosmos.auth.v1beta1`. */
export const authSummaries: Summarizers = {
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the auth module`,
};

/** Summaries of the messages of `provenance.hold.v1`. */
export const holdSummaries: Summarizers = {
  MsgUnlockVestingAccountsRequest: (message) =>
    `${message.word('authority')} unlocks ${count(message.wordList('addresses').length, 'vesting account')}: ${join(message.wordList('addresses'))}`,
};

/** Summaries of the messages of `provenance.flatfees.v1`. */
export const flatfeesSummaries: Summarizers = {
  MsgUpdateParamsRequest: (message) => `${message.word('authority')} changes the parameters of the flatfees module`,
  async MsgUpdateConversionFactorRequest(message, { coins }) {
    const factor = message.part('conversionFactor');
    const [from, to] = await Promise.all(
      ['definitionAmount', 'convertedAmount'].map((name) => coins([coinFrom(factor.part(name))])),
    );
    return `${message.word('authority')} sets the fee conversion to ${to} for each ${from}`;
  },
  async MsgUpdateMsgFeesRequest(message, { coins }) {
    const nameOf = (type: string): string => type.slice(type.lastIndexOf('/') + 1);
    const set = message.parts('toSet').map(async (fee) => {
      const cost = fee.parts('cost');
      return `${nameOf(fee.word('msgTypeUrl'))} cost ${cost.length === 0 ? 'nothing' : await coins(cost.map(coinFrom))}`;
    });
    const unset = message.wordList('toUnset').map((type) => `${nameOf(type)} cost the default`);
    return `${message.word('authority')} makes ${join([...(await Promise.all(set)), ...unset])}`;
  },
  MsgAddOracleAddressRequest: (message) => `${message.word('authority')} adds the fee oracle ${message.word('oracleAddress')}`,
  MsgRemoveOracleAddressRequest: (message) =>
    `${message.word('authority')} removes the fee oracle ${message.word('oracleAddress')}`,
};
