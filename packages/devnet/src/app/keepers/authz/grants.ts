import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  GenericAuthorizationSchema,
  type Grant,
  type GrantAuthorization,
  GrantAuthorizationSchema,
  GrantSchema,
} from '../../../../../../src/proto/cosmos/authz/v1beta1/authz_pb.js';
import { EventGrantSchema, EventRevokeSchema } from '../../../../../../src/proto/cosmos/authz/v1beta1/event_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import { decodeAddress, encodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { unpackAny } from '../../runtime/keeper.ts';
import { momentOf, timeKey } from '../../runtime/time.ts';
import { bytesOf, keyOf, sizedKey } from '../../state/bytes.ts';
import type { StoreEntry } from '../../state/store.ts';
import { createAccount, readAccount } from '../base/auth.ts';

/** The parties of a grant, and the type of message that the grantee may send for the granter. */
export interface Granted {
  readonly granter: string;
  readonly grantee: string;
  readonly msgTypeUrl: string;
}

const store = 'authz';
/** Key prefixes of the Cosmos SDK. The entries of the queue are the devnet's own. */
const keys = { grant: '\x01', queue: '\x02' } as const;

function grantKey({ granter, grantee, msgTypeUrl }: Granted): string {
  const parties = [granter, grantee].map((address) => sizedKey(keyOf(decodeAddress(address))));
  return `${keys.grant}${parties.join('')}${msgTypeUrl}`;
}

function queueKey(expiration: bigint, key: string): string {
  return `${keys.queue}${timeKey(expiration)}${key}`;
}

function remove(context: Context, key: string, { expiration }: Grant): void {
  context.delete(store, key);
  if (expiration !== undefined) context.delete(store, queueKey(momentOf(expiration), key));
}

function find(context: Context, key: string): Grant | undefined {
  const stored = context.get(store, key);
  return stored === undefined ? undefined : fromBinary(GrantSchema, stored);
}

/** Saves the grant of a generic authorization, in place of an earlier one for the same type. Throws for other authorizations. */
export function saveGrant(context: Context, granter: string, grantee: string, grant: Grant): void {
  const generic = unpackAny(GenericAuthorizationSchema, grant.authorization);
  if (generic === undefined) throw abciError('unknownAuthorization');
  if (grant.expiration !== undefined && momentOf(grant.expiration) <= context.block.time) {
    throw abciError('authorizationInThePast');
  }
  const address = decodeAddress(grantee);
  if (readAccount(context, address) === undefined) createAccount(context, address);
  const granted = { granter, grantee, msgTypeUrl: generic.msg };
  const key = grantKey(granted);
  const before = find(context, key);
  if (before !== undefined) remove(context, key, before);
  context.set(store, key, toBinary(GrantSchema, grant));
  if (grant.expiration !== undefined) context.set(store, queueKey(momentOf(grant.expiration), key), new Uint8Array());
  context.emit(typedEvent(EventGrantSchema, granted));
}

/** Deletes a grant. Throws code 2 if there is none. */
export function revokeGrant(context: Context, granted: Granted): void {
  const key = grantKey(granted);
  const grant = find(context, key);
  if (grant === undefined) throw abciError('authorizationNotFound', `failed to delete grant with key ${bytesText(key)}`);
  remove(context, key, grant);
  context.emit(typedEvent(EventRevokeSchema, granted));
}

/** Throws if the grantee may not send such a message for the granter: code 2 without a grant, code 6 if it has expired. */
export function requireGrant(context: Context, granted: Granted): void {
  const key = grantKey(granted);
  const grant = find(context, key);
  if (grant === undefined) throw abciError('authorizationNotFound', `failed to update grant with key ${bytesText(key)}`);
  if (grant.expiration !== undefined && momentOf(grant.expiration) < context.block.time)
    throw abciError('authorizationExpired');
}

/** The key prefix of the grants that an account gave; of all grants without one. */
export function grantsPrefix(granter?: string): string {
  return granter === undefined ? keys.grant : keys.grant + sizedKey(keyOf(decodeAddress(granter)));
}

/** A stored grant with its parties, which are in its key. */
export function grantAt({ key, value }: StoreEntry): GrantAuthorization {
  const bytes = bytesOf(key);
  const granterEnd = 2 + (bytes[1] ?? 0);
  const granteeEnd = granterEnd + 1 + (bytes[granterEnd] ?? 0);
  const { authorization, expiration } = fromBinary(GrantSchema, value);
  return create(GrantAuthorizationSchema, {
    granter: encodeAddress(bytes.subarray(2, granterEnd)),
    grantee: encodeAddress(bytes.subarray(granterEnd + 1, granteeEnd)),
    ...(authorization && { authorization }),
    ...(expiration && { expiration }),
  });
}

/** The store of the module. */
export const authzStore = store;

/** Deletes the grants that have expired. */
export function dropExpiredGrants(context: Context): void {
  const limit = queueKey(context.block.time + 1n, '');
  const expired: string[] = [];
  for (const { key } of context.entries(store, keys.queue)) {
    if (key >= limit) break;
    expired.push(key);
  }
  for (const key of expired) {
    context.delete(store, key);
    context.delete(store, key.slice(queueKey(0n, '').length));
  }
}

/** A key as the chain prints it: its bytes as text. */
function bytesText(key: string): string {
  return new TextDecoder().decode(bytesOf(key));
}
