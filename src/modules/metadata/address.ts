import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import { badInput } from '../../reads/errors.ts';
import { addressBytes } from '../../reads/input.ts';

/** First byte of a metadata address by bech32 prefix, and the bytes that follow it: one UUID, or a UUID and 16 more bytes (docs/chain.md, "Metadata addresses"). */
const kinds = {
  scope: { first: 0, size: 16 },
  session: { first: 1, size: 32 },
  record: { first: 2, size: 32 },
  contractspec: { first: 3, size: 16 },
  scopespec: { first: 4, size: 16 },
  recspec: { first: 5, size: 32 },
} as const;

/** Kinds of metadata addresses, by bech32 prefix. */
export type MetadataKind = keyof typeof kinds;

/** Kinds that have a UUID and nothing else. */
type UuidKind = 'scope' | 'contractspec' | 'scopespec';

/** Encodes a metadata address in bech32. */
export function metadataAddress(kind: MetadataKind, bytes: Uint8Array): string {
  return bech32.encode(kind, bech32.toWords(bytes), 128);
}

/** The same, null for no bytes. */
export function addressOrNull(kind: MetadataKind, bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : metadataAddress(kind, bytes);
}

/** Returns the bytes of a metadata address that was checked or that the chain returned. */
export function metadataBytes(address: string): Uint8Array {
  return addressBytes(address) ?? new Uint8Array();
}

/** Returns the UUID in a metadata address: in bytes 1 to 16, or the 16 bytes after `skipped`. */
export function uuidOf(bytes: Uint8Array, skipped = 1): string {
  const hex = Buffer.from(bytes.subarray(skipped, skipped + 16)).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Returns the metadata address of a UUID. */
export function addressOfUuid(kind: UuidKind, uuid: string): string {
  return metadataAddress(kind, Uint8Array.from([kinds[kind].first, ...Buffer.from(uuid.replaceAll('-', ''), 'hex')]));
}

/** Returns the scope of a session or a record, or the contract specification of a record specification. */
export function parentAddress(kind: UuidKind, child: Uint8Array): string {
  return metadataAddress(kind, Uint8Array.from([kinds[kind].first, ...child.subarray(1, 17)]));
}

/** Returns the address of the record with this name in the scope of `parent`, a scope or a session. The chain ignores case and space around it. */
export function recordAddress(parent: Uint8Array, name: string): string {
  const hash = createHash('sha256').update(name.trim().toLowerCase()).digest().subarray(0, 16);
  return metadataAddress('record', Uint8Array.from([kinds.record.first, ...parent.subarray(1, 17), ...hash]));
}

/**
 * The address for an argument that is a bech32 address of the kind, or a UUID if that is all the kind has. Throws BAD_USER_INPUT
 * for other text.
 */
export function metadataIdInput(kind: MetadataKind, argument: string, value: string): string {
  const { first, size } = kinds[kind];
  const isUuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value);
  if (isUuid && (kind === 'scope' || kind === 'contractspec' || kind === 'scopespec')) return addressOfUuid(kind, value);
  const bytes = addressBytes(value);
  const isOfKind = value.toLowerCase().startsWith(`${kind}1`) && bytes?.length === size + 1 && bytes[0] === first;
  if (!isOfKind) throw badInput(argument, value, `a \`${kind}1…\` address${size === 16 ? ' or a UUID' : ''}`);
  return value.toLowerCase();
}

/** Encodes a metadata address of any kind in bech32. Returns undefined for bytes that are not a metadata address. */
export function anyMetadataAddress(bytes: Uint8Array): string | undefined {
  for (const [prefix, { first, size }] of Object.entries(kinds)) {
    if (bytes[0] === first) return bytes.length === size + 1 ? bech32.encode(prefix, bech32.toWords(bytes), 128) : undefined;
  }
  return undefined;
}

/** Prefix of the denoms of scopes (docs/chain.md, "Scopes and their value owners"). */
const denomPrefix = 'nft/';

/** Returns the id of the scope whose coin has this denom (`nft/scope1…`), or undefined for every other denom. */
export function scopeOfDenom(denom: string): string | undefined {
  return denom.startsWith(`${denomPrefix}scope1`) ? denom.slice(denomPrefix.length) : undefined;
}

/** Returns the denom of a scope's coin: `nft/` and the scope's bech32 id. */
export function denomOfScope(id: string): string {
  return denomPrefix + id;
}
