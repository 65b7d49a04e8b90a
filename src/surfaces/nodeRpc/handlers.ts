import { ChainError, isChainError } from '../../chain/base/errors.ts';
import type { TxExec } from '../../chain/base/execution.ts';
import {
  type Commit,
  type CommittedBlock,
  encodeBlock,
  encodeBlockId,
  encodeCommit,
  encodeEvents,
  encodeExec,
  encodeHeader,
  encodeParamUpdates,
  encodeValidatorUpdate,
} from '../../chain/blocks/committedBlock.ts';
import type { HeadBlock } from '../../chain/blocks/head.ts';
import type { Client } from '../../chain/client.ts';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import type { RpcMethodName } from '../../chain/rpc/methods.ts';
import { AbciRefusal, internalError, invalidParams } from '../../chain/rpc/rpcErrors.ts';
import { isQueryService } from '../../chain/simulation/execution.ts';
import type { Broadcast } from '../../chain/transactions/broadcaster.ts';
import { isTooLarge } from '../../chain/transports/http.ts';
import { stringify } from '../../chain/wire/goText.ts';
import {
  arrayAt,
  asObject,
  bigintAt,
  booleanAt,
  isDeeperThan,
  type JsonObject,
  malformed,
  objectAt,
  textAt,
} from '../../chain/wire/json.ts';
import { isLiveMethod } from '../../modules/any/module.ts';
import { broadcastPath } from '../../modules/nodes/query.ts';
import { maySimulate } from '../../reads/viewer.ts';
import type { ReadonlyLifetime } from '../../server/lifetime.ts';
import { type Call, type Handler, headOf, nodeParams, type Outcome, type ReadyResult, type ResultCache } from './call.ts';
import { forbidden } from './dialects.ts';

type Handlers = Partial<Record<RpcMethodName, Handler>>;

const queryPath = /^\/([A-Za-z_]\w*(?:\.\w+)+)\/([A-Za-z_]\w*)$/;
/**
 * Path of a single key of a store. Queries of a prefix (`subspace`) are not cached: the SDK's store iterates over its newest
 * state, whatever height the query names. This is a guess from the source of the SDK, because no recording names a height.
 */
const storePath = /^\/store\/([\w.-]+)\/key$/;

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/**
 * A successful response in the node's format (docs/chain.md, "Results of abci_query"). A response of a query service has no
 * key, and its value is never null.
 */
function response(height: bigint, key: string | null, value: string | null): JsonObject {
  return { code: 0, log: '', info: '', index: '0', key, value, proofOps: null, height: height.toString(), codespace: '' };
}

/** Reads the state, whose values at a height never change, through its cache. Returns undefined for a path that the cache does not serve. */
async function fromState(
  state: ReturnType<Client['at']>,
  { path, data, height }: { path: string; data: Uint8Array; height: bigint },
): Promise<JsonObject | undefined> {
  const [, service, method] = queryPath.exec(path) ?? [];
  if (service !== undefined && method !== undefined) {
    // Methods that report the state of the node, simulate, or read the transaction index have no fixed height.
    if (!isQueryService(service) || isLiveMethod(service, method)) return undefined;
    return response(height, null, base64(await state.query(path, data)));
  }
  const [, name] = storePath.exec(path) ?? [];
  if (name === undefined) return undefined;
  const { value } = await state.store(name, { key: data });
  return response(height, base64(data), value === undefined ? null : base64(value));
}

/** Returns the node's response if the application rejected the query. Rethrows other errors. */
function rejectionOf(error: unknown): JsonObject {
  if (error instanceof ChainError && error.cause instanceof AbciRefusal) return error.cause.response;
  throw error;
}

/**
 * Creates the handler of `abci_query`. Height 0 is the head. State queries go through the state cache, which shares equal reads
 * between callers. Queries with a proof, of other paths or without a fixed height go to a node.
 */
