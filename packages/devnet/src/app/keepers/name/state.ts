import { createHash } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type NameRecord, NameRecordSchema } from '../../../../../../src/proto/provenance/name/v1/name_pb.js';
import { abciError, PlainError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { keyOf, sizedKey } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';

/** The store of the name module. */
export const nameStore = 'name';

/** Key prefixes, inferred. The order of an address's names, by the hash of the name, is recorded. */
export const nameKeys = { name: '\x03', address: '\x05' } as const;

/** Name of the attribute that stores account data. */
export const accountDataName = 'accountdata';

/** Limits on names: the defaults of the module. */
export const nameParams = {
  maxSegmentLength: 32,
  minSegmentLength: 2,
  maxNameLevels: 16,
  allowUnrestrictedNames: true,
} as const;

/**
 * Returns the SHA-256 of a name with reversed segments (`pb.kyc` for `kyc.pb`), as in keys (recorded in page keys of
 * attributes).
 */
export function nameHash(name: string): string {
  return keyOf(createHash('sha256').update(name.split('.').reverse().join('.')).digest());
}

/** Normalizes a name: lower case, with trimmed segments. Throws if it is invalid; these errors are not recorded. */
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

/** Returns the record of a normalized name. undefined if it is not bound. */
export function findName(state: StoreView, name: string): NameRecord | undefined {
  const stored = state.get(nameStore, nameKeys.name + nameHash(name));
  return stored === undefined ? undefined : fromBinary(NameRecordSchema, stored);
}

/** Returns the record of a name. Throws `no address bound to name` if it is not bound. */
export function loadName(state: StoreView, name: string): NameRecord {
  const record = findName(state, name);
  if (record === undefined) throw abciError('nameNotBound');
  return record;
}

function addressKey(record: NameRecord): string {
  return nameKeys.address + sizedKey(keyOf(decodeAddress(record.address))) + nameHash(record.name);
}

/** Removes a name. */
export function removeName(context: Context, record: NameRecord): void {
  context.delete(nameStore, nameKeys.name + nameHash(record.name));
  context.delete(nameStore, addressKey(record));
}

/** Binds a name. Replaces an earlier binding. */
export function saveName(context: Context, name: string, address: string, restricted: boolean): void {
  const before = findName(context, name);
  if (before !== undefined) removeName(context, before);
  const record = create(NameRecordSchema, { name, address, restricted });
  const bytes = toBinary(NameRecordSchema, record);
  context.set(nameStore, nameKeys.name + nameHash(name), bytes);
  context.set(nameStore, addressKey(record), bytes);
}
