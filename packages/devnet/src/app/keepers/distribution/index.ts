import { Query } from '../../../../../../src/proto/cosmos/distribution/v1beta1/query_pb.js';
import {
  MsgCommunityPoolSpendResponseSchema,
  MsgCommunityPoolSpendSchema,
  MsgSetWithdrawAddressResponseSchema,
  MsgSetWithdrawAddressSchema,
  MsgWithdrawDelegatorRewardResponseSchema,
  MsgWithdrawDelegatorRewardSchema,
  MsgWithdrawValidatorCommissionResponseSchema,
  MsgWithdrawValidatorCommissionSchema,
} from '../../../../../../src/proto/cosmos/distribution/v1beta1/tx_pb.js';
import { abciError, PlainError, StatusError } from '../../runtime/abciErrors.ts';
import { decodeAddress, encodeAddress, moduleAddress } from '../../runtime/address.ts';
import { feeDenom, parseCoins } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { type Dec, decimalText } from '../../runtime/dec.ts';
import { plainEvent } from '../../runtime/events.ts';
import { type Keeper, type MessageHandler, onMessage, onQuery, type QueryHandler } from '../../runtime/keeper.ts';
import { mintCoins, readBalance, sendCoins } from '../bank/state.ts';
import { moduleAt } from '../base/modules.ts';
import { delegationsOf, findDelegation, loadValidator, operatorAccount, operatorPart } from '../staking/state.ts';
import {
  addToPool,
  allocate,
  communityTax,
  distributionAccount,
  readCommission,
  readPool,
  readWithdrawAddress,
  rewardsOf,
  spendPool,
  withdrawCommission,
  withdrawRewards,
  writeWithdrawAddress,
} from './state.ts';

/** The account that signs for x/gov. */
const govAddress = encodeAddress(moduleAddress('gov'));

/** The module account that receives fees. */
export const feeCollector = moduleAddress('fee_collector');

const decCoins = (amount: Dec) => (amount === 0n ? [] : [{ denom: feeDenom, amount: String(amount) }]);
const wholeCoins = (amount: bigint) => (amount === 0n ? [] : [{ denom: feeDenom, amount: String(amount) }]);

const queries: readonly QueryHandler[] = [
  onQuery(Query.method.params, () => ({
    params: {
      communityTax: String(communityTax),
      baseProposerReward: '0',
      bonusProposerReward: '0',
      withdrawAddrEnabled: true,
    },
  })),
  onQuery(Query.method.validatorCommission, (state, { validatorAddress }) => {
    if (validatorAddress === '') throw new StatusError('InvalidArgument', 'empty validator address');
    return { commission: { commission: decCoins(readCommission(state, validatorAddress)) } };
  }),
  onQuery(Query.method.delegationTotalRewards, (state, { delegatorAddress }) => {
    if (delegatorAddress === '') throw new StatusError('InvalidArgument', 'empty delegator address');
    let total = 0n;
    const rewards = delegationsOf(state, delegatorAddress).map(({ validatorAddress }) => {
      const reward = rewardsOf(state, delegatorAddress, validatorAddress);
      total += reward;
      return { validatorAddress, reward: decCoins(reward) };
    });
    return { rewards, total: decCoins(total) };
  }),
  onQuery(Query.method.delegatorWithdrawAddress, (state, { delegatorAddress }) => {
    if (delegatorAddress === '') throw new StatusError('InvalidArgument', 'empty delegator address');
    return { withdrawAddress: readWithdrawAddress(state, delegatorAddress) };
  }),
  onQuery(Query.method.communityPool, (state) => ({ pool: decCoins(readPool(state)) })),
];

function requireAddress(check: () => unknown, role: string): void {
  try {
    check();
  } catch (error) {
    if (error instanceof PlainError) throw abciError('invalidAddress', `invalid ${role} address: ${error.message}`);
    throw error;
  }
}

