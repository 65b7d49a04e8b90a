import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ValidatorAccumulatedCommissionSchema } from '../../../../../../src/proto/cosmos/distribution/v1beta1/distribution_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import { decodeAddress, moduleAddress } from '../../runtime/address.ts';
import { type Amount, feeDenom } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { type Dec, divide, multiply, one } from '../../runtime/dec.ts';
import { plainEvent } from '../../runtime/events.ts';
import type { StoreView } from '../../state/store.ts';
import { sendCoins } from '../bank/state.ts';
import type { DelegationHooks } from '../staking/shares.ts';
import { accountPart, bondedValidators, findDelegation, operatorAddress, operatorPart } from '../staking/state.ts';

/** The store of the distribution module. */
export const distributionStore = 'distribution';
/** The account of the rewards that are not withdrawn. */
export const distributionAccount = moduleAddress('distribution');

/** Prefixes of the Cosmos SDK (inferred). The values under `pool`, `start` and `ratio` are decimals as text, which is the devnet's own form. */
const keys = { pool: '\x00', withdrawAddress: '\x03', start: '\x04', ratio: '\x06', commission: '\x07' } as const;

/** The part of all fees that the community pool gets. Recorded. */
export const communityTax: Dec = one / 50n;

function readDec(state: StoreView, key: string): Dec {
  const stored = state.get(distributionStore, key);
  return stored === undefined ? 0n : BigInt(Buffer.from(stored).toString());
}

function writeDec(context: Context, key: string, value: Dec): void {
  context.set(distributionStore, key, Buffer.from(String(value)));
}

/** Returns the coins of the community pool. */
export const readPool = (state: StoreView): Dec => readDec(state, keys.pool);

/** Adds whole coins to the community pool. They are in the distribution account already. */
export const addToPool = (context: Context, amount: bigint): void =>
  writeDec(context, keys.pool, readPool(context) + amount * one);

/** Pays whole coins of the community pool to an account. Throws if there are too few (recorded). */
export function spendPool(context: Context, coins: readonly Amount[], to: string): void {
  const isOther = coins.some(({ denom }) => denom !== feeDenom);
  const amount = coins.reduce((sum, coin) => sum + coin.amount, 0n);
  if (isOther || readPool(context) < amount * one) throw abciError('poolTooSmall');
  addToPool(context, -amount);
  sendCoins(context, distributionAccount, decodeAddress(to), coins);
}

/** Returns the commission of a validator that is not withdrawn. */
export function readCommission(state: StoreView, operator: string): Dec {
  const stored = state.get(distributionStore, keys.commission + operatorPart(operator));
  if (stored === undefined) return 0n;
  return BigInt(fromBinary(ValidatorAccumulatedCommissionSchema, stored).commission[0]?.amount ?? '0');
}

function writeCommission(context: Context, operator: string, value: Dec): void {
  const commission = value === 0n ? [] : [{ denom: feeDenom, amount: String(value) }];
  const stored = create(ValidatorAccumulatedCommissionSchema, { commission });
  const key = keys.commission + operatorPart(operator);
  context.set(distributionStore, key, toBinary(ValidatorAccumulatedCommissionSchema, stored));
}

/** Returns the account that gets the rewards of an account. */
export function readWithdrawAddress(state: StoreView, delegator: string): string {
  const stored = state.get(distributionStore, keys.withdrawAddress + accountPart(delegator));
  return stored === undefined ? delegator : Buffer.from(stored).toString();
}

/** Stores the account that gets the rewards of an account. */
export function writeWithdrawAddress(context: Context, delegator: string, address: string): void {
  context.set(distributionStore, keys.withdrawAddress + accountPart(delegator), Buffer.from(address));
}

const startKey = (delegator: string, operator: string) => keys.start + accountPart(delegator) + operatorPart(operator);
const ratioKey = (operator: string) => keys.ratio + operatorPart(operator);

