import { fromBinary } from '@bufbuild/protobuf';
import { fromSecondsAndNanos, type Nanoseconds } from '../../chain/base/time.ts';
import { type AnyMessage, typeNameOf } from '../../chain/wire/protoJson.ts';
import { GenericAuthorizationSchema, type GrantAuthorization } from '../../proto/cosmos/authz/v1beta1/authz_pb.js';
import { Query } from '../../proto/cosmos/authz/v1beta1/query_pb.js';
import { sizedAddressKey } from '../../reads/input.ts';
import { listOnce, readAll, stateList } from '../../reads/page.ts';
import { type Awaitable, andThen, lazyLoaders, type Pin } from '../../reads/pin.ts';
import { fromAny } from '../any/codec.ts';

/** A grant of x/authz: the grantee may send a kind of message in the name of the granter. */
export interface AuthorizationGrant {
  readonly granter: string;
  readonly grantee: string;
  readonly authorization: AnyMessage;
  /** null if it does not expire. */
  readonly expiration: Nanoseconds | null;
}

function grantFromWire({ granter, grantee, authorization, expiration }: GrantAuthorization): AuthorizationGrant {
  return {
    ...{ granter, grantee },
    authorization: authorization === undefined ? { type: '', value: new Uint8Array() } : fromAny(authorization),
    expiration: expiration === undefined ? null : fromSecondsAndNanos(expiration),
  };
}

/** Reads the grants that an account gave, by grantee. */
const readGiven = stateList({
  method: Query.method.granterGrants,
  request: (granter: string, pagination) => ({ granter, pagination }),
  part: ({ grants, pagination }) => [grants.map(grantFromWire), pagination],
});

/** Reads the grants that an account received, by granter. The chain scans all grants. */
const readReceived = stateList({
  method: Query.method.granteeGrants,
  request: (grantee: string, pagination) => ({ grantee, pagination }),
  part: ({ grants, pagination }) => [grants.map(grantFromWire), pagination],
});

/** The types of messages by the type of the authorization, where it is for one type. A StakeAuthorization names one of four. */
const messageTypes: ReadonlyMap<string, string> = new Map([
  ['cosmos.bank.v1beta1.SendAuthorization', '/cosmos.bank.v1beta1.MsgSend'],
  ['cosmwasm.wasm.v1.ContractExecutionAuthorization', '/cosmwasm.wasm.v1.MsgExecuteContract'],
  ['cosmwasm.wasm.v1.ContractMigrationAuthorization', '/cosmwasm.wasm.v1.MsgMigrateContract'],
  ['cosmwasm.wasm.v1.StoreCodeAuthorization', '/cosmwasm.wasm.v1.MsgStoreCode'],
  ['ibc.applications.transfer.v1.TransferAuthorization', '/ibc.applications.transfer.v1.MsgTransfer'],
  ['provenance.marker.v1.MarkerTransferAuthorization', '/provenance.marker.v1.MsgTransferRequest'],
]);

const createAuthzLoaders = lazyLoaders({ given: listOnce(readGiven), received: listOnce(readReceived) });

/**
 * The order of grants: by the other account, then by the authorization. The chain orders them by the type of the message, which an authorization of an
 * unknown type does not tell, so lists are read whole.
 */
export function grantKey(other: 'granter' | 'grantee'): (grant: AuthorizationGrant) => Uint8Array {
  return ({ [other]: address, authorization: { type, value } }) =>
    Buffer.concat([sizedAddressKey(address), Buffer.from(`${type}\0`), value]);
}

/** All grants that an account gave or received, in the order of {@link grantKey}. More than 5,000 are OPERATION_TOO_COMPLEX. */
export function grantsOf(pin: Pin, list: 'given' | 'received', address: string): Awaitable<readonly AuthorizationGrant[]> {
  const loader = pin.loaders(createAuthzLoaders)[list];
  const keyOf = grantKey(list === 'given' ? 'grantee' : 'granter');
  const grants = readAll({ read: (page) => loader.load({ of: address, page }), keyOf }, 'grants');
  return andThen(grants, (items) => items.toSorted((one, other) => Buffer.compare(keyOf(one), keyOf(other))));
}

/** The type of the messages that an authorization is for; null if this server does not know the authorization. */
export function messageTypeOf({ type, value }: AnyMessage): string | null {
  if (typeNameOf(type) !== GenericAuthorizationSchema.typeName) return messageTypes.get(typeNameOf(type)) ?? null;
  try {
    return fromBinary(GenericAuthorizationSchema, value).msg;
  } catch {
    return null;
  }
}
