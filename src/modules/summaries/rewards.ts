import { andThen } from '../../reads/pin.ts';
import { coinFrom, type Summarizers } from './phrases.ts';

/** Summaries of the messages of `cosmos.distribution.v1beta1`. */
export const distributionSummaries: Summarizers = {
  MsgSetWithdrawAddress: (message) =>
    `${message.word('delegatorAddress')} lets its rewards be paid to ${message.word('withdrawAddress')}`,
  MsgWithdrawDelegatorReward: (message) =>
    `${message.word('delegatorAddress')} withdraws its rewards from ${message.word('validatorAddress')}`,
  MsgWithdrawValidatorCommission: (message) => `${message.word('validatorAddress')} withdraws its commission`,
  MsgFundCommunityPool: (message, { coins }) =>
    andThen(
      coins(message.parts('amount').map(coinFrom)),
      (amount) => `${message.word('depositor')} gives ${amount} to the community pool`,
    ),
  MsgCommunityPoolSpend: (message, { coins }) =>
    andThen(
      coins(message.parts('amount').map(coinFrom)),
      (amount) => `${message.word('authority')} pays ${amount} from the community pool to ${message.word('recipient')}`,
    ),
  MsgDepositValidatorRewardsPool: (message, { coins }) =>
    andThen(
      coins(message.parts('amount').map(coinFrom)),
      (amount) =>
        `${message.word('depositor')} gives ${amount} as rewards to the delegators of ${message.word('validatorAddress')}`,
    ),
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the distribution module`,
};

/** Summaries of the messages of `cosmos.slashing.v1beta1`. */
export const slashingSummaries: Summarizers = {
  MsgUnjail: (message) => `${message.word('validatorAddr')} ends the jailing of its validator`,
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the slashing module`,
};

/** Summaries of the messages of `cosmos.mint.v1beta1`. */
export const mintSummaries: Summarizers = {
  MsgUpdateParams: (message) => `${message.word('authority')} changes the parameters of the mint module`,
};