function setWithdrawAddress(context: Context, delegator: string, address: string): void {
  requireAddress(() => decodeAddress(delegator), 'delegator');
  requireAddress(() => decodeAddress(address), 'withdraw');
  if (moduleAt(address) !== undefined) throw abciError('unauthorized', `${address} is not allowed to receive external funds`);
  writeWithdrawAddress(context, delegator, address);
  context.emit(plainEvent('set_withdraw_address', [['withdraw_address', address]]));
}

/** The messages. The events of withdrawn rewards and of spending from the community pool are recorded. */
const messages: readonly MessageHandler[] = [
  onMessage(
    MsgSetWithdrawAddressSchema,
    MsgSetWithdrawAddressResponseSchema,
    ({ delegatorAddress }) => [delegatorAddress],
    (context, { delegatorAddress, withdrawAddress }) => {
      setWithdrawAddress(context, delegatorAddress, withdrawAddress);
      return {};
    },
  ),
  onMessage(
    MsgWithdrawDelegatorRewardSchema,
    MsgWithdrawDelegatorRewardResponseSchema,
    ({ delegatorAddress }) => [delegatorAddress],
    (context, { delegatorAddress, validatorAddress }) => {
      requireAddress(() => operatorPart(validatorAddress), 'validator');
      requireAddress(() => decodeAddress(delegatorAddress), 'delegator');
      loadValidator(context, validatorAddress);
      if (findDelegation(context, delegatorAddress, validatorAddress) === undefined) throw abciError('noDelegatorInfo');
      return { amount: wholeCoins(withdrawRewards(context, delegatorAddress, validatorAddress)) };
    },
  ),
  onMessage(
    MsgWithdrawValidatorCommissionSchema,
    MsgWithdrawValidatorCommissionResponseSchema,
    ({ validatorAddress }) => [encodeAddress(operatorAccount(validatorAddress))],
    (context, { validatorAddress }) => {
      requireAddress(() => operatorPart(validatorAddress), 'validator');
      if (readCommission(context, validatorAddress) === 0n) throw abciError('noCommission');
      const account = encodeAddress(operatorAccount(validatorAddress));
      return { amount: wholeCoins(withdrawCommission(context, validatorAddress, account)) };
    },
  ),
  onMessage(
    MsgCommunityPoolSpendSchema,
    MsgCommunityPoolSpendResponseSchema,
    ({ authority }) => [authority],
    (context, { authority, recipient, amount }) => {
      if (authority !== govAddress) {
        throw abciError('govInvalidSigner', `invalid authority; expected ${govAddress}, got ${authority}`);
      }
      requireAddress(() => decodeAddress(recipient), 'recipient');
      spendPool(context, parseCoins(amount), recipient);
      return {};
    },
  ),
];

/**
 * The distribution module: at the start of every block, the fees of the previous one go to the distribution account and are shared as `allocate` says (the
 * events and the shares of a single validator are recorded).
 */
export const distributionKeeper: Keeper = {
  messages,
  queries,
  initGenesis(context, { communityPool = 0n }) {
    if (communityPool === 0n) return;
    mintCoins(context, distributionAccount, [{ denom: feeDenom, amount: communityPool }]);
    addToPool(context, communityPool);
  },
  beginBlock(context) {
    if (context.block.height <= 1n) return;
    const fees = readBalance(context, feeCollector, feeDenom);
    if (fees === 0n) {
      context.emit(plainEvent('message', [['sender', encodeAddress(feeCollector)]]));
      return;
    }
    sendCoins(context, feeCollector, distributionAccount, [{ denom: feeDenom, amount: fees }]);
    for (const { operator, rewards, commission } of allocate(context, fees)) {
      for (const [type, amount] of [
        ['commission', commission],
        ['rewards', rewards],
      ] as const) {
        context.emit(
          plainEvent(type, [
            ['amount', `${decimalText(amount)}${feeDenom}`],
            ['validator', operator],
          ]),
        );
      }
    }
  },
};
