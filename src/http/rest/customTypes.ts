import type { DescField } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { anyMetadataAddress } from '../../modules/metadata/address.ts';

/** Numbers of gogoproto's options of fields: the Go type that reads one, and whether it can be absent there. */
const customTypeOption = 65003;
const nullableOption = 65001;

function optionOf(field: DescField, number: number): Uint8Array | undefined {
  return field.proto.options?.$unknown?.find(({ no }) => no === number)?.data;
}

/** Name of the Go type that prints a field, without its package; undefined for most. */
export function customTypeOf(field: DescField): string | undefined {
  const data = optionOf(field, customTypeOption);
  return data === undefined ? undefined : new BinaryReader(data).string().replace(/^.*[./]/, '');
}

function isNullable(field: DescField): boolean {
  const data = optionOf(field, nullableOption);
  return data === undefined || data[0] !== 0;
}

/** Decimal places of `LegacyDec`, which is an integer on the wire (Cosmos SDK math). */
const places = 18;

/** A `LegacyDec` of the wire as the chain prints it: `250000000000000000` is `0.250000000000000000`. Other text stays. */
export function decimalText(wire: string): string {
  const [, sign, digits] = /^(-?)(\d+)$/.exec(wire) ?? [];
  if (digits === undefined) return wire;
  const padded = digits.padStart(places + 1, '0');
  return `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

function textOf(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString();
}

/**
 * A string or bytes of the wire as the Go type of its field prints it: decimals, integers, and metadata addresses in bech32. null where
 * the type prints null; undefined for a type that prints them as every field. An absent decimal is null: a guess.
 */
export function customText(type: string, field: DescField, value: string | Uint8Array): string | null | undefined {
  switch (type) {
    case 'LegacyDec':
      return value.length === 0 ? null : decimalText(textOf(value));
    case 'Int':
      return value.length > 0 ? textOf(value) : isNullable(field) ? null : '0';
    case 'MetadataAddress':
      return typeof value === 'string' || value.length === 0 ? '' : anyMetadataAddress(value);
    default:
      return undefined;
  }
}
