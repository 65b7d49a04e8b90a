import { maxTxBytes } from '../../config/bounds.ts';
import { ChainError } from '../base/errors.ts';
import { hashTx } from '../blocks/committedBlock.ts';
import { decodeTx, payerBytes } from './decodedTx.ts';

/** What the broadcaster knows of a transaction. */
export interface OutgoingTx {
  /** SHA-256 of the bytes, upper case hex: the same bytes are the same transaction. */
  readonly hash: string;
  /** The bytes, in base64. */
  readonly tx: string;
  /** Whose sequence it uses: a name for the account that pays. The hash where that cannot be told. */
  readonly account: string;
  /** The last block that may hold it; 0n is any. */
  readonly timeoutHeight: bigint;
}

/** Reads a transaction. Its bytes need not be one: that is for CheckTx to say. MEMPOOL_REJECTED above what any node takes. */
export function readTx(bytes: Uint8Array): OutgoingTx {
  const tx = Buffer.from(bytes).toString('base64');
  const hash = hashTx(tx);
  if (bytes.length > maxTxBytes) {
    const text = `Tx too large. Max size is ${maxTxBytes}, but got ${bytes.length}`;
    throw new ChainError('MEMPOOL_REJECTED', text, { hash, reason: 'TOO_LARGE' });
  }
  const decoded = decodeTx(bytes);
  const payer = decoded && payerBytes(decoded);
  return {
    hash,
    tx,
    account: payer ? Buffer.from(payer).toString('hex') : hash,
    timeoutHeight: decoded?.body.timeoutHeight ?? 0n,
  };
}
