import { ChainError, isChainError } from '../base/errors.ts';
import {
  arrayAt,
  asObject,
  bigintAt,
  bytesAt,
  intAt,
  type JsonObject,
  type JsonValue,
  malformed,
  objectAt,
  textAt,
} from '../wire/json.ts';

/** An error object of JSON-RPC, with the codes and texts of a node (docs/chain.md, "Errors of the node RPC"). */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The error for a call that failed in the node. `data` is the node's text, here and below. */
export const internalError = (data: string): RpcError => new RpcError(-32603, 'Internal error', data);
export const invalidParams = (data: string): RpcError => new RpcError(-32602, 'Invalid params', data);
export const methodNotFound = (): RpcError => new RpcError(-32601, 'Method not found');
export const invalidRequest = (data: string): RpcError => new RpcError(-32600, 'Invalid Request', data);
export const parseError = (data: string): RpcError => new RpcError(-32700, 'Parse error. Invalid JSON', data);
/** The error for a subscription that the node ended. */
export const serverError = (data: string): RpcError => new RpcError(-32000, 'Server error', data);
export function encodeRpcError({ code, message, data }: RpcError): JsonObject {
  return { code, message, ...(data !== undefined && { data }) };
}

/** The response of the application to a query that it refused. It is the cause of the ChainError for that query. */
export class AbciRefusal extends Error {
  override readonly name = 'AbciRefusal';
  /** Member `response` of the result, as the node printed it. */
  readonly response: JsonObject;

  constructor(response: JsonObject) {
    super('The application refused the query.');
    this.response = response;
  }
}

/** Whether an error says that the application has no such query (docs/chain.md, "Error codes of the application"). */
export function isUnknownPath(error: unknown): error is ChainError<'ABCI_QUERY_FAILED'> {
  return isChainError(error, 'ABCI_QUERY_FAILED') && error.facts.log.startsWith('unknown query path');
}

/** Texts of code 6 with which modules report that an object does not exist. */
const absences =
  /(^|: )(marker )?not found(:|$)|fee-grant not found|^no address bound to name|^scope specification not found|^can't get the tally of a proposal with status/;

/** Whether a refusal means that the object does not exist. Queries at a pruned height also fail with "not found", but with another code. */
export function isAbsence({ abciCode, log }: { readonly abciCode: number; readonly log: string }): boolean {
  return abciCode === 22 || (abciCode === 6 && absences.test(log));
}

/**
 * Query services, which read state at a height. The services for transactions and nodes read an index or the node itself and
 * are not matched. Methods of query services that simulate are not called at a height.
 */
const ofState = /^\/[\w.]+\.Query\/\w+$/;

/** The texts of the modules wasm and exchange for an object that does not exist. A node reports them over REST as errors, not as absences (recorded). */
const absentObject =
  /: no such (contract|code): unknown request$| desc = (market \d+ not found|order \d+ not found|no payment found with source .*): invalid request$/;

/** Longest log of a refusal that is cached, in characters. */
const longestLog = 1024;

/**
 * The response to cache if a query at a height always fails the same way: the module reports, from the state at that height,
 * that the object does not exist. Returns undefined for every other error. Modules set the response's height; the node sets 0
 * when it refuses a query itself (pruned or future height, unknown path, panic), as all recorded refusals show.
 */
export function cacheableRefusal(error: unknown, path: string, height: bigint): JsonObject | undefined {
  if (!isChainError(error, 'ABCI_QUERY_FAILED') || !(error.cause instanceof AbciRefusal) || !ofState.test(path))
    return undefined;
  const { response } = error.cause;
  const { codespace, log } = error.facts;
  const isOfHeight = response.height === height.toString() && codespace === 'sdk';
  return isOfHeight && log.length <= longestLog && (isAbsence(error.facts) || absentObject.test(log)) ? response : undefined;
}

/** The `error` member of a JSON-RPC response (docs/chain.md, "Errors of the node RPC"). `data` contains the node's text, if any. */
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

/** The text with which a node refuses to send while it is syncing, from CometBFT 0.39 on (docs/chain.md, "Mempool refusals"). */
const syncing = 'endpoint is closed while node is catching up';

/** These methods accept a height one above the newest block, and their error counts it (recorded: 1106 instead of 1105). */
const answersForNext = new Set(['validators', 'consensus_params']);

/** Converts a JSON-RPC error to a ChainError. Its cause is an `RpcError` with the node's text. `method` is the method of the call, if known. */
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
  if (text === syncing) {
    return new ChainError(
      'NODE_UNREACHABLE',
      'The node is catching up and does not accept transactions yet.',
      { sent: false },
      cause,
    );
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
function prunedState(height: bigint, cause: AbciRefusal): ChainError<'HEIGHT_PRUNED'> {
  return new ChainError('HEIGHT_PRUNED', `The state at height ${height} is pruned.`, { height }, cause);
}

/** A step of a proof (docs/chain.md, "Proofs"). */
interface ProofOp {
  readonly type: string;
  readonly key: Uint8Array;
  readonly data: Uint8Array;
}

/** The response of a node to `abci_query`. `proofOps` is empty unless a proof was requested. */
export interface AbciReply {
  readonly value: Uint8Array | undefined;
  readonly proofOps: readonly ProofOp[];
}

/** Decodes the result of `abci_query`. Throws if its code is not 0, if the state is pruned, or if it is for another height. */
export function decodeAbciReply(result: JsonValue, height: bigint): AbciReply {
  const response = objectAt(asObject(result, 'result'), 'response');
  if (intAt(response, 'code') !== 0) throw refusalError(response, height);
  const log = textAt(response, 'log');
  if (log !== '' && isPrunedLog(log)) throw prunedState(height, new AbciRefusal(response));
  const repliedHeight = bigintAt(response, 'height');
  if (repliedHeight !== height) throw malformed(`response for height ${repliedHeight} instead of ${height}`);
  const proofOps: ProofOp[] = [];
  for (const json of response.proofOps ? arrayAt(objectAt(response, 'proofOps'), 'ops') : []) {
    const op = asObject(json, 'proof op');
    const [key = new Uint8Array(), data = new Uint8Array()] = [bytesAt(op, 'key'), bytesAt(op, 'data')];
    proofOps.push({ type: textAt(op, 'type'), key, data });
  }
  return { value: bytesAt(response, 'value'), proofOps };
}
