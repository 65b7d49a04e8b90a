import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import {
  BondStatus,
  type Delegation,
  DelegationSchema,
  type Redelegation,
  RedelegationSchema,
  type UnbondingDelegation,
  UnbondingDelegationSchema,
  type Validator,
  ValidatorSchema,
} from '../../../../../../src/proto/cosmos/staking/v1beta1/staking_pb.js';
import { abciError, PlainError } from '../../runtime/abciErrors.ts';
import { addressPrefix, decodeAddress, decodeBech32, encodeAddress, moduleAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { timeKey } from '../../runtime/time.ts';
import { bytesOf, keyOf, sizedKey, u64At, u64Key } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';

/** The store of the staking module. */
export const stakingStore = 'staking';

/** Key prefixes of the Cosmos SDK. Inferred; the keys of the two queues are the devnet's own. */
export const stakingKeys = {
  validator: '\x21',
  delegation: '\x31',
  unbonding: '\x32',
  redelegation: '\x34',
  unbondingId: '\x37',
  unbondingQueue: '\x41',
  redelegationQueue: '\x42',
  delegationByValidator: '\x71',
} as const;

/** The accounts with the coins of bonded validators, and of other validators and unbonding delegations. */
export const bondedPool = moduleAddress('bonded_tokens_pool');
export const notBondedPool = moduleAddress('not_bonded_tokens_pool');

const operatorPrefix = `${addressPrefix}valoper`;
const present = new Uint8Array();

/** The operator address of the account of an operator. */
export const operatorAddress = (account: Uint8Array): string => encodeAddress(account, operatorPrefix);

/** The key part of the address of an account. */
export const accountPart = (address: string): string => sizedKey(keyOf(decodeAddress(address)));

/** The key part of an operator address. Throws a {@link PlainError} for another prefix. */
export function operatorPart(address: string): string {
  if (address === '') throw new PlainError('empty address string is not allowed');
  const { prefix, bytes } = decodeBech32(address);
  if (prefix !== operatorPrefix) throw new PlainError(`invalid Bech32 prefix; expected ${operatorPrefix}, got ${prefix}`);
  return sizedKey(keyOf(bytes));
}

/** The account of an operator address. */
export const operatorAccount = (address: string): Uint8Array => decodeBech32(address).bytes;

function row<D extends DescMessage>(state: StoreView, schema: D, key: string): MessageShape<D> | undefined {
  const stored = state.get(stakingStore, key);
  return stored === undefined ? undefined : fromBinary(schema, stored);
}

/** Returns a validator. undefined if there is none. */
export function findValidator(state: StoreView, operator: string): Validator | undefined {
  return row(state, ValidatorSchema, stakingKeys.validator + operatorPart(operator));
}

/** Returns a validator. Throws code 3 if there is none. */
export function loadValidator(state: StoreView, operator: string): Validator {
  const validator = findValidator(state, operator);
  if (validator === undefined) throw abciError('noValidator');
  return validator;
}

/** Stores a validator. */
export function saveValidator(context: Context, validator: Validator): void {
  const key = stakingKeys.validator + operatorPart(validator.operatorAddress);
  context.set(stakingStore, key, toBinary(ValidatorSchema, validator));
}

/** Returns all validators, ordered by address. */
export function readValidators(state: StoreView): Validator[] {
  return [...state.entries(stakingStore, stakingKeys.validator)].map(({ value }) => fromBinary(ValidatorSchema, value));
}

/** Returns the bonded validators, ordered by address. */
export function bondedValidators(state: StoreView): Validator[] {
  return readValidators(state).filter(({ status }) => status === BondStatus.BONDED);
}

const pairKey = (delegator: string, operator: string): string => accountPart(delegator) + operatorPart(operator);

/** Returns a delegation. undefined if there is none. */
export function findDelegation(state: StoreView, delegator: string, operator: string): Delegation | undefined {
  return row(state, DelegationSchema, stakingKeys.delegation + pairKey(delegator, operator));
}

/** Returns the delegations of an account, ordered by validator. */
export function delegationsOf(state: StoreView, delegator: string): Delegation[] {
  const prefix = stakingKeys.delegation + accountPart(delegator);
  return [...state.entries(stakingStore, prefix)].map(({ value }) => fromBinary(DelegationSchema, value));
}

/** Stores a delegation. One without shares is deleted. */
export function saveDelegation(context: Context, delegatorAddress: string, validatorAddress: string, shares: bigint): void {
  const key = stakingKeys.delegation + pairKey(delegatorAddress, validatorAddress);
  const index = stakingKeys.delegationByValidator + operatorPart(validatorAddress) + accountPart(delegatorAddress);
  if (shares === 0n) {
    context.delete(stakingStore, key);
    context.delete(stakingStore, index);
    return;
  }
  const delegation = create(DelegationSchema, { delegatorAddress, validatorAddress, shares: String(shares) });
  context.set(stakingStore, key, toBinary(DelegationSchema, delegation));
  context.set(stakingStore, index, present);
}

/** Returns what an account takes back from a validator. undefined if there is nothing. */
export function findUnbonding(state: StoreView, delegator: string, operator: string): UnbondingDelegation | undefined {
  return row(state, UnbondingDelegationSchema, stakingKeys.unbonding + pairKey(delegator, operator));
}

/** Stores what an account takes back from a validator. Without entries it is deleted. */
export function saveUnbonding(context: Context, unbonding: UnbondingDelegation): void {
  const key = stakingKeys.unbonding + pairKey(unbonding.delegatorAddress, unbonding.validatorAddress);
  if (unbonding.entries.length === 0) context.delete(stakingStore, key);
  else context.set(stakingStore, key, toBinary(UnbondingDelegationSchema, unbonding));
}

/** The key of a redelegation, without its prefix. */
export function redelegationPart(delegator: string, from: string, to: string): string {
  return pairKey(delegator, from) + operatorPart(to);
}

/** Returns what an account moves between two validators. undefined if there is nothing. */
export function findRedelegation(state: StoreView, part: string): Redelegation | undefined {
  return row(state, RedelegationSchema, stakingKeys.redelegation + part);
}

/** Returns the redelegations of an account. */
export function redelegationsOf(state: StoreView, delegator: string): Redelegation[] {
  const prefix = stakingKeys.redelegation + accountPart(delegator);
  return [...state.entries(stakingStore, prefix)].map(({ value }) => fromBinary(RedelegationSchema, value));
}

/** Stores what an account moves between two validators. Without entries it is deleted. */
export function saveRedelegation(context: Context, moved: Redelegation): void {
  const { delegatorAddress, validatorSrcAddress, validatorDstAddress } = moved;
  const key = stakingKeys.redelegation + redelegationPart(delegatorAddress, validatorSrcAddress, validatorDstAddress);
  if (moved.entries.length === 0) context.delete(stakingStore, key);
  else context.set(stakingStore, key, toBinary(RedelegationSchema, moved));
}

/** Returns the next number of an unbonding or a redelegation, from 1. */
export function nextUnbondingId(context: Context): bigint {
  const stored = context.get(stakingStore, stakingKeys.unbondingId);
  const next = (stored === undefined ? 0n : u64At(keyOf(stored))) + 1n;
  context.set(stakingStore, stakingKeys.unbondingId, bytesOf(u64Key(next)));
  return next;
}

type Queue = typeof stakingKeys.unbondingQueue | typeof stakingKeys.redelegationQueue;

/** Adds a row to a queue. It leaves the queue in the first block at this time or later. */
export function enqueue(context: Context, queue: Queue, time: bigint, part: string): void {
  context.set(stakingStore, queue + timeKey(time) + part, present);
}

/** Removes the rows of a queue that are due, and returns them in the order of time. */
export function dequeue(context: Context, queue: Queue): string[] {
  const now = timeKey(context.block.time);
  const due: string[] = [];
  for (const { key } of context.entries(stakingStore, queue)) {
    const part = key.slice(queue.length);
    if (part.slice(0, now.length) > now) break;
    due.push(part);
  }
  for (const part of due) context.delete(stakingStore, queue + part);
  return [...new Set(due.map((part) => part.slice(now.length)))];
}
