import { ChainError, type ChainErrorCode, isChainError, type MempoolReason } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import type { NodeHandle } from '../transports/transport.ts';
import { asObject, malformed, textAt } from '../wire/decode.ts';
import type { JsonValue } from '../wire/json.ts';
import { decodeExec } from '../wire/results.ts';
import type { OutgoingTx } from './outgoingTx.ts';

/**
 * What came of one sending: CheckTx passed or it was handed over; CheckTx refused it; the node had it already; its mempool would not
 * look at it; it never reached the node; it was sent and the answer was lost.
 */
export type AttemptOutcome = 'ACCEPTED' | 'REJECTED' | 'DUPLICATE' | 'REFUSED' | 'FAILED' | 'LOST';

/** One sending of a transaction to one node. */
export interface Attempt {
  /** Alias of the node. */
  readonly node: string;
  /** Newest block when it was sent. */
  readonly height: bigint;
  readonly outcome: AttemptOutcome;
  /** Why it was refused or failed; null otherwise. */
  readonly error: ChainErrorCode | null;
}

/** A sending with what is not shown of it. */
export interface SendResult extends Attempt {
  /** What CheckTx said; null when it was not waited for or did not answer. */
  readonly check: TxExec | null;
  /** Undefined where `error` is null. */
  readonly failure: ChainError | undefined;
}

/** How a transaction is handed over: with the answer of CheckTx, or without waiting for it. */
export type BroadcastMethod = 'broadcast_tx_sync' | 'broadcast_tx_async';

/** The node's words for what its mempool does not look at (chain.md 1.6), and what they mean. */
const refusals: readonly (readonly [RegExp, MempoolReason])[] = [
  [/^mempool is full/, 'FULL'],
  [/^mempool is still rechecking/, 'RECHECKING'],
  [/^Tx too large|request body too large/, 'TOO_LARGE'],
  [/^tx pre check/, 'PRE_CHECK'],
];

/** Codes of the codespace `sdk` that say the same as those words (reliability.md 4.1). */
const codedRefusals: ReadonlyMap<number, MempoolReason> = new Map([
  [20, 'FULL'],
  [21, 'TOO_LARGE'],
]);
const alreadyInMempool = 19;

/**
 * Reads the result of `broadcast_tx_sync` and `_async`: `data` is hex there, and of gas, info and events nothing is told (zero and
 * empty). An answer about another transaction is none.
 */
function decodeAnswer(json: JsonValue, hash: string): TxExec {
  const result = asObject(json, 'broadcast');
  if (textAt(result, 'hash') !== hash) throw malformed('the answer is about another transaction');
  const data = Buffer.from(textAt(result, 'data'), 'hex').toString('base64');
  return decodeExec({ ...result, data });
}

/** Sends a transaction to a node, once. Never rejects: what came of it is data. `height` is the newest block now. */
export async function sendTx(
  node: NodeHandle,
  tx: OutgoingTx,
  how: { readonly method: BroadcastMethod; readonly height: bigint; readonly signal: AbortSignal },
): Promise<SendResult> {
  const { method, height, signal } = how;
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
    const check = await node.call(method, { tx: tx.tx }, { signal, decode });
    if (method === 'broadcast_tx_async') return ended('ACCEPTED');
    if (check.code === 0) return ended('ACCEPTED', check);
    if (check.codespace === 'sdk' && check.code === alreadyInMempool) return ended('DUPLICATE');
    const reason = check.codespace === 'sdk' ? codedRefusals.get(check.code) : undefined;
    return reason === undefined ? ended('REJECTED', check) : refused(check.log, reason);
  } catch (error) {
    const failure = isChainError(error)
      ? error
      : new ChainError('NODE_UNREACHABLE', 'The answer was not waited for.', { sent: true }, error);
    if (isChainError(failure, 'RPC_ERROR')) {
      const { data } = failure.facts;
      if (data === 'tx already exists in cache') return ended('DUPLICATE');
      const reason = refusals.find(([words]) => words.test(data))?.[1];
      if (reason !== undefined) return refused(data, reason);
      // The transaction was taken to be checked, and the node did not wait for the end of it.
      return ended(data.startsWith('broadcast confirmation not received') ? 'LOST' : 'REFUSED', null, failure);
    }
    const unsent = isChainError(failure, 'NODE_UNREACHABLE') && failure.facts.sent === false;
    return ended(unsent ? 'FAILED' : 'LOST', null, failure);
  }
}

/** What callers see of a sending. */
export function attemptOf({ node, height, outcome, error }: SendResult): Attempt {
  return { node, height, outcome, error };
}
