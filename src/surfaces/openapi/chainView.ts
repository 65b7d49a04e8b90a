import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { create, type DescMessage, type DescMethodUnary, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import type { Client } from '../../chain/client.ts';
import { arrayAt, asObject, bigintAt, objectAt } from '../../chain/wire/json.ts';
import { boundsOf, type Limits } from '../../config/limits/limits.ts';
import { encodeRequest, servedServices } from '../../modules/any/module.ts';
import { metadataAddress } from '../../modules/metadata/address.ts';
import { Query as Bank } from '../../proto/cosmos/bank/v1beta1/query_pb.js';
import { PageRequestSchema } from '../../proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { ProposalStatus } from '../../proto/cosmos/gov/v1/gov_pb.js';
import { Query as Gov } from '../../proto/cosmos/gov/v1/query_pb.js';
import { Query as Group } from '../../proto/cosmos/group/v1/query_pb.js';
import { Query as Attribute } from '../../proto/provenance/attribute/v1/query_pb.js';
import { MarkerAccountSchema } from '../../proto/provenance/marker/v1/marker_pb.js';
import { Query as Marker } from '../../proto/provenance/marker/v1/query_pb.js';
import { Query as Metadata } from '../../proto/provenance/metadata/v1/query_pb.js';
import { createPin } from '../../reads/pin.ts';
import { queryLatest, queryState } from '../../reads/query.ts';
import { openSession } from '../../reads/viewer.ts';
import { createRouteMatcher, parameterTexts, type Route } from '../aggregates/route.ts';
import { cometDialect, documentedDialect } from '../nodeRpc/dialects.ts';
import type { Dispatch } from '../nodeRpc/dispatch.ts';
import { documentedDialect as documentedRest, nodeDialect as nodeRest } from '../rest/dialect.ts';
import { boundPage } from '../rest/listPages.ts';
import { readRequestText, requestJson } from '../rest/requestJson.ts';
import type { RestRoute, RouteTable, RouteTables } from '../rest/routes.ts';
import type { Example, Examples } from './document.ts';

/** Values of the connected chain for example requests. undefined if the chain has no such value. */
export interface Samples {
  readonly height: string;
  /** Upper-case hex. */
  readonly blockHash: string;
  readonly transaction: { readonly hash: string; readonly height: string; readonly hex: string } | undefined;
  readonly policy: string | undefined;
  readonly proposalId: string | undefined;
  /** An account that has voted on the proposal. */
  readonly voter: string | undefined;
  /** A proposal of the governance module. */
  readonly govProposalId: string | undefined;
  /** An account that has voted on it, or that submitted it. */
  readonly govVoter: string | undefined;
  readonly account: string | undefined;
  readonly attribute: { readonly account: string; readonly name: string } | undefined;
  readonly denom: string | undefined;
  readonly shownDenom: string | undefined;
  readonly marker: string | undefined;
  readonly scopeId: string | undefined;
}

const readsMax = 60;

/** Largest transaction that is used as an example, in bytes. */
const transactionMax = 2048;

/** How many of the newest blocks are searched for a transaction: as many as one call of `blockchain` returns. */
const recentBlocks = 20n;

/** Reads at one height. null if the chain refuses the read or lacks the service, or if the search has used up its reads. */
type Read = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
) => Promise<MessageShape<O> | null>;

const page = (limit: bigint) => create(PageRequestSchema, { limit });

