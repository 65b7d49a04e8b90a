import type { JsonObject, JsonValue } from '../json.ts';

/** What an argument is to the node: `bytes` is base64 in JSON, `hex` is hex; integers are decimal strings. */
export type ParamType = 'int64' | 'int' | 'uint' | 'bool' | 'string' | 'bytes' | 'hex' | 'evidence';

/** A declared argument. An optional one can be told from zero when it is absent. */
export interface Param {
  readonly name: string;
  readonly type: ParamType;
  readonly optional?: true;
  /** Whether the documentation of the node says that it must be there. The node itself takes zero or nothing for it. */
  readonly required?: true;
}

/** The arguments of one call. What is absent reads as zero, false or empty, but through `optional`. */
export interface Arguments {
  has(name: string): boolean;
  optional(name: string): bigint | undefined;
  integer(name: string): bigint;
  flag(name: string): boolean;
  text(name: string): string;
  bytes(name: string): Uint8Array;
  /** An argument that is JSON; undefined when it is absent. */
  json(name: string): JsonObject | undefined;
}

/** An argument as it was read. */
export type Value = bigint | boolean | string | Uint8Array | JsonObject;

/** Why arguments could not be read, in the node's words without their prefix. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

/** What Go's JSON decoder says about a text that is no JSON value at its first character. */
export function beginningOfValue(text: string): string {
  const first = text.trimStart()[0];
  return first === undefined ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`;
}

const goTypes: Record<ParamType, string> = {
  int64: 'int64',
  int: 'int',
  uint: 'uint',
  bool: 'bool',
  string: 'string',
  bytes: 'slice',
  hex: 'slice',
  evidence: 'interface',
};

/** `raw` is the argument's JSON: the node quotes it in its complaint. */
function decodeInteger(raw: string, type: ParamType): bigint {
  const digits = /^"(.*)"$/s.exec(raw)?.[1];
  if (digits === undefined) throw new ArgumentError(`invalid 64-bit integer encoding ${JSON.stringify(raw)}, expected string`);
  if (!/^-?(0|[1-9]\d*)$/.test(digits)) {
    // A guess beyond the first case: what the node says of "1.5" or "05" is not recorded.
    throw new ArgumentError(
      /^-?\d/.test(digits)
        ? `json: cannot unmarshal number ${digits} into Go value of type ${goTypes[type]}`
        : beginningOfValue(digits),
    );
  }
  // No integer of 64 bits has more characters, and reading a very long one takes time that grows faster than its length.
  const value = digits.length > 20 ? 2n ** 64n : BigInt(digits);
  const [low, high] = type === 'uint' ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n];
  if (value < low || value > high) {
    throw new ArgumentError(`json: cannot unmarshal number ${digits} into Go value of type ${goTypes[type]}`);
  }
  return value;
}

function decodeHex(text: string): Uint8Array {
  const bad = /[^0-9a-fA-F]/u.exec(text)?.[0];
  if (bad !== undefined) {
    const code = (bad.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    throw new ArgumentError(`encoding/hex: invalid byte: U+${code} '${bad}'`);
  }
  if (text.length % 2 !== 0) throw new ArgumentError('encoding/hex: odd length hex string');
  return new Uint8Array(Buffer.from(text, 'hex'));
}

function decodeBase64(text: string): Uint8Array {
  const bare = text.replace(/[\r\n]/g, '');
  const bad = /[^A-Za-z0-9+/=]/.exec(bare)?.index ?? /=(?!=?$)/.exec(bare)?.index;
  const at = bad ?? (bare.length % 4 === 0 ? undefined : bare.length);
  if (at !== undefined) throw new ArgumentError(`illegal base64 data at input byte ${at}`);
  return new Uint8Array(Buffer.from(bare, 'base64'));
}

/** Bytes in one of the two encodings that arguments have. Throws {@link ArgumentError}. */
export function decodeBytes(text: string, encoding: 'hex' | 'base64'): Uint8Array {
  return encoding === 'hex' ? decodeHex(text) : decodeBase64(text);
}

function kindOf(value: JsonValue): string {
  return Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function decodeValue(value: JsonValue, type: ParamType): Value {
  const mismatch = () => new ArgumentError(`json: cannot unmarshal ${kindOf(value)} into Go value of type ${goTypes[type]}`);
  switch (type) {
    case 'int64':
    case 'int':
    case 'uint':
      return decodeInteger(JSON.stringify(value), type);
    case 'bool':
      if (typeof value !== 'boolean') throw mismatch();
      return value;
    case 'string':
      if (typeof value !== 'string') throw mismatch();
      return value;
    case 'bytes':
    case 'hex':
      if (typeof value !== 'string') throw mismatch();
      return type === 'hex' ? decodeHex(value) : decodeBase64(value);
    case 'evidence':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mismatch();
      return value;
  }
}

/** The arguments that were read, by name. */
export function readerOf(values: ReadonlyMap<string, Value>): Arguments {
  const integer = (name: string) => {
    const value = values.get(name);
    return typeof value === 'bigint' ? value : undefined;
  };
  return {
    has: (name) => values.has(name),
    optional: integer,
    integer: (name) => integer(name) ?? 0n,
    flag: (name) => values.get(name) === true,
    text(name) {
      const value = values.get(name);
      return typeof value === 'string' ? value : '';
    },
    bytes(name) {
      const value = values.get(name);
      return value instanceof Uint8Array ? value : new Uint8Array();
    },
    json(name) {
      const value = values.get(name);
      return typeof value === 'object' && !(value instanceof Uint8Array) ? value : undefined;
    },
  };
}

/** Reads the `params` of a JSON-RPC call: an object, or an array of exactly the declared count. Throws {@link ArgumentError}. */
export function decodeJsonParams(params: readonly Param[], given: JsonValue): Arguments {
  const values = new Map<string, Value>();
  let named: (name: string, index: number) => JsonValue | undefined;
  if (Array.isArray(given)) {
    if (given.length !== params.length) {
      const names = params.map(({ name }) => name).join(' ');
      const raw = given.map((value) => `[${Array.from(Buffer.from(JSON.stringify(value))).join(' ')}]`).join(' ');
      throw new ArgumentError(`expected ${params.length} parameters ([${names}]), got ${given.length} ([${raw}])`);
    }
    named = (_, index) => given[index];
  } else if (typeof given === 'object') {
    named = (name) => (given !== null && Object.hasOwn(given, name) ? given[name] : undefined);
  } else {
    throw new ArgumentError(`json: cannot unmarshal ${kindOf(given)} into Go value of type map[string]json.RawMessage`);
  }
  params.forEach(({ name, type }, index) => {
    const value = named(name, index);
    if (value !== undefined && value !== null) values.set(name, decodeValue(value, type));
  });
  return readerOf(values);
}

/** Reads the arguments of a URI (chain.md 1.4): bare integers, `0x…`, quoted text, JSON. Throws {@link ArgumentError}. */
export function decodeUriParams(params: readonly Param[], given: URLSearchParams): Arguments {
  const values = new Map<string, Value>();
  for (const { name, type } of params) {
    const text = given.get(name);
    if (text !== null && text !== '') values.set(name, decodeUriValue(text, type));
  }
  return readerOf(values);
}

function decodeUriValue(text: string, type: ParamType): Value {
  const isInteger = type === 'int64' || type === 'int' || type === 'uint';
  const isBytes = type === 'bytes' || type === 'hex';
  if (isInteger && /^-?[0-9]+$/.test(text)) return decodeInteger(`"${text}"`, type);
  if (/^0x/i.test(text)) {
    if (!isBytes && type !== 'string') throw new ArgumentError(`got a hex string arg, but expected '${goTypes[type]}'`);
    const bytes = decodeHex(text.slice(2));
    return isBytes ? bytes : Buffer.from(bytes).toString();
  }
  if (isInteger) return decodeInteger(text, type);
  let value: JsonValue;
  try {
    // JSON of a request is JSON.
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw new ArgumentError(beginningOfValue(text));
  }
  if (isBytes && /^".*"$/s.test(text) && typeof value === 'string') return new Uint8Array(Buffer.from(value));
  return decodeValue(value, type);
}
