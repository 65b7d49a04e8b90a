import { type DescEnum, type DescField, type DescFile, type DescMessage, fromJson, ScalarType } from '@bufbuild/protobuf';
import { goBase64Error, goQuote } from '../../../chain/wire/goText.ts';
import { type Readable, rangeOf, readFieldText, type Unreadable } from './fieldText.ts';

/**
 * Parses values of paths and queries as the node's gRPC gateway does (grpc-gateway 1, which uses Go's `strconv` and
 * `encoding/base64`). The error texts for decimal integers were recorded. The others are from the sources of Go and of the
 * gateway.
 */

/** Go packages of SDK files whose name is not `types`. */
const sdkPackages: Readonly<Record<string, string>> = {
  'cosmos.authz.v1beta1': 'authz',
  'cosmos.base.query.v1beta1': 'query',
  'cosmos.feegrant.v1beta1': 'feegrant',
  'cosmos.gov.v1': 'v1',
  'cosmos.gov.v1beta1': 'v1beta1',
  'cosmos.group.v1': 'group',
  'cosmos.tx.v1beta1': 'tx',
};

/**
 * Returns the name of the Go type of a message: the package of its file, and the name with `_` between nested types. Guess: the
 * chain's descriptors of SDK files contain the packages of `cosmossdk.io/api`, which the gateway does not use. The table
 * contains those of the SDK.
 */
function goName(file: DescFile, typeName: string): string {
  const path = file.proto.options?.goPackage ?? '';
  const named = path.startsWith('cosmossdk.io/api/') ? '' : path.replace(/^.*[/;]/, '');
  const packageName = sdkPackages[file.proto.package] ?? (named || 'types');
  const inFile = file.proto.package === '' ? typeName : typeName.slice(file.proto.package.length + 1);
  return `${packageName}.${inFile.replaceAll('.', '_')}`;
}

/** Returns the gateway's error for a text value of a message field. */
export function goMessageError({ file, typeName }: DescMessage): string {
  return `field type *${goName(file, typeName)} is not supported in query parameters`;
}

const bases: Readonly<Record<string, number>> = { x: 16, b: 2, o: 8 };
const digitsOf: Readonly<Record<number, RegExp>> = { 2: /^[01]+$/, 8: /^[0-7]+$/, 10: /^\d+$/, 16: /^[0-9a-f]+$/i };
const prefixOf: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 10: '', 16: '0x' };

/**
 * Parses an unsigned integer as `strconv` does in base 0: the prefix selects the base, and `_` may separate digits. undefined
 * if the text is invalid.
 */
function unsignedIn(text: string): bigint | undefined {
  const [, letter, prefixed] = /^0([xbo])(.+)$/i.exec(text) ?? [];
  const base = letter === undefined ? (/^0./.test(text) ? 8 : 10) : (bases[letter.toLowerCase()] ?? 10);
  // Each `_` must follow a digit or the prefix of the base, and precede a digit.
  const written = letter === undefined ? text : `0${prefixed}`;
  if (/__|^_|_$/.test(written)) return undefined;
  const digits = (prefixed ?? text).replaceAll('_', '');
  if (!digitsOf[base]?.test(digits)) return undefined;
  const bare = digits.replace(/^0+(?=.)/, '');
  // Longer than any 64-bit integer in base 2.
  return bare.length > 64 ? 2n ** 64n : BigInt(`${prefixOf[base]}${bare}`);
}

function readInteger(text: string, type: ScalarType): Readable | Unreadable | undefined {
  const range = rangeOf(type);
  if (range === undefined) return undefined;
  const { name, least, most } = range;
  const bound = `an integer from ${least} to ${most}`;
  const wrong = (problem: string): Unreadable => ({ bound, nodeText: `strconv.${name}: parsing ${goQuote(text)}: ${problem}` });
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  const size = least === 0n && sign !== '' ? undefined : unsignedIn(rest);
  if (size === undefined) return wrong('invalid syntax');
  const value = sign === '-' ? -size : size;
  return value < least || value > most ? wrong('value out of range') : { json: value.toString() };
}

function readBytes(text: string): Readable | Unreadable {
  if (goBase64Error(text, 'standard') === undefined) return { json: Buffer.from(text, 'base64').toString('base64') };
  const nodeText = goBase64Error(text, 'url');
  if (nodeText === undefined) return { json: Buffer.from(text, 'base64url').toString('base64') };
  return { bound: 'bytes in padded base64', nodeText };
}

function readEnum(text: string, { values, file, typeName }: DescEnum): Readable | Unreadable {
  const found = values.find(({ name, number }) => name === text || (/^[+-]?\d{1,10}$/.test(text) && number === Number(text)));
  if (found !== undefined) return { json: found.number };
  const bound = `a value of ${typeName}: ${values.map(({ name }) => name).join(', ')}`;
  return { bound, nodeText: `${text} is not a valid ${goName(file, typeName)}` };
}

function readTime(text: string, message: DescMessage): Readable | Unreadable {
  try {
    fromJson(message, text);
    return { json: text };
  } catch {
    const [bound, nodeText] = message.typeName.endsWith('Duration')
      ? ['a duration such as `20s`', `bad Duration: time: invalid duration ${goQuote(text)}`]
      : [
          'a time such as `2026-11-21T02:48:11Z`',
          `bad Timestamp: parsing time ${goQuote(text)} as "2006-01-02T15:04:05.999999999Z07:00": cannot parse ${goQuote(text)} as "2006"`,
        ];
    return { bound, nodeText };
  }
}

/** Parses the value of a field from a path or a query as a node does: integers in every base of Go, base64 with padding. */
export function readGoFieldText(field: DescField, text: string): Readable | Unreadable {
  if (field.enum !== undefined) return readEnum(text, field.enum);
  if (field.message !== undefined) return readTime(text, field.message);
  if (field.scalar === ScalarType.BYTES) return readBytes(text);
  return (field.scalar === undefined ? undefined : readInteger(text, field.scalar)) ?? readFieldText(field, text);
}
