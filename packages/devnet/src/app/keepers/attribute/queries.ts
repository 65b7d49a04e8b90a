import type { PageRequest } from '../../../../../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { Query } from '../../../../../../src/proto/provenance/attribute/v1/query_pb.js';
import { StatusError } from '../../runtime/abciErrors.ts';
import { encodeAddress } from '../../runtime/address.ts';
import { onQuery, type QueryHandler } from '../../runtime/keeper.ts';
import { bytesOf } from '../../state/bytes.ts';
import type { StoreEntry, StoreView } from '../../state/store.ts';
import { pageUnder, paginateHits, walk } from '../base/page.ts';
import { accountDataName } from '../name/state.ts';
import { requireHolder } from './account.ts';
import {
  attributeIn,
  attributeNameHash,
  attributeStore,
  attributesNamed,
  holderPrefix,
  isExpired,
  namePrefix,
} from './state.ts';
import { maxValueLength } from './values.ts';

/** Returns a page of the unexpired attributes under a prefix whose name `fits`. */
function attributesPage(
  state: StoreView,
  prefix: string,
  request: PageRequest | undefined,
  time: bigint,
  fits: (name: string) => boolean = () => true,
) {
  const isHit = (entry: StoreEntry): boolean => {
    const attribute = attributeIn(entry);
    return !isExpired(attribute, time) && fits(attribute.name);
  };
  const { entries, pagination } = paginateHits(request, walk(state, attributeStore, prefix, request), isHit);
  return { attributes: entries.map(attributeIn), pagination };
}

/** Returns the account data of an account or scope. Empty if there is none. */
export function readAccountData(state: StoreView, holder: Uint8Array): string {
  const [note] = attributesNamed(state, holder, accountDataName);
  return note === undefined ? '' : Buffer.from(note.value).toString();
}

/** All six methods of `provenance.attribute.v1.Query`. Expired attributes are omitted, except by AttributeAccounts. */
export const attributeQueries: readonly QueryHandler[] = [
  onQuery(Query.method.params, () => ({ params: { maxValueLength } })),
  onQuery(Query.method.attribute, (state, { account, name, pagination }, time) => ({
    account,
    ...attributesPage(state, holderPrefix(requireHolder(account)) + attributeNameHash(name), pagination, time),
  })),
  onQuery(Query.method.attributes, (state, { account, pagination }, time) => ({
    account,
    ...attributesPage(state, holderPrefix(requireHolder(account)), pagination, time),
  })),
  // Matches any suffix of the name, regardless of case and dots (docs/chain.md, "Scans").
  onQuery(Query.method.scan, (state, { account, suffix, pagination }, time) => {
    const holder = requireHolder(account);
    if (suffix === '') throw new StatusError('InvalidArgument', 'empty attribute name suffix');
    return { account, ...attributesPage(state, holderPrefix(holder), pagination, time, (name) => name.endsWith(suffix)) };
  }),
  // Scopes are encoded as accounts (recorded).
  onQuery(Query.method.attributeAccounts, (state, { attributeName, pagination: request }) => {
    const prefix = namePrefix(attributeName);
    const { entries, pagination } = pageUnder(state, attributeStore, prefix, request);
    return { accounts: entries.map(({ key }) => encodeAddress(bytesOf(key.slice(prefix.length + 1)))), pagination };
  }),
  onQuery(Query.method.accountData, (state, { account }) => ({ value: readAccountData(state, requireHolder(account)) })),
];
