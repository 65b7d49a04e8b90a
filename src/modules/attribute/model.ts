import { fromSecondsAndNanos, type Nanoseconds } from '../../chain/base/time.ts';
import { parseJson } from '../../chain/wire/json.ts';
import type * as wire from '../../proto/provenance/attribute/v1/attribute_pb.js';
import { unrecognized } from '../../reads/input.ts';

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

/** Type of an attribute's value. */
export type AttributeType = (typeof attributeTypes)[number] | typeof unrecognized;

/** An attribute of an account or scope: a named value that the owner of the name attests. */
export interface Attribute {
  readonly name: string;
  /** The bytes of the value, for every type. */
  readonly value: Uint8Array;
  readonly attributeType: AttributeType;
  readonly address: string;
  /** Nanoseconds since 1970; null if the attribute does not expire. */
  readonly expirationDate: Nanoseconds | null;
  readonly concreteType: string;
}

/** Converts an attribute from protobuf. */
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

/** Returns whether values of a type are text. An unrecognized type counts as bytes. */
function isText(type: AttributeType): boolean {
  return type !== 'ATTRIBUTE_TYPE_BYTES' && type !== 'ATTRIBUTE_TYPE_PROTO' && type !== unrecognized;
}

/** Returns the value as text, or as base64 for types that are not text. */
export function valueText({ attributeType, value }: Pick<Attribute, 'attributeType' | 'value'>): string {
  return Buffer.from(value).toString(isText(attributeType) ? 'utf8' : 'base64');
}

/**
 * Parses a value of type JSON; numbers that a double cannot hold become text. Returns null for other types and invalid JSON.
 */
export function valueJson({ attributeType, value }: Attribute): unknown {
  if (attributeType !== 'ATTRIBUTE_TYPE_JSON') return null;
  try {
    return parseJson(Buffer.from(value).toString());
  } catch {
    return null;
  }
}
