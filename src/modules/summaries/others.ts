import { coinIn, count, join, quote } from './phrases.ts';
import type { Sentences } from './sentence.ts';

/** `cosmos.staking.v1beta1`. */
export const stakingSentences: Sentences = {
  MsgCreateValidator: async (message, { coins }) =>
    `${message.text('validatorAddress')} becomes the validator ${quote(message.part('description').free('moniker'))} with ${await coins([coinIn(message.part('value'))])}`,
  MsgEditValidator: (message) => `${message.text('validatorAddress')} changes its description or commission`,
  MsgDelegate: async (message, { coins }) =>
    `${message.text('delegatorAddress')} delegates ${await coins([coinIn(message.part('amount'))])} to ${message.text('validatorAddress')}`,
  MsgBeginRedelegate: async (message, { coins }) =>
    `${message.text('delegatorAddress')} moves a delegation of ${await coins([coinIn(message.part('amount'))])} from ${message.text('validatorSrcAddress')} to ${message.text('validatorDstAddress')}`,
  MsgUndelegate: async (message, { coins }) =>
    `${message.text('delegatorAddress')} takes back ${await coins([coinIn(message.part('amount'))])} delegated to ${message.text('validatorAddress')}`,
  MsgCancelUnbondingDelegation: async (message, { coins }) =>
    `${message.text('delegatorAddress')} leaves ${await coins([coinIn(message.part('amount'))])} delegated to ${message.text('validatorAddress')} after all`,
  MsgUpdateParams: (message) => `${message.text('authority')} changes the parameters of the staking module`,
};

/** `cosmos.auth.v1beta1`. */
export const authSentences: Sentences = {
  MsgUpdateParams: (message) => `${message.text('authority')} changes the parameters of the auth module`,
};

/** `provenance.hold.v1`. */
export const holdSentences: Sentences = {
  MsgUnlockVestingAccountsRequest: (message) =>
    `${message.text('authority')} unlocks ${count(message.texts('addresses').length, 'vesting account')}: ${join(message.texts('addresses'))}`,
};

/** `provenance.flatfees.v1`. */
export const flatfeesSentences: Sentences = {
  MsgUpdateParamsRequest: (message) => `${message.text('authority')} changes the parameters of the flatfees module`,
  async MsgUpdateConversionFactorRequest(message, { coins }) {
    const factor = message.part('conversionFactor');
    const [from, to] = await Promise.all(
      ['definitionAmount', 'convertedAmount'].map((name) => coins([coinIn(factor.part(name))])),
    );
    return `${message.text('authority')} takes ${to} for each ${from} of a fee`;
  },
  async MsgUpdateMsgFeesRequest(message, { coins }) {
    const nameOf = (type: string): string => type.slice(type.lastIndexOf('/') + 1);
    const set = message.parts('toSet').map(async (fee) => {
      const cost = fee.parts('cost');
      return `${nameOf(fee.text('msgTypeUrl'))} cost ${cost.length === 0 ? 'nothing' : await coins(cost.map(coinIn))}`;
    });
    const unset = message.texts('toUnset').map((type) => `${nameOf(type)} cost the default`);
    return `${message.text('authority')} makes ${join([...(await Promise.all(set)), ...unset])}`;
  },
  MsgAddOracleAddressRequest: (message) =>
    `${message.text('authority')} lets ${message.text('oracleAddress')} set the price of fees`,
  MsgRemoveOracleAddressRequest: (message) =>
    `${message.text('authority')} no longer lets ${message.text('oracleAddress')} set the price of fees`,
};
