import { createHash } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type NameRecord, NameRecordSchema } from '../../../../proto/provenance/name/v1/name_pb.js';
import { abciError, PlainError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { keyOf, sizedKey } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';

/** The store of the name module. */
export const nameStore = 'name';

/** The prefixes are inferred; the order of names under an address, which the name's hash gives, is recorded. */
export const nameKeys = { name: '\x03', address: '\x05' } as const;

/** Name that an account's own note is stored under, as an attribute. */
export const accountDataName = 'accountdata';

/** Limits on names: the defaults of the module. */
export const nameParams = {
  maxSegmentLength: 32,
  minSegmentLength: 2,
  maxNameLevels: 16,
  allowUnrestrictedNames: true,
} as const;

/** SHA-256 of a name with its segments in reverse (`pb.kyc` for `kyc.pb`): what keys have in its place (seen in page keys of attributes). */
export function nameHash(name: string): string {
  return keyOf(createHash('sha256').update(name.split('.').reverse().join('.')).digest());
}

/** A name as it is stored: lower case, without spaces at the segments' ends. Refuses what is no name; these texts are not recorded. */
export function normalizeName(name: string): string {
  const segments = name.split('.').map((segment) => segment.trim().toLowerCase());
  if (segments.length > nameParams.maxNameLevels) throw new PlainError('name has too many segments');
  for (const segment of segments) {
    const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(segment);
    if (segment.length < nameParams.minSegmentLength) throw new PlainError('segment of name is too short');
    if (segment.length > nameParams.maxSegmentLength && !uuid) throw new PlainError('segment of name is too long');
    if (!uuid && !/^[\p{L}\p{N}]+(-?[\p{L}\p{N}]+)?$/u.test(segment)) {
      throw new PlainError('value provided for name is invalid');
    }
  }
  return segments.join('.');
}

/** Who a name is bound to; undefined when to nobody. `name` is normalized. */
export function findName(state: StoreView, name: string): NameRecord | undefined {
  const stored = state.get(nameStore, nameKeys.name + nameHash(name));
  return stored === undefined ? undefined : fromBinary(NameRecordSchema, stored);
}

/** The same; `no address bound to name` when it is bound to nobody. */
export function loadName(state: StoreView, name: string): NameRecord {
  const record = findName(state, name);
  if (record === undefined) throw abciError('nameNotBound');
  return record;
}

function addressKey(record: NameRecord): string {
  return nameKeys.address + sizedKey(keyOf(decodeAddress(record.address))) + nameHash(record.name);
}

/** Takes a name away from whom it is bound to. */
export function removeName(context: Context, record: NameRecord): void {
  context.delete(nameStore, nameKeys.name + nameHash(record.name));
  context.delete(nameStore, addressKey(record));
}

/** Binds a name, taking it away from whom it was bound to. */
export function saveName(context: Context, name: string, address: string, restricted: boolean): void {
  const before = findName(context, name);
  if (before !== undefined) removeName(context, before);
  const record = create(NameRecordSchema, { name, address, restricted });
  const bytes = toBinary(NameRecordSchema, record);
  context.set(nameStore, nameKeys.name + nameHash(name), bytes);
  context.set(nameStore, addressKey(record), bytes);
}
