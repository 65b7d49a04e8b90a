import { refusalError } from '../rpc/rpcErrors.ts';
import { asObject, type JsonObject, parseJson } from '../wire/json.ts';

/** The first byte of a stored entry. An entry with an expiry continues with the time in 8 bytes. */
const kinds = { absent: 0, present: 1, refused: 2, expiring: 3 };
const absent = Uint8Array.of(kinds.absent);
const present = Uint8Array.of(kinds.present);
const refused = Uint8Array.of(kinds.refused);

/** A response. */
export interface Read {
  /** Undefined if a store has no value at the key. */
  readonly value: Uint8Array | undefined;
  /**
   * The response is valid at every height with the same roots before the first block with this time or a later one; null: at
   * every such height. Undefined if it is valid only at its own height.
   */
  readonly validUntil: bigint | null | undefined;
}

/** An entry for a response. A response that is valid until a time is stored with the time. */
export function packed({ value, validUntil }: Read): Uint8Array {
  if (validUntil == null) return value === undefined ? absent : Buffer.concat([present, value]);
  const head = Buffer.alloc(9, kinds.expiring);
  head.writeBigInt64BE(validUntil, 1);
  return Buffer.concat([head, value ?? new Uint8Array()]);
}

/** An entry for a refusal. */
export function packedRefusal(response: JsonObject): Uint8Array {
  return Buffer.concat([refused, Buffer.from(JSON.stringify(response))]);
}

/** Whether an entry is a refusal. */
export function isRefusal(entry: Uint8Array): boolean {
  return entry[0] === kinds.refused;
}

/** The expiry of an entry, in nanoseconds since 1970; null if it has none. */
export function expiryIn(entry: Uint8Array): bigint | null {
  if (entry[0] !== kinds.expiring) return null;
  return Buffer.from(entry.buffer, entry.byteOffset, 9).readBigInt64BE(1);
}

/** The response in an entry; undefined if a store has no value at the key. Throws the error of a refusal. */
export function valueIn(entry: Uint8Array, height: bigint): Uint8Array | undefined {
  if (isRefusal(entry)) {
    throw refusalError(asObject(parseJson(Buffer.from(entry.subarray(1)).toString()), 'response'), height);
  }
  const [kind] = entry;
  return kind === kinds.absent ? undefined : entry.subarray(kind === kinds.expiring ? 9 : 1);
}
