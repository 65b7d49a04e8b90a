import type { Validator } from '../../../../../../src/proto/cosmos/staking/v1beta1/staking_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import type { Context } from '../../runtime/context.ts';
import { type Dec, divide, one } from '../../runtime/dec.ts';
import { findDelegation, loadValidator, saveDelegation, saveValidator } from './state.ts';

/** What other modules do when a delegation changes. */
export interface DelegationHooks {
  /** Before the shares of an existing delegation change. */
  readonly before: (context: Context, delegator: string, operator: string) => void;
  /** After the shares of a delegation changed, also if it does not exist any more. */
  readonly after: (context: Context, delegator: string, operator: string) => void;
}

/** Returns the worth of shares, with decimals. */
export function worthOf({ tokens, delegatorShares }: Validator, shares: Dec): Dec {
  return BigInt(delegatorShares) === 0n ? 0n : divide(shares * BigInt(tokens), BigInt(delegatorShares));
}

/** Returns the shares that an amount is worth. */
export function sharesOf({ tokens, delegatorShares }: Validator, amount: bigint): Dec {
  if (BigInt(tokens) === 0n) return amount * one;
  return (BigInt(delegatorShares) * amount) / BigInt(tokens);
}

/** Returns the shares of a delegation that an amount takes back. Throws if there are fewer. */
export function sharesToTake(context: Context, delegator: string, operator: string, amount: bigint): Dec {
  const validator = loadValidator(context, operator);
  const delegation = findDelegation(context, delegator, operator);
  if (delegation === undefined) throw abciError('noDelegation');
  const [asked, held] = [sharesOf(validator, amount), BigInt(delegation.shares)];
  if (asked > held) throw abciError('invalidRequest', 'invalid shares amount');
  return asked;
}

/** Adds an amount to a delegation. Returns the new shares. The coins are moved by the caller. */
export function addShares(
  context: Context,
  hooks: DelegationHooks | undefined,
  delegator: string,
  operator: string,
  amount: bigint,
): Dec {
  const before = findDelegation(context, delegator, operator);
  if (before !== undefined) hooks?.before(context, delegator, operator);
  const validator = loadValidator(context, operator);
  const shares = sharesOf(validator, amount);
  validator.tokens = String(BigInt(validator.tokens) + amount);
  validator.delegatorShares = String(BigInt(validator.delegatorShares) + shares);
  saveValidator(context, validator);
  saveDelegation(context, delegator, operator, BigInt(before?.shares ?? '0') + shares);
  hooks?.after(context, delegator, operator);
  return shares;
}

/** Removes shares from a delegation. Returns their worth in whole coins. */
export function removeShares(
  context: Context,
  hooks: DelegationHooks | undefined,
  delegator: string,
  operator: string,
  shares: Dec,
): bigint {
  hooks?.before(context, delegator, operator);
  const validator = loadValidator(context, operator);
  const rest = BigInt(validator.delegatorShares) - shares;
  const amount = rest === 0n ? BigInt(validator.tokens) : worthOf(validator, shares) / one;
  validator.tokens = String(BigInt(validator.tokens) - amount);
  validator.delegatorShares = String(rest);
  saveValidator(context, validator);
  const delegation = findDelegation(context, delegator, operator);
  saveDelegation(context, delegator, operator, BigInt(delegation?.shares ?? '0') - shares);
  hooks?.after(context, delegator, operator);
  return amount;
}
