import { sha256 } from '@noble/hashes/sha2.js';
import { concat } from '../bytes.ts';
import { bech32Parts } from './bech32.ts';
import { bytesOf, lengthPrefixed, lengthPrefixedPart, textBytes } from './keyParts.ts';
import { listAnswer, type PageRequest, pageRequest, storePage, valuesOf } from './page.ts';
import { accountText, addressOf, type Plan, type PlanContext, plan, UnplannedRequest } from './plan.ts';
import { type Reading, type Row, range } from './reads.ts';
import { bytesField, Message } from './wire.ts';

// The store `attribute` (Provenance x/attribute/types/keys.go): attributes by account, name and value; a count by name and account.

const store = 'attribute';

/** The hash of a name in keys: in lower case, its segments reversed. */
export function nameHash(name: string): Uint8Array {
  const plain = name.trim().toLowerCase();
  if (plain === '') throw new UnplannedRequest('the name is empty');
  return sha256(textBytes(plain.split('.').reverse().join('.')));
}

/** The keys of the attributes of an account. The hashes of the name and of the value follow. */
export const attributesOf = (address: Uint8Array): Uint8Array => concat(bytesOf(0x02), lengthPrefixed(address));
/** The keys of the accounts with an attribute of a name. An address with its length follows. */
export const accountsOfName = (name: string): Uint8Array => concat(bytesOf(0x03), nameHash(name));

/** The address of an account, or of a scope. */
function ownerOf(text: string, { prefix }: PlanContext): Uint8Array {
  const scope = bech32Parts(text);
  return scope?.prefix === 'scope' && scope.bytes.length === 17 && scope.bytes[0] === 0 ? scope.bytes : addressOf(text, prefix);
}

/** The nanoseconds of a `Timestamp`. */
export function timeOf(timestamp: Message): bigint {
  return BigInt.asIntN(64, timestamp.uint(1)) * 1_000_000_000n + BigInt.asIntN(32, timestamp.uint(2));
}

/** Whether an attribute is shown at a block time: not after its expiration date. At that very time, Provenance shows it until 1.29, and not since 1.30. */
function isCurrent(attribute: Message, time: bigint): boolean {
  if (!attribute.has(5)) return true;
  const expiration = timeOf(attribute.message(5));
  if (time === expiration) throw new UnplannedRequest('an attribute expires at this very time');
  return time < expiration;
}

/** A page of attributes with a prefix, less those that have expired. */
function* page(
  prefix: Uint8Array,
  request: PageRequest,
  { time }: PlanContext,
  selects: (attribute: Message) => boolean = () => true,
): Reading<Uint8Array> {
  const isShown = ([, value]: Row) => {
    const attribute = new Message(value);
    return selects(attribute) && isCurrent(attribute, time);
  };
  const shownPage = yield* storePage(store, prefix, request, isShown);
  return listAnswer(valuesOf(shownPage.rows), shownPage, 2, 3);
}

/** Reads the account data of an address: the value of its first attribute of the name `accountdata`. */
export function* accountData(address: Uint8Array): Reading<Uint8Array> {
  const [first] = yield* range(store, concat(attributesOf(address), nameHash('accountdata')));
  return first === undefined ? bytesOf() : new Message(first[1]).bytes(2);
}

/** The plans of attributes and account data. */
export const attributePlans: readonly Plan[] = [
  plan('/provenance.attribute.v1.Query/Attribute', function* (request, context) {
    const [account, name] = [request.text(1), request.text(2)];
    const prefix = concat(attributesOf(ownerOf(account, context)), nameHash(name));
    return concat(bytesField(1, account), yield* page(prefix, pageRequest(request, 3), context));
  }),
  plan('/provenance.attribute.v1.Query/Attributes', function* (request, context) {
    const account = request.text(1);
    const attributes = yield* page(attributesOf(ownerOf(account, context)), pageRequest(request, 2), context);
    return concat(bytesField(1, account), attributes);
  }),
  plan('/provenance.attribute.v1.Query/Scan', function* (request, context) {
    const [account, suffix] = [request.text(1), request.text(2)];
    if (suffix === '') throw new UnplannedRequest('the suffix is empty');
    const ends = (attribute: Message) => attribute.text(1).endsWith(suffix);
    const attributes = yield* page(attributesOf(ownerOf(account, context)), pageRequest(request, 3), context, ends);
    return concat(bytesField(1, account), attributes);
  }),
  plan('/provenance.attribute.v1.Query/AttributeAccounts', function* (request, context) {
    const prefix = accountsOfName(request.text(1));
    const names = yield* storePage(store, prefix, pageRequest(request, 99));
    const accounts = names.rows.map(([key]) => textBytes(accountText(lengthPrefixedPart(key), context)));
    return listAnswer(accounts, names, 1, 99);
  }),
  plan('/provenance.attribute.v1.Query/AccountData', function* (request, context) {
    return bytesField(1, yield* accountData(ownerOf(request.text(1), context)));
  }),
];
