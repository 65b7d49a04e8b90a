import { PlainError } from './abciErrors.ts';
import { decodeBech32, encodeAddress } from './address.ts';

/** What a metadata address is of, by its bech32 prefix: its first byte, and how many bytes follow (chain.md 5.2). */
const kinds = {
  scope: { head: 0x00, length: 16 },
  session: { head: 0x01, length: 32 },
  record: { head: 0x02, length: 32 },
  contractspec: { head: 0x03, length: 16 },
  scopespec: { head: 0x04, length: 16 },
  recspec: { head: 0x05, length: 32 },
} as const;

/** The bech32 prefix of a metadata address. */
export type MetadataKind = keyof typeof kinds;

const byHead = new Map<number, string>(Object.entries(kinds).map(([prefix, { head }]) => [head, prefix]));

/** A metadata address as text. Throws a {@link PlainError} when its first byte means nothing. */
export function encodeMetadataAddress(bytes: Uint8Array): string {
  const prefix = byHead.get(bytes[0] ?? -1);
  if (prefix === undefined) throw new PlainError(`invalid metadata address type: ${bytes[0] ?? 'none'}`);
  return encodeAddress(bytes, prefix);
}

/** Whether these bytes are a metadata address of that kind. */
export function isMetadataAddress(kind: MetadataKind, bytes: Uint8Array): boolean {
  return bytes[0] === kinds[kind].head && bytes.length === kinds[kind].length + 1;
}

/** The UUID in bytes 1 to 16 of a metadata address. */
export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.slice(1, 17)).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The metadata address of that kind made of a UUID. Throws a {@link PlainError} with the node's text (of a wrong length; the other is inferred). */
export function addressOfUuid(kind: MetadataKind, uuid: string): Uint8Array {
  if (uuid.length !== 36 && uuid.length !== 32) throw new PlainError(`invalid UUID length: ${uuid.length}`);
  if (!/^[0-9a-f]{8}(-?)([0-9a-f]{4}\1){3}[0-9a-f]{12}$/i.test(uuid)) throw new PlainError('invalid UUID format');
  return new Uint8Array([kinds[kind].head, ...Buffer.from(uuid.replaceAll('-', ''), 'hex')]);
}

/** The bytes of a metadata address of that kind. Throws a {@link PlainError}; that it is of another kind is told in words that are not recorded. */
export function decodeMetadataAddress(kind: MetadataKind, text: string): Uint8Array {
  const { prefix, bytes } = decodeBech32(text);
  if (prefix !== kind || !isMetadataAddress(kind, bytes)) throw new PlainError(`invalid ${kind} address: ${text}`);
  return bytes;
}
