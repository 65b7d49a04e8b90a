import { Client, fetchExchange } from '@urql/core';
import { cacheExchange, type KeyGenerator } from '@urql/exchange-graphcache';

/** The key of an object: `1` for live data, `1@240` where `asOfHeight` was selected. Select both without an alias. */
function keyedBy(field: string): KeyGenerator {
  return ({ [field]: key, asOfHeight }) => {
    if (typeof key !== 'string') return null;
    return typeof asOfHeight === 'string' ? `${key}@${asOfHeight}` : key;
  };
}

/** The types that are stored by a key. */
const entities: Readonly<Record<string, KeyGenerator>> = {
  Account: keyedBy('address'),
  Block: keyedBy('height'),
  Contract: keyedBy('address'),
  ContractCode: keyedBy('id'),
  ContractSpecification: keyedBy('id'),
  GovProposal: keyedBy('id'),
  GovProposalRecord: keyedBy('id'),
  Group: keyedBy('id'),
  GroupPolicy: keyedBy('address'),
  Market: keyedBy('id'),
  MarketOrder: keyedBy('id'),
  Marker: keyedBy('denom'),
  Proposal: keyedBy('id'),
  ProposalRecord: keyedBy('id'),
  RecordSpecification: keyedBy('id'),
  Scope: keyedBy('id'),
  ScopeRecord: keyedBy('id'),
  ScopeSession: keyedBy('id'),
  ScopeSpecification: keyedBy('id'),
  Snapshot: keyedBy('height'),
  Transaction: keyedBy('hash'),
};

/** Objects of all other types are stored within their parent. */
const embedded: KeyGenerator = () => null;
/** The keys of all types. */
export const keys = new Proxy(entities, { get: (known, name) => known[String(name)] ?? embedded });

/** The exchange for an urql `Client`. Put it before `fetchExchange`. */
export const stele = cacheExchange({ keys });

/** Makes a client with this cache. `token` is called for each request, and returns a valid token. */
export function createStele(url: string, token: () => string): Client {
  return new Client({
    url,
    exchanges: [stele, fetchExchange],
    preferGetMethod: false,
    fetchOptions: () => ({ headers: { authorization: `Bearer ${token()}` } }),
  });
}
