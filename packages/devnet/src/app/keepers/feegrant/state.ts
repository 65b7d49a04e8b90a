import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { type Grant, GrantSchema } from '../../../../../../src/proto/cosmos/feegrant/v1beta1/feegrant_pb.js';
import { abciError, wrapping } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { plainEvent } from '../../runtime/events.ts';
import { timeKey } from '../../runtime/time.ts';
import { keyOf, sizedKey } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { createAccount, readAccount } from '../base/auth.ts';
import { expirationOf, type Spending, spend } from './allowance.ts';

/** The store of the feegrant module. */
export const feegrantStore = 'feegrant';

/** Key prefixes of the Cosmos SDK. The order of an account's grants, by granter, is recorded. */
export const feegrantKeys = { grant: '\x00', queue: '\x01' } as const;

/** The key prefix of the grants to an account. */
export function granteePrefix(grantee: string): string {
  return feegrantKeys.grant + sizedKey(keyOf(decodeAddress(grantee)));
}

function grantKey(granter: string, grantee: string): string {
  return granteePrefix(grantee) + sizedKey(keyOf(decodeAddress(granter)));
}

/** Returns the fee grant from one account to another. undefined if there is none. */
export function findGrant(state: StoreView, granter: string, grantee: string): Grant | undefined {
  const stored = state.get(feegrantStore, grantKey(granter, grantee));
  return stored === undefined ? undefined : fromBinary(GrantSchema, stored);
}

function queueKey({ granter, grantee, allowance }: Grant): string | undefined {
  const expiration = expirationOf(allowance);
  return expiration === undefined ? undefined : `${feegrantKeys.queue}${timeKey(expiration)}${grantKey(granter, grantee)}`;
}

function note(context: Context, what: string, granter: string, grantee: string): void {
  context.emit(
    plainEvent(`${what}_feegrant`, [
      ['granter', granter],
      ['grantee', grantee],
    ]),
  );
}

function writeGrant(context: Context, grant: Grant): void {
  context.set(feegrantStore, grantKey(grant.granter, grant.grantee), toBinary(GrantSchema, grant));
  const queued = queueKey(grant);
  if (queued !== undefined) context.set(feegrantStore, queued, new Uint8Array());
}

function removeGrant(context: Context, grant: Grant): void {
  context.delete(feegrantStore, grantKey(grant.granter, grant.grantee));
  const queued = queueKey(grant);
  if (queued !== undefined) context.delete(feegrantStore, queued);
}

/** Creates a fee grant, with the event. Throws code 18 for a second grant and for an expired one; not recorded. */
export function grantAllowance(context: Context, granter: string, grantee: string, allowance: Any | undefined): void {
  if (granter === grantee) throw abciError('invalidAddress', 'cannot self-grant fee authorization');
  if (findGrant(context, granter, grantee) !== undefined) throw abciError('invalidRequest', 'fee allowance already exists');
  const expiration = expirationOf(allowance);
  if (expiration !== undefined && expiration < context.block.time) {
    throw abciError('invalidRequest', 'expiration is before current block time');
  }
  const address = decodeAddress(grantee);
  if (readAccount(context, address) === undefined) createAccount(context, address);
  writeGrant(context, create(GrantSchema, { granter, grantee, ...(allowance && { allowance }) }));
  note(context, 'set', granter, grantee);
}

/** Revokes a grant, with the event. Throws `fee-grant not found` if there is none. */
export function revokeAllowance(context: Context, granter: string, grantee: string): void {
  const grant = findGrant(context, granter, grantee);
  if (grant === undefined) throw abciError('notFound', 'fee-grant not found');
  removeGrant(context, grant);
  note(context, 'revoke', granter, grantee);
}

/** Charges a fee to a grant, with the events in the recorded order. Throws if the grant does not allow it. */
export function spendAllowance(context: Context, granter: string, grantee: string, spending: Spending): void {
  wrapping(`${granter} does not allow to pay fees for ${grantee}`, () => {
    const grant = findGrant(context, granter, grantee);
    if (grant === undefined) throw abciError('notFound', 'fee-grant not found');
    const left = spend(grant.allowance, spending);
    if (left === undefined) {
      revokeAllowance(context, granter, grantee);
      note(context, 'use', granter, grantee);
      return;
    }
    note(context, 'use', granter, grantee);
    grant.allowance = left;
    writeGrant(context, grant);
    note(context, 'update', granter, grantee);
  });
}

/** Deletes expired grants, without an event. */
export function dropExpired(context: Context): void {
  const { queue } = feegrantKeys;
  const over: string[] = [];
  let now: string | undefined;
  for (const { key } of context.entries(feegrantStore, queue)) {
    now ??= queue + timeKey(context.block.time);
    if (key.slice(0, now.length) > now) break;
    over.push(key);
  }
  for (const key of over) {
    context.delete(feegrantStore, key);
    context.delete(feegrantStore, key.slice(now?.length));
  }
}
