import { InMemoryCache, type StoreObject } from '@apollo/client';

/** The key field of each type that is stored by a key. */
const keyFields: Readonly<Record<string, string>> = {
  Account: 'address',
  Block: 'height',
  Group: 'id',
  GroupPolicy: 'address',
  Marker: 'denom',
  Proposal: 'id',
  Scope: 'id',
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
