import type { CheckState, TxResult } from '../../abci/abci.ts';
import { hex } from '../ledger/encode.ts';
import { sha256 } from '../ledger/merkle.ts';
import type { CommittedBlock } from '../ledger/types.ts';

/** Why a mempool did not even check a transaction, in the node's words. */
export class MempoolError extends Error {
  override readonly name = 'MempoolError';
}

/** The limits of a mempool; the defaults are CometBFT's (chain.md 1.3). */
export interface MempoolLimits {
  /** Transactions. 5,000. */
  readonly size: number;
  /** Bytes of all of them. 1 GiB. */
  readonly bytes: number;
  /** Bytes of one. 1 MiB. */
  readonly txBytes: number;
  /** Hashes remembered, of committed ones too. 10,000. */
  readonly cache: number;
}

export const defaultMempoolLimits: MempoolLimits = { size: 5000, bytes: 1_073_741_824, txBytes: 1_048_576, cache: 10_000 };

/** One node's mempool. */
export interface Mempool {
  /** Those waiting for a block, in the order they came. */
  readonly txs: readonly Uint8Array[];
  readonly bytes: number;
  /** Checks a transaction and keeps it when the answer's code is 0. Throws {@link MempoolError} when it is full, the transaction too large, or known already. */
  check(tx: Uint8Array, keep?: boolean): TxResult;
  /** Those that fit a block. */
  reap(maxBytes: bigint, maxGas: bigint): Uint8Array[];
  /** After a block: its transactions leave, and the others are checked again. */
  update(block: CommittedBlock): void;
  /** Forgets what waits, and its cache. */
  flush(): void;
}

export function createMempool(checkState: CheckState, limits: MempoolLimits = defaultMempoolLimits): Mempool {
  const waiting = new Map<string, { tx: Uint8Array; gasWanted: bigint }>();
  /** In the order of use, the least recent first. */
  const cache = new Set<string>();
  let bytes = 0;

  /** Whether it was new to the cache. */
  function remember(key: string): boolean {
    const known = cache.delete(key);
    cache.add(key);
    if (cache.size > limits.cache) {
      const [oldest] = cache;
      if (oldest !== undefined) cache.delete(oldest);
    }
    return !known;
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

    // Fullness is asked before size, and both before the cache (limits.json).
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
      if (!remember(key)) throw new MempoolError('tx already exists in cache');
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
        // A transaction costs its bytes, a tag and its length in the block.
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
        if (result.txResults[index]?.code === 0) remember(key);
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
