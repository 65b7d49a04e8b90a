import { create, toBinary } from '@bufbuild/protobuf';
import { PairsSchema } from '../../../../src/proto/cosmos/store/internal/kv/v1beta1/kv_pb.js';
import type { QueryInput, QueryResult, TxResult } from '../abci/abci.ts';
import { AbciError, abciError, queryRefusalOf, refusalOf } from './runtime/abciErrors.ts';
import type { QueryHandler, Router } from './runtime/keeper.ts';
import { bytesOf, keyOf } from './state/bytes.ts';
import type { CommittedState } from './state/store.ts';

/** The data for `abci_query`. */
export interface QuerySource {
  readonly router: Router;
  /** Names of stores that `/store/<name>/…` supports. */
  readonly stores: ReadonlySet<string>;
  /** The name of the binary, which one error contains. */
  readonly binary: string;
  readonly version: string;
  /** Returns the state at a height. undefined if it is not kept. */
  readonly stateAt: (height: bigint) => CommittedState | undefined;
  /** Simulates a transaction on the newest state. */
  readonly simulate: (tx: Uint8Array) => TxResult;
  /** Returns the time of the block at a kept height, in nanoseconds since 1970. */
  readonly timeAt: (height: bigint) => bigint;
}

const blank: QueryResult = {
  code: 0,
  log: '',
  info: '',
  index: 0n,
  key: null,
  value: null,
  proofOps: null,
  height: 0n,
  codespace: '',
};

/** Returns the height of a query and its state. Throws the node's errors for a negative, future or pruned height. */
function stateFor(source: QuerySource, input: QueryInput): { readonly height: bigint; readonly state: CommittedState } {
  if (input.height < 0n) throw abciError('invalidRequest', 'cannot query with height < 0; please provide a valid height');
  if (input.latestHeight < 1n) {
    throw abciError('invalidHeight', `${source.binary} is not ready; please wait for first block`);
  }
  if (input.height > input.latestHeight) {
    throw abciError('invalidHeight', 'cannot query with height in the future; please provide a valid height');
  }
  const height = input.height === 0n ? input.latestHeight : input.height;
  requireProvable(input, height);
  const state = height < input.earliestHeight ? undefined : source.stateAt(height);
  if (state === undefined) {
    const why =
      'version mismatch on immutable IAVL tree; version does not exist. Version has either been pruned, or is for a future block height';
    throw abciError('notFound', `failed to load state at height ${height}; ${why} (latest height: ${input.latestHeight})`);
  }
  return { height, state };
}

function requireProvable(input: QueryInput, height: bigint): void {
  if (input.prove && height <= 1n) {
    throw abciError('invalidRequest', 'cannot query with proof when height <= 1; please provide a valid height');
  }
}

function queryModule(source: QuerySource, input: QueryInput, handler: QueryHandler): QueryResult {
  const { height, state } = stateFor(source, input);
  try {
    return { ...blank, value: handler.answer(state, input.data, source.timeAt(height), input.node), height };
  } catch (error) {
    // The response to a panic is created where it is caught, without a height.
    if (error instanceof AbciError && error.codespace === 'undefined') throw error;
    return { ...blank, ...queryRefusalOf(error), height };
  }
}

/**
 * Handles `/store/<name>/key` and `/store/<name>/subspace`. Without a proof, an absent height is not an error: code 0, no
 * value, and a log. Only a key has a proof.
 */
function queryStore(source: QuerySource, input: QueryInput, path: readonly string[]): QueryResult {
  const [, name = '', ...rest] = path;
  const height = input.height === 0n ? input.latestHeight : input.height;
  requireProvable(input, height);
  if (!source.stores.has(name)) throw abciError('storeUnknownRequest', `no such store: ${name}`);
  if (input.data.length === 0) throw abciError('storeTxDecode', 'query cannot be zero length');
  const isKept = height >= input.earliestHeight && height <= input.latestHeight;
  const state = isKept ? source.stateAt(height) : undefined;
  const key = keyOf(input.data);
  switch (rest.join('/')) {
    case 'key': {
      if (state === undefined && input.prove) {
        throw abciError('storeInvalidRequest', 'proof is unexpectedly empty; ensure height has not been pruned');
      }
      const log = state === undefined ? 'version does not exist' : '';
      const proofOps = input.prove && state !== undefined ? state.prove(name, key) : null;
      return { ...blank, key: input.data, value: state?.get(name, key) ?? null, log, proofOps, height };
    }
    case 'subspace': {
      const entries = state === undefined ? [] : [...state.entries(name, key)];
      const pairs = entries.map((entry) => ({ key: bytesOf(entry.key), value: entry.value }));
      return { ...blank, key: input.data, value: toBinary(PairsSchema, create(PairsSchema, { pairs })), height };
    }
    default:
      throw abciError('storeUnknownRequest', `unexpected query path: /${rest.join('/')}`);
  }
}

/** Handles `/app/simulate`: a raw transaction. The response is JSON; an error keeps its code (recorded: A9). */
function simulation(source: QuerySource, input: QueryInput): QueryResult {
  const height = input.height === 0n ? input.latestHeight : input.height;
  const { code, codespace, log, data, gasUsed, events } = source.simulate(input.data);
  if (code !== 0) return { ...blank, code, codespace, log: `failed to simulate tx: ${log}`, height: 0n };
  const plain = events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map((each) => ({ ...each, index: false })),
  }));
  const result = { data: Buffer.from(data ?? []).toString('base64'), log, events: plain, msg_responses: [] };
  const json = { gas_info: { gas_wanted: String(2n ** 64n - 1n), gas_used: String(gasUsed) }, result };
  return { ...blank, value: Buffer.from(JSON.stringify(json)), height, codespace: 'sdk' };
}

/**
 * Handles `abci_query` as a node does (docs/chain.md, "Application queries"). An error is a response, with height 0 if the
 * request itself is invalid.
 */
export function answerQuery(source: QuerySource, input: QueryInput): QueryResult {
  try {
    const handler = source.router.query(input.path);
    if (handler !== undefined) return queryModule(source, input, handler);
    const path = input.path.replace(/^\//, '').split('/');
    switch (path[0]) {
      case '':
        throw abciError('unknownRequest', 'no query path provided');
      case 'app': {
        if (path[1] === 'simulate') return simulation(source, input);
        if (path[1] !== 'version') throw abciError('unknownRequest', `unknown query: ${path.join('/')}`);
        const height = input.height === 0n ? input.latestHeight : input.height;
        return { ...blank, value: Buffer.from(source.version), height, codespace: 'sdk' };
      }
      case 'store':
        return queryStore(source, input, path);
      case 'p2p':
        return blank;
      default:
        throw abciError('unknownRequest', 'unknown query path');
    }
  } catch (error) {
    return { ...blank, ...refusalOf(error) };
  }
}
