import { maxTxBytes } from '../../config/bounds.ts';
import { ChainError } from '../base/errors.ts';
import type { Nanoseconds } from '../base/time.ts';
import { hashTx } from '../blocks/committedBlock.ts';
import { decodeTx, payerBytes, timeoutOf } from './decodedTx.ts';

/** A transaction to send. */
export interface OutgoingTx {
  /** SHA-256 of the bytes in upper case hex. Equal bytes are the same transaction. */
  readonly hash: string;
  /** The bytes in base64. */
  readonly tx: string;
  /**
   * Identifies what the transaction uses up: the sequence of the fee payer's account or, if it is unordered, its nonce, which is the payer with the
   * timeout. The hash if the payer is unknown.
   */
  readonly account: string;
  /** The last block that may contain it; 0n means any. */
  readonly timeoutHeight: bigint;
  /** No block with a later time executes it. 0n means no limit. */
  readonly timeout: Nanoseconds;
}

/**
 * Reads a transaction. The bytes need not be valid, because CheckTx decides that. Throws MEMPOOL_REJECTED if they exceed the
 * size that nodes accept.
 */
export function readTx(bytes: Uint8Array): OutgoingTx {
  const tx = Buffer.from(bytes).toString('base64');
  const hash = hashTx(tx);
  if (bytes.length > maxTxBytes) {
    const text = `Tx too large. Max size is ${maxTxBytes}, but got ${bytes.length}`;
    throw new ChainError('MEMPOOL_REJECTED', text, { hash, reason: 'TOO_LARGE' });
  }
  const decoded = decodeTx(bytes);
  const payer = decoded && payerBytes(decoded);
  const timeout = decoded === null ? 0n : timeoutOf(decoded.body);
  const account = payer ? Buffer.from(payer).toString('hex') : hash;
  return {
    hash,
    tx,
    account: decoded?.body.unordered ? `${account} ${timeout}` : account,
    timeoutHeight: decoded?.body.timeoutHeight ?? 0n,
    timeout,
  };
}
