import { createHash } from 'node:crypto';
import { PlainError } from './abciErrors.ts';
import { decodeBech32, encodeAddress } from './address.ts';

/**
 * Kinds of metadata addresses by bech32 prefix: the first byte, and the number of bytes that follow
 * (docs/chain.md, "Metadata addresses").
 */
const kinds = {
  scope: { head: 0x00, length: 16 },
  session: { head: 0x01, length: 32 },
  record: { head: 0x02, length: 32 },
  contractspec: { head: 0x03, length: 16 },
  scopespec: { head: 0x04, length: 16 },
  recspec: { head: 0x05, length: 32 },
} as const;

/** A bech32 prefix of metadata addresses. */
export type MetadataKind = keyof typeof kinds;

const byHead = new Map<number, string>(Object.entries(kinds).map(([prefix, { head }]) => [head, prefix]));

/** Encodes a metadata address in bech32. Throws a {@link PlainError} if its first byte is unknown. */
export function encodeMetadataAddress(bytes: Uint8Array): string {
  const prefix = byHead.get(bytes[0] ?? -1);
  if (prefix === undefined) throw new PlainError(`invalid metadata address type: ${bytes[0] ?? 'none'}`);
  return encodeAddress(bytes, prefix);
}

/** Whether the bytes are a metadata address of a kind. */
export function isMetadataAddress(kind: MetadataKind, bytes: Uint8Array): boolean {
  return bytes[0] === kinds[kind].head && bytes.length === kinds[kind].length + 1;
}

/** Returns the UUID in bytes 1 to 16 of a metadata address. */
export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.slice(1, 17)).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * Creates the metadata address of a kind from a UUID. Throws a {@link PlainError} with the node's text. The text for a wrong
 * length is recorded, the other inferred.
 */
export function addressOfUuid(kind: MetadataKind, uuid: string): Uint8Array {
  if (uuid.length !== 36 && uuid.length !== 32) throw new PlainError(`invalid UUID length: ${uuid.length}`);
  if (!/^[0-9a-f]{8}(-?)([0-9a-f]{4}\1){3}[0-9a-f]{12}$/i.test(uuid)) throw new PlainError('invalid UUID format');
  return new Uint8Array([kinds[kind].head, ...Buffer.from(uuid.replaceAll('-', ''), 'hex')]);
}

/** Decodes a metadata address of a kind. Throws a {@link PlainError}. The text for another kind is not recorded. */
export function decodeMetadataAddress(kind: MetadataKind, text: string): Uint8Array {
  const { prefix, bytes } = decodeBech32(text);
  if (prefix !== kind || !isMetadataAddress(kind, bytes)) throw new PlainError(`invalid ${kind} address: ${text}`);
  return bytes;
}

function inScope(kind: MetadataKind, parent: Uint8Array, rest: Uint8Array): Uint8Array {
  return new Uint8Array([kinds[kind].head, ...parent.subarray(1, 17), ...rest]);
}

/** Returns the address of the scope that a session or a record is in. */
export function scopeIdOf(id: Uint8Array): Uint8Array {
  return inScope('scope', id, new Uint8Array());
}

/** Returns the address of the contract specification that a record specification belongs to. */
export function contractSpecIdOf(recordSpecId: Uint8Array): Uint8Array {
  return inScope('contractspec', recordSpecId, new Uint8Array());
}

/** Returns the address of the session of a scope with this UUID. */
export function sessionIdOf(scopeId: Uint8Array, uuid: string): Uint8Array {
  return inScope('session', scopeId, addressOfUuid('scope', uuid).subarray(1));
}

/** The hash of a name in the addresses of records and record specifications: 16 bytes of SHA-256, without regard to case (recorded). */
function nameHash(name: string): Uint8Array {
  return createHash('sha256').update(name.trim().toLowerCase()).digest().subarray(0, 16);
}

/** Returns the address of the record with this name in the scope that `parent`, a scope or a session, is in. */
export function recordIdOf(parent: Uint8Array, name: string): Uint8Array {
  return inScope('record', parent, nameHash(name));
}

/** Returns the address of the record specification with this name of a contract specification. */
export function recordSpecIdOf(contractSpecId: Uint8Array, name: string): Uint8Array {
  return inScope('recspec', contractSpecId, nameHash(name));
}