export function createAbciQuery(client: Client): Handler {
  return async ({ args, viewer, lifetime, height: pinnedTo }: Call) => {
    const path = args.text('path');
    // This path would bypass the broadcaster and the caller's limit of broadcasts.
    if (path === broadcastPath) throw forbidden('Send transactions with `broadcast_tx_sync` or `broadcast_tx_async`.');
    const head = await headOf(client, lifetime);
    const requested = args.integer('height');
    const height = requested === 0n ? (pinnedTo ?? head.height) : requested;
    const data = args.bytes('data');
    const isState = !args.flag('prove') && height > 0n && height <= head.height;
    const stateResponse = isState
      ? await fromState(client.at(height, lifetime.signal), { path, data, height }).catch(rejectionOf)
      : undefined;
    if (stateResponse !== undefined) return { result: { value: { response: stateResponse } }, height };
    const params = {
      path,
      data: Buffer.from(data).toString('hex'),
      height: height.toString(),
      prove: args.flag('prove'),
    };
    const isAtBlock = height > 0n && height <= head.height;
    const value = await client.call('abci_query', params, {
      signal: lifetime.signal,
      maySimulate: maySimulate(viewer),
      ...(isAtBlock && { height }),
    });
    // A height outside the chain was not read, whatever the node returned.
    return { result: { value }, ...(isAtBlock && { height }) };
  };
}

/** Encodes an empty list as null, as Go encodes a nil slice. */
function orNull<T>(list: readonly T[]): T[] | null {
  return list.length === 0 ? null : [...list];
}

/** Encodes the result of `block`. */
export function encodeBlockResult(block: CommittedBlock): JsonObject {
  return { block_id: encodeBlockId(block.blockId), block: encodeBlock(block) };
}

/** Encodes the result of `header`. */
export function encodeHeaderResult({ header }: CommittedBlock): JsonObject {
  return { header: encodeHeader(header) };
}

/** Encodes the result of `commit`, from the commit that the next block contains. */
export function encodeSignedHeader({ header }: CommittedBlock, commit: Commit): JsonObject {
  return { signed_header: { header: encodeHeader(header), commit: encodeCommit(commit) }, canonical: true };
}

/** Encodes the result of `block_results`. */
export function encodeBlockResults(block: CommittedBlock): JsonObject {
  const { header, transactions, events, validatorUpdates, consensusParamUpdates, appHash } = block;
  return {
    height: header.height.toString(),
    txs_results: orNull(transactions.map(({ result }) => encodeExec(result))),
    finalize_block_events: orNull(encodeEvents(events)),
    validator_updates: orNull(validatorUpdates.map(encodeValidatorUpdate)),
    consensus_param_updates: consensusParamUpdates && encodeParamUpdates(consensusParamUpdates),
    app_hash: Buffer.from(appHash, 'hex').toString('base64'),
  };
}

type ByHeight = 'block' | 'block_results' | 'commit' | 'header' | 'validators' | 'consensus_params';

/** Returns the height of a header. Throws if the header belongs to another chain. */
function heightOfHeader(header: JsonObject, chainId: string): bigint {
  if (textAt(header, 'chain_id') !== chainId) throw malformed('a block of another chain');
  return bigintAt(header, 'height');
}

/** The path of the header in a result. The other results have their height in a member. */
const headerPaths: Readonly<Partial<Record<ByHeight, readonly string[]>>> = {
  block: ['block', 'header'],
  header: ['header'],
  commit: ['signed_header', 'header'],
};

function heightIn(method: ByHeight, result: JsonObject, chainId: string): bigint {
  const path = headerPaths[method];
  if (path === undefined) return bigintAt(result, method === 'block_results' ? 'height' : 'block_height');
  return heightOfHeader(path.reduce(objectAt, result), chainId);
}

/** Methods that have a result for the block after the newest, and return it by default (docs/chain.md, "Heights of the node RPC"). */
const knownAhead: readonly ByHeight[] = ['validators', 'consensus_params'];

/** Returns the height of a call: its argument, else the pinned height, else the newest. Throws the node's error for a height out of range. */
function heightOf({ method, args, height }: Call, head: HeadBlock): bigint {
  const newest = head.height + (knownAhead.some((name) => name === method) ? 1n : 0n);
  const requested = args.optional('height') ?? height ?? newest;
  if (requested <= 0n) throw internalError(`height must be greater than 0, but got ${requested}`);
  if (requested <= newest) return requested;
  throw internalError(`height ${requested} must be less than or equal to the current blockchain height ${newest}`);
}

