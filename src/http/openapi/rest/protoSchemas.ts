import { type DescEnum, type DescField, type DescMessage, type DescMethodUnary, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { unrecognized } from '../../../reads/unrecognized.ts';
import { customTypeOf } from '../../rest/printing/customTypes.ts';
import { wideIntegers } from '../../rest/printing/printer.ts';
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
} from '../parts/schemaParts.ts';

/** How a dialect of REST writes what they write differently. */
export interface ProtoDialect {
  /** What the names of its schemas begin with. */
  readonly prefix: string;
  readonly nameOf: (field: DescField) => string;
  /** A 64-bit integer. */
  readonly integer: Schema;
  /** A 64-bit integer as a parameter. */
  readonly integerInput: (isSigned: boolean) => Schema;
  readonly bytes: Schema;
  readonly enumOf: (desc: DescEnum) => Schema;
  /** A message of a type that it names itself. */
  readonly any: Schema;
  /** What a field is whose values are written in a way of their own; undefined for all others. */
  readonly special?: (field: DescField) => Schema | undefined;
}

/** The documented dialect: camelCase, integers as integers, an `Any` as its type and bytes. */
export const documentedProto: ProtoDialect = {
  prefix: '',
  nameOf: ({ jsonName }) => jsonName,
  integer: { type: 'integer', format: 'int64' },
  integerInput: (isSigned) => ({ type: 'integer', format: 'int64', ...(!isSigned && { minimum: 0 }) }),
  bytes: base64,
  enumOf: ({ values }) => ({ type: 'string', enum: [...values.map(({ name }) => name), unrecognized] }),
  any: object({ type: described(text, 'Its type URL.'), value: described(base64, 'Its bytes, in base64.') }),
  special: ({ parent: { typeName }, name }) =>
    typeName === 'provenance.attribute.v1.Attribute' && name === 'value'
      ? described(text, 'Text; base64 for attributes of the types BYTES and PROTO.')
      : undefined,
};

/** The node's own dialect: snake_case, 64-bit integers as text, no bytes as null, an `Any` as the fields of its message with `@type`. */
export const nodeProto: ProtoDialect = {
  prefix: 'rest.',
  nameOf: ({ name }) => name,
  integer: { type: 'string', format: 'int64', pattern: '^-?[0-9]+$' },
  integerInput: (isSigned) => ({ type: 'string', pattern: isSigned ? '^-?[0-9]+$' : '^[0-9]+$' }),
  bytes: nullable(base64),
  // A value that is newer than the chain's own description is a number.
  enumOf: ({ values }) => ({ anyOf: [{ type: 'string', enum: values.map(({ name }) => name) }, { type: 'integer' }] }),
  any: { ...object({ '@type': described(text, 'Its type URL.') }), additionalProperties: true },
};

function orNull(schema: Schema): Schema {
  return schema.type === undefined ? { anyOf: [schema, none] } : nullable(schema);
}

/** The schemas of the messages of a chain, in one dialect. */
export interface ProtoSchemas {
  /** The schema of an answer. It and what it is made of go to `schemas`. */
  answer(message: DescMessage): Schema;
  /** The schema of a request that comes as a body: nothing of it need be there. */
  request(method: DescMethodUnary): Schema;
  /** The schema of what a field takes as a parameter. */
  parameter(field: DescField): Schema;
  /** All that was named so far, by name. */
  readonly schemas: Readonly<Record<string, Schema>>;
}

const floating: readonly ScalarType[] = [ScalarType.DOUBLE, ScalarType.FLOAT];
const unsigned: readonly ScalarType[] = [ScalarType.UINT64, ScalarType.FIXED64, ScalarType.UINT32, ScalarType.FIXED32];

/** Messages whose JSON is not an object of their fields. */
const wellKnown: Readonly<Record<string, Schema>> = {
  'google.protobuf.Timestamp': time,
  'google.protobuf.Duration': described(text, 'A length of time, such as `20s`.'),
  'google.protobuf.FieldMask': text,
  'google.protobuf.Struct': { type: 'object', additionalProperties: true },
  'google.protobuf.ListValue': list({}),
  'google.protobuf.Value': {},
};

/** Makes the schemas of a dialect. */
export function createProtoSchemas(dialect: ProtoDialect): ProtoSchemas {
  const schemas: Record<string, Schema> = {};

  function scalar(field: DescField, type: ScalarType): Schema {
    const custom = type === ScalarType.STRING || type === ScalarType.BYTES ? customTypeOf(field) : undefined;
    if (custom === 'LegacyDec' || custom === 'Int') return nullable(described(text, 'A number, in decimal.'));
    if (custom === 'MetadataAddress') return described(text, 'In bech32.');
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
    const known = wellKnown[typeName];
    if (known !== undefined) return known;
    const name = `${prefix}${typeName}`;
    if (schemas[name] === undefined) {
      // Named before it is made: a message can hold itself.
      schemas[name] = {};
      const told = (field: DescField): [string, Schema] => [
        dialect.nameOf(field),
        dialect.special?.(field) ?? schemaOf(field, prefix),
      ];
      // Of a oneof only the one that is set is there.
      const always = fields.filter(({ oneof }) => oneof === undefined && prefix === dialect.prefix);
      const sometimes = fields.filter((field) => !always.includes(field));
      schemas[name] = object(Object.fromEntries(always.map(told)), Object.fromEntries(sometimes.map(told)));
    }
    return ref(name);
  }

  function parameter(field: DescField): Schema {
    if (field.fieldKind === 'list') return list(parameterItem(field));
    return parameterItem(field);
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
    answer: (desc) => message(desc, dialect.prefix),
    request: ({ input }) => message(input, `${dialect.prefix}request.`),
    parameter,
    schemas,
  };
}
