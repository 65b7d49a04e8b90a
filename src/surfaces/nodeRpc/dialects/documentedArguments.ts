import { ArgumentError, type Arguments, decodeBytes, type Param, readerOf, type Value } from '../../../chain/rpc/methods.ts';
import type { JsonValue } from '../../../chain/wire/json.ts';

const integerBounds: Readonly<Record<'int64' | 'int' | 'uint', readonly [bigint, bigint]>> = {
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  int: [-(2n ** 63n), 2n ** 63n - 1n],
  uint: [0n, 2n ** 64n - 1n],
};

function wrong({ name }: Param, bound: string): ArgumentError {
  return new ArgumentError(`\`${name}\` must be ${bound}`);
}

/** Returns the text inside the quotes of an argument. undefined if the argument is not quoted. */
function quoted(param: Param, text: string): string | undefined {
  if (!text.startsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
  } catch {
    // Reported below.
  }
  throw wrong(param, 'a quoted JSON string');
}

function integer(param: Param, text: string, type: 'int64' | 'int' | 'uint'): bigint {
  const [low, high] = integerBounds[type];
  const digits = quoted(param, text) ?? text;
  const value = /^-?(0|[1-9]\d{0,19})$/.test(digits) ? BigInt(digits) : undefined;
  if (value === undefined || value < low || value > high) throw wrong(param, `an integer from ${low} to ${high}, in decimal`);
  return value;
}

function bytes(param: Param, text: string, plain: 'base64' | 'hex' | undefined): Uint8Array {
  const raw = quoted(param, text);
  if (raw !== undefined) return Buffer.from(raw);
  const isHex = /^0x/i.test(text);
  const encoding = isHex ? 'hex' : plain;
  if (encoding === undefined) throw wrong(param, '`0x` and hexadecimal digits, or text in double quotes');
  try {
    return decodeBytes(isHex ? text.slice(2) : text, encoding);
  } catch {
    throw wrong(param, `\`0x\` and hexadecimal digits, ${plain === undefined ? '' : `${plain}, `}or text in double quotes`);
  }
}

/** Decodes one argument in the documented dialect. In a URI, text and bytes must be quoted. */
function textValue(param: Param, text: string, viaUri: boolean): Value {
  switch (param.type) {
    case 'int64':
    case 'int':
    case 'uint':
      return integer(param, text, param.type);
    case 'bool': {
      if (text === 'true' || text === 'false') return text === 'true';
      throw wrong(param, '`true` or `false`');
    }
    case 'string': {
      const inner = quoted(param, text);
      if (inner !== undefined) return inner;
      if (/^0x([0-9a-f]{2})+$/i.test(text)) return Buffer.from(text.slice(2), 'hex').toString();
      if (viaUri) throw wrong(param, 'in double quotes, or `0x` and hexadecimal digits');
      return text;
    }
    case 'bytes':
    case 'hex':
      return bytes(param, text, viaUri ? undefined : param.type === 'hex' ? 'hex' : 'base64');
    case 'evidence': {
      try {
        return jsonValue(param, JSON.parse(text) as JsonValue);
      } catch {
        throw wrong(param, 'evidence in JSON: `{type, value}`');
      }
    }
  }
}

function jsonValue(param: Param, value: JsonValue): Value {
  if (typeof value === 'string') return textValue(param, value, false);
  if (param.type === 'int64' || param.type === 'int' || param.type === 'uint') {
    // A number that is not a safe integer gets the same error as text that is not a number.
    return integer(param, Number.isSafeInteger(value) ? String(value) : '', param.type);
  }
  if (param.type === 'bool') {
    if (typeof value === 'boolean') return value;
    throw wrong(param, '`true` or `false`');
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (param.type === 'evidence' && isObject) return value;
  throw wrong(param, param.type === 'evidence' ? 'evidence in JSON: `{type, value}`' : 'text');
}

function isNumeric({ type }: Param): boolean {
  return type === 'int64' || type === 'int' || type === 'uint' || type === 'bool';
}

function absent({ name, required }: Param): void {
  if (required) throw new ArgumentError(`\`${name}\` is required`);
}

/** Height 0 means the newest, like an absent height. */
function put(values: Map<string, Value>, param: Param, value: Value): void {
  if (!(param.name === 'height' && value === 0n)) values.set(param.name, value);
}

/**
 * Decodes `params` in the documented dialect: an array or an object. Integers are decimal strings or JSON integers. Strings may
 * be quoted or start with `0x`, as in a URI. null stands for an absent argument. Throws an {@link ArgumentError} that names the
 * invalid argument.
 */
export function readDocumentedParams(params: readonly Param[], given: JsonValue | undefined): Arguments {
  const values = new Map<string, Value>();
  if (given !== undefined && given !== null && typeof given !== 'object') {
    throw new ArgumentError('`params` must be an array or an object');
  }
  if (Array.isArray(given) && given.length > params.length) {
    const names = params.map(({ name }) => name).join(', ');
    throw new ArgumentError(`\`params\` must have at most ${params.length} (${names}), and has ${given.length}`);
  }
  const named = (param: Param, index: number): JsonValue | undefined => {
    if (Array.isArray(given)) return given[index];
    return Object.hasOwn(given ?? {}, param.name) ? given?.[param.name] : undefined;
  };
  params.forEach((param, index) => {
    const value = named(param, index);
    if (value === undefined || value === null) absent(param);
    else if (value !== '' || !isNumeric(param)) put(values, param, jsonValue(param, value));
  });
  return readerOf(values);
}

/**
 * Decodes the arguments of a URI in the documented dialect. Throws an {@link ArgumentError} that names the invalid argument.
 */
export function readDocumentedUri(params: readonly Param[], given: URLSearchParams): Arguments {
  const values = new Map<string, Value>();
  for (const param of params) {
    const text = given.get(param.name);
    if (text === null) absent(param);
    else if (text !== '') put(values, param, textValue(param, text, true));
  }
  return readerOf(values);
}
