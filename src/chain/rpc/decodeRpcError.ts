import { ChainError } from '../base/errors.ts';
import { AbciRefusal } from '../wire/abciRefusal.ts';
import { intAt, textAt } from '../wire/decode.ts';
import type { JsonObject } from '../wire/json.ts';
import { RpcError } from './rpcError.ts';

/**
 * The `error` member of a JSON-RPC response (docs/chain.md, "Errors of the node RPC"). `data` contains the node's text, if any.
 */
export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data: string | undefined;
}

const tooHigh = /height (\d+) must be less than or equal to the current blockchain height (\d+)/;
const tooLow = /height (\d+) is not available, lowest height is (\d+)/;
/**
 * Errors of a node that does not store what the call reads: the index of transactions or blocks, or results of blocks. The last
 * text belongs to `discard_abci_responses`; its source is the node's code, not a recording.
 */
const notKept =
  /^(transaction indexing is disabled|block indexing is disabled|could not find results for height #\d+|node is not persisting finalize block responses)/;

/** These methods accept a height one above the newest block, and their error counts it (recorded: 1106 instead of 1105). */
const answersForNext = new Set(['validators', 'consensus_params']);

/**
 * Converts a JSON-RPC error to a ChainError. Its cause is an `RpcError` with the node's text. `method` is the method of the
 * call, if known.
 */
export function rpcError(error: RpcErrorObject, method?: string): ChainError {
  const cause = new RpcError(error.code, error.message, error.data);
  const text = error.data ?? error.message;
  const high = tooHigh.exec(text);
  if (high?.[1] !== undefined && high[2] !== undefined) {
    const height = BigInt(high[1]);
    const latestHeight = BigInt(high[2]) - (method !== undefined && answersForNext.has(method) ? 1n : 0n);
    const message = `Block ${height} does not exist yet. The newest block is ${latestHeight}.`;
    return new ChainError('HEIGHT_NOT_YET_AVAILABLE', message, { height, latestHeight }, cause);
  }
  const low = tooLow.exec(text);
  if (low?.[1] !== undefined && low[2] !== undefined) {
    const height = BigInt(low[1]);
    const earliestHeight = BigInt(low[2]);
    const message = `Block ${height} is pruned. The oldest available block is ${earliestHeight}.`;
    return new ChainError('HEIGHT_PRUNED', message, { height, earliestHeight }, cause);
  }
  if (notKept.test(text)) {
    return new ChainError('INDEX_UNAVAILABLE', `The node does not store the requested data: ${text}.`, {}, cause);
  }
  return new ChainError('RPC_ERROR', `The node returned an error: ${text}`, { rpcCode: error.code, data: text }, cause);
}

/**
 * Whether a log of `abci_query` reports that the state at the requested height is pruned (docs/chain.md, "Pruned state"). Call
 * it for code 0 too: without a proof, `/store/…/key` at a pruned height returns code 0, no value and such a log.
 */
export function isPrunedLog(log: string): boolean {
  return /^failed to load state at height|(^|; )version does not exist|^proof is unexpectedly empty/.test(log);
}

/**
 * Converts a response of `abci_query` with a code other than 0 to a ChainError. `height` is the requested height. The cause is
 * an {@link AbciRefusal} with the response.
 */
export function refusalError(response: JsonObject, height: bigint): ChainError {
  const [code, codespace, log] = [intAt(response, 'code'), textAt(response, 'codespace'), textAt(response, 'log')];
  const cause = new AbciRefusal(response);
  if (isPrunedLog(log)) return prunedState(height, cause);
  if (code === 26 && codespace === 'sdk') {
    return new ChainError('HEIGHT_NOT_YET_AVAILABLE', `The state at height ${height} does not exist yet.`, { height }, cause);
  }
  const message = `The application refused the query: ${log}`;
  return new ChainError('ABCI_QUERY_FAILED', message, { abciCode: code, codespace, log }, cause);
}

/** The error for a height whose state is pruned. `cause` holds the response of the application. */
export function prunedState(height: bigint, cause: AbciRefusal): ChainError<'HEIGHT_PRUNED'> {
  return new ChainError('HEIGHT_PRUNED', `The state at height ${height} is pruned.`, { height }, cause);
}
