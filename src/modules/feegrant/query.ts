import { toBinary } from '@bufbuild/protobuf';
import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt';
import { fromSecondsAndNanos, type Nanoseconds } from '../../chain/base/time.ts';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import {
  AllowedMsgAllowanceSchema,
  BasicAllowanceSchema,
  PeriodicAllowanceSchema,
  type BasicAllowance as WireBasic,
  type Grant as WireGrant,
} from '../../proto/cosmos/feegrant/v1beta1/feegrant_pb.js';
import { Query } from '../../proto/cosmos/feegrant/v1beta1/query_pb.js';
import { sizedAddressKey } from '../../reads/input.ts';
import { chainList, listOnce, type NamedList, stateList } from '../../reads/page.ts';
import { lazyLoaders, type Pin, ReadOnce } from '../../reads/pin.ts';
import { stateReadOrNull } from '../../reads/query.ts';
import { fromAny } from '../any/codec.ts';
import { type Coin, coinFromWire } from '../bank/query.ts';

/** An allowance up to a total amount, until a time. */
export interface BasicAllowance {
  readonly kind: 'basic';
  readonly any: AnyMessage;
  /** Amount left to spend; empty means no limit. */
  readonly spendLimit: readonly Coin[];
  /** null if the allowance does not expire. */
  readonly expiration: Nanoseconds | null;
}

/** An allowance with a limit for each period, within the limits of a basic allowance. */
export interface PeriodicAllowance {
  readonly kind: 'periodic';
  readonly any: AnyMessage;
  readonly basic: BasicAllowance;
  readonly period: Nanoseconds;
  readonly periodSpendLimit: readonly Coin[];
  readonly periodCanSpend: readonly Coin[];
  readonly periodReset: Nanoseconds;
}

/** An allowance that pays only for certain message types. */
export interface AllowedMsgAllowance {
  readonly kind: 'allowedMsg';
  readonly any: AnyMessage;
  readonly allowance: FeeAllowance;
  readonly allowedMessages: readonly string[];
}

/** An allowance of a type that this server does not recognize. */
export interface OtherFeeAllowance {
  readonly kind: 'other';
  readonly any: AnyMessage;
}

/** Terms of a fee grant. */
export type FeeAllowance = BasicAllowance | PeriodicAllowance | AllowedMsgAllowance | OtherFeeAllowance;

/** A fee grant: the granter pays fees of the grantee, within the allowance. */
export interface FeeGrant {
  readonly granter: string;
  readonly grantee: string;
  readonly allowance: FeeAllowance;
}

/** Packs the basic allowance of a periodic allowance, which is not an `Any` in protobuf, into an `Any`. */
function packed(wire: WireBasic | undefined): AnyMessage {
  const value = wire === undefined ? new Uint8Array() : toBinary(BasicAllowanceSchema, wire);
  return { type: `/${BasicAllowanceSchema.typeName}`, value };
}

function basicOf(any: AnyMessage, wire: WireBasic | undefined): BasicAllowance {
  return {
    kind: 'basic',
    any,
    spendLimit: (wire?.spendLimit ?? []).map(coinFromWire),
    expiration: wire?.expiration === undefined ? null : fromSecondsAndNanos(wire.expiration),
  };
}

function allowanceFromWire(any: Any | undefined): FeeAllowance {
  if (any === undefined) return { kind: 'other', any: { type: '', value: new Uint8Array() } };
  const message = fromAny(any);
  const basic = anyUnpack(any, BasicAllowanceSchema);
  if (basic !== undefined) return basicOf(message, basic);
  const periodic = anyUnpack(any, PeriodicAllowanceSchema);
  if (periodic !== undefined)
    return {
      kind: 'periodic',
      any: message,
      basic: basicOf(packed(periodic.basic), periodic.basic),
      period: fromSecondsAndNanos(periodic.period),
      periodSpendLimit: periodic.periodSpendLimit.map(coinFromWire),
      periodCanSpend: periodic.periodCanSpend.map(coinFromWire),
      periodReset: fromSecondsAndNanos(periodic.periodReset),
    };
  const allowed = anyUnpack(any, AllowedMsgAllowanceSchema);
  if (allowed !== undefined)
    return {
      kind: 'allowedMsg',
      any: message,
      allowance: allowanceFromWire(allowed.allowance),
      allowedMessages: allowed.allowedMessages,
    };
  return { kind: 'other', any: message };
}

/** Converts a fee grant from protobuf. */
function grantFromWire({ granter, grantee, allowance }: WireGrant): FeeGrant {
  return { granter, grantee, allowance: allowanceFromWire(allowance) };
}

/** The fee grant of one account to another; null if there is none. */
const readAllowance = stateReadOrNull({
  method: Query.method.allowance,
  request: (granter: string, grantee: string) => ({ granter, grantee }),
  value: (answer): FeeGrant | null => (answer.allowance ? grantFromWire(answer.allowance) : null),
  // The second text is that of SDK 0.54 and later (docs/chain.md, "Absent objects").
  absences: [
    'rpc error: code = Internal desc = fee-grant not found',
    'rpc error: code = Internal desc = collections: not found: ',
  ],
});

/** The fee grants that an account received, by granter. */
const readAllowances = stateList({
  method: Query.method.allowances,
  request: (grantee: string, pagination) => ({ grantee, pagination }),
  part: ({ allowances, pagination }) => [allowances.map(grantFromWire), pagination],
});

/** The fee grants that an account issued, by grantee. The chain scans all fee grants. */
const readAllowancesByGranter = stateList({
  method: Query.method.allowancesByGranter,
  request: (granter: string, pagination) => ({ granter, pagination }),
  part: ({ allowances, pagination }) => [allowances.map(grantFromWire), pagination],
  isFiltered: true,
});

/** The two accounts of a fee grant. */
interface Pair {
  readonly granter: string;
  readonly grantee: string;
}

export const createFeegrantLoaders = lazyLoaders({
  grant: ({ state }) =>
    new ReadOnce(
      ({ granter, grantee }: Pair) => readAllowance(state, granter, grantee),
      ({ granter, grantee }) => `${granter}/${grantee}`,
    ),
  received: listOnce(readAllowances),
  issued: listOnce(readAllowancesByGranter),
});

/** The fee grants that an account received, by granter. Paged by offset, as those that it issued: no page key of these lists was recorded. */
export function receivedList(pin: Pin, address: string): NamedList<FeeGrant> {
  return chainList('feeGrantsReceived', pin.loaders(createFeegrantLoaders).received, address, ({ granter }) =>
    sizedAddressKey(granter),
  );
}

/** The fee grants that an account issued, by grantee. */
export function issuedList(pin: Pin, address: string): NamedList<FeeGrant> {
  return chainList('feeGrantsIssued', pin.loaders(createFeegrantLoaders).issued, address, ({ grantee }) =>
    sizedAddressKey(grantee),
  );
}
