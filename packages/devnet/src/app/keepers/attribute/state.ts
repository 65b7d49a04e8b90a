import { createHash } from 'node:crypto';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Attribute, AttributeSchema } from '../../../../../../src/proto/provenance/attribute/v1/attribute_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import type { Context } from '../../runtime/context.ts';
import { momentOf, timeKey } from '../../runtime/time.ts';
import { keyOf, sizedKey, u64At, u64Key } from '../../state/bytes.ts';
import type { StoreEntry, StoreView } from '../../state/store.ts';
import { nameHash } from '../name/state.ts';
import { requireMessageHolder } from './account.ts';

/** The store of the attribute module. */
export const attributeStore = 'attribute';

/**
 * Key prefixes. Those of the rows are the real module's (docs/chain.md, "Keys of stores"; page keys contain the two hashes).
 * The indexes by name and by expiration are inferred.
 */
export const attributeKeys = { row: '\x02', byName: '\x03', byExpiry: '\x04' } as const;

/** Returns the hash of a name in keys. Throws a panic for a name of spaces, as the module does (recorded). */
export function attributeNameHash(name: string): string {
  const normal = name.trim().toLowerCase();
  if (normal === '') throw abciError('panic', `invalid account attribute name ${name}`);
  return nameHash(normal);
}

/** The key prefix of an account's attributes. */
export function holderPrefix(holder: Uint8Array): string {
  return attributeKeys.row + sizedKey(keyOf(holder));
}

/** The key prefix of the accounts with attributes of a name. Each account is prefixed with its length. */
export function namePrefix(name: string): string {
  return attributeKeys.byName + attributeNameHash(name);
}

/** Decodes the attribute in an entry. */
export function attributeIn(entry: StoreEntry): Attribute {
  return fromBinary(AttributeSchema, entry.value);
}

/** Whether an attribute has expired at a time in nanoseconds since 1970. */
export function isExpired({ expirationDate }: Attribute, time: bigint): boolean {
  return expirationDate !== undefined && momentOf(expirationDate) <= time;
}

/** SHA-256 of an attribute's value, as in its key. */
export function valueHash(value: Uint8Array): string {
  return keyOf(createHash('sha256').update(value).digest());
}

function rowKey(holder: Uint8Array, attribute: Attribute): string {
  return holderPrefix(holder) + attributeNameHash(attribute.name) + valueHash(attribute.value);
}

function expiryKey(attribute: Attribute, row: string): string | undefined {
  const { expirationDate } = attribute;
  return expirationDate === undefined ? undefined : `${attributeKeys.byExpiry}${timeKey(momentOf(expirationDate))}${row}`;
}

function countByName(context: Context, holder: Uint8Array, name: string, change: bigint): void {
  const key = namePrefix(name) + sizedKey(keyOf(holder));
  const stored = context.get(attributeStore, key);
  const count = (stored === undefined ? 0n : u64At(keyOf(stored))) + change;
  if (count === 0n) context.delete(attributeStore, key);
  else context.set(attributeStore, key, new Uint8Array(Buffer.from(u64Key(count), 'latin1')));
}

/** Returns the attributes of an account with a name, including expired ones, ordered by the hash of their value. */
export function attributesNamed(state: StoreView, holder: Uint8Array, name: string): Attribute[] {
  return [...state.entries(attributeStore, holderPrefix(holder) + attributeNameHash(name))].map(attributeIn);
}

/** Stores an attribute of an account or scope. Replaces one with the same name and value. */
export function saveAttribute(context: Context, attribute: Attribute): void {
  const holder = requireMessageHolder(attribute.address);
  const row = rowKey(holder, attribute);
  const stored = context.get(attributeStore, row);
  if (stored === undefined) countByName(context, holder, attribute.name, 1n);
  else {
    const stale = expiryKey(fromBinary(AttributeSchema, stored), row);
    if (stale !== undefined) context.delete(attributeStore, stale);
  }
  context.set(attributeStore, row, toBinary(AttributeSchema, attribute));
  const expiry = expiryKey(attribute, row);
  if (expiry !== undefined) context.set(attributeStore, expiry, new Uint8Array());
}

/** Removes an attribute. */
export function removeAttribute(context: Context, attribute: Attribute): void {
  const holder = requireMessageHolder(attribute.address);
  const row = rowKey(holder, attribute);
  context.delete(attributeStore, row);
  const expiry = expiryKey(attribute, row);
  if (expiry !== undefined) context.delete(attributeStore, expiry);
  countByName(context, holder, attribute.name, -1n);
}

/** Removes all attributes with a name. */
export function purgeAttributes(context: Context, name: string): void {
  const prefix = namePrefix(name);
  for (const { key } of [...context.entries(attributeStore, prefix)]) {
    const row = attributeKeys.row + key.slice(prefix.length) + attributeNameHash(name);
    for (const entry of [...context.entries(attributeStore, row)]) removeAttribute(context, attributeIn(entry));
  }
}

/** Returns the attributes that expired at or before a time, oldest first. */
export function expiredAttributes(state: StoreView, time: bigint): Attribute[] {
  const { byExpiry } = attributeKeys;
  const moment = byExpiry.length + timeKey(0n).length;
  const ended: Attribute[] = [];
  for (const { key } of state.entries(attributeStore, byExpiry)) {
    if (key.slice(byExpiry.length, moment) > timeKey(time)) break;
    const value = state.get(attributeStore, key.slice(moment));
    if (value !== undefined) ended.push(fromBinary(AttributeSchema, value));
  }
  return ended;
}
