import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { objectBytes } from '../memory/sizes.ts';
import { handlesOf } from '../transports/nodeHandles.ts';
import type { NodeHandle, Transport } from '../transports/transport.ts';
import type { OutgoingTx } from './outgoingTx.ts';

/** Which node a transaction goes to. */
export interface TxRoutes {
  /**
   * The nodes for a transaction, best first: the one that took the last transaction of its account within two blocks, because the
   * others may not have heard of it yet; then the fittest; last those that have used its sequence up in a check at `height`.
   */
  order(tx: OutgoingTx, height: bigint): Promise<readonly NodeHandle[]>;
  /** A node has taken a transaction at a height. */
  accepted(tx: OutgoingTx, node: string, height: bigint): void;
  /** A node has checked a transaction at a height, and has used the sequences of its signers up until its next block (chain.md finding 13). */
  checked(tx: OutgoingTx, node: string, height: bigint): void;
  /** Whether a node has checked one of the same account at `since` or later. */
  isSequenceUsed(tx: OutgoingTx, node: string, since: bigint): boolean;
}

/** Blocks for which an account stays with its node. */
const stickyBlocks = 2n;

/** Makes the routes over the nodes of a transport. Accounts are remembered within the memory for callers. */
export function createTxRoutes(transport: Transport, memory: MemoryBudget): TxRoutes {
  const last = memory.cache<{ readonly node: string; readonly height: bigint }>('callers', 'txRoutes', () => objectBytes);
  const checks = memory.cache<bigint>('callers', 'txCheckers', () => objectBytes);
  transport.onRewind?.(() => {
    last.clear();
    checks.clear();
  });

  const isSequenceUsed: TxRoutes['isSequenceUsed'] = ({ account }, node, since) =>
    (checks.get(`${account} ${node}`) ?? -1n) >= since;

  return {
    async order(tx, height) {
      const nodes = await handlesOf(transport);
      const known = last.get(tx.account);
      const rank = ({ alias }: NodeHandle): number => {
        if (isSequenceUsed(tx, alias, height)) return 2;
        return known?.node === alias && height <= known.height + stickyBlocks ? 0 : 1;
      };
      return nodes.toSorted((a, b) => rank(a) - rank(b));
    },
    accepted: ({ account }, node, height) => void last.set(account, { node, height }),
    checked: ({ account }, node, height) => void checks.set(`${account} ${node}`, height),
    isSequenceUsed,
  };
}
