import type { Attributes, HrTime, Link, SpanContext } from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { digitOf } from './spans.ts';

/** The types of fields in protobuf. */
const types = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** The key of a field: its number and its type. */
const keyOf = (field: number, type: keyof typeof types): number => (field << 3) | types[type];

/** Writes fields of protobuf messages one after the other, into memory that it uses again. A key is that of {@link keyOf}. */
interface ProtobufWriter {
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
function createProtobufWriter(size: number): ProtobufWriter {
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

/** Encodes spans as requests of OTLP. */
export interface SpanEncoder {
  /** Adds a span that has ended to the next request. */
  add(span: ReadableSpan): void;
  /** Returns the request with the spans that were added, of which there is at least one, and begins the next one. */
  take(): Uint8Array;
}

/** The fields of the messages in `opentelemetry/proto/trace/v1/trace.proto` and `common.proto`. */
const keys = {
  request: { resourceSpans: keyOf(1, 'bytes') },
  resourceSpans: { resource: keyOf(1, 'bytes'), scopeSpans: keyOf(2, 'bytes') },
  scopeSpans: { scope: keyOf(1, 'bytes'), spans: keyOf(2, 'bytes') },
  resource: { attributes: keyOf(1, 'bytes'), dropped: keyOf(2, 'varint') },
  scope: { name: keyOf(1, 'bytes'), version: keyOf(2, 'bytes') },
  span: {
    traceId: keyOf(1, 'bytes'),
    spanId: keyOf(2, 'bytes'),
    traceState: keyOf(3, 'bytes'),
    parentSpanId: keyOf(4, 'bytes'),
    name: keyOf(5, 'bytes'),
    kind: keyOf(6, 'varint'),
    start: keyOf(7, 'fixed64'),
    end: keyOf(8, 'fixed64'),
    attributes: keyOf(9, 'bytes'),
    droppedAttributes: keyOf(10, 'varint'),
    events: keyOf(11, 'bytes'),
    droppedEvents: keyOf(12, 'varint'),
    links: keyOf(13, 'bytes'),
    droppedLinks: keyOf(14, 'varint'),
    status: keyOf(15, 'bytes'),
    flags: keyOf(16, 'fixed32'),
  },
  event: { time: keyOf(1, 'fixed64'), name: keyOf(2, 'bytes'), attributes: keyOf(3, 'bytes'), dropped: keyOf(4, 'varint') },
  link: {
    traceId: keyOf(1, 'bytes'),
    spanId: keyOf(2, 'bytes'),
    traceState: keyOf(3, 'bytes'),
    attributes: keyOf(4, 'bytes'),
    dropped: keyOf(5, 'varint'),
    flags: keyOf(6, 'fixed32'),
  },
  status: { message: keyOf(2, 'bytes'), code: keyOf(3, 'varint') },
  keyValue: { key: keyOf(1, 'bytes'), value: keyOf(2, 'bytes') },
  value: {
    string: keyOf(1, 'bytes'),
    bool: keyOf(2, 'varint'),
    integer: keyOf(3, 'varint'),
    double: keyOf(4, 'fixed64'),
    array: keyOf(5, 'bytes'),
  },
  array: { values: keyOf(1, 'bytes') },
} as const;

/** Whether a number is an int64. */
const isInt64 = (value: number): boolean => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;

function writeValue(writer: ProtobufWriter, value: Attributes[string] | null): void {
  if (typeof value === 'string') writer.string(keys.value.string, value);
  else if (typeof value === 'number') {
    if (isInt64(value)) writer.integer(keys.value.integer, value);
    else writer.double(keys.value.double, value);
  } else if (typeof value === 'boolean') writer.integer(keys.value.bool, value ? 1 : 0);
  else if (Array.isArray(value)) {
    const array = writer.begin(keys.value.array);
    for (const each of value) {
      const item = writer.begin(keys.array.values);
      writeValue(writer, each);
      writer.end(item);
    }
    writer.end(array);
  }
}

function writeAttributes(writer: ProtobufWriter, key: number, attributes: Attributes): void {
  for (const name in attributes) {
    const pair = writer.begin(key);
    writer.string(keys.keyValue.key, name);
    const value = writer.begin(keys.keyValue.value);
    writeValue(writer, attributes[name]);
    writer.end(value);
    writer.end(pair);
  }
}

/** Writes a time in nanoseconds since 1970, which needs more bits than a number has. */
function writeTime(writer: ProtobufWriter, key: number, [seconds, nanoseconds]: HrTime): void {
  const upper = Math.floor(seconds / 2 ** 16) * 1e9;
  const lower = (seconds % 2 ** 16) * 1e9 + nanoseconds + (upper % 2 ** 16) * 2 ** 16;
  writer.fixed64(key, lower % 2 ** 32, Math.floor(upper / 2 ** 16) + Math.floor(lower / 2 ** 32));
}

/** The flags of a span or of a link: those of the trace, and whether the parent or the linked span is known to be of another process. */
const flagsOf = (traceFlags: number, isRemote: boolean | undefined): number =>
  traceFlags | 0x100 | (isRemote === true ? 0x200 : 0);

function writeTraceState(writer: ProtobufWriter, key: number, { traceState }: SpanContext): void {
  const text = traceState?.serialize();
  if (text) writer.string(key, text);
}

function writeLink(writer: ProtobufWriter, { context, attributes, droppedAttributesCount }: Link): void {
  const link = writer.begin(keys.span.links);
  writer.hex(keys.link.traceId, context.traceId);
  writer.hex(keys.link.spanId, context.spanId);
  writeTraceState(writer, keys.link.traceState, context);
  if (attributes !== undefined) writeAttributes(writer, keys.link.attributes, attributes);
  writer.integer(keys.link.dropped, droppedAttributesCount ?? 0);
  writer.fixed32(keys.link.flags, flagsOf(context.traceFlags, context.isRemote));
  writer.end(link);
}

function writeEvent(
  writer: ProtobufWriter,
  { time, name, attributes, droppedAttributesCount }: ReadableSpan['events'][number],
): void {
  const event = writer.begin(keys.span.events);
  writeTime(writer, keys.event.time, time);
  writer.string(keys.event.name, name);
  if (attributes !== undefined) writeAttributes(writer, keys.event.attributes, attributes);
  writer.integer(keys.event.dropped, droppedAttributesCount ?? 0);
  writer.end(event);
}

function writeSpan(writer: ProtobufWriter, span: ReadableSpan): void {
  const whole = writer.begin(keys.scopeSpans.spans);
  const context = span.spanContext();
  const { parentSpanContext: parent, status } = span;
  writer.hex(keys.span.traceId, context.traceId);
  writer.hex(keys.span.spanId, context.spanId);
  writeTraceState(writer, keys.span.traceState, context);
  if (parent !== undefined) writer.hex(keys.span.parentSpanId, parent.spanId);
  writer.string(keys.span.name, span.name);
  writer.integer(keys.span.kind, span.kind + 1);
  writeTime(writer, keys.span.start, span.startTime);
  writeTime(writer, keys.span.end, span.endTime);
  writeAttributes(writer, keys.span.attributes, span.attributes);
  writer.integer(keys.span.droppedAttributes, span.droppedAttributesCount);
  for (const event of span.events) writeEvent(writer, event);
  writer.integer(keys.span.droppedEvents, span.droppedEventsCount);
  for (const link of span.links) writeLink(writer, link);
  writer.integer(keys.span.droppedLinks, span.droppedLinksCount);
  const written = writer.begin(keys.span.status);
  if (status.message) writer.string(keys.status.message, status.message);
  writer.integer(keys.status.code, status.code);
  writer.end(written);
  writer.fixed32(keys.span.flags, flagsOf(context.traceFlags, parent?.isRemote));
  writer.end(whole);
}

/** Creates an encoder for OTLP in protobuf. It encodes each span when it is added, so that until it is sent, only its bytes are in memory. */
export function createProtobufEncoder(resource: Resource, scope: InstrumentationScope): SpanEncoder {
  const writer = createProtobufWriter(2 ** 16);
  /** Where the messages around the spans begin. undefined before the first span of a request. */
  let around: { readonly resourceSpans: number; readonly scopeSpans: number } | undefined;

  function begin(): NonNullable<typeof around> {
    const resourceSpans = writer.begin(keys.request.resourceSpans);
    const described = writer.begin(keys.resourceSpans.resource);
    writeAttributes(writer, keys.resource.attributes, resource.attributes);
    writer.integer(keys.resource.dropped, 0);
    writer.end(described);
    const scopeSpans = writer.begin(keys.resourceSpans.scopeSpans);
    const named = writer.begin(keys.scopeSpans.scope);
    writer.string(keys.scope.name, scope.name);
    if (scope.version) writer.string(keys.scope.version, scope.version);
    writer.end(named);
    return { resourceSpans, scopeSpans };
  }

  return {
    add(span) {
      around ??= begin();
      writeSpan(writer, span);
    },
    take() {
      if (around !== undefined) {
        writer.end(around.scopeSpans);
        writer.end(around.resourceSpans);
      }
      around = undefined;
      return writer.take();
    },
  };
}

/** Creates an encoder for OTLP in JSON. */
export function createJsonEncoder(): SpanEncoder {
  let spans: ReadableSpan[] = [];
  return {
    add: (span) => void spans.push(span),
    take() {
      const taken = spans;
      spans = [];
      return JsonTraceSerializer.serializeRequest(taken) ?? new Uint8Array();
    },
  };
}