/** Creates the handlers of the block methods. Results at a height come from the block log, or are read once and cached. */
export function createBlockHandlers(client: Client, results: ResultCache) {
  const { blocks } = client;

  /** Returns the result from the block log. undefined if the block is not in memory or the method needs a node. */
  function fromBlocks(method: ByHeight, height: bigint): string | undefined {
    const block = blocks.at(height);
    if (block === undefined) return undefined;
    switch (method) {
      case 'block':
        return stringify(encodeBlockResult(block));
      case 'block_results':
        return stringify(encodeBlockResults(block));
      case 'header':
        return stringify(encodeHeaderResult(block));
      case 'commit': {
        // The next block contains the final commit.
        const commit = blocks.at(height + 1n)?.lastCommit;
        return commit ? stringify(encodeSignedHeader(block, commit)) : undefined;
      }
      default:
        return undefined;
    }
  }

  const byHeight =
    (method: ByHeight): Handler =>
    async (call) => {
      const { lifetime } = call;
      const head = await headOf(client, lifetime);
      const height = heightOf(call, head);
      const params = { ...nodeParams(call), height: height.toString() };
      const ready = await results.read(`${method} ${stringify(params)}`, lifetime, async (signal) => {
        const text = fromBlocks(method, height);
        if (text !== undefined) return { text, keep: true };
        return client.call(method, params, {
          height: height < head.height ? height : head.height,
          signal,
          decode(json) {
            const result = asObject(json, method);
            const actual = heightIn(method, result, head.chainId);
            if (actual !== height) throw malformed(`${method} of height ${actual} in place of ${height}`);
            return { text: stringify(result), keep: method !== 'commit' || booleanAt(result, 'canonical') };
          },
        });
      });
      const isRepeated = ready.isRepeated === true && call.args.has('height');
      return { result: { text: ready.text }, height, transient: !ready.keep, isRepeated };
    };

  const byHash =
    (method: 'block_by_hash' | 'header_by_hash'): Handler =>
    async ({ args, lifetime }) => {
      const head = await headOf(client, lifetime);
      const bytes = Buffer.from(args.bytes('hash'));
      // Each method has its own encoding (docs/chain.md, "Arguments of JSON-RPC").
      const params = { hash: method === 'block_by_hash' ? bytes.toString('base64') : bytes.toString('hex').toUpperCase() };
      const ready = await results.read(`${method} ${bytes.toString('hex')}`, lifetime, (signal) =>
        client.call(method, params, {
          signal,
          decode(json): ReadyResult {
            const result = asObject(json, method);
            const name = method === 'block_by_hash' ? 'block' : 'header';
            if (result[name] == null) return { text: stringify(result), keep: false };
            return { text: stringify(result), height: heightIn(name, result, head.chainId), keep: true };
          },
        }),
      );
      const { text, height, keep, isRepeated = false } = ready;
      return { result: { text }, height, absent: !keep, isRepeated };
    };

  return {
    block: byHeight('block'),
    block_results: byHeight('block_results'),
    commit: byHeight('commit'),
    header: byHeight('header'),
    validators: byHeight('validators'),
    consensus_params: byHeight('consensus_params'),
    block_by_hash: byHash('block_by_hash'),
    header_by_hash: byHash('header_by_hash'),
    /** `last_height` is the head. The summaries are cached by their range, which is immutable. */
    async blockchain({ args, lifetime, height: pinnedTo }) {
      const head = await headOf(client, lifetime);
      const last = pinnedTo ?? head.height;
      const [min, max] = [args.integer('minHeight'), args.integer('maxHeight')];
      if (min < 0n || max < 0n) throw internalError('heights must be non-negative');
      const high = max === 0n || max > last ? last : max;
      const params = { minHeight: min.toString(), maxHeight: high.toString() };
      const { text } = await results.read(`blockchain ${min} ${high}`, lifetime, (signal) =>
        client.call('blockchain', params, {
          height: head.height,
          signal,
          decode(json) {
            const metas = arrayAt(asObject(json, 'blockchain'), 'block_metas');
            const highest = metas.length === 0 ? undefined : objectAt(asObject(metas[0], 'block meta'), 'header');
            if (highest === undefined || heightOfHeader(highest, head.chainId) !== high)
              throw malformed('blocks of another range');
            return { text: stringify(metas), keep: true };
          },
        }),
      );
      const transient = max === 0n || max > last;
      return { result: { text: `{"last_height":"${last}","block_metas":${text}}` }, height: last, transient };
    },
  } satisfies Handlers;
}

/**
 * How long a call waits for the head to reach the height of the node that responded, in ms. Without a subscription, the head is polled each second.
 */
const catchUp = 1_500;

/**
 * Creates the handlers of methods that return the current state of a node, which are never cached, and of the genesis, which
 * is. Concurrent equal calls share one request to a node.
 */
