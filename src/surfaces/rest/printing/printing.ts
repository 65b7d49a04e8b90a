import type { DescEnum, DescField } from '@bufbuild/protobuf';
import type { ReflectMessage } from '@bufbuild/protobuf/reflect';
import { stringify } from '../../../chain/wire/goText.ts';
import { attributeTypes, valueText } from '../../../modules/attribute/query.ts';
import { unrecognized } from '../../../reads/input.ts';

/** The parts of JSON that differ between the dialects. All functions return JSON text. */
export interface Printing {
  nameOf(field: DescField): string;
  text(value: string): string;
  /** A 64-bit integer, exactly. */
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

/**
 * The node's format: protobuf names, 64-bit integers as strings, empty bytes as null (recorded), unknown enum values as
 * numbers.
 */
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
 * The documented format: names in camelCase, 64-bit integers as JSON integers, an `Any` as its type and bytes, values of
 * attributes as in GraphQL.
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
