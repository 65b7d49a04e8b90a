import { ApolloClient, HttpLink, InMemoryCache, type StoreObject } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';

/** The key field of each type that is stored by a key. */
const keyFields: Readonly<Record<string, string>> = {
  Account: 'address',
  Block: 'height',
  Contract: 'address',
  ContractCode: 'id',
  ContractSpecification: 'id',
  GovProposal: 'id',
  GovProposalRecord: 'id',
  Group: 'id',
  GroupPolicy: 'address',
  Market: 'id',
  MarketOrder: 'id',
  Marker: 'denom',
  Proposal: 'id',
  ProposalRecord: 'id',
  RecordSpecification: 'id',
  Scope: 'id',
  ScopeRecord: 'id',
  ScopeSession: 'id',
  ScopeSpecification: 'id',
  Snapshot: 'height',
  Transaction: 'hash',
};

/** `Group:1` for live data, `Group:1@240` where `asOfHeight` was selected. undefined stores an object within its parent. */
function dataIdFromObject(
  { __typename = '' }: Readonly<StoreObject>,
  { readField }: { readField: (field: string) => unknown },
): string | undefined {
  const keyField = keyFields[__typename];
  const key = keyField && readField(keyField);
  if (key === undefined || key === null || key === '') return undefined;
  const height = readField('asOfHeight');
  return typeof height === 'string' ? `${__typename}:${key}@${height}` : `${__typename}:${key}`;
}

/** Makes the cache of an `ApolloClient`. */
export function createCache(): InMemoryCache {
  return new InMemoryCache({ dataIdFromObject });
}

/** Makes a client with this cache. `newToken` is called for each request, and returns a valid token. */
export function createStele(url: string, newToken: () => Promise<string>): ApolloClient {
  const withToken = new SetContextLink(async ({ headers }) => ({
    headers: { ...headers, authorization: `Bearer ${await newToken()}` },
  }));
  return new ApolloClient({ link: withToken.concat(new HttpLink({ uri: url })), cache: createCache() });
}
