import type { DescEnum, DescField } from '@bufbuild/protobuf';
import type { ReflectMessage } from '@bufbuild/protobuf/reflect';
import { stringify } from '../../../chain/rpc/goJson.ts';
import { attributeTypes, valueText } from '../../../modules/attribute/model.ts';
import { unrecognized } from '../../../reads/unrecognized.ts';

/** How a dialect writes what they write differently. Each value is JSON text. */
export interface Printing {
  nameOf(field: DescField): string;
  text(value: string): string;
  /** A 64-bit integer, exactly. */
  integer(value: bigint | string): string;
  bytes(value: Uint8Array): string;
  enumValue(desc: DescEnum, value: number): string;
  /** Whether an `Any` is its type and bytes (`type`, `value`), rather than `@type` and the fields of its message. */
  readonly opaqueAny: boolean;
  /** Whether values are written as the Go types of the node write them: bytes by the type that they are converted to, and absent messages that cannot be null by their defaults. */
  readonly asGo: boolean;
  /** A value that is written in its own way; undefined for all others. */
  special?(message: ReflectMessage, field: DescField): string | undefined;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** The names that wasmd's `AccessType` gives itself, by number. Guess: read from its source; no recording has one over REST. */
const accessTypes: Readonly<Record<number, string>> = { 1: 'Nobody', 2: 'OnlyAddress', 3: 'Everybody', 4: 'AnyOfAddresses' };

/** As the node's REST prints: the names of protobuf, 64-bit integers as strings, what has no bytes as null (seen), an unknown enum value as its number. */
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

/** As the seed names things: camelCase, 64-bit integers as JSON integers, an `Any` as its type and bytes, an attribute's value as in the graph. */
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
