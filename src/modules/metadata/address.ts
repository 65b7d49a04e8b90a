import { bech32 } from '@scure/base';
import { badInput } from '../../reads/errors.ts';
import { addressBytes } from '../../reads/input.ts';

/** First byte of a metadata address by bech32 prefix; the 16 bytes of a UUID follow it (docs/chain.md, "Metadata addresses"). */
const firstBytes = { scope: 0, contractspec: 3, scopespec: 4 } as const;

/** Kinds of metadata addresses that have a UUID and that arguments accept, by bech32 prefix. */
export type MetadataKind = keyof typeof firstBytes;

/** Encodes a metadata address in bech32. */
export function metadataAddress(kind: MetadataKind, bytes: Uint8Array): string {
  return bech32.encode(kind, bech32.toWords(bytes), 128);
}

/** Returns the UUID in a metadata address (bytes 1 to 16). */
export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.subarray(1, 17)).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Returns the metadata address of a UUID. */
export function addressOfUuid(kind: MetadataKind, uuid: string): string {
  return metadataAddress(kind, Uint8Array.from([firstBytes[kind], ...Buffer.from(uuid.replaceAll('-', ''), 'hex')]));
}

/** The address for an argument that is a bech32 address of the kind, or a UUID. Throws BAD_USER_INPUT for other text. */
export function metadataIdInput(kind: MetadataKind, argument: string, value: string): string {
  if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)) return addressOfUuid(kind, value);
  const bytes = addressBytes(value);
  const isOfKind = value.toLowerCase().startsWith(`${kind}1`) && bytes?.length === 17 && bytes[0] === firstBytes[kind];
  if (!isOfKind) throw badInput(argument, value, `a \`${kind}1…\` address or a UUID`);
  return value.toLowerCase();
}

/** Bech32 prefixes of metadata addresses by first byte (docs/chain.md, "Metadata addresses"). */
const prefixes = ['scope', 'session', 'record', 'contractspec', 'scopespec', 'recspec'] as const;

/** Encodes a metadata address of any kind in bech32. Returns undefined for bytes that are not a metadata address. */
export function anyMetadataAddress(bytes: Uint8Array): string | undefined {
  const prefix = prefixes[bytes[0] ?? -1];
  const size = prefix === 'session' || prefix === 'record' || prefix === 'recspec' ? 33 : 17;
  return prefix === undefined || bytes.length !== size ? undefined : bech32.encode(prefix, bech32.toWords(bytes), 128);
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
