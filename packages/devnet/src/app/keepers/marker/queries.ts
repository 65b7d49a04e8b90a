import { MarkerAccountSchema } from '../../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import { Query } from '../../../../../../src/proto/provenance/marker/v1/query_pb.js';
import { onQuery, packAny, type QueryHandler } from '../../runtime/keeper.ts';
import { readAccountData } from '../attribute/queries.ts';
import { heldCoins, ownersPage } from '../bank/queries.ts';
import { readMetadata } from '../bank/state.ts';
import { readAnyAccount } from '../base/auth.ts';
import { pageOfCollection } from '../base/page.ts';
import { markerAddress, markerKeys, markerOfId, markerStore, netAssetValuesOf } from './state.ts';

/** Parameters. Not recorded: the rule of unrestricted denominations is from docs/chain.md, "Markers"; the rest is inferred. */
const params = {
  maxTotalSupply: 0n,
  enableGovernance: true,
  unrestrictedDenomRegex: '[a-zA-Z][a-zA-Z0-9\\-\\.]{7,64}',
  maxSupply: '100000000000000000000',
};

/** All ten methods of `provenance.marker.v1.Query`. AllMarkers ignores the requested status (docs/chain.md, "Markers"). */
export const markerQueries: readonly QueryHandler[] = [
  onQuery(Query.method.params, () => ({ params })),
  onQuery(Query.method.allMarkers, (state, { pagination: request }) => {
    const { entries, pagination } = pageOfCollection(state, markerStore, markerKeys.marker, request);
    return { markers: entries.flatMap(({ value }) => readAnyAccount(state, value) ?? []), pagination };
  }),
  onQuery(Query.method.marker, (state, { id }) => ({ marker: packAny(MarkerAccountSchema, markerOfId(state, id)) })),
  onQuery(Query.method.holding, (state, { id, pagination: request }) => {
    const { owners, pagination } = ownersPage(state, markerOfId(state, id).denom, request);
    return { balances: owners.map(({ address, balance }) => ({ address, coins: [balance] })), pagination };
  }),
  // The configured supply of the marker, which can differ from the actual supply.
  onQuery(Query.method.supply, (state, { id }) => {
    const { denom, supply } = markerOfId(state, id);
    return { amount: { denom, amount: supply } };
  }),
  onQuery(Query.method.escrow, (state, { id }) => ({
    escrow: heldCoins(state, markerAddress(markerOfId(state, id).denom)),
  })),
  onQuery(Query.method.access, (state, { id }) => ({ accounts: markerOfId(state, id).accessControl })),
  // Returns empty metadata instead of the bank's error. Inferred for a denomination without metadata.
  onQuery(Query.method.denomMetadata, (state, { denom }) => ({ metadata: readMetadata(state, denom) ?? {} })),
  onQuery(Query.method.accountData, (state, { denom }) => ({ value: readAccountData(state, markerAddress(denom)) })),
  onQuery(Query.method.netAssetValues, (state, { id }) => ({
    netAssetValues: netAssetValuesOf(state, markerOfId(state, id).denom),
  })),
];
