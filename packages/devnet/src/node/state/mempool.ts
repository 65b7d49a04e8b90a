import { sha256 } from '../../../../../src/chain/wire/merkle.ts';
import type { CheckState, TxResult } from '../../abci/abci.ts';
import { hex } from '../ledger/encode.ts';
import type { CommittedBlock } from '../ledger/types.ts';

/** An error of the mempool before CheckTx. The message is the node's text. */
export class MempoolError extends Error {
  override readonly name = 'MempoolError';
}

/** Limits of a mempool. The defaults are CometBFT's (docs/chain.md, "Limits of a node"). */
export interface MempoolLimits {
  /** Largest number of transactions. Default 5,000. */
  readonly size: number;
  /** Largest total size in bytes. Default 1 GiB. */
  readonly bytes: number;
  /** Largest transaction in bytes. Default 1 MiB. */
  readonly txBytes: number;
  /** Largest number of cached hashes, including those of committed transactions. Default 10,000. */
  readonly cache: number;
}

export const defaultMempoolLimits: MempoolLimits = { size: 5000, bytes: 1_073_741_824, txBytes: 1_048_576, cache: 10_000 };

/** The mempool of a node. */
export interface Mempool {
  /** The waiting transactions, in the order of arrival. */
  readonly txs: readonly Uint8Array[];
  readonly bytes: number;
  /**
   * Checks a transaction, and adds it if the code is 0. Throws a {@link MempoolError} if the mempool is full, or the
   * transaction is too large or a duplicate.
   */
  check(tx: Uint8Array, keep?: boolean): TxResult;
  /** Returns the transactions for a block within these limits. */
  reap(maxBytes: bigint, maxGas: bigint): Uint8Array[];
  /** Removes the transactions of a block, and rechecks the others. */
  update(block: CommittedBlock): void;
  /** Empties the mempool and its cache. */
  flush(): void;
}

export function createMempool(checkState: CheckState, limits: MempoolLimits = defaultMempoolLimits): Mempool {
  const waiting = new Map<string, { tx: Uint8Array; gasWanted: bigint }>();
  /** Hashes in the order of use, least recent first. */
  const cache = new Set<string>();
  let bytes = 0;

  /** Adds a hash to the cache. Returns whether it was new. */
  function addToCache(key: string): boolean {
    const wasKnown = cache.delete(key);
    cache.add(key);
    if (cache.size > limits.cache) {
      const [oldest] = cache;
      if (oldest !== undefined) cache.delete(oldest);
    }
    return !wasKnown;
  }

  function remove(key: string): void {
    const entry = waiting.get(key);
    if (entry === undefined) return;
    waiting.delete(key);
    bytes -= entry.tx.length;
  }

  return {
    get txs() {
      return Array.from(waiting.values(), ({ tx }) => tx);
    },
    get bytes() {
      return bytes;
    },

    // The mempool checks its own limits first, then the size of the transaction, then the cache (limits.json).
    check(tx, keep = true) {
      if (waiting.size >= limits.size || bytes + tx.length > limits.bytes) {
        throw new MempoolError(
          `mempool is full: number of txs ${waiting.size} (max: ${limits.size}), total txs bytes ${bytes} (max: ${limits.bytes})`,
        );
      }
      if (tx.length > limits.txBytes) {
        throw new MempoolError(`Tx too large. Max size is ${limits.txBytes}, but got ${tx.length}`);
      }
      const key = hex(sha256(tx));
      if (!addToCache(key)) throw new MempoolError('tx already exists in cache');
      const result = checkState.checkTx(tx);
      if (result.code !== 0) {
        cache.delete(key);
      } else if (keep) {
        waiting.set(key, { tx, gasWanted: result.gasWanted });
        bytes += tx.length;
      }
      return result;
    },

    reap(maxBytes, maxGas) {
      const reaped: Uint8Array[] = [];
      let [size, gas] = [0n, 0n];
      for (const { tx, gasWanted } of waiting.values()) {
        // In the block, a transaction takes its bytes, a tag and its length.
        size += BigInt(tx.length) + 6n;
        gas += gasWanted;
        if (size > maxBytes || (maxGas >= 0n && gas > maxGas)) break;
        reaped.push(tx);
      }
      return reaped;
    },

    update({ txHashes, result }) {
      txHashes.forEach((hash, index) => {
        const key = hex(hash);
        if (result.txResults[index]?.code === 0) addToCache(key);
        else cache.delete(key);
        remove(key);
      });
      checkState.reset();
      for (const [key, { tx }] of waiting) {
        if (checkState.checkTx(tx).code === 0) continue;
        remove(key);
        cache.delete(key);
      }
    },

    flush() {
      waiting.clear();
      cache.clear();
      bytes = 0;
    },
  };
}
