import { sha256 } from '@noble/hashes/sha2.js';
import { fromSecondsAndNanos, type Nanoseconds } from '../../chain/base/time.ts';
import { parseJson } from '../../chain/wire/json.ts';
import type * as wire from '../../proto/provenance/attribute/v1/attribute_pb.js';
import { Query } from '../../proto/provenance/attribute/v1/query_pb.js';
import { badInput } from '../../reads/errors.ts';
import { addressKey, nameKey, normalName, unrecognized } from '../../reads/input.ts';
import { chainList, listOnce, type NamedList, stateList } from '../../reads/page.ts';
import { lazyLoaders, type Pin } from '../../reads/pin.ts';
import { stateRead, valueOnce } from '../../reads/query.ts';

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
type AttributeType = (typeof attributeTypes)[number] | typeof unrecognized;

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
function attributeFromWire(attribute: wire.Attribute): Attribute {
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

/** Parses a value of type JSON; numbers that a double cannot hold become text. Returns null for other types and invalid JSON. */
export function valueJson({ attributeType, value }: Attribute): unknown {
  if (attributeType !== 'ATTRIBUTE_TYPE_JSON') return null;
  try {
    return parseJson(Buffer.from(value).toString());
  } catch {
    return null;
  }
}

/**
 * The queries of `provenance.attribute.v1.Query`, each at the height of the state. Lists are empty for an unknown account or
 * name. The chain filters expired attributes after paging, so its next key does not prove that another item follows;
 * `isFiltered` reads one item more (docs/chain.md, "Scans").
 */

/** The keys of `named` and `scanned`: an address, a space, and a name or suffix. An address contains no space. */
function parts(of: string): [account: string, name: string] {
  const space = of.indexOf(' ');
  return [of.slice(0, space), of.slice(space + 1)];
}

/** The attributes of an account with exactly this name. The name must not be blank: the chain panics on one. */
const readAttribute = stateList({
  method: Query.method.attribute,
  request: (of: string, pagination) => ({ account: parts(of)[0], name: parts(of)[1], pagination }),
  part: ({ attributes, pagination }) => [attributes.map(attributeFromWire), pagination],
  isFiltered: true,
});

const readAttributes = stateList({
  method: Query.method.attributes,
  request: (account: string, pagination) => ({ account, pagination }),
  part: ({ attributes, pagination }) => [attributes.map(attributeFromWire), pagination],
  isFiltered: true,
});

/** The attributes of an account whose name ends with a suffix: lower case, not empty. The chain scans all attributes of the account. */
const readScan = stateList({
  method: Query.method.scan,
  request: (of: string, pagination) => ({ account: parts(of)[0], suffix: parts(of)[1], pagination }),
  part: ({ attributes, pagination }) => [attributes.map(attributeFromWire), pagination],
  isFiltered: true,
});

/** The accounts that have an attribute of this name, including expired ones. */
const readAttributeAccounts = stateList({
  method: Query.method.attributeAccounts,
  request: (attributeName: string, pagination) => ({ attributeName, pagination }),
  part: ({ accounts, pagination }) => [accounts.map((address) => ({ address })), pagination],
});

/** The account data of an account; empty if it has none. */
const readAccountData = stateRead({
  method: Query.method.accountData,
  request: (account: string) => ({ account }),
  value: ({ value }): string => value,
});

export const createAttributeLoaders = lazyLoaders({
  attributes: listOnce(readAttributes),
  named: listOnce(readAttribute),
  scanned: listOnce(readScan),
  accounts: listOnce(readAttributeAccounts),
  accountData: valueOnce(readAccountData),
});

/** Sort key of the attributes of an account, seen in recorded page keys: the key of the name, then the SHA-256 hash of the value. */
const attributeKey = ({ name, value }: Attribute): Uint8Array => Buffer.concat([nameKey(name), sha256(value)]);

const sameKey = (key: Uint8Array): Uint8Array => key;

/** Normalizes a name or suffix as the chain stores it. Throws BAD_USER_INPUT for an empty one, on which the chain panics. */
function nameInput(argument: string, name: string): string {
  const normal = normalName(name);
  if (normal === '' || normal.length > 256) throw badInput(argument, name, 'a name of 1 to 256 characters that is not blank');
  return normal;
}

/** The attributes of an account or scope: those with exactly this name, those whose name ends with this suffix, or all. */
export function attributeList(
  pin: Pin,
  address: string,
  { name, suffix }: { readonly name?: string | null | undefined; readonly suffix?: string | null | undefined },
): NamedList<Attribute> {
  const { attributes, named, scanned } = pin.loaders(createAttributeLoaders);
  if (name != null) {
    const of = `${address} ${nameInput('name', name)}`;
    // Paged by offset: no page key of this list was recorded.
    return chainList('attribute', named, of, attributeKey);
  }
  if (suffix != null) {
    const of = `${address} ${nameInput('suffix', suffix)}`;
    return chainList('attributeScan', scanned, of, attributeKey, sameKey);
  }
  return chainList('attributes', attributes, address, attributeKey, sameKey);
}

/** The accounts that have an attribute of this name. Paged by offset: no page key of this list was recorded. */
export function accountList(pin: Pin, name: string): NamedList<{ readonly address: string }> {
  const of = nameInput('name', name);
  return chainList('attributeAccounts', pin.loaders(createAttributeLoaders).accounts, of, ({ address }) => addressKey(address));
}
