import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';

/** Thrown by a summarizer if a field is missing or malformed. The message then has no summary; clients never see this error. */
export class NoSummaryError extends Error {
  override readonly name = 'NoSummaryError';
}

/**
 * Reads the fields of a message in canonical protobuf JSON by name. A required field that is missing throws `NoSummaryError`.
 */
export interface MessageReader {
  /**
   * A string without white space or control characters: a name, address, denom, enum value, 64-bit number or time. Other text
   * throws, so a value cannot imitate a part of the sentence.
   */
  word(name: string): string;
  /** Like `word`; undefined if the field is unset or empty. */
  optionalWord(name: string): string | undefined;
  wordList(name: string): readonly string[];
  /** Any text, which the sentence must quote. Empty if the field is unset. */
  freeText(name: string): string;
  flag(name: string): boolean;
  /** The JSON in the message of a contract; null if the field is unset. Bytes that are not JSON are their base64. */
  json(name: string): JsonValue;
  bytes(name: string): Uint8Array;
  bytesList(name: string): readonly Uint8Array[];
  /** A nested message. */
  part(name: string): MessageReader;
  /** Like `part`; undefined if the field is unset. */
  optionalPart(name: string): MessageReader | undefined;
  parts(name: string): readonly MessageReader[];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asWord(value: JsonValue | undefined): string {
  if (typeof value === 'string' && /^[^\s\p{C}]+$/u.test(value)) return value;
  throw new NoSummaryError('not a word');
}

function asFreeText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new NoSummaryError('not text');
}

/** Decodes the base64 of protobuf JSON. */
function asBytes(value: JsonValue | undefined): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value, 'base64');
  throw new NoSummaryError('not bytes');
}

/** Creates the reader of a message. Throws `NoSummaryError` if the JSON is not an object. */
export function readMessage(json: JsonValue | undefined): MessageReader {
  if (!isObject(json)) throw new NoSummaryError('not a message');
  const list = (name: string): readonly JsonValue[] => {
    const value = json[name];
    if (Array.isArray(value)) return value;
    throw new NoSummaryError('not a list');
  };
  const optionalWord = (name: string): string | undefined => {
    const value = json[name];
    return value === undefined || value === null || value === '' ? undefined : asWord(value);
  };
  return {
    word: (name) => asWord(json[name]),
    optionalWord,
    wordList: (name) => list(name).map(asWord),
    freeText: (name) => asFreeText(json[name]),
    flag: (name) => json[name] === true,
    json: (name) => json[name] ?? null,
    bytes: (name) => asBytes(json[name]),
    bytesList: (name) => list(name).map(asBytes),
    part: (name) => readMessage(json[name]),
    optionalPart: (name) => (isObject(json[name]) ? readMessage(json[name]) : undefined),
    parts: (name) => list(name).map(readMessage),
  };
}
