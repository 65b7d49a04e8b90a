import { Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { durationText, timeText } from '../chain/base/time.ts';
import { canonicalDecimal, isDecimal } from '../reads/decimal.ts';
import { RequestError } from '../reads/errors.ts';
import { base64Bytes, hexText } from '../reads/input.ts';
import type { Builder } from './builder.ts';

function refuse(value: unknown, bound: string): RequestError {
  const shownValue = typeof value === 'string' ? value.slice(0, 64) : typeof value === 'number' ? String(value) : typeof value;
  return new RequestError('BAD_USER_INPUT', `It must be ${bound}.`, { value: shownValue, bound });
}

/** The text of a literal. Numbers are read as text so that they are not rounded; unsafe integers in variables arrive as text. */
function literalText(node: ValueNode, kinds: readonly Kind[]): string | undefined {
  return 'value' in node && typeof node.value === 'string' && kinds.includes(node.kind) ? node.value : undefined;
}

/** The value of a JSON literal in a document. An integer that is too large for a JavaScript number becomes text, as in variables. */
export function jsonLiteral(node: ValueNode, variables?: Readonly<Record<string, unknown>> | null): unknown {
  switch (node.kind) {
    case Kind.INT: {
      const number = Number(node.value);
      return Number.isSafeInteger(number) ? number : node.value;
    }
    case Kind.LIST:
      return node.values.map((item) => jsonLiteral(item, variables));
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, jsonLiteral(value, variables)]));
    default:
      return valueFromASTUntyped(node, variables);
  }
}

/** How a scalar reads values and literals. */
interface Parsers<T> {
  readonly parseValue: (value: unknown) => T;
  readonly parseLiteral: (node: ValueNode) => T;
}

function integer(min: bigint, max: bigint): Parsers<bigint> {
  const bound = `an integer from ${min} to ${max}`;
  const parse = (text: string, value: unknown): bigint => {
    if (/^-?(0|[1-9]\d{0,19})$/.test(text)) {
      const parsed = BigInt(text);
      if (parsed >= min && parsed <= max) return parsed;
    }
    throw refuse(value, bound);
  };
  return {
    parseValue(value) {
      if (typeof value === 'string') return parse(value, value);
      if (typeof value === 'number' && Number.isSafeInteger(value)) return parse(String(value), value);
      throw refuse(value, bound);
    },
    parseLiteral(node) {
      const text = literalText(node, [Kind.INT, Kind.STRING]);
      if (text === undefined) throw refuse(node.kind, bound);
      return parse(text, text);
    },
  };
}

function text<T>(bound: string, parse: (value: string) => T | undefined): Parsers<T> {
  const parseValue = (value: unknown): T => {
    const parsed = typeof value === 'string' ? parse(value) : undefined;
    if (parsed === undefined) throw refuse(value, bound);
    return parsed;
  };
  return { parseValue, parseLiteral: (node) => parseValue(literalText(node, [Kind.STRING, Kind.INT, Kind.FLOAT])) };
}

/** Adds the scalars. */
export function addScalars(builder: Builder): void {
  builder.scalarType('Int64', {
    description: 'A signed 64-bit integer. Output: decimal string. Input: integer or decimal string.',
    serialize: (value) => value.toString(),
    ...integer(-(2n ** 63n), 2n ** 63n - 1n),
  });
  builder.scalarType('UInt64', {
    description: 'An unsigned 64-bit integer. Output: decimal string. Input: integer or decimal string.',
    serialize: (value) => value.toString(),
    ...integer(0n, 2n ** 64n - 1n),
  });
  builder.scalarType('Decimal', {
    description:
      'An exact decimal number as text, such as "7" or "2.5", of any size, without an exponent or trailing zeros. Coin amounts are whole numbers of base units.',
    serialize: canonicalDecimal,
    ...text('decimal text such as "2.5"', (value) => (isDecimal(value) ? value : undefined)),
  });
  const anyText = text('text', (value) => value);
  builder.scalarType('DateTime', {
    description:
      'An RFC 3339 time in UTC with up to nine decimals: "2026-11-21T02:48:14.454934720Z". Times from the node RPC are returned unchanged; protobuf times have 0, 3, 6 or 9 decimals.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
    serialize: (value) => (typeof value === 'bigint' ? timeText(value) : value),
    ...anyText,
  });
  builder.scalarType('Duration', {
    description: 'A duration in seconds with its unit, as in protobuf JSON: "20s", "0.5s". Up to nine decimals.',
    serialize: durationText,
    ...anyText,
  });
  builder.scalarType('Hex', {
    description: 'Bytes in hexadecimal. Output: upper case, without `0x`. Input: either case, with or without `0x`.',
    serialize: (value) => value,
    ...text('hexadecimal, with or without 0x', hexText),
  });
  builder.scalarType('Base64', {
    description: 'Bytes in standard base64 with padding.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc4648#section-4',
    serialize: (value) => (typeof value === 'string' ? value : Buffer.from(value).toString('base64')),
    ...text('standard base64 with padding', base64Bytes),
  });
  builder.scalarType('JSON', {
    description:
      'Any JSON value. Decoded protobuf follows the canonical protobuf JSON mapping: names are lowerCamelCase (input also accepts snake_case), default values are included, 64-bit integers are strings, bytes are base64, an `Any` has `@type`.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: jsonLiteral,
  });
}
