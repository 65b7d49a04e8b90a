import { parseJson } from '../../chain/wire/parseJson.ts';
import type * as wire from '../../proto/provenance/attribute/v1/attribute_pb.js';
import { fromSecondsAndNanos, type Nanoseconds } from '../../reads/time.ts';
import { unrecognized } from '../../reads/unrecognized.ts';

/** Names of `provenance.attribute.v1.AttributeType` by number. */
export const attributeTypes = [
  'ATTRIBUTE_TYPE_UNSPECIFIED',
  'ATTRIBUTE_TYPE_UUID',
  'ATTRIBUTE_TYPE_JSON',
  'ATTRIBUTE_TYPE_STRING',
  'ATTRIBUTE_TYPE_URI',
  'ATTRIBUTE_TYPE_INT',
  'ATTRIBUTE_TYPE_FLOAT',
  'ATTRIBUTE_TYPE_PROTO',
  'ATTRIBUTE_TYPE_BYTES',
] as const;

/** How the value of an attribute is to be read. */
export type AttributeType = (typeof attributeTypes)[number] | typeof unrecognized;

/** A statement about an account or scope. */
export interface Attribute {
  readonly name: string;
  /** The bytes, whatever the type. */
  readonly value: Uint8Array;
  readonly attributeType: AttributeType;
  readonly address: string;
  /** Nanoseconds since 1970; null when it does not expire. */
  readonly expirationDate: Nanoseconds | null;
  readonly concreteType: string;
}

/** An attribute from the wire. */
export function attributeFromWire(attribute: wire.Attribute): Attribute {
  const { expirationDate } = attribute;
  return {
    name: attribute.name,
    value: attribute.value,
    attributeType: attributeTypes[attribute.attributeType] ?? unrecognized,
    address: attribute.address,
    expirationDate: expirationDate === undefined ? null : fromSecondsAndNanos(expirationDate),
    concreteType: attribute.concreteType,
  };
}

/** Types whose values are text. A type that is newer than this server is taken for bytes. */
function isText(type: AttributeType): boolean {
  return type !== 'ATTRIBUTE_TYPE_BYTES' && type !== 'ATTRIBUTE_TYPE_PROTO' && type !== unrecognized;
}

/** The value for people: text of the textual types, else base64. */
export function valueText({ attributeType, value }: Pick<Attribute, 'attributeType' | 'value'>): string {
  return Buffer.from(value).toString(isText(attributeType) ? 'utf8' : 'base64');
}

/** The value parsed, numbers too long for a double as text; null unless it is of type JSON and JSON. */
export function valueJson({ attributeType, value }: Attribute): unknown {
  if (attributeType !== 'ATTRIBUTE_TYPE_JSON') return null;
  try {
    return parseJson(Buffer.from(value).toString());
  } catch {
    return null;
  }
}
