import { ChainError } from '../base/errors.ts';
import { AbciRefusal } from '../wire/abciRefusal.ts';
import { intAt, textAt } from '../wire/decode.ts';
import type { JsonObject } from '../wire/json.ts';
import { RpcError } from './rpcError.ts';

/** The `error` member of a JSON-RPC reply (chain.md 1.3). `data` holds the node's own text where there is one. */
export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data: string | undefined;
}

const tooHigh = /height (\d+) must be less than or equal to the current blockchain height (\d+)/;
const tooLow = /height (\d+) is not available, lowest height is (\d+)/;
/**
 * What the node would answer if it kept more: indexes of transactions and blocks, results of blocks. The last text is of
 * `discard_abci_responses` and was read in the node's source only.
 */
const notKept =
  /^(transaction indexing is disabled|block indexing is disabled|could not find results for height #\d+|node is not persisting finalize block responses)/;

/** These two accept one height more than the newest block, and count it in their refusal (seen in the recordings: 1106 of 1105). */
const answersForNext = new Set(['validators', 'consensus_params']);

/** The one error that a JSON-RPC error means; its cause is an `RpcError` with the node's own words. `method` is the call that it answers, where that is known. */
export function rpcError(error: RpcErrorObject, method?: string): ChainError {
  const cause = new RpcError(error.code, error.message, error.data);
  const text = error.data ?? error.message;
  const high = tooHigh.exec(text);
  if (high?.[1] !== undefined && high[2] !== undefined) {
    const height = BigInt(high[1]);
    const latestHeight = BigInt(high[2]) - (method !== undefined && answersForNext.has(method) ? 1n : 0n);
    const message = `Block ${height} is not there yet: the newest is ${latestHeight}.`;
    return new ChainError('HEIGHT_NOT_YET_AVAILABLE', message, { height, latestHeight }, cause);
  }
  const low = tooLow.exec(text);
  if (low?.[1] !== undefined && low[2] !== undefined) {
    const height = BigInt(low[1]);
    const earliestHeight = BigInt(low[2]);
    const message = `Block ${height} is pruned: the oldest kept is ${earliestHeight}.`;
    return new ChainError('HEIGHT_PRUNED', message, { height, earliestHeight }, cause);
  }
  if (notKept.test(text)) {
    return new ChainError('INDEX_UNAVAILABLE', `The node does not keep what was asked for: ${text}.`, {}, cause);
  }
  return new ChainError('RPC_ERROR', `The node refused the call: ${text}`, { rpcCode: error.code, data: text }, cause);
}

/**
 * Whether a log of `abci_query` says, in any of a node's wordings (chain.md finding 14), that the state of the height asked for is
 * gone. To be asked for code 0 too: `/store/…/key` without proof answers a pruned height with code 0, no value and such a log.
 */
export function isPrunedLog(log: string): boolean {
  return /^failed to load state at height|(^|; )version does not exist|^proof is unexpectedly empty/.test(log);
}

/** The one error that a response of `abci_query` with a code other than 0 means; `height` is the one asked for. Its cause is an {@link AbciRefusal} with the response. */
export function refusalError(response: JsonObject, height: bigint): ChainError {
  const [code, codespace, log] = [intAt(response, 'code'), textAt(response, 'codespace'), textAt(response, 'log')];
  const cause = new AbciRefusal(response);
  if (isPrunedLog(log)) return prunedState(height, cause);
  if (code === 26 && codespace === 'sdk') {
    return new ChainError('HEIGHT_NOT_YET_AVAILABLE', `The state of height ${height} is not there yet.`, { height }, cause);
  }
  const message = `The application refused the read: ${log}`;
  return new ChainError('ABCI_QUERY_FAILED', message, { abciCode: code, codespace, log }, cause);
}

/** The state of a height that is gone; `cause` is what the application said. */
export function prunedState(height: bigint, cause: AbciRefusal): ChainError<'HEIGHT_PRUNED'> {
  return new ChainError('HEIGHT_PRUNED', `The state of height ${height} is pruned.`, { height }, cause);
}
