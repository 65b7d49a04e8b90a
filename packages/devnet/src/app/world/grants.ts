import { type Any, type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { GenericAuthorizationSchema } from '../../../../../src/proto/cosmos/authz/v1beta1/authz_pb.js';
import { MsgGrantSchema } from '../../../../../src/proto/cosmos/authz/v1beta1/tx_pb.js';
import {
  AllowedMsgAllowanceSchema,
  BasicAllowanceSchema,
  PeriodicAllowanceSchema,
} from '../../../../../src/proto/cosmos/feegrant/v1beta1/feegrant_pb.js';
import { MsgGrantAllowanceSchema } from '../../../../../src/proto/cosmos/feegrant/v1beta1/tx_pb.js';
import { feeDenom } from '../runtime/coins.ts';
import type { HistoryStep } from '../runtime/genesisState.ts';
import { durationOf, seconds, timestampOf } from '../runtime/time.ts';
import { inTurn, toAny } from './step.ts';

const day = 24 * 3600;
const hash = 1_000_000_000n;

function coins(amount: bigint) {
  return [{ denom: feeDenom, amount: String(amount) }];
}

/**
 * Creates grants of x/authz, and fee grants of the three kinds, also nested. Account 3 has one of each kind, and account 0 is both granter and
 * grantee.
 */
export function grantSteps(addresses: readonly string[]): HistoryStep[] {
  const grant = (from: number, to: number, allowance: Any) =>
    toAny(MsgGrantAllowanceSchema, { granter: addresses[from] ?? '', grantee: addresses[to] ?? '', allowance });
  const basic = (amount: bigint) => toAny(BasicAllowanceSchema, { spendLimit: coins(amount) });
  const periodic = (genesisTime: bigint) =>
    toAny(PeriodicAllowanceSchema, {
      basic: { spendLimit: coins(100n * hash), expiration: timestampFromMs(Date.UTC(2050, 0, 30, 15, 4, 5)) },
      period: durationOf(seconds(day)),
      periodSpendLimit: coins(hash),
      periodCanSpend: coins(hash),
      periodReset: timestampOf(genesisTime + seconds(day)),
    });
  const only = (allowedMessages: string[], allowance: Any) => toAny(AllowedMsgAllowanceSchema, { allowance, allowedMessages });
  const authorization = (from: number, to: number, msg: string, expiration?: Timestamp) =>
    toAny(MsgGrantSchema, {
      granter: addresses[from] ?? '',
      grantee: addresses[to] ?? '',
      grant: { authorization: toAny(GenericAuthorizationSchema, { msg }), ...(expiration && { expiration }) },
    });
  return inTurn(10 * day, [
    authorization(0, 1, '/cosmos.group.v1.MsgVote'),
    authorization(0, 2, '/cosmos.bank.v1beta1.MsgSend', timestampFromMs(Date.UTC(2050, 0, 30))),
    authorization(3, 0, '/cosmos.group.v1.MsgVote'),
    grant(0, 3, basic(50n * hash)),
    (genesisTime) => grant(1, 3, periodic(genesisTime)),
    (genesisTime) => grant(2, 3, only(['/cosmos.group.v1.MsgVote', '/cosmos.group.v1.MsgExec'], periodic(genesisTime))),
    grant(3, 0, only(['/cosmos.group.v1.MsgVote'], basic(20n * hash))),
    grant(1, 0, toAny(BasicAllowanceSchema, {})),
    grant(0, 4, basic(10n * hash)),
  ]);
}
