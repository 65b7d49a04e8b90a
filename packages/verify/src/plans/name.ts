import { sha256 } from '@noble/hashes/sha2.js';
import { concat } from '../bytes.ts';
import { bytesOf, lengthPrefixed, textBytes } from './keyParts.ts';
import { listAnswer, pageRequest, storePage } from './page.ts';
import { addressOf, type Plan, plan, refused, UnplannedRequest } from './plan.ts';
import { getAll, type Row } from './reads.ts';
import { bytesField, Message, uintField } from './wire.ts';

// The store `name` (Provenance x/name/types/keys.go): records by name, and again by the address that they name.

const store = 'name';

/** The key of a name in plain form. Its hash is over the segments, the last first, without dots. */
export const nameKey = (name: string): Uint8Array =>
  concat(bytesOf(0x03), sha256(textBytes(name.split('.').reverse().join(''))));
/** The keys of the names of an address. The key of the name follows. */
export const namesOf = (address: Uint8Array): Uint8Array => concat(bytesOf(0x05), lengthPrefixed(address));

/** Whether a UUID, whose length the chain does not limit. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The plans of names. */
export const namePlans: readonly Plan[] = [
  plan('/provenance.name.v1.Query/Resolve', function* (request) {
    const segments = request
      .text(1)
      .split('.')
      .map((segment) => segment.trim().toLowerCase());
    if (!segments.every((segment) => uuid.test(segment) || /^[a-z0-9]*-?[a-z0-9]*$/.test(segment)))
      throw new UnplannedRequest('the name is not valid');
    const [params, record] = yield* getAll(store, [bytesOf(0x06), nameKey(segments.join('.'))]);
    const limits = new Message(params ?? bytesOf());
    const [longest, shortest] = [Number(limits.uint(1)), Number(limits.uint(2))];
    const outside = ({ length }: string) => length < shortest || length > longest;
    // The limits can be narrower than when a name was bound; the node then refuses it. It has defaults if it stores no limits.
    if (params === null || segments.length > limits.uint(3) || segments.some((part) => outside(part) && !uuid.test(part)))
      throw new UnplannedRequest('the name is outside the limits of the chain');
    if (record === null || record === undefined) throw refused('no address bound to name');
    const bound = new Message(record);
    return concat(bytesField(1, bound.bytes(2)), uintField(2, bound.uint(3)));
  }),
  plan('/provenance.name.v1.Query/ReverseLookup', function* (request, { prefix }) {
    const address = request.text(1);
    const names = namesOf(addressOf(address, prefix));
    const isOf = ([, value]: Row) => new Message(value).text(2) === address;
    const page = yield* storePage(store, names, pageRequest(request, 2), isOf);
    const bound = page.rows.map(([, value]) => new Message(value).bytes(1));
    return listAnswer(bound, page);
  }),
];
