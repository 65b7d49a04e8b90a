import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';

/** A message that cannot be told: something that its sentence needs is not there, or not of its kind. It is told to nobody. */
export class NotToldError extends Error {
  override readonly name = 'NotToldError';
}

/** A message in canonical protobuf JSON, read by the names of its fields. What is asked for and is not there throws `NotToldError`. */
export interface Message {
  /** One word: a name, an address, a denom, an enum, a 64-bit number, a time. Text with space in it is none, so that it cannot pass for more. */
  text(name: string): string;
  /** The same, or undefined where it is unset or empty. */
  maybe(name: string): string | undefined;
  texts(name: string): readonly string[];
  /** Any text, to be told in quotes; empty where it is unset. */
  free(name: string): string;
  flag(name: string): boolean;
  bytes(name: string): Uint8Array;
  bytesList(name: string): readonly Uint8Array[];
  /** A message within it. */
  part(name: string): Message;
  /** The same; undefined where it is unset. */
  maybePart(name: string): Message | undefined;
  parts(name: string): readonly Message[];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asText(value: JsonValue | undefined): string {
  if (typeof value === 'string' && /^[^\s\p{C}]+$/u.test(value)) return value;
  throw new NotToldError('not a word');
}

function asFree(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new NotToldError('not text');
}

/** Base64 as protobuf JSON has it. */
function asBytes(value: JsonValue | undefined): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value, 'base64');
  throw new NotToldError('not bytes');
}

/** Reads a message. Throws where the JSON is no object. */
export function messageOf(json: JsonValue | undefined): Message {
  if (!isObject(json)) throw new NotToldError('not a message');
  const list = (name: string): readonly JsonValue[] => {
    const value = json[name];
    if (Array.isArray(value)) return value;
    throw new NotToldError('not a list');
  };
  const maybe = (name: string): string | undefined => {
    const value = json[name];
    return value === undefined || value === null || value === '' ? undefined : asText(value);
  };
  return {
    text: (name) => asText(json[name]),
    maybe,
    texts: (name) => list(name).map(asText),
    free: (name) => asFree(json[name]),
    flag: (name) => json[name] === true,
    bytes: (name) => asBytes(json[name]),
    bytesList: (name) => list(name).map(asBytes),
    part: (name) => messageOf(json[name]),
    maybePart: (name) => (isObject(json[name]) ? messageOf(json[name]) : undefined),
    parts: (name) => list(name).map(messageOf),
  };
}
