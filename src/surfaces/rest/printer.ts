import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  fromBinary,
  type Registry,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { stringify } from '../../chain/wire/goText.ts';
import {
  castJson,
  castTypeOf,
  customTypeOf,
  isNullable,
  isStdTime,
  numberText,
  typeNameOf,
} from '../../chain/wire/protoJson.ts';
import { attributeTypes, valueText } from '../../modules/attribute/query.ts';
import { anyMetadataAddress } from '../../modules/metadata/address.ts';
import { unrecognized } from '../../reads/input.ts';

/** The parts of JSON that differ between the dialects. All functions return JSON text. */
export interface Printing {
  nameOf(field: DescField): string;
  text(value: string): string;
  integer(value: bigint | string): string;
  bytes(value: Uint8Array): string;
  enumValue(desc: DescEnum, value: number): string;
  /** Whether an `Any` is written as its type and bytes (`type`, `value`), and not as `@type` and the fields of its message. */
  readonly opaqueAny: boolean;
  /**
   * Whether values are written as the Go types of a node write them: bytes in the format of their Go type, and unset messages
   * that cannot be null with their defaults.
   */
  readonly asGo: boolean;
  /** Writes a field with its own format. Returns undefined for all other fields. */
  special?(message: ReflectMessage, field: DescField): string | undefined;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** wasmd's names of `AccessType`, by number. Guess from its source; no recording has one over REST. */
const accessTypes: Readonly<Record<number, string>> = { 1: 'Nobody', 2: 'OnlyAddress', 3: 'Everybody', 4: 'AnyOfAddresses' };

/** The node's format: protobuf names, 64-bit integers as strings, empty bytes as null (recorded), unknown enum values as numbers. */
export const nodePrinting: Printing = {
  nameOf: ({ name }) => name,
  text: stringify,
  integer: (value) => `"${value}"`,
  bytes: (value) => (value.length === 0 ? 'null' : `"${base64(value)}"`),
  enumValue({ typeName, value: values }, number) {
    if (typeName === 'cosmwasm.wasm.v1.AccessType') return `"${accessTypes[number] ?? 'Unspecified'}"`;
    return values[number] === undefined ? `${number}` : `"${values[number].name}"`;
  },
  opaqueAny: false,
  asGo: true,
};

function attributeType(number: unknown): (typeof attributeTypes)[number] | typeof unrecognized {
  return (typeof number === 'number' ? attributeTypes[number] : undefined) ?? unrecognized;
}

/**
 * The documented format: names in camelCase, 64-bit integers as JSON integers, an `Any` as its type and bytes, values of attributes as in GraphQL.
 */
export const documentedPrinting: Printing = {
  nameOf: ({ jsonName }) => jsonName,
  text: (value) => JSON.stringify(value),
  integer: (value) => `${value}`,
  bytes: (value) => `"${base64(value)}"`,
  enumValue: ({ value: values }, number) => `"${values[number]?.name ?? unrecognized}"`,
  opaqueAny: true,
  asGo: false,
  special(message, field) {
    if (message.desc.typeName !== 'provenance.attribute.v1.Attribute' || field.name !== 'value') return undefined;
    const type = message.desc.fields.find(({ name }) => name === 'attribute_type');
    const value = message.get(field);
    if (type === undefined || !(value instanceof Uint8Array)) return undefined;
    return JSON.stringify(valueText({ attributeType: attributeType(message.get(type)), value }));
  },
};

/** Converts the bytes of a message to JSON text. Throws if they are not a message of this type. */
export type Printer = (desc: DescMessage, bytes: Uint8Array) => string;

const any = 'google.protobuf.Any';

const wellKnown =
  /^google\.protobuf\.(Timestamp|Duration|FieldMask|Struct|Value|ListValue|(Double|Float|U?Int64|U?Int32|Bool|String|Bytes)Value)$/;

/** The 64-bit integers, which JavaScript numbers cannot represent exactly. */
export const wideIntegers: readonly ScalarType[] = [
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
  ScalarType.SINT64,
];

/**
 * Creates the printer of a dialect. It writes every field in the order of declaration: unset messages and optional values as null, and of a oneof
 * only the member that is set. In Go's format, an unset message that cannot be null is written with its defaults. `registry` contains the types of
 * messages in an `Any`. If the type is unknown or the bytes are invalid, the `Any` contains its bytes as `value`.
 */
export function createPrinter(printing: Printing, registry: Registry): Printer {
  const goTypes = new WeakMap<DescField, { readonly custom: string; readonly cast: string }>();

  function goTypeOf(field: DescField): { readonly custom: string; readonly cast: string } {
    let type = goTypes.get(field);
    if (type === undefined) {
      type = { custom: customTypeOf(field) ?? '', cast: castTypeOf(field) ?? '' };
      goTypes.set(field, type);
    }
    return type;
  }

  function absent(desc: DescField & { fieldKind: 'message' }): string {
    if (!printing.asGo || isNullable(desc)) return 'null';
    if (isStdTime(desc)) return '"0001-01-01T00:00:00Z"';
    return message(reflect(desc.message, create(desc.message)));
  }

  function scalar(field: DescField, type: ScalarType, value: unknown): string {
    if (typeof value === 'string' || value instanceof Uint8Array) {
      const { custom, cast } = goTypeOf(field);
      let formatted = custom === 'MetadataAddress' ? '' : numberText(custom, field, value);
      if (custom === 'MetadataAddress' && typeof value !== 'string' && value.length > 0) formatted = anyMetadataAddress(value);
      if (formatted !== undefined) return formatted === null ? 'null' : printing.text(formatted);
      if (value instanceof Uint8Array) return (printing.asGo ? castJson(cast, value) : undefined) ?? printing.bytes(value);
      return wideIntegers.includes(type) ? printing.integer(value) : printing.text(value);
    }
    if (typeof value === 'bigint') return printing.integer(value);
    if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : `"${value}"`;
    return value === true ? 'true' : 'false';
  }

  function item(field: DescField, value: unknown): string {
    if (isReflectMessage(value)) return message(value);
    if (field.enum !== undefined && typeof value === 'number') return printing.enumValue(field.enum, value);
    return scalar(field, field.scalar ?? ScalarType.STRING, value);
  }

  function field(of: ReflectMessage, desc: DescField): string {
    switch (desc.fieldKind) {
      case 'list':
        return `[${[...of.get(desc)].map((value) => item(desc, value)).join(',')}]`;
      case 'map': {
        const entries = [...of.get(desc)].map(([key, value]) => [String(key), item(desc, value)] as const);
        const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
        return `{${sorted.map(([key, value]) => `${printing.text(key)}:${value}`).join(',')}}`;
      }
      case 'message':
        return of.isSet(desc) ? message(of.get(desc)) : absent(desc);
      default:
        return desc.presence === FeatureSet_FieldPresence.EXPLICIT && !of.isSet(desc) ? 'null' : item(desc, of.get(desc));
    }
  }

  function members(of: ReflectMessage): string[] {
    const shownFields = of.fields.filter((desc) => desc.oneof === undefined || of.isSet(desc));
    return shownFields.map((desc) => `"${printing.nameOf(desc)}":${printing.special?.(of, desc) ?? field(of, desc)}`);
  }

  function anyOf(typeUrl: string, value: Uint8Array): string {
    const bytes = `"value":${printing.bytes(value)}`;
    if (printing.opaqueAny) return `{"type":${printing.text(typeUrl)},${bytes}}`;
    const type = `"@type":${printing.text(typeUrl)}`;
    const desc = registry.getMessage(typeNameOf(typeUrl));
    if (desc === undefined) return `{${type},${bytes}}`;
    try {
      const heldMessage = reflect(desc, fromBinary(desc, value));
      if (desc.typeName === any || wellKnown.test(desc.typeName)) return `{${type},"value":${message(heldMessage)}}`;
      return `{${[type, ...members(heldMessage)].join(',')}}`;
    } catch {
      return `{${type},${bytes}}`;
    }
  }

  function message(of: ReflectMessage): string {
    const { typeName, fields } = of.desc;
    if (typeName === any) {
      const [typeUrl, value] = fields.map((desc) => of.get(desc));
      return typeof typeUrl === 'string' && value instanceof Uint8Array && typeUrl !== '' ? anyOf(typeUrl, value) : 'null';
    }
    if (wellKnown.test(typeName)) return JSON.stringify(toJson(of.desc, of.message, { registry }));
    return `{${members(of).join(',')}}`;
  }

  return (desc, bytes) => message(reflect(desc, fromBinary(desc, bytes)));
}
