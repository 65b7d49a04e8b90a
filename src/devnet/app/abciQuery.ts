import { create, toBinary } from '@bufbuild/protobuf';
import { PairsSchema } from '../../proto/cosmos/store/internal/kv/v1beta1/kv_pb.js';
import type { QueryInput, QueryResult } from '../abci/abci.ts';
import { AbciError, abciError, queryRefusalOf, refusalOf } from './runtime/abciErrors.ts';
import type { QueryHandler, Router } from './runtime/keeper.ts';
import { bytesOf, keyOf } from './state/bytes.ts';
import type { StoreView } from './state/store.ts';

/** What `abci_query` is answered from. */
export interface QuerySource {
  readonly router: Router;
  /** Names that `/store/<name>/…` knows. */
  readonly stores: ReadonlySet<string>;
  readonly version: string;
  /** The state at a height; undefined when it is not kept. */
  readonly stateAt: (height: bigint) => StoreView | undefined;
  /** The time of the block of a height that is kept, in nanoseconds since 1970. */
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

/** The height that a question is about, and its state. Refuses heights below 0, in the future and no more kept, with the node's texts. */
function stateFor(source: QuerySource, input: QueryInput): { readonly height: bigint; readonly state: StoreView } {
  if (input.height < 0n) throw abciError('invalidRequest', 'cannot query with height < 0; please provide a valid height');
  if (input.latestHeight < 1n) {
    throw abciError('invalidHeight', 'provenanced is not ready; please wait for first block');
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
    // A panic is answered by whoever catches it, who knows no height.
    if (error instanceof AbciError && error.codespace === 'undefined') throw error;
    return { ...blank, ...queryRefusalOf(error), height };
  }
}

/**
 * `/store/<name>/key` and `/store/<name>/subspace`. A height that is not there is no error without a proof: code 0, no value and a
 * log. No proof is ever made: the devnet's state is no IAVL tree.
 */
function queryStore(source: QuerySource, input: QueryInput, path: readonly string[]): QueryResult {
  const [, name = '', ...rest] = path;
  const height = input.height === 0n ? input.latestHeight : input.height;
  requireProvable(input, height);
  if (!source.stores.has(name)) throw abciError('storeUnknownRequest', `no such store: ${name}`);
  if (input.data.length === 0) throw abciError('storeTxDecode', 'query cannot be zero length');
  const kept = height >= input.earliestHeight && height <= input.latestHeight;
  const state = kept ? source.stateAt(height) : undefined;
  const key = keyOf(input.data);
  switch (rest.join('/')) {
    case 'key': {
      if (state === undefined && input.prove) {
        throw abciError('storeInvalidRequest', 'proof is unexpectedly empty; ensure height has not been pruned');
      }
      const log = state === undefined ? 'version does not exist' : '';
      return { ...blank, key: input.data, value: state?.get(name, key) ?? null, log, height };
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

/** Answers `abci_query` as the node does (chain.md 6.2-6.4): a refusal is an answer, with height 0 when it is about the question itself. */
export function answerQuery(source: QuerySource, input: QueryInput): QueryResult {
  try {
    const handler = source.router.query(input.path);
    if (handler !== undefined) return queryModule(source, input, handler);
    const path = input.path.replace(/^\//, '').split('/');
    switch (path[0]) {
      case '':
        throw abciError('unknownRequest', 'no query path provided');
      case 'app': {
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
