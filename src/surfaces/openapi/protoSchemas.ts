import { type DescEnum, type DescField, type DescMessage, type DescMethodUnary, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { castTypeOf, customTypeOf, isContractMessage } from '../../chain/wire/protoJson.ts';
import { unrecognized } from '../../reads/input.ts';
import { wideIntegers } from '../rest/printer.ts';
import {
  base64,
  described,
  flag,
  list,
  none,
  nullable,
  object,
  ref,
  type Schema,
  smallInteger,
  text,
  time,
} from './document.ts';

/** The parts of schemas that differ between the dialects of REST. */
export interface ProtoDialect {
  /** Prefix of its schema names. */
  readonly prefix: string;
  readonly nameOf: (field: DescField) => string;
  /** A 64-bit integer. */
  readonly integer: Schema;
  /** A 64-bit integer as a parameter. */
  readonly integerInput: (isSigned: boolean) => Schema;
  readonly bytes: Schema;
  readonly enumOf: (desc: DescEnum) => Schema;
  /** A `google.protobuf.Any`. */
  readonly any: Schema;
  /** Schema of a field with its own format. undefined for all other fields. */
  readonly special?: (field: DescField) => Schema | undefined;
}

/** The documented dialect: names in camelCase, integers as JSON integers, an `Any` as its type URL and bytes. */
export const documentedProto: ProtoDialect = {
  prefix: '',
  nameOf: ({ jsonName }) => jsonName,
  integer: { type: 'integer', format: 'int64' },
  integerInput: (isSigned) => ({ type: 'integer', format: 'int64', ...(!isSigned && { minimum: 0 }) }),
  bytes: base64,
  enumOf: ({ values }) => ({ type: 'string', enum: [...values.map(({ name }) => name), unrecognized] }),
  any: object({
    type: described(text, 'Type URL of the message.'),
    value: described(base64, 'Bytes of the message, in base64.'),
  }),
  special: ({ parent: { typeName }, name }) =>
    typeName === 'provenance.attribute.v1.Attribute' && name === 'value'
      ? described(text, 'Text. Base64 for attributes of the types BYTES and PROTO.')
      : undefined,
};

/**
 * The node's dialect: names in snake_case, 64-bit integers as strings, empty bytes as null, an `Any` as the fields of its
 * message and `@type`.
 */
export const nodeProto: ProtoDialect = {
  prefix: 'rest.',
  nameOf: ({ name }) => name,
  integer: { type: 'string', format: 'int64', pattern: '^-?[0-9]+$' },
  integerInput: (isSigned) => ({ type: 'string', pattern: isSigned ? '^-?[0-9]+$' : '^[0-9]+$' }),
  bytes: nullable(base64),
  // An enum value that the chain's descriptors lack is a number.
  enumOf: ({ values }) => ({ anyOf: [{ type: 'string', enum: values.map(({ name }) => name) }, { type: 'integer' }] }),
  any: { ...object({ '@type': described(text, 'Type URL of the message.') }), additionalProperties: true },
  special(field) {
    if (field.enum?.typeName === 'cosmwasm.wasm.v1.AccessType')
      return described(text, 'The name in wasmd: `Everybody`, `Nobody`.');
    const shaped = isContractMessage(field)
      ? { description: 'The message of a contract: any JSON. null if it is empty, base64 if it is not JSON.' }
      : castTypeOf(field) === 'HexBytes' && field.scalar === ScalarType.BYTES
        ? described(text, 'Bytes in hexadecimal.')
        : undefined;
    return shaped !== undefined && field.fieldKind === 'list' ? list(shaped) : shaped;
  },
};

function orNull(schema: Schema): Schema {
  return schema.type === undefined ? { anyOf: [schema, none] } : nullable(schema);
}

/** Schemas of a chain's messages in one dialect. */
export type ProtoSchemas = ReturnType<typeof createProtoSchemas>;

const floating: readonly ScalarType[] = [ScalarType.DOUBLE, ScalarType.FLOAT];
const unsigned: readonly ScalarType[] = [ScalarType.UINT64, ScalarType.FIXED64, ScalarType.UINT32, ScalarType.FIXED32];

/** Well-known messages with their own JSON format. */
const wellKnown: Readonly<Record<string, Schema>> = {
  'google.protobuf.Timestamp': time,
  'google.protobuf.Duration': described(text, 'A duration, such as `20s`.'),
  'google.protobuf.FieldMask': text,
  'google.protobuf.Struct': { type: 'object', additionalProperties: true },
  'google.protobuf.ListValue': list({}),
  'google.protobuf.Value': {},
};

export function createProtoSchemas(dialect: ProtoDialect) {
  const schemas: Record<string, Schema> = {};

  function scalar(field: DescField, type: ScalarType): Schema {
    const custom = type === ScalarType.STRING || type === ScalarType.BYTES ? customTypeOf(field) : undefined;
    if (custom === 'LegacyDec' || custom === 'Int') return nullable(described(text, 'A number in decimal.'));
    if (custom === 'MetadataAddress') return described(text, 'A bech32 address.');
    if (type === ScalarType.STRING) return text;
    if (type === ScalarType.BYTES) return dialect.bytes;
    if (type === ScalarType.BOOL) return flag;
    if (wideIntegers.includes(type)) return dialect.integer;
    return floating.includes(type) ? { type: 'number' } : smallInteger;
  }

  function item(field: DescField, prefix: string): Schema {
    if (field.message !== undefined) return message(field.message, prefix);
    return field.enum === undefined ? scalar(field, field.scalar ?? ScalarType.STRING) : dialect.enumOf(field.enum);
  }

  function schemaOf(field: DescField, prefix: string): Schema {
    switch (field.fieldKind) {
      case 'list':
        return list(item(field, prefix));
      case 'map':
        return { type: 'object', additionalProperties: item(field, prefix) };
      case 'message':
        return orNull(item(field, prefix));
      default:
        return field.presence === FeatureSet_FieldPresence.EXPLICIT && field.oneof === undefined
          ? orNull(item(field, prefix))
          : item(field, prefix);
    }
  }

  function message(desc: DescMessage, prefix: string): Schema {
    const { typeName, fields } = desc;
    if (typeName === 'google.protobuf.Any') return orNull(dialect.any);
    const wellKnownSchema = wellKnown[typeName];
    if (wellKnownSchema !== undefined) return wellKnownSchema;
    const name = `${prefix}${typeName}`;
    if (schemas[name] === undefined) {
      // Registered before its fields are described, because a message can contain itself.
      schemas[name] = {};
      const member = (field: DescField): [string, Schema] => [
        dialect.nameOf(field),
        dialect.special?.(field) ?? schemaOf(field, prefix),
      ];
      // Only the member of a oneof that is set is present.
      const always = fields.filter(({ oneof }) => oneof === undefined && prefix === dialect.prefix);
      const sometimes = fields.filter((field) => !always.includes(field));
      schemas[name] = object(Object.fromEntries(always.map(member)), Object.fromEntries(sometimes.map(member)));
    }
    return ref(name);
  }

  /** Returns the schema of a field as a parameter. */
  function parameter(field: DescField): Schema {
    const schema = parameterItem(field);
    return field.fieldKind === 'list' ? list(schema) : schema;
  }

  function parameterItem(field: DescField): Schema {
    if (field.enum !== undefined) return { type: 'string', enum: field.enum.values.map(({ name }) => name) };
    if (field.message !== undefined) return wellKnown[field.message.typeName] ?? text;
    const type = field.scalar ?? ScalarType.STRING;
    if (wideIntegers.includes(type)) return dialect.integerInput(!unsigned.includes(type));
    if (type === ScalarType.BYTES) return base64;
    if (type === ScalarType.BOOL) return flag;
    if (type === ScalarType.STRING) return text;
    return floating.includes(type) ? { type: 'number' } : smallInteger;
  }

  return {
    /** Returns the schema of a response. Adds its named schemas to `schemas`. */
    answer: (desc: DescMessage): Schema => message(desc, dialect.prefix),
    /** Returns the schema of a request body. All members are optional. */
    request: ({ input }: DescMethodUnary): Schema => message(input, `${dialect.prefix}request.`),
    parameter,
    /** All named schemas so far, by name. */
    schemas,
  };
}
