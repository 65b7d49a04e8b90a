import type { Samples } from './chainSamples.ts';

/** Parameters of a request, by name. */
export type Parameters = Readonly<Record<string, string>>;

/** Parameters of requests, by path template. */
export type Requests = Readonly<Record<string, Parameters>>;

const page = { 'pagination.limit': '2' };
const pageSize = { 'pagination.pageSize': '2' };

/** Parameters of a request. undefined if the chain has no sample for the parameter. */
type PartialParameters = Readonly<Record<string, string | undefined>>;

/** Selects the requests all of whose parameters have a value. */
function complete(requests: Readonly<Record<string, PartialParameters>>): Requests {
  const hasAll = (parameters: PartialParameters): parameters is Parameters =>
    Object.values(parameters).every((each) => each !== undefined);
  return Object.fromEntries(Object.entries(requests).flatMap(([path, each]) => (hasAll(each) ? [[path, each] as const] : [])));
}

/** Returns the requests once under each base path. */
function withBases(bases: readonly string[], requests: Requests): Requests {
  return Object.fromEntries(bases.flatMap((base) => Object.entries(requests).map(([path, each]) => [`${base}${path}`, each])));
}

/** Parameters of an `abci_query` for the proposal, or for the parameters of the bank module if there is no proposal. */
function abciQuery({ proposalId }: Samples): Parameters {
  if (proposalId === undefined) return { path: '"/cosmos.bank.v1beta1.Query/Params"', data: '0x', prove: 'false' };
  const digits: number[] = [];
  for (let rest = BigInt(proposalId); digits.length === 0 || rest > 0n; rest >>= 7n) {
    digits.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
  }
  // Field 1 of the request, a varint.
  const data = `0x08${Buffer.from(digits).toString('hex')}`;
  return { path: '"/cosmos.group.v1.Query/Proposal"', data, prove: 'false' };
}

/** Creates the requests of the node RPC that only read, in both dialects. */
export function nodeRequests(samples: Samples): Requests {
  const { height, blockHash, transaction } = samples;
  const list = { page: '1', per_page: '1', order_by: '"asc"' };
  const byHash = { hash: `0x${blockHash}` };
  return withBases(
    ['', '/comet'],
    complete({
      '/health': {},
      '/status': {},
      '/net_info': {},
      '/blockchain': { minHeight: height, maxHeight: height },
      '/genesis_chunked': { chunk: '0' },
      '/block': { height },
      '/block_results': { height },
      '/commit': { height },
      '/header': { height },
      '/tx_search': { query: `"tx.height=${transaction?.height ?? height}"`, prove: 'false', ...list },
      '/block_search': { query: `"block.height=${height}"`, ...list },
      '/validators': { height },
      '/dump_consensus_state': {},
      '/consensus_state': {},
      '/consensus_params': { height },
      '/unconfirmed_txs': { limit: '2' },
      '/num_unconfirmed_txs': {},
      '/abci_query': abciQuery(samples),
      '/abci_info': {},
      '/block_by_hash': byHash,
      '/header_by_hash': byHash,
      '/tx': { hash: transaction && `0x${transaction.hash}`, prove: 'true' },
      '/check_tx': { tx: transaction && `0x${transaction.hex}` },
    }),
  );
}

/** Creates the requests of REST in both dialects. */
export function restRequests({
  height,
  transaction,
  policy,
  proposalId,
  voter,
  account,
  attribute,
  denom,
  shownDenom,
  marker,
}: Samples): Requests {
  return withBases(
    ['', '/rest'],
    complete({
      '/cosmos/group/v1/proposal/{proposal_id}': { proposal_id: proposalId },
      '/cosmos/group/v1/proposals/{proposal_id}/tally': { proposal_id: proposalId },
      '/cosmos/group/v1/proposals_by_group_policy/{address}': { address: policy, ...page },
      '/cosmos/group/v1/vote_by_proposal_voter/{proposal_id}/{voter}': { proposal_id: proposalId, voter },
      '/cosmos/group/v1/votes_by_proposal/{proposal_id}': { proposal_id: proposalId, ...page },
      '/cosmos/group/v1/votes_by_voter/{voter}': { voter, ...page },
      '/cosmos/group/v1/groups': page,
      '/cosmos/group/v1/group_policy_info/{address}': { address: policy },
      '/provenance/attribute/v1/attribute/{account}/{name}': { account: attribute?.account, name: attribute?.name },
      '/provenance/attribute/v1/attribute/{account}/scan/{suffix}': { account: attribute?.account, suffix: attribute?.name },
      '/cosmos/bank/v1beta1/balances/{address}': { address: account, ...page },
      '/cosmos/bank/v1beta1/supply/by_denom': { denom },
      '/cosmos/bank/v1beta1/denoms_metadata/{denom}': { denom: shownDenom },
      '/cosmos/auth/v1beta1/accounts/{address}': { address: account },
      '/provenance/marker/v1/detail/{id}': { id: marker },
      '/cosmos/tx/v1beta1/txs/{hash}': { hash: transaction?.hash },
      '/cosmos/tx/v1beta1/txs': { query: `tx.height=${transaction?.height ?? height}`, limit: '1' },
    }),
  );
}

/** Creates the requests of the aggregates. */
export function aggregateRequests({ account, denom, marker, scopeId, policy, proposalId, voter }: Samples): Requests {
  return complete({
    '/v1/accounts/{address}': { address: account },
    '/v1/balances/{address}': { address: account, ...pageSize },
    '/v1/metadata/{denom}': { denom },
    '/v1/scopes/{scopeId}': { scopeId },
    '/v1/transfers': { denom, ...pageSize },
    '/v1/transfers/{address}': { address: account, ...pageSize },
    '/v1/netAssetValues/{asset}': { asset: scopeId ?? marker },
    '/v1/holders/{denom}': { denom, ...pageSize },
    '/v1/proposals': { groupPolicyAddress: policy, ...pageSize },
    '/v1/proposals/{id}': { id: proposalId },
    '/v1/proposals/{id}/votes': { id: proposalId, ...pageSize },
    '/v1/accounts/{address}/votes': { address: voter, ...pageSize },
  });
}

/** Returns the path and the query of a request. The height, which is a header, is in neither. */
export function targetOf(path: string, parameters: Parameters): { readonly path: string; readonly query: string } {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const inQuery = Object.entries(parameters).filter(
    ([name]) => !path.includes(`{${name}}`) && name !== 'x-cosmos-block-height',
  );
  return { path: filled, query: inQuery.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&') };
}
