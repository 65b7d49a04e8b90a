import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import { customTypeOf, isContractMessage } from '../../chain/wire/protoJson.ts';

/** The schemas of well-known messages, which have a special form in protobuf JSON. */
const wellKnown: Readonly<Record<string, JsonObject>> = {
  'google.protobuf.Any': { type: 'object', properties: { '@type': { type: 'string' } }, required: ['@type'] },
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.Duration': { type: 'string', pattern: '^-?\\d+(\\.\\d{1,9})?s$' },
  'google.protobuf.FieldMask': { type: 'string' },
  'google.protobuf.Struct': { type: 'object' },
  'google.protobuf.ListValue': { type: 'array' },
  'google.protobuf.Value': {},
  'google.protobuf.BytesValue': { type: 'string', contentEncoding: 'base64' },
  'google.protobuf.StringValue': { type: 'string' },
  'google.protobuf.BoolValue': { type: 'boolean' },
  'google.protobuf.Int32Value': { type: 'integer' },
  'google.protobuf.UInt32Value': { type: 'integer', minimum: 0 },
  'google.protobuf.Int64Value': { type: 'string', pattern: '^-?\\d+$' },
  'google.protobuf.UInt64Value': { type: 'string', pattern: '^\\d+$' },
  'google.protobuf.DoubleValue': { type: 'number' },
  'google.protobuf.FloatValue': { type: 'number' },
};

function scalarSchema(type: ScalarType): JsonObject {
  switch (type) {
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.STRING:
      return { type: 'string' };
    case ScalarType.BYTES:
      return { type: 'string', contentEncoding: 'base64' };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: 'number' };
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { type: 'string', pattern: '^-?\\d+$' };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: 'string', pattern: '^\\d+$' };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: 'integer', minimum: 0 };
    default:
      return { type: 'integer' };
  }
}

function enumSchema({ values }: DescEnum): JsonObject {
  return { type: 'string', enum: values.map(({ name }) => name) };
}

/** A reference to the schema of a message by its full name. `base` is the path of the definitions. */
function refTo(desc: DescMessage, base: string): JsonObject {
  return wellKnown[desc.typeName] ?? { $ref: `${base}${desc.typeName}` };
}

/** The schema of a scalar. A response has numbers of the chain, and messages of contracts, in the format of their Go types. */
function valueSchema(field: DescField, type: ScalarType, isResponse: boolean): JsonObject {
  const number = isResponse ? customTypeOf(field) : undefined;
  if (number === 'LegacyDec') return { type: ['string', 'null'], pattern: '^-?\\d+\\.\\d{18}$' };
  if (number === 'Int') return { type: ['string', 'null'], pattern: '^-?\\d+$' };
  return isResponse && isContractMessage(field) ? {} : scalarSchema(type);
}

function fieldSchema(field: DescField, base: string, isResponse: boolean): JsonObject {
  switch (field.fieldKind) {
    case 'scalar':
      return valueSchema(field, field.scalar, isResponse);
    case 'enum':
      return enumSchema(field.enum);
    case 'message':
      return refTo(field.message, base);
    case 'list':
      return { type: 'array', items: itemSchema(field, base, isResponse) };
    case 'map':
      return { type: 'object', additionalProperties: itemSchema(field, base, isResponse) };
  }
}

function itemSchema(field: DescField & { fieldKind: 'list' | 'map' }, base: string, isResponse: boolean): JsonObject {
  if (field.message !== undefined) return refTo(field.message, base);
  if (field.enum !== undefined) return enumSchema(field.enum);
  return field.scalar === undefined ? {} : valueSchema(field, field.scalar, isResponse);
}

/** The JSON Schema of a message without the definitions that it refers to. `base` is the path of the definitions. */
function objectSchema(desc: DescMessage, base: string, isResponse: boolean): JsonObject {
  const properties = Object.fromEntries(
    desc.fields.map((field): [string, JsonValue] => [field.jsonName, fieldSchema(field, base, isResponse)]),
  );
  return { type: 'object', properties, additionalProperties: false };
}

/** The messages that a message contains at any depth, including itself. */
function within(desc: DescMessage, messages = new Map<string, DescMessage>()): ReadonlyMap<string, DescMessage> {
  if (wellKnown[desc.typeName] !== undefined || messages.has(desc.typeName)) return messages;
  messages.set(desc.typeName, desc);
  for (const { message } of desc.fields) if (message !== undefined) within(message, messages);
  return messages;
}

/**
 * The JSON Schema (2020-12) of a message in protobuf JSON: as requests take it, or as responses write it ({@link messageJson}). `$defs` has the
 * messages that it contains, by full name.
 */
export function messageSchema(desc: DescMessage, side: 'request' | 'response'): JsonObject {
  const isResponse = side === 'response';
  const base = '#/$defs/';
  const ownSchema = wellKnown[desc.typeName];
  if (ownSchema !== undefined) return ownSchema;
  const definitions = [...within(desc)].filter(([name]) => name !== desc.typeName || isRecursive(desc));
  return {
    ...objectSchema(desc, base, isResponse),
    ...(definitions.length > 0 && {
      $defs: Object.fromEntries(
        definitions.map(([name, inner]): [string, JsonValue] => [name, objectSchema(inner, base, isResponse)]),
      ),
    }),
  };
}

/** Whether a message contains itself at any depth. */
function isRecursive(desc: DescMessage): boolean {
  return [...within(desc).values()].some((inner) => inner.fields.some(({ message }) => message === desc));
}
