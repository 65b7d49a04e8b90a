import {
  type DescEnum,
  type DescEnumValue,
  type DescField,
  type DescMessage,
  isMessage,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { fromSecondsAndNanos } from '../../chain/base/time.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import { contractMessageJson, customTypeOf, isContractMessage, numberText, scalarNameOf } from '../../chain/wire/protoJson.ts';
import { isDecimal } from '../../reads/decimal.ts';
import { badInput } from '../../reads/errors.ts';
import { type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import type { Connection } from '../../schema/connection.ts';
import { anyOf } from '../any/schema.ts';
import { coinOf } from '../bank/schema.ts';

/** A decoded message of the chain. */
export interface TypedMessage {
  /** The name of its GraphQL type. */
  readonly __typename: string;
  /** The message as the protobuf library decodes it. */
  readonly message: object;
  /** The page that it is; absent unless it answers a query for a page. */
  readonly page?: TypedPage;
}

/** A page as {@link TypedMessage} has it: its items are in the message. */
export type TypedPage = Connection<never>;

/** How values of one kind are written in GraphQL, and how they are converted. */
export interface ValueKind {
  /** The name of the output type. */
  readonly output: string;
  /** The name of the input type. */
  readonly input: string;
  /** Whether a value that the chain has can be null in GraphQL. */
  readonly isNullable: boolean;
  /** Converts a value of the protobuf library to what a resolver returns. `parent` is the object that has the field. */
  readonly toGraphql: (parent: Pinned<object>, value: unknown) => unknown;
  /** Converts an argument, as GraphQL passes it, to protobuf JSON. */
  readonly toJson: (argument: unknown) => JsonValue;
}

/** The member of an object that the protobuf library made; undefined if it has none. */
export function memberOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined;
}

/** The JSON of an argument of a scalar: 64-bit integers as text, bytes in base64. */
function scalarJson(argument: unknown): JsonValue {
  switch (typeof argument) {
    case 'bigint':
      return argument.toString();
    case 'string':
    case 'number':
    case 'boolean':
      return argument;
    default:
      return argument instanceof Uint8Array ? Buffer.from(argument).toString('base64') : null;
  }
}

function scalarKind(type: string, more: Partial<ValueKind> = {}): ValueKind {
  return { output: type, input: type, isNullable: false, toGraphql: (_parent, value) => value, toJson: scalarJson, ...more };
}

const scalarTypes: Readonly<Record<ScalarType, string>> = {
  [ScalarType.BOOL]: 'Boolean',
  [ScalarType.STRING]: 'String',
  [ScalarType.BYTES]: 'Base64',
  [ScalarType.DOUBLE]: 'Float',
  [ScalarType.FLOAT]: 'Float',
  [ScalarType.INT32]: 'Int',
  [ScalarType.SINT32]: 'Int',
  [ScalarType.SFIXED32]: 'Int',
  // The integers of GraphQL have 31 bits and a sign.
  [ScalarType.UINT32]: 'UInt64',
  [ScalarType.FIXED32]: 'UInt64',
  [ScalarType.INT64]: 'Int64',
  [ScalarType.SINT64]: 'Int64',
  [ScalarType.SFIXED64]: 'Int64',
  [ScalarType.UINT64]: 'UInt64',
  [ScalarType.FIXED64]: 'UInt64',
};

const decimalPlaces = 18;

/** The text of a number on the wire. A `LegacyDec` is an integer: "0.5" is 500000000000000000. Further places are BAD_USER_INPUT. */
function wireNumber(type: string, argument: string, text: string): string {
  if (type !== 'LegacyDec') return text;
  const [whole = '', places = ''] = text.split('.');
  if (places.length > decimalPlaces) throw badInput(argument, text, `a number with at most ${decimalPlaces} decimal places`);
  return BigInt(whole + places.padEnd(decimalPlaces, '0')).toString();
}

/** The kind of a scalar. Numbers that the chain writes as text are decimals. */
function kindOfScalar(field: DescField, scalar: ScalarType): ValueKind {
  const number = customTypeOf(field);
  if (number === 'LegacyDec' || number === 'Int') {
    return scalarKind('Decimal', {
      isNullable: true,
      toGraphql: (_parent, value) =>
        typeof value === 'string' || value instanceof Uint8Array ? (numberText(number, field, value) ?? null) : null,
      toJson(argument) {
        const text = wireNumber(number, field.jsonName, String(argument));
        return scalar === ScalarType.BYTES ? Buffer.from(text).toString('base64') : text;
      },
    });
  }
  if (scalar === ScalarType.STRING && ['cosmos.Dec', 'cosmos.Int'].includes(scalarNameOf(field) ?? '')) {
    // Modules leave the text of an unset number empty.
    const toGraphql = (_parent: object, value: unknown): unknown =>
      typeof value === 'string' && isDecimal(value) ? value : null;
    return scalarKind('Decimal', { isNullable: true, toGraphql });
  }
  if (scalar === ScalarType.BYTES && isContractMessage(field)) {
    const toGraphql = (_parent: object, value: unknown): unknown =>
      value instanceof Uint8Array ? (contractMessageJson(value) ?? Buffer.from(value).toString('base64')) : null;
    return scalarKind('JSON', { isNullable: true, toGraphql, input: 'Base64' });
  }
  return scalarKind(scalarTypes[scalar]);
}

/** Seconds and nanoseconds of a protobuf time. */
function nanosecondsOf(value: unknown): bigint {
  const [seconds, nanos] = [memberOf(value, 'seconds'), memberOf(value, 'nanos')];
  return fromSecondsAndNanos({
    seconds: typeof seconds === 'bigint' ? seconds : 0n,
    nanos: typeof nanos === 'number' ? nanos : 0,
  });
}

const coinType = 'cosmos.base.v1beta1.Coin';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Well-known messages that are JSON in GraphQL. The protobuf library decodes some of them to plain values. */
const jsonMessages =
  /^google\.protobuf\.(Struct|Value|ListValue|FieldMask|Empty|(Bytes|String|Bool|Int32|UInt32|Int64|UInt64|Double|Float)Value)$/;

function kindOfJson(desc: DescMessage): ValueKind {
  const toGraphql = (_parent: object, value: unknown): unknown => {
    if (isMessage(value, desc)) return toJson(desc, value);
    return typeof value === 'object' && !(value instanceof Uint8Array) ? value : scalarJson(value);
  };
  return { output: 'JSON', input: 'JSON', isNullable: true, toGraphql, toJson: jsonArgument };
}

/** An argument of the scalar JSON, which has JSON. */
function jsonArgument(argument: unknown): JsonValue {
  return argument as JsonValue;
}

/** The messages that have a type by hand, or that GraphQL writes as a scalar. */
const messageKinds: Readonly<Record<string, ValueKind>> = {
  'google.protobuf.Any': scalarKind('AnyMessage', {
    input: 'JSON',
    toGraphql: (parent, value) => {
      const bytes = memberOf(value, 'value');
      return anyOf(parent, {
        type: textOf(memberOf(value, 'typeUrl')),
        value: bytes instanceof Uint8Array ? bytes : new Uint8Array(),
      });
    },
    toJson: jsonArgument,
  }),
  'google.protobuf.Timestamp': scalarKind('DateTime', { toGraphql: (_parent, value) => nanosecondsOf(value) }),
  'google.protobuf.Duration': scalarKind('Duration', { toGraphql: (_parent, value) => nanosecondsOf(value) }),
  [coinType]: scalarKind('Coin', {
    toGraphql: (parent, value) =>
      coinOf(parent, { denom: textOf(memberOf(value, 'denom')), amount: textOf(memberOf(value, 'amount')) || '0' }),
  }),
};

/** Names of GraphQL types, and the types that become known while they are named. */
export interface TypeNames {
  /** The output type of a message. */
  output(desc: DescMessage): string;
  /** The input type of a message. */
  input(desc: DescMessage): string;
  enum(desc: DescEnum): string;
}

/** The name of a value of an enum. GraphQL has no enum values with the names of its literals. */
export function enumValueName({ name }: DescEnumValue): string {
  return ['true', 'false', 'null'].includes(name) ? `${name}_` : name;
}

/** The kind of one value of a field: of the field itself, of an item of its list, or of a value of its map. */
function kindOfItem(field: DescField, names: TypeNames): ValueKind {
  const { message, enum: ofEnum, scalar } = field;
  if (ofEnum !== undefined) {
    const name = names.enum(ofEnum);
    const toGraphql = (_parent: object, value: unknown): unknown =>
      typeof value === 'number' && ofEnum.value[value] !== undefined ? enumValueName(ofEnum.value[value]) : null;
    const nameToJson = (argument: unknown): JsonValue =>
      ofEnum.values.find((value) => enumValueName(value) === argument)?.name ?? scalarJson(argument);
    return { output: name, input: name, isNullable: true, toGraphql, toJson: nameToJson };
  }
  if (message === undefined) return kindOfScalar(field, scalar ?? ScalarType.STRING);
  if (jsonMessages.test(message.typeName)) return kindOfJson(message);
  const handKind = messageKinds[message.typeName];
  if (handKind !== undefined)
    return message.typeName === coinType
      ? { ...handKind, input: names.input(message), toJson: inputJson(message, names) }
      : handKind;
  const typename = names.output(message);
  return {
    output: typename,
    get input() {
      return names.input(message);
    },
    isNullable: false,
    toGraphql: (parent, value) => typedMessage(pinOf(parent), typename, value),
    toJson: inputJson(message, names),
  };
}

/** A message under a pin; null if there is none. */
export function typedMessage(pin: Pin, typename: string, message: unknown): Pinned<TypedMessage> | null {
  return typeof message === 'object' && message !== null ? pinned(pin, { __typename: typename, message }) : null;
}

/** Converts an input object to the JSON of its message. */
function inputJson(desc: DescMessage, names: TypeNames): (argument: unknown) => JsonValue {
  let fields: readonly TypedField[] | undefined;
  return (argument) => {
    fields ??= fieldsOf(desc, names);
    return argumentsJson(fields, argument);
  };
}

/** Converts arguments, by the names of fields, to the JSON of their message. Absent and null arguments are absent. Those of a `oneof` are in one object. */
export function argumentsJson(fields: readonly TypedField[], values: unknown): JsonObject {
  const json: Record<string, JsonValue> = {};
  for (const { desc, name, toJson: convert } of fields) {
    const value = memberOf(desc.oneof === undefined ? values : memberOf(values, desc.oneof.localName), name);
    if (value !== undefined && value !== null) json[desc.jsonName] = convert(value);
  }
  return json;
}

/** A field of a message. */
export interface TypedField {
  readonly desc: DescField;
  /** The name in GraphQL, which is that of protobuf JSON, unless GraphQL has no such names. */
  readonly name: string;
  readonly item: ValueKind;
  /** The output type, with its marks of lists and non-null. The entries of a map have a type of their own. */
  readonly output: string;
  /** The input type. Read for arguments only, because that defines the type. */
  readonly input: string;
  /** The value of a message that has the field. */
  readonly resolve: (parent: Pinned<TypedMessage>) => unknown;
  readonly toJson: (argument: unknown) => JsonValue;
}

/** How the protobuf library keeps a field in a message. */
function memberReader({ oneof, localName }: DescField): (message: object) => unknown {
  if (oneof === undefined) return (message) => Reflect.get(message, localName);
  return (message) => {
    const chosen = Reflect.get(message, oneof.localName);
    return memberOf(chosen, 'case') === localName ? memberOf(chosen, 'value') : undefined;
  };
}

/** The name of the type of the entries of a map. */
export function entryName(field: DescField, names: TypeNames): string {
  return `${names.output(field.parent)}_${field.jsonName}Entry`;
}

/** The fields of a message in GraphQL. */
export function fieldsOf(desc: DescMessage, names: TypeNames): readonly TypedField[] {
  return desc.fields.map((field) => {
    const item = kindOfItem(field, names);
    const read = memberReader(field);
    const name = /^(?!__)[A-Za-z_]\w*$/.test(field.jsonName) ? field.jsonName : field.name;
    if (field.fieldKind === 'map') {
      const entry = entryName(field, names);
      return {
        desc: field,
        name,
        item,
        output: `[${entry}!]!`,
        input: `[${entry}_Input!]`,
        resolve: (parent) =>
          Object.entries(read(parent.message) ?? {}).map(([key, value]) => ({ key, value: item.toGraphql(parent, value) })),
        toJson: (entries) =>
          Object.fromEntries(listOf(entries).map((one) => [String(memberOf(one, 'key')), item.toJson(memberOf(one, 'value'))])),
      };
    }
    if (field.fieldKind === 'list') {
      return {
        desc: field,
        name,
        item,
        output: `[${item.output}${item.isNullable ? '' : '!'}]!`,
        get input() {
          return `[${item.input}!]`;
        },
        resolve: (parent) => listOf(read(parent.message)).map((value) => item.toGraphql(parent, value)),
        toJson: (items) => listOf(items).map(item.toJson),
      };
    }
    const isAlwaysSet =
      field.fieldKind !== 'message' && field.oneof === undefined && field.presence === FeatureSet_FieldPresence.IMPLICIT;
    return {
      desc: field,
      name,
      item,
      output: `${item.output}${isAlwaysSet && !item.isNullable ? '!' : ''}`,
      get input() {
        return item.input;
      },
      resolve: (parent) => {
        const value = read(parent.message);
        return value === undefined ? null : item.toGraphql(parent, value);
      },
      toJson: item.toJson,
    };
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
