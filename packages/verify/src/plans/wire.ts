import { concat, noBytes } from '../bytes.ts';
import { varint, varintEnd, varintIn } from '../proto.ts';
import { textBytes, textOf } from './keyParts.ts';

// The wire format of protobuf, as far as the plans need it. An answer consists of stored messages, which are copied byte for byte, so a plan decodes
// only the few fields that its rules read.

function noMessage(): never {
  throw new Error('the bytes are no message');
}

/** What a list of fields has of each: its number, its wire type, and where it and its value begin, and where both end. */
const [typeAt, startAt, valueAt, endAt, fieldSize] = [1, 2, 3, 4, 5];

/** Splits a message into its fields, in order. Throws for bytes that are no message. */
function fieldsOf(bytes: Uint8Array): readonly number[] {
  const fields: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    const tagEnd = varintEnd(bytes, at) || noMessage();
    const tag = Number(varintIn(bytes, at, tagEnd));
    const type = tag & 7;
    if (tag >= 2 ** 32) noMessage();
    at = type === 0 || type === 2 ? varintEnd(bytes, tagEnd) || noMessage() : tagEnd;
    let value = tagEnd;
    if (type !== 0) {
      value = at;
      at += type === 2 ? Number(varintIn(bytes, tagEnd, at)) : type === 1 ? 8 : type === 5 ? 4 : bytes.length;
      if (at > bytes.length) noMessage();
    }
    fields.push(tag >>> 3, type, start, value, at);
  }
  return fields;
}

/** A decoded message. An absent field has the zero of its type; of a field that occurs twice, the last counts. */
export class Message {
  readonly #bytes: Uint8Array;
  readonly #fields: readonly number[];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#fields = fieldsOf(bytes);
  }

  /** The place of the last field of a number. Negative if there is none. */
  #last(number: number): number {
    let at = this.#fields.length - fieldSize;
    while (at >= 0 && this.#fields[at] !== number) at -= fieldSize;
    return at;
  }

  /** The bytes of a field from one of its places to its end. */
  #part(at: number, from: number): Uint8Array {
    return this.#bytes.subarray(this.#fields[at + from], this.#fields[at + endAt]);
  }

  #bytesAt(at: number): Uint8Array {
    if (this.#fields[at + typeAt] === 0) throw new Error(`field ${this.#fields[at]} has no bytes`);
    return this.#part(at, valueAt);
  }

  has(number: number): boolean {
    return this.#last(number) >= 0;
  }

  /** The value of a number or of a flag. */
  uint(number: number): bigint {
    const at = this.#last(number);
    if (at < 0) return 0n;
    if (this.#fields[at + typeAt] !== 0) throw new Error(`field ${number} is not a number`);
    return varintIn(this.#bytes, this.#fields[at + valueAt] ?? 0, this.#fields[at + endAt] ?? 0);
  }

  flag(number: number): boolean {
    return this.uint(number) !== 0n;
  }

  bytes(number: number): Uint8Array {
    const at = this.#last(number);
    return at < 0 ? noBytes : this.#bytesAt(at);
  }

  text(number: number): string {
    return textOf(this.bytes(number));
  }

  message(number: number): Message {
    return new Message(this.bytes(number));
  }

  /** All values of a repeated field. */
  all(number: number): readonly Uint8Array[] {
    const values: Uint8Array[] = [];
    for (let at = 0; at < this.#fields.length; at += fieldSize) if (this.#fields[at] === number) values.push(this.#bytesAt(at));
    return values;
  }

  /** The bytes of this message with other bytes for one field, which has its place by its number. */
  withField(number: number, encoded: Uint8Array): Uint8Array {
    const [before, after]: [Uint8Array[], Uint8Array[]] = [[], []];
    for (let at = 0; at < this.#fields.length; at += fieldSize) {
      const other = this.#fields[at] ?? 0;
      if (other !== number) (other < number ? before : after).push(this.#part(at, startAt));
    }
    return concat(...before, encoded, ...after);
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
