import { createHash } from 'node:crypto';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Attribute, AttributeSchema } from '../../../../proto/provenance/attribute/v1/attribute_pb.js';
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
 * The rows are the real module's (chain.md 6.3; page keys show the two hashes). The two indexes, by name and by expiry, are
 * inferred.
 */
export const attributeKeys = { row: '\x02', byName: '\x03', byExpiry: '\x04' } as const;

/** The hash of a name in keys. A name of nothing but spaces panics, as the module does (recorded). */
export function attributeNameHash(name: string): string {
  const normal = name.trim().toLowerCase();
  if (normal === '') throw abciError('panic', `invalid account attribute name ${name}`);
  return nameHash(normal);
}

/** What the attributes of an account follow. */
export function holderPrefix(holder: Uint8Array): string {
  return attributeKeys.row + sizedKey(keyOf(holder));
}

/** What the accounts with attributes of a name follow, each with its length in front. */
export function namePrefix(name: string): string {
  return attributeKeys.byName + attributeNameHash(name);
}

/** The attribute in an entry. */
export function attributeIn(entry: StoreEntry): Attribute {
  return fromBinary(AttributeSchema, entry.value);
}

/** Whether an attribute has ended at a time (nanoseconds since 1970). */
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

/** Attributes of an account with that name, ended ones too, by the hash of their value. */
export function attributesNamed(state: StoreView, holder: Uint8Array, name: string): Attribute[] {
  return [...state.entries(attributeStore, holderPrefix(holder) + attributeNameHash(name))].map(attributeIn);
}

/** Stores an attribute of an account or scope, in place of one of the same name and value. */
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

/** Takes an attribute away. */
export function removeAttribute(context: Context, attribute: Attribute): void {
  const holder = requireMessageHolder(attribute.address);
  const row = rowKey(holder, attribute);
  context.delete(attributeStore, row);
  const expiry = expiryKey(attribute, row);
  if (expiry !== undefined) context.delete(attributeStore, expiry);
  countByName(context, holder, attribute.name, -1n);
}

/** Takes every attribute of a name away, from everybody. */
export function purgeAttributes(context: Context, name: string): void {
  const prefix = namePrefix(name);
  for (const { key } of [...context.entries(attributeStore, prefix)]) {
    const row = attributeKeys.row + key.slice(prefix.length) + attributeNameHash(name);
    for (const entry of [...context.entries(attributeStore, row)]) removeAttribute(context, attributeIn(entry));
  }
}

/** Attributes that ended before or at a time, oldest first. */
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