async function first<T, R>(items: readonly T[], find: (item: T) => Promise<R | undefined>): Promise<R | undefined> {
  for (const item of items) {
    const result = await find(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

type GroupSamples = Pick<Samples, 'policy' | 'proposalId' | 'voter'>;

/** Finds a policy with a proposal and a voter on it. Members that the chain lacks are undefined. */
async function groupSamples(read: Read): Promise<GroupSamples> {
  const groups = (await read(Group.method.groups, { pagination: page(5n) }))?.groups ?? [];
  let best: GroupSamples = { policy: undefined, proposalId: undefined, voter: undefined };
  const voted = await first(groups, async ({ id }) => {
    const answer = await read(Group.method.groupPoliciesByGroup, { groupId: id, pagination: page(3n) });
    return first(answer?.groupPolicies ?? [], async ({ address: policy }) => {
      best = { ...best, policy: best.policy ?? policy };
      const listed = await read(Group.method.proposalsByGroupPolicy, { address: policy, pagination: page(5n) });
      return first(listed?.proposals ?? [], async ({ id: proposalId }) => {
        if (best.proposalId === undefined) best = { ...best, policy, proposalId: proposalId.toString() };
        const votes = await read(Group.method.votesByProposal, { proposalId, pagination: page(1n) });
        const voter = votes?.votes[0]?.voter;
        return voter === undefined ? undefined : { policy, proposalId: proposalId.toString(), voter };
      });
    });
  });
  return voted ?? best;
}

/** Finds a proposal of the governance module, of those in the voting period if there is one, and a voter on it. */
async function govSamples(read: Read): Promise<Pick<Samples, 'govProposalId' | 'govVoter'>> {
  const listed = await read(Gov.method.proposals, { pagination: page(10n) });
  const proposals = listed?.proposals ?? [];
  const proposal = proposals.find(({ status }) => status === ProposalStatus.VOTING_PERIOD) ?? proposals[0];
  if (proposal === undefined) return { govProposalId: undefined, govVoter: undefined };
  const votes = await read(Gov.method.votes, { proposalId: proposal.id, pagination: page(1n) });
  return { govProposalId: proposal.id.toString(), govVoter: votes?.votes[0]?.voter ?? (proposal.proposer || undefined) };
}

async function denomSamples(
  read: Read,
): Promise<Pick<Samples, 'denom' | 'shownDenom'> & { readonly holders: readonly string[] }> {
  const [shownToken, supply] = await Promise.all([
    read(Bank.method.denomsMetadata, { pagination: page(1n) }),
    read(Bank.method.totalSupply, { pagination: page(10n) }),
  ]);
  const shownDenom = shownToken?.metadatas[0]?.base;
  // Denoms of scopes contain slashes. An example is simpler with a denom that needs no escaping.
  const supplied = supply?.supply.map(({ denom }) => denom) ?? [];
  const denom = shownDenom ?? supplied.find((each) => !each.includes('/')) ?? supplied[0];
  const owners = denom === undefined ? null : await read(Bank.method.denomOwners, { denom, pagination: page(5n) });
  return { denom, shownDenom, holders: owners?.denomOwners.map(({ address }) => address) ?? [] };
}

async function markerSample(read: Read, denom: string | undefined): Promise<string | undefined> {
  if (denom !== undefined && (await read(Marker.method.marker, { id: denom }))?.marker !== undefined) return denom;
  const markers = (await read(Marker.method.allMarkers, { pagination: page(1n) }))?.markers ?? [];
  return markers.map((marker) => anyUnpack(marker, MarkerAccountSchema)?.denom).find((each) => each !== undefined);
}

async function scopeSample(read: Read): Promise<string | undefined> {
  const answer = await read(Metadata.method.scopesAll, { excludeIdInfo: true, pagination: page(1n) });
  const id = answer?.scopes[0]?.scope?.scopeId;
  return id && metadataAddress('scope', id);
}

function attributeSample(read: Read, accounts: readonly string[]): Promise<Samples['attribute']> {
  return first(accounts, async (account) => {
    const answer = await read(Attribute.method.attributes, { account, pagination: page(1n) });
    const name = answer?.attributes[0]?.name;
    return name === undefined ? undefined : { account, name };
  });
}

async function transactionSample(client: Client, height: bigint, signal: AbortSignal): Promise<Samples['transaction']> {
  const minHeight = height > recentBlocks ? height - recentBlocks + 1n : 1n;
  const params = { minHeight: minHeight.toString(), maxHeight: height.toString() };
  const heights = await client.call('blockchain', params, {
    signal,
    decode: (result) =>
      arrayAt(asObject(result, 'blockchain'), 'block_metas')
        .map((meta) => asObject(meta, 'a block'))
        .filter((meta) => bigintAt(meta, 'num_txs') > 0n)
        .map((meta) => bigintAt(objectAt(meta, 'header'), 'height')),
  });
  return first(heights, async (each) => {
    const { txs } = await client.block(each, signal);
    const bytes = txs.map((tx) => Buffer.from(tx, 'base64')).find(({ length }) => length <= transactionMax);
    if (bytes === undefined) return undefined;
    const hash = createHash('sha256').update(bytes).digest('hex').toUpperCase();
    return { hash, height: each.toString(), hex: bytes.toString('hex') };
  });
}

/** Returns the result of `reading`, or undefined if it fails. Throws if the search was aborted. */
async function orUndefined<T>(reading: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await reading;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** Finds samples at a height with a bounded number of reads. If a part of the chain cannot be read, its samples are undefined. */
async function findSamples(client: Client, height: bigint, signal: AbortSignal): Promise<Samples> {
  const state = client.at(height, signal);
  let reads = 0;
  const read: Read = async (method, request) => {
    reads += 1;
    return reads > readsMax ? null : ((await orUndefined(queryState(state, method, request), signal)) ?? null);
  };
  const block = await client.block(height, signal);
  const [voting, gov, denoms, scopeId, transaction] = await Promise.all([
    groupSamples(read),
    govSamples(read),
    denomSamples(read),
    scopeSample(read),
    orUndefined(transactionSample(client, height, signal), signal),
  ]);
  const { denom, shownDenom, holders } = denoms;
  const account = voting.voter ?? holders[0];
  const candidates = [...new Set([voting.voter, ...holders, voting.policy].filter((each) => each !== undefined))];
  const [marker, attribute] = await Promise.all([markerSample(read, denom), attributeSample(read, candidates)]);
  const ofBlock = { height: height.toString(), blockHash: block.blockId.hash, transaction };
  return { ...ofBlock, ...voting, ...gov, account, attribute, denom, shownDenom, marker, scopeId };
}

export type Parameters = Readonly<Record<string, string>>;

type Requests = Readonly<Record<string, Parameters>>;

const pageLimit = { 'pagination.limit': '2' };
const pageSize = { 'pagination.pageSize': '2' };

/** Parameters of a request. undefined if the chain has no sample for the parameter. */
type PartialParameters = Readonly<Record<string, string | undefined>>;

function isComplete(parameters: PartialParameters): parameters is Parameters {
  return Object.values(parameters).every((each) => each !== undefined);
}

function complete(requests: Readonly<Record<string, PartialParameters>>): Requests {
  return Object.fromEntries(Object.entries(requests).flatMap(([path, each]) => (isComplete(each) ? [[path, each]] : [])));
}

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

export function restRequests(samples: Samples): Requests {
  const { height, transaction, policy, proposalId, voter, account, attribute, denom, shownDenom, marker } = samples;
  return withBases(
    ['', '/rest'],
    complete({
      '/cosmos/group/v1/proposal/{proposal_id}': { proposal_id: proposalId },
      '/cosmos/group/v1/proposals/{proposal_id}/tally': { proposal_id: proposalId },
      '/cosmos/group/v1/proposals_by_group_policy/{address}': { address: policy, ...pageLimit },
      '/cosmos/group/v1/vote_by_proposal_voter/{proposal_id}/{voter}': { proposal_id: proposalId, voter },
      '/cosmos/group/v1/votes_by_proposal/{proposal_id}': { proposal_id: proposalId, ...pageLimit },
      '/cosmos/group/v1/votes_by_voter/{voter}': { voter, ...pageLimit },
      '/cosmos/group/v1/groups': pageLimit,
      '/cosmos/group/v1/group_policy_info/{address}': { address: policy },
      '/provenance/attribute/v1/attribute/{account}/{name}': { account: attribute?.account, name: attribute?.name },
      '/provenance/attribute/v1/attribute/{account}/scan/{suffix}': { account: attribute?.account, suffix: attribute?.name },
      '/cosmos/bank/v1beta1/balances/{address}': { address: account, ...pageLimit },
      '/cosmos/bank/v1beta1/supply/by_denom': { denom },
      '/cosmos/bank/v1beta1/denoms_metadata/{denom}': { denom: shownDenom },
      '/cosmos/auth/v1beta1/accounts/{address}': { address: account },
      '/provenance/marker/v1/detail/{id}': { id: marker },
      '/cosmos/tx/v1beta1/txs/{hash}': { hash: transaction?.hash },
      '/cosmos/tx/v1beta1/txs': { query: `tx.height=${transaction?.height ?? height}`, limit: '1' },
    }),
  );
}

export function aggregateRequests(samples: Samples): Requests {
  const { account, denom, marker, scopeId, policy, proposalId, voter, govProposalId, govVoter } = samples;
  return complete({
    '/v1/accounts/{address}': { address: account },
    '/v1/balances/{address}': { address: account, ...pageSize },
    '/v1/metadata/{denom}': { denom },
    '/v1/scopes/{scopeId}': { scopeId },
    '/v1/transfers': { denom, ...pageSize },
    '/v1/transfers/{address}': { address: account, ...pageSize },
    '/v1/accounts/{address}/statement': { address: account, from: '1' },
    '/v1/netAssetValues/{asset}': { asset: scopeId ?? marker },
    '/v1/holders/{denom}': { denom, ...pageSize },
    '/v1/proposals': { groupPolicyAddress: policy, ...pageSize },
    '/v1/proposals/{id}': { id: proposalId },
    '/v1/proposals/{id}/votes': { id: proposalId, ...pageSize },
    '/v1/accounts/{address}/votes': { address: voter, ...pageSize },
    '/v1/govProposals': govProposalId === undefined ? { status: undefined } : pageSize,
    '/v1/govProposals/{id}': { id: govProposalId },
    '/v1/govProposals/{id}/votes': { id: govProposalId, ...pageSize },
    '/v1/accounts/{address}/govVotes': { address: govVoter, ...pageSize },
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

/** Returns whether the response to a GET request of the descriptions has status 200. Rejects only if the search was aborted. */
type Probe = (path: string, parameters: Parameters) => Promise<boolean>;

/** Creates the probe of one search. It executes requests without HTTP and without charging them, at `newest` if they name no height. */
function createProbe(
  { client, dispatch, limits }: Pick<ChainViewOptions, 'client' | 'dispatch' | 'limits'>,
  table: RouteTable,
  aggregates: readonly Route[],
  newest: bigint,
  signal: AbortSignal,
): Probe {
  const bounds = boundsOf(limits);
  const matchRoute = createRouteMatcher(aggregates);

  async function ofNode(path: string, query: string): Promise<boolean> {
    const isComet = path.startsWith('/comet/');
    const method = path.slice(isComet ? '/comet/'.length : 1);
    const context = { viewer: openSession.viewer, requestId: '', lifetime: { signal } };
    const params = new URLSearchParams(query);
    return (await dispatch.answerUri(isComet ? cometDialect : documentedDialect, method, params, context)).error === undefined;
  }

  async function ofRest(path: string, query: string, height: bigint): Promise<boolean> {
    const isNode = path.startsWith('/rest/');
    const dialect = isNode ? nodeRest : documentedRest;
    const text = readRequestText(isNode ? path.slice('/rest'.length) : path, query);
    const route = table.find(text.segments)?.get('GET');
    if (route === undefined) return false;
    const { call, isLive } = route;
    const json = requestJson(route, text, dialect.asGo);
    boundPage(call.input, json, limits, dialect.enforcesPageRules);
    const request = encodeRequest(table.registry, call.input, 'request', json);
    const method = `/${call.parent.typeName}/${call.name}`;
    await (isLive ? queryLatest({ client, signal }, method, request) : client.at(height, signal).query(method, request));
    return true;
  }

  async function ofAggregate(path: string, query: string, height: bigint): Promise<boolean> {
    const match = matchRoute(path);
    if (match === undefined) return false;
    const decoded = match.route.decode(parameterTexts(match, new URLSearchParams(query)));
    const pin = createPin(client, decoded.height === undefined ? height : BigInt(decoded.height), { signal, bounds });
    return (await decoded.answer(pin, () => undefined)) !== null;
  }

  return async (template, parameters) => {
    const { path, query } = targetOf(template, parameters);
    const heightText = parameters['x-cosmos-block-height'];
    const height = heightText === undefined ? newest : BigInt(heightText);
    try {
      if (path.startsWith('/v1/')) return await ofAggregate(path, query, height);
      const isOfNode = path.startsWith('/comet/') || path.split('/').length === 2;
      return await (isOfNode ? ofNode(path, query) : ofRest(path, query, height));
    } catch {
      signal.throwIfAborted();
      return false;
    }
  };
}

interface AllExamples {
  readonly node: Examples;
  readonly application: Examples;
}

export interface ChainView {
  readonly rest: readonly RestRoute[];
  readonly aggregates: readonly Route[];
  /** Requests to which this chain responded with status 200. */
  readonly examples: AllExamples;
}

interface ChainViewOptions {
  readonly client: Client;
  readonly tables: Pick<RouteTables, 'table'>;
  readonly dispatch: Dispatch;
  readonly limits: Limits;
  readonly aggregates: readonly Route[];
  /** The examples that are bundled with the server, and the id of the chain on which they were recorded. */
  readonly recorded: AllExamples & { readonly chainId: string };
}

/** How long a view is used before the chain is read again, in ms. The old view stays in use until the new one is ready. */
const lifetime = 60_000;

const searchMax = 20_000;

/** How long a request waits for the first view, in ms. */
const firstWait = 2_000;

const atOnce = 8;

const noExamples: AllExamples = { node: {}, application: {} };

/** Finds an example for each path: the first of `sources` to which the chain responds with 200. */
async function examplesOf(paths: readonly string[], sources: readonly Examples[], probe: Probe): Promise<Examples> {
  const examples: Record<string, Example> = {};
  const find = async (path: string): Promise<Example | undefined> => {
    for (const { [path]: candidate } of sources) {
      if (candidate !== undefined && (await probe(path, candidate.parameters))) return candidate;
    }
    return undefined;
  };
  for (let start = 0; start < paths.length; start += atOnce) {
    const part = paths.slice(start, start + atOnce);
    for (const [index, example] of (await Promise.all(part.map(find))).entries()) {
      const path = part[index];
      if (path !== undefined && example !== undefined) examples[path] = example;
    }
  }
  return examples;
}

/** Returns the result, or `otherwise` if it fails or takes longer than {@link firstWait}. */
async function within<T>(result: Promise<T>, otherwise: T): Promise<T> {
  const over = new AbortController();
  const waited = pause(firstWait, otherwise, { signal: over.signal }).catch(() => otherwise);
  try {
    return await Promise.race([result, waited]);
  } catch {
    return otherwise;
  } finally {
    over.abort();
  }
}

function withoutBody(requests: Readonly<Record<string, Parameters>>): Examples {
  return Object.fromEntries(Object.entries(requests).map(([path, parameters]) => [path, { parameters }]));
}

/**
 * Creates the view of the connected chain. The chain is read when a description is requested, and at most once in {@link lifetime}. While it is read
 * again, the previous view stays in use. If no node responds, or the first search takes longer than {@link firstWait}, the view has no examples.
 */
export function createChainView(options: ChainViewOptions) {
  const { client, tables, aggregates, recorded } = options;
  let ready: { readonly table: RouteTable; readonly view: ChainView; readonly until: number } | undefined;
  let search: { readonly table: RouteTable; readonly view: Promise<ChainView> } | undefined;
  client.head.onRewind(({ kind }) => {
    if (kind === 'RESET') ready = undefined;
  });

  /** Returns the previous view if `view` equals it, so that files prepared from it are reused. */
  function orPrevious(table: RouteTable, view: ChainView): ChainView {
    if (ready?.table !== table) return view;
    const contentOf = ({ rest, aggregates: routes, examples }: ChainView): string =>
      JSON.stringify([rest.length, routes.map(({ path }) => path), examples]);
    return contentOf(ready.view) === contentOf(view) ? ready.view : view;
  }

  async function read(table: RouteTable): Promise<ChainView> {
    const signal = AbortSignal.timeout(searchMax);
    const { height, chainId } = await client.head.ready({ milliseconds: firstWait, signal });
    const [served, samples] = await Promise.all([
      servedServices(client, [...new Set(table.routes.map(({ call }) => call.parent))], signal),
      findSamples(client, height, signal),
    ]);
    const rest = table.routes.filter(({ call }) => served.has(call.parent.typeName));
    const servedAggregates = aggregates.filter(({ services }) => services.every((service) => served.has(service)));
    const probe = createProbe(options, table, servedAggregates, height, signal);
    const bundled = chainId === recorded.chainId ? recorded : noExamples;
    const earlierExamples = ready?.table === table ? ready.view.examples : noExamples;
    const isSending = (path: string): boolean => path.includes('/broadcast_');
    const requests = {
      node: withoutBody(nodeRequests(samples)),
      application: withoutBody({ ...restRequests(samples), ...aggregateRequests(samples) }),
    };
    const pathsOf = (part: keyof AllExamples): string[] =>
      Object.keys({ ...recorded[part], ...requests[part] }).filter((path) => !isSending(path));
    const find = (part: keyof AllExamples): Promise<Examples> =>
      examplesOf(pathsOf(part), [bundled[part], earlierExamples[part], requests[part]], probe);
    const node = await find('node');
    // Stele never sends the examples of broadcasts.
    const broadcasts = Object.fromEntries(Object.entries(bundled.node).filter(([path]) => isSending(path)));
    return {
      rest,
      aggregates: servedAggregates,
      examples: { node: { ...node, ...broadcasts }, application: await find('application') },
    };
  }

  /** Returns the view for the current descriptors of the chain. Rejects as {@link RouteTables.table} does. */
  async function current(): Promise<ChainView> {
    const table = await tables.table();
    const isKnown = ready?.table === table;
    if (search?.table !== table && !(isKnown && ready !== undefined && performance.now() < ready.until)) {
      const newView = { table, view: read(table).then((view) => orPrevious(table, view)) };
      search = newView;
      newView.view
        .then((view) => {
          ready = { table, view, until: performance.now() + lifetime };
        })
        .catch(() => undefined)
        .finally(() => {
          if (search === newView) search = undefined;
        });
    }
    if (isKnown && ready !== undefined) return ready.view;
    const withoutExamples = { rest: table.routes, aggregates, examples: noExamples };
    return search === undefined ? withoutExamples : within(search.view, withoutExamples);
  }

  return {
    current,
    /** Returns the examples of the node RPC, which need no descriptors of the chain. Empty if no node responds. */
    nodeExamples: async (): Promise<Examples> =>
      (await within<Pick<ChainView, 'examples'>>(current(), { examples: noExamples })).examples.node,
  };
}
