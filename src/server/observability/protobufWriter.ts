import { digitOf } from './traceIds.ts';

/** The types of fields in protobuf. */
const types = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** The key of a field: its number and its type. */
export const keyOf = (field: number, type: keyof typeof types): number => (field << 3) | types[type];

/** Writes fields of protobuf messages one after the other, into memory that it uses again. A key is that of {@link keyOf}. */
export interface ProtobufWriter {
  string(key: number, text: string): void;
  /** Writes bytes that are given in hexadecimal digits of lower case. */
  hex(key: number, digits: string): void;
  /** Writes an int64, a uint32, an enum or a bool. The value must be an integer. */
  integer(key: number, value: number): void;
  double(key: number, value: number): void;
  fixed32(key: number, value: number): void;
  /** Writes `high` * 2^32 + `low`. Both are integers from 0 to 2^32 - 1. */
  fixed64(key: number, low: number, high: number): void;
  /** Begins a message in a field. Returns where its content begins. */
  begin(key: number): number;
  /** Ends the message whose content begins there. Messages in it have ended. */
  end(from: number): void;
  /** Returns a copy of what was written, and begins again without it. */
  take(): Uint8Array;
}

/** A string of ASCII up to this length is copied in JavaScript. A call of native code would take longer. */
const shortMax = 100;

/** The most bytes of a key, and of a number or a length: a varint has up to ten. */
const keyAndNumberMax = 20;

/** Creates a writer whose memory has `size` bytes and grows as needed. */
export function createProtobufWriter(size: number): ProtobufWriter {
  let bytes = Buffer.allocUnsafeSlow(size);
  let used = 0;

  /** Makes room for a key, a number or a length, and this many bytes. */
  function reserve(count: number): void {
    const needed = used + keyAndNumberMax + count;
    if (needed <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * bytes.length));
    bytes.copy(larger, 0, 0, used);
    bytes = larger;
  }

  /** Writes an integer from 0 to 2^31 - 1 as a varint, at a place. Returns where it ends. */
  function varint(value: number, at: number): number {
    let place = at;
    let rest = value;
    while (rest > 127) {
      bytes[place] = (rest & 127) | 128;
      place += 1;
      rest >>>= 7;
    }
    bytes[place] = rest;
    return place + 1;
  }

  return {
    string(key, text) {
      const { length } = text;
      reserve(length);
      used = varint(key, used);
      if (length <= shortMax) {
        let index = 0;
        for (; index < length; index += 1) {
          const code = text.charCodeAt(index);
          if (code > 127) break;
          bytes[used + 1 + index] = code;
        }
        if (index === length) {
          bytes[used] = length;
          used += 1 + length;
          return;
        }
      }
      const count = Buffer.byteLength(text);
      reserve(count);
      used = varint(count, used);
      used += bytes.write(text, used);
    },
    hex(key, digits) {
      const count = digits.length / 2;
      reserve(count);
      used = varint(count, varint(key, used));
      for (let index = 0; index < digits.length; index += 2) {
        bytes[used] = (digitOf(digits, index) << 4) | digitOf(digits, index + 1);
        used += 1;
      }
    },
    integer(key, value) {
      reserve(0);
      used = varint(key, used);
      if (value >= 0 && value < 2 ** 31) {
        used = varint(value, used);
        return;
      }
      let rest = BigInt.asUintN(64, BigInt(value));
      while (rest > 127n) {
        bytes[used] = Number(rest & 127n) | 128;
        used += 1;
        rest >>= 7n;
      }
      bytes[used] = Number(rest);
      used += 1;
    },
    double(key, value) {
      reserve(8);
      used = bytes.writeDoubleLE(value, varint(key, used));
    },
    fixed32(key, value) {
      reserve(4);
      used = bytes.writeUInt32LE(value, varint(key, used));
    },
    fixed64(key, low, high) {
      reserve(8);
      used = bytes.writeUInt32LE(high, bytes.writeUInt32LE(low, varint(key, used)));
    },
    begin(key) {
      reserve(0);
      // Most messages have a length of one byte.
      used = varint(key, used) + 1;
      return used;
    },
    end(from) {
      const length = used - from;
      if (length < 128) {
        bytes[from - 1] = length;
        return;
      }
      reserve(0);
      // The length takes more than its byte.
      const more = length < 2 ** 14 ? 1 : length < 2 ** 21 ? 2 : length < 2 ** 28 ? 3 : 4;
      bytes.copyWithin(from + more, from, used);
      used += more;
      varint(length, from - 1);
    },
    take() {
      const taken = new Uint8Array(bytes.subarray(0, used));
      used = 0;
      return taken;
    },
  };
}
