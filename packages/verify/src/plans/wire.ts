import { concat } from '../bytes.ts';
import { varint } from '../proto.ts';
import { textBytes, textOf } from './keyParts.ts';

// The wire format of protobuf, as far as the plans need it. An answer consists of stored messages, which are copied byte for byte, so a plan decodes
// only the few fields that its rules read.

/** One field of a message: its number, its value, and its bytes with the tag. A number is a varint, bytes are anything with a length. */
interface Field {
  readonly number: number;
  readonly value: bigint | Uint8Array;
  readonly raw: Uint8Array;
}

/** Decodes a varint of at most ten bytes at `at`. Throws if the bytes end before it does. */
function varintAt(bytes: Uint8Array, at: number): { readonly value: bigint; readonly end: number } {
  const first = bytes[at] ?? 128;
  if (first < 128) return { value: BigInt(first), end: at + 1 };
  let value = 0n;
  for (let count = 0; count < 10; count++) {
    const byte = bytes[at + count];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * count);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: at + count + 1 };
  }
  throw new Error('the bytes are no protobuf message');
}

/** Splits a message into its fields, in order. Throws for bytes that are no message. */
function fieldsOf(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    const { value: tag, end } = varintAt(bytes, at);
    const type = Number(tag & 7n);
    let value: bigint | Uint8Array;
    if (type === 0) ({ value, end: at } = varintAt(bytes, end));
    else {
      const size = type === 2 ? varintAt(bytes, end) : { value: type === 1 ? 8n : type === 5 ? 4n : -1n, end };
      at = size.end + Number(size.value);
      if (size.value < 0n || at > bytes.length) throw new Error('the bytes are no protobuf message');
      value = bytes.subarray(size.end, at);
    }
    fields.push({ number: Number(tag >> 3n), value, raw: bytes.subarray(start, at) });
  }
  return fields;
}

/** A decoded message. An absent field has the zero of its type; of a field that occurs twice, the last counts. */
export class Message {
  readonly #fields: readonly Field[];

  constructor(bytes: Uint8Array) {
    this.#fields = fieldsOf(bytes);
  }

  has(number: number): boolean {
    return this.#fields.some((field) => field.number === number);
  }

  /** The value of a number or of a flag. */
  uint(number: number): bigint {
    const value = this.#fields.findLast((field) => field.number === number)?.value ?? 0n;
    if (typeof value !== 'bigint') throw new Error(`field ${number} is not a number`);
    return value;
  }

  flag(number: number): boolean {
    return this.uint(number) !== 0n;
  }

  bytes(number: number): Uint8Array {
    return this.all(number).at(-1) ?? new Uint8Array();
  }

  text(number: number): string {
    return textOf(this.bytes(number));
  }

  message(number: number): Message {
    return new Message(this.bytes(number));
  }

  /** All values of a repeated field. */
  all(number: number): readonly Uint8Array[] {
    return this.#fields.flatMap((field) => {
      if (field.number !== number) return [];
      if (typeof field.value === 'bigint') throw new Error(`field ${number} has no bytes`);
      return [field.value];
    });
  }

  /** The bytes of this message with other bytes for one field, which has its place by its number. */
  withField(number: number, encoded: Uint8Array): Uint8Array {
    const before = this.#fields.filter((field) => field.number < number);
    const after = this.#fields.filter((field) => field.number > number);
    return concat(...before.map(({ raw }) => raw), encoded, ...after.map(({ raw }) => raw));
  }
}

/** Encodes a number or flag. The zero is left out, as in every message of version 3. */
export function uintField(number: number, value: bigint): Uint8Array {
  return value === 0n ? new Uint8Array() : concat(varint(number << 3), varint(value));
}

/** Encodes a message, or an item of a list. It is there even if it is empty. */
export function messageField(number: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const value = concat(...parts);
  return concat(varint((number << 3) | 2), varint(value.length), value);
}

/** Encodes bytes or text. The empty value is left out. */
export function bytesField(number: number, value: Uint8Array | string): Uint8Array {
  const bytes = typeof value === 'string' ? textBytes(value) : value;
  return bytes.length === 0 ? bytes : messageField(number, bytes);
}

/** Encodes the items of a list of messages. */
export const messageFields = (number: number, items: readonly Uint8Array[]): Uint8Array =>
  concat(...items.map((item) => messageField(number, item)));