export function createLiveHandlers(client: Client, results: ResultCache) {
  const forward =
    (keep: boolean): Handler =>
    async (call) => {
      const { method, lifetime } = call;
      const params = nodeParams(call);
      const { text } = await results.read(`${method} ${stringify(params)}`, lifetime, (signal) =>
        client.call(method, params, { signal, decode: (result) => ({ text: stringify(result), keep }) }),
      );
      return { result: { text } };
    };
  const uncached = forward(false);
  /** A genesis larger than `upstream.answer` gets the error that a node returns for a genesis of several chunks. */
  const genesis: Handler = (call) =>
    forward(true)(call).catch((error: unknown) => {
      if (isTooLarge(error)) throw internalError('genesis response is large, please use the genesis_chunked API instead');
      throw error;
    });

  const inFlight = createInFlight<Outcome>();
  const once =
    (name: string, make: (lifetime: ReadonlyLifetime) => Promise<Outcome>): Handler =>
    ({ lifetime }) =>
      inFlight.join(name, lifetime.signal, (signal) => make({ signal }));

  /** Returns the status of a node, with the head as its newest block. */
  async function status(lifetime: ReadonlyLifetime): Promise<Outcome> {
    const { height } = await headOf(client, lifetime);
    const node = asObject(await client.call('status', {}, { height, signal: lifetime.signal }), 'status');
    const head = await headOf(client, lifetime);
    const sync = objectAt(node, 'sync_info');
    if (sync.latest_block_height === head.height.toString()) return { result: { value: node }, height: head.height };
    const latest = {
      latest_block_hash: head.hash,
      latest_app_hash: head.appHash,
      latest_block_height: head.height.toString(),
      latest_block_time: head.time,
    };
    return { result: { value: { ...node, sync_info: { ...sync, ...latest } } }, height: head.height };
  }

  /**
   * Returns the application's info at the head. A node that is ahead returns the hash of a later block, which is replaced by that of the head. If the
   * hash at the head is not known, for example before the first block event, waits until the head reaches the node's height.
   */
  async function abciInfo(lifetime: ReadonlyLifetime): Promise<Outcome> {
    const head = await headOf(client, lifetime);
    const info = asObject(await client.call('abci_info', {}, { height: head.height, signal: lifetime.signal }), 'abci_info');
    const response = objectAt(info, 'response');
    const nodeHeight = bigintAt(response, 'last_block_height');
    const isKnown = client.blocks.at((await headOf(client, lifetime)).height)?.appHash !== undefined;
    if (!isKnown)
      await client.head.waitFor(nodeHeight, { milliseconds: catchUp, signal: lifetime.signal }).catch(() => undefined);
    const { height } = await headOf(client, lifetime);
    const appHash = client.blocks.at(height)?.appHash;
    if (nodeHeight === height || appHash === undefined) return { result: { value: info }, height };
    const latest = {
      last_block_height: height.toString(),
      last_block_app_hash: Buffer.from(appHash, 'hex').toString('base64'),
    };
    return { result: { value: { response: { ...response, ...latest } } }, height };
  }

  return {
    health: uncached,
    net_info: uncached,
    consensus_state: uncached,
    dump_consensus_state: uncached,
    unconfirmed_txs: uncached,
    num_unconfirmed_txs: uncached,
    tx_search: uncached,
    block_search: uncached,
    genesis,
    genesis_chunked: forward(true),
    status: once('status', status),
    abci_info: once('abci_info', abciInfo),
  } satisfies Handlers;
}

/** The result of a transaction that was not checked or not executed. */
const noExec: TxExec = {
  code: 0,
  codespace: '',
  log: '',
  info: '',
  data: null,
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
};

/** Encodes the result of CheckTx. Its data is empty if CheckTx accepted the transaction, and null if not (recorded). */
function encodeCheck(check: TxExec): JsonObject {
  return { ...encodeExec(check), data: check.data ?? (check.code === 0 ? '' : null) };
}

/** Encodes the result of `broadcast_tx_sync` and `_async`. Here `data` is hex (docs/chain.md, "Results of broadcasts"). */
function encodeSent({ hash, checkTx }: Broadcast): JsonObject {
  const { code, data, log, codespace } = checkTx ?? noExec;
  return {
    code,
    data: Buffer.from(data ?? '', 'base64')
      .toString('hex')
      .toUpperCase(),
    log,
    codespace,
    hash,
  };
}