/** Returns the rewards of a delegation that are not withdrawn. */
export function rewardsOf(state: StoreView, delegator: string, operator: string): Dec {
  const shares = BigInt(findDelegation(state, delegator, operator)?.shares ?? '0');
  const earned = readDec(state, ratioKey(operator)) - readDec(state, startKey(delegator, operator));
  return multiply(earned, shares);
}

/** What a validator gets of the fees of a block. */
export interface Allocation {
  readonly operator: string;
  readonly rewards: Dec;
  readonly commission: Dec;
}

/**
 * Shares the fees of a block: the community pool gets its part, the bonded validators the rest by their tokens. Of that, a validator keeps its commission, and
 * its delegators get the rest by their shares. The chain does the same, except that it counts only the validators that signed. On a chain without validators, the
 * proposer is one in the events, and the community pool gets everything.
 */
export function allocate(context: Context, fees: bigint): readonly Allocation[] {
  const validators = bondedValidators(context);
  const total = validators.reduce((sum, { tokens }) => sum + BigInt(tokens), 0n);
  const forValidators = multiply(fees * one, one - communityTax);
  if (total === 0n) {
    writeDec(context, keys.pool, readPool(context) + fees * one);
    const operator = operatorAddress(context.block.proposer);
    return [{ operator, rewards: forValidators, commission: forValidators / 10n }];
  }
  let rest = fees * one;
  const allocations = validators.map(({ operatorAddress: operator, tokens, delegatorShares, commission }) => {
    const rewards = (forValidators * BigInt(tokens)) / total;
    const ownPart = multiply(rewards, BigInt(commission?.commissionRates?.rate ?? '0'));
    writeCommission(context, operator, readCommission(context, operator) + ownPart);
    writeDec(
      context,
      ratioKey(operator),
      readDec(context, ratioKey(operator)) + divide(rewards - ownPart, BigInt(delegatorShares)),
    );
    rest -= rewards;
    return { operator, rewards, commission: ownPart };
  });
  writeDec(context, keys.pool, readPool(context) + rest);
  return allocations;
}

/** Pays whole coins to an account. The fraction goes to the community pool. */
function pay(context: Context, rewards: Dec, to: string): bigint {
  const amount = rewards / one;
  writeDec(context, keys.pool, readPool(context) + (rewards % one));
  if (amount > 0n) sendCoins(context, distributionAccount, decodeAddress(to), [{ denom: feeDenom, amount }]);
  return amount;
}

/** Pays the rewards of a delegation. Returns the amount. */
export function withdrawRewards(context: Context, delegator: string, validator: string): bigint {
  const amount = pay(context, rewardsOf(context, delegator, validator), readWithdrawAddress(context, delegator));
  writeDec(context, startKey(delegator, validator), readDec(context, ratioKey(validator)));
  context.emit(
    plainEvent('withdraw_rewards', [
      ['amount', `${amount}${feeDenom}`],
      ['validator', validator],
      ['delegator', delegator],
    ]),
  );
  return amount;
}

/** Pays the commission of a validator. Returns the amount. */
export function withdrawCommission(context: Context, operator: string, account: string): bigint {
  const commission = readCommission(context, operator);
  writeCommission(context, operator, commission % one);
  const amount = commission / one;
  const to = decodeAddress(readWithdrawAddress(context, account));
  if (amount > 0n) sendCoins(context, distributionAccount, to, [{ denom: feeDenom, amount }]);
  context.emit(plainEvent('withdraw_commission', [['amount', `${amount}${feeDenom}`]]));
  return amount;
}

/** Pays rewards before a delegation changes, and counts from then on. */
export const distributionHooks: DelegationHooks = {
  before: withdrawRewards,
  after(context, delegator, operator) {
    const key = startKey(delegator, operator);
    if (findDelegation(context, delegator, operator) === undefined) context.delete(distributionStore, key);
    else writeDec(context, key, readDec(context, ratioKey(operator)));
  },
};
