import { create } from '@bufbuild/protobuf';
import type { Any, Timestamp } from '@bufbuild/protobuf/wkt';
import { type Coin, CoinSchema } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import {
  AllowedMsgAllowanceSchema,
  type BasicAllowance,
  BasicAllowanceSchema,
  type PeriodicAllowance,
  PeriodicAllowanceSchema,
} from '../../../../../../src/proto/cosmos/feegrant/v1beta1/feegrant_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import type { Amount } from '../../runtime/coins.ts';
import { packAny, unpackAny } from '../../runtime/keeper.ts';
import { lengthOf, momentOf, timestampOf } from '../../runtime/time.ts';

/** A payment from an allowance. */
export interface Spending {
  readonly fee: readonly Amount[];
  /** Type URLs of the transaction's messages. */
  readonly messages: readonly string[];
  /** Time of the payment, in nanoseconds since 1970. */
  readonly time: bigint;
}

/** Returns the rest of a limit in the same order, without coins that are used up. undefined if the limit is too small. */
function subtract(limit: readonly Coin[], fee: readonly Amount[]): Coin[] | undefined {
  const left = new Map(limit.map(({ denom, amount }) => [denom, BigInt(amount)]));
  for (const { denom, amount } of fee) {
    const rest = (left.get(denom) ?? 0n) - amount;
    if (rest < 0n) return undefined;
    left.set(denom, rest);
  }
  return [...left]
    .filter(([, amount]) => amount > 0n)
    .map(([denom, amount]) => create(CoinSchema, { denom, amount: String(amount) }));
}

function requireAlive(expiration: Timestamp | undefined, time: bigint, what: string): void {
  if (expiration !== undefined && momentOf(expiration) < time) throw abciError('feegrantExpired', what);
}

/** Pays from a basic allowance. Returns whether it is used up. */
function spendBasic(allowance: BasicAllowance, { fee, time }: Spending): boolean {
  requireAlive(allowance.expiration, time, 'basic allowance');
  if (allowance.spendLimit.length === 0) return false;
  const left = subtract(allowance.spendLimit, fee);
  if (left === undefined) throw abciError('feegrantExceeded', 'basic allowance');
  allowance.spendLimit = left;
  return left.length === 0;
}

/** Starts the next period if the current one is over. Its limit is at most the rest of the total limit. */
function renew(allowance: PeriodicAllowance, time: bigint): void {
  const reset = momentOf(allowance.periodReset);
  if (time < reset) return;
  const total = allowance.basic?.spendLimit ?? [];
  const within = allowance.periodSpendLimit.every(({ denom, amount }) => {
    const most = total.find((coin) => coin.denom === denom);
    return most !== undefined && BigInt(amount) <= BigInt(most.amount);
  });
  allowance.periodCanSpend = total.length === 0 || within ? allowance.periodSpendLimit : total;
  const length = lengthOf(allowance.period);
  const next = reset + length;
  allowance.periodReset = timestampOf(time > next ? time + length : next);
}

function spendPeriodic(allowance: PeriodicAllowance, { fee, time }: Spending): boolean {
  requireAlive(allowance.basic?.expiration, time, 'absolute limit');
  renew(allowance, time);
  const left = subtract(allowance.periodCanSpend, fee);
  if (left === undefined) throw abciError('feegrantExceeded', 'period limit');
  allowance.periodCanSpend = left;
  const { basic } = allowance;
  if (basic === undefined || basic.spendLimit.length === 0) return false;
  const rest = subtract(basic.spendLimit, fee);
  if (rest === undefined) throw abciError('feegrantExceeded', 'absolute limit');
  basic.spendLimit = rest;
  return rest.length === 0;
}

/**
 * Pays a fee from an allowance, and returns the new allowance. undefined if it is used up. Throws (codespace feegrant) if the
 * allowance has expired, is too small, or does not allow the messages. Codes and texts are those of the Cosmos SDK, not
 * recorded.
 */
export function spend(allowance: Any | undefined, spending: Spending): Any | undefined {
  const basic = unpackAny(BasicAllowanceSchema, allowance);
  if (basic !== undefined) return spendBasic(basic, spending) ? undefined : packAny(BasicAllowanceSchema, basic);
  const periodic = unpackAny(PeriodicAllowanceSchema, allowance);
  if (periodic !== undefined) return spendPeriodic(periodic, spending) ? undefined : packAny(PeriodicAllowanceSchema, periodic);
  const allowed = unpackAny(AllowedMsgAllowanceSchema, allowance);
  if (allowed === undefined) throw abciError('invalidRequest', `unknown allowance ${allowance?.typeUrl ?? ''}`);
  if (!spending.messages.every((message) => allowed.allowedMessages.includes(message))) {
    throw abciError('feegrantNotAllowed', 'message does not exist in allowed messages');
  }
  const inner = spend(allowed.allowance, spending);
  if (inner === undefined) return undefined;
  allowed.allowance = inner;
  return packAny(AllowedMsgAllowanceSchema, allowed);
}

/**
 * Returns the expiration of an allowance in nanoseconds since 1970. undefined if it does not expire. Throws code 18 for an
 * unknown type.
 */
export function expirationOf(allowance: Any | undefined): bigint | undefined {
  const allowed = unpackAny(AllowedMsgAllowanceSchema, allowance);
  if (allowed !== undefined) return expirationOf(allowed.allowance);
  const basic = unpackAny(BasicAllowanceSchema, allowance) ?? unpackAny(PeriodicAllowanceSchema, allowance)?.basic;
  if (basic === undefined) throw abciError('invalidRequest', `unknown allowance ${allowance?.typeUrl ?? ''}`);
  return basic.expiration === undefined ? undefined : momentOf(basic.expiration);
}