/** Throws if the mempool already has the transaction, as a node does, or if the response of the node was lost. A refusal is broadcast as the node's. */
function checkSent({ hash, status, checkTx, duplicate }: Broadcast): void {
  if (duplicate) throw internalError('tx already exists in cache');
  if (status === 'UNKNOWN' && checkTx === null) {
    throw internalError(
      `the response of the node was lost; it may have received transaction ${hash}; send the same bytes again`,
    );
  }
}

/** The node's prefix of mempool errors in `broadcast_tx_commit`. */
const ofCommit = 'error on broadcastTxCommit: ';

function asCommitError(error: unknown): unknown {
  if (isChainError(error, 'MEMPOOL_REJECTED')) return internalError(`${ofCommit}${error.message}`);
  if (isChainError(error, 'RPC_ERROR')) return internalError(`${ofCommit}${error.facts.data}`);
  return error;
}

/** Deepest nesting of evidence. The evidence types of CometBFT have ten levels. */
const evidenceDepth = 32;

/** Creates the handlers of the transaction methods. Broadcasts go through the broadcaster. */
export function createTxHandlers(
  client: Client,
  results: ResultCache,
  { broadcastCommit }: { readonly broadcastCommit: boolean },
) {
  const { broadcaster, blocks } = client;

  /** Finds a transaction in the newest blocks, which a node may not have indexed yet. */
  function newest(hash: string): { readonly text: string; readonly height: bigint } | undefined {
    const recent = blocks.transaction(hash);
    if (recent === undefined) return undefined;
    const { height } = recent.block.header;
    const { index, tx, result } = recent.transaction;
    return { text: stringify({ hash, height: height.toString(), index, tx_result: encodeExec(result), tx }), height };
  }

  const broadcastIn =
    (mode: 'sync' | 'async'): Handler =>
    async ({ args, lifetime }) => {
      const broadcast = await broadcaster[mode](args.bytes('tx'), lifetime);
      checkSent(broadcast);
      return { result: { value: encodeSent(broadcast) } };
    };

  return {
    async check_tx({ args, lifetime }) {
      const check = await broadcaster.check(args.bytes('tx'), lifetime);
      return { result: { value: encodeCheck(check) }, transient: check.code !== 0 };
    },
    broadcast_tx_sync: broadcastIn('sync'),
    broadcast_tx_async: broadcastIn('async'),
    async broadcast_tx_commit({ args, lifetime }) {
      if (!broadcastCommit) throw forbidden('broadcast_tx_commit is disabled on this server. Use broadcast_tx_sync.');
      const broadcast = await broadcaster
        .commit(args.bytes('tx'), { signal: lifetime.signal, joinsDuplicate: false })
        .catch((error: unknown) => {
          throw asCommitError(error);
        });
      if (broadcast.duplicate) throw internalError(`${ofCommit}tx already exists in cache`);
      checkSent(broadcast);
      const { hash, checkTx, inclusion } = broadcast;
      const value = {
        check_tx: encodeCheck(checkTx ?? noExec),
        tx_result: encodeExec(inclusion?.transaction.result ?? noExec),
        hash,
        height: (inclusion?.height ?? 0n).toString(),
      };
      return { result: { value } };
    },
    async broadcast_evidence({ args, lifetime }) {
      const evidence = args.json('evidence');
      if (evidence === undefined) throw internalError('no evidence was provided');
      if (isDeeperThan(evidenceDepth, evidence))
        throw invalidParams(`\`evidence\` must be nested at most ${evidenceDepth} deep`);
      const hash = await broadcaster.evidence(evidence, lifetime);
      // Guess: bytes in results are base64 (docs/chain.md, "Results of broadcasts"). No recording has accepted evidence.
      return { result: { value: { hash: Buffer.from(hash, 'hex').toString('base64') } } };
    },
    async tx({ args, lifetime }) {
      const bytes = args.bytes('hash');
      const hash = Buffer.from(bytes).toString('hex').toUpperCase();
      const prove = args.flag('prove');
      const recent = prove ? undefined : newest(hash);
      if (recent !== undefined) return { result: { text: recent.text }, height: recent.height };
      const params = { hash: Buffer.from(bytes).toString('base64'), prove };
      const { text, height } = await results.read(`tx ${hash} ${prove}`, lifetime, (signal) =>
        client.call('tx', params, {
          signal,
          decode(json) {
            const transaction = asObject(json, 'tx');
            if (textAt(transaction, 'hash') !== hash) throw malformed('it is another transaction');
            return { text: stringify(transaction), height: bigintAt(transaction, 'height'), keep: true };
          },
        }),
      );
      return { result: { text }, height };
    },
  } satisfies Handlers;
}
