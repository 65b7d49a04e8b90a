import { ChainError, type ChainErrorCode, isChainError, type MempoolReason } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import { spanOf } from '../tracing/scopes.ts';
import { inSpan, type Span } from '../tracing/tracer.ts';
import type { NodeHandle } from '../transports/transport.ts';
import { decodeExec } from '../wire/block.ts';
import { asObject, type JsonValue, malformed, textAt } from '../wire/json.ts';
import type { OutgoingTx } from './outgoingTx.ts';

/**
 * The outcome of sending a transaction once. ACCEPTED: CheckTx passed, or the node took it without waiting for CheckTx.
 * REJECTED: CheckTx failed. DUPLICATE: the node had it already. REFUSED: the mempool refused it before CheckTx. FAILED: it did
 * not reach the node. LOST: it was sent, but the response was lost.
 */
export type AttemptOutcome = 'ACCEPTED' | 'REJECTED' | 'DUPLICATE' | 'REFUSED' | 'FAILED' | 'LOST';

/** One attempt to send a transaction to one node. */
export interface Attempt {
  /** Alias of the node. */
  readonly node: string;
  /** The newest block at the time of sending. */
  readonly height: bigint;
  readonly outcome: AttemptOutcome;
  /** The error code if it was refused or failed; null otherwise. */
  readonly error: ChainErrorCode | null;
}

/** An attempt with its internal details. */
export interface SendResult extends Attempt {
  /** The result of CheckTx; null if there is none. */
  readonly check: TxExec | null;
  /** The error; undefined if `error` is null. */
  readonly failure: ChainError | undefined;
}

const wrongSequence = 32;
const invalidRequest = 18;
const txTimeout = 42;

/**
 * Why a failure of CheckTx may mean that a block or a mempool contains the transaction already (docs/chain.md, "Unordered transactions"): its sequence
 * or its nonce was used, or its timeout has passed. undefined for any other failure.
 */
export function refusedAsUsed(check: TxExec | null): 'sequence' | 'nonce' | 'timeout' | undefined {
  if (check?.codespace !== 'sdk') return undefined;
  if (check.code === wrongSequence) return 'sequence';
  if (check.code === txTimeout) return 'timeout';
  return check.code === invalidRequest && check.log.startsWith('failed to add unordered nonce') ? 'nonce' : undefined;
}

/** The method to send with: with the result of CheckTx, or without waiting for it. */
export type BroadcastMethod = 'broadcast_tx_sync' | 'broadcast_tx_async';

/** Errors of a node whose mempool refused a transaction (docs/chain.md, "Mempool refusals"). */
const refusals: readonly (readonly [RegExp, MempoolReason])[] = [
  [/^mempool is full/, 'FULL'],
  [/^mempool is still rechecking/, 'RECHECKING'],
  [/^Tx too large|request body too large/, 'TOO_LARGE'],
  [/^tx pre check/, 'PRE_CHECK'],
];

/** Codes of codespace `sdk` with the same meaning as those errors. */
const codedRefusals: ReadonlyMap<number, MempoolReason> = new Map([
  [20, 'FULL'],
  [21, 'TOO_LARGE'],
]);
const alreadyInMempool = 19;

/**
 * Decodes the result of `broadcast_tx_sync` and `_async`. Its `data` is hex. It has no gas, info and events, which become zero
 * and empty. Throws if the result is for another transaction.
 */
function decodeAnswer(json: JsonValue, hash: string): TxExec {
  const result = asObject(json, 'broadcast');
  if (textAt(result, 'hash') !== hash) throw malformed('the result is for another transaction');
  const data = Buffer.from(textAt(result, 'data'), 'hex').toString('base64');
  return decodeExec({ ...result, data });
}

/** How a transaction is sent. */
export interface Sending {
  readonly method: BroadcastMethod;
  /** The newest block. */
  readonly height: bigint;
  /** It also names the span that the attempt belongs to. */
  readonly signal: AbortSignal;
  /** Why it is sent again. undefined for the first time. */
  readonly reason: string | undefined;
}

/** Sends a transaction to a node once. Never rejects: errors are part of the result. */
export function sendTx(node: NodeHandle, tx: OutgoingTx, how: Sending): Promise<SendResult> {
  const { signal, reason } = how;
  const attributes = { 'stele.node': node.alias, ...(reason !== undefined && { 'stele.tx.reason': reason }) };
  return inSpan(spanOf(signal), reason === undefined ? 'send' : 'send again', { attributes }, async (span) => {
    const result = await sendOnce(node, tx, { ...how, span });
    span?.set({ 'stele.tx.outcome': result.outcome });
    return result;
  });
}

async function sendOnce(
  node: NodeHandle,
  tx: OutgoingTx,
  { method, height, signal, span }: Sending & { readonly span: Span | undefined },
): Promise<SendResult> {
  const ended = (outcome: AttemptOutcome, check: TxExec | null = null, failure?: ChainError): SendResult => ({
    node: node.alias,
    height,
    outcome,
    error: failure?.code ?? null,
    check,
    failure,
  });
  const refused = (text: string, reason: MempoolReason): SendResult =>
    ended('REFUSED', null, new ChainError('MEMPOOL_REJECTED', text, { hash: tx.hash, reason }));
  try {
    const decode = (json: JsonValue): TxExec => decodeAnswer(json, tx.hash);
    const check = await node.call(method, { tx: tx.tx }, { signal, decode, span });
    if (method === 'broadcast_tx_async') return ended('ACCEPTED');
    if (check.code === 0) return ended('ACCEPTED', check);
    if (check.codespace === 'sdk' && check.code === alreadyInMempool) return ended('DUPLICATE');
    const reason = check.codespace === 'sdk' ? codedRefusals.get(check.code) : undefined;
    return reason === undefined ? ended('REJECTED', check) : refused(check.log, reason);
  } catch (error) {
    const failure = isChainError(error)
      ? error
      : new ChainError('NODE_UNREACHABLE', 'Stele stopped waiting for the response.', { sent: true }, error);
    if (isChainError(failure, 'RPC_ERROR')) {
      const { data } = failure.facts;
      if (data === 'tx already exists in cache') return ended('DUPLICATE');
      const reason = refusals.find(([words]) => words.test(data))?.[1];
      if (reason !== undefined) return refused(data, reason);
      // The node accepted the transaction for CheckTx, but stopped waiting for the result.
      return ended(data.startsWith('broadcast confirmation not received') ? 'LOST' : 'REFUSED', null, failure);
    }
    const unsent = isChainError(failure, 'NODE_UNREACHABLE') && failure.facts.sent === false;
    return ended(unsent ? 'FAILED' : 'LOST', null, failure);
  }
}

/** The part of a result that callers see. */
export function attemptOf({ node, height, outcome, error }: SendResult): Attempt {
  return { node, height, outcome, error };
}
