import { toBinary } from '@bufbuild/protobuf';
import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import {
  AllowedMsgAllowanceSchema,
  BasicAllowanceSchema,
  PeriodicAllowanceSchema,
  type BasicAllowance as WireBasic,
  type Grant as WireGrant,
} from '../../proto/cosmos/feegrant/v1beta1/feegrant_pb.js';
import { fromSecondsAndNanos, type Nanoseconds } from '../../reads/time.ts';
import { fromAny } from '../any/codec.ts';
import { type Coin, coinFromWire } from '../bank/model.ts';

/** Up to a sum, until a time. */
export interface BasicAllowance {
  readonly kind: 'basic';
  readonly any: AnyMessage;
  /** Empty means no limit. */
  readonly spendLimit: readonly Coin[];
  /** null when it does not expire. */
  readonly expiration: Nanoseconds | null;
}

/** A sum for each period, within a basic allowance. */
export interface PeriodicAllowance {
  readonly kind: 'periodic';
  readonly any: AnyMessage;
  readonly basic: BasicAllowance;
  readonly period: Nanoseconds;
  readonly periodSpendLimit: readonly Coin[];
  readonly periodCanSpend: readonly Coin[];
  readonly periodReset: Nanoseconds;
}

/** Another allowance, for certain messages only. */
export interface AllowedMsgAllowance {
  readonly kind: 'allowedMsg';
  readonly any: AnyMessage;
  readonly allowance: FeeAllowance;
  readonly allowedMessages: readonly string[];
}

/** An allowance of a type unknown to this server. */
export interface OtherFeeAllowance {
  readonly kind: 'other';
  readonly any: AnyMessage;
}

/** Terms of a fee grant. */
export type FeeAllowance = BasicAllowance | PeriodicAllowance | AllowedMsgAllowance | OtherFeeAllowance;

/** An allowance that one account gives another to pay fees with. */
export interface FeeGrant {
  readonly granter: string;
  readonly grantee: string;
  readonly allowance: FeeAllowance;
}

/** A basic allowance that stands within another is no `Any` on the wire: it is made one. */
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

/** A grant from the wire. */
export function grantFromWire({ granter, grantee, allowance }: WireGrant): FeeGrant {
  return { granter, grantee, allowance: allowanceFromWire(allowance) };
}
