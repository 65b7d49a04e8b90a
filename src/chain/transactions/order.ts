import { type MemoryBudget, objectBytes } from '../memory/memoryBudget.ts';
import { handlesOf, type NodeHandle, type Transport } from '../transports/transport.ts';
import type { OutgoingTx } from './tx.ts';

/** Longest time in ms that work blocks the next of its account: any client can name any account. */
const longestHold = 500;

/**
 * Creates a function that runs the work for an account after earlier work for it has ended, or after {@link longestHold}. So the transactions of an
 * account are sent in the order of their arrival. Over several connections the second could overtake the first.
 */
export function createAccountQueue(): <T>(account: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<void>>();

  return async (account, work) => {
    const earlierWork = last.get(account);
    let end = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    last.set(account, turn);
    let timer: NodeJS.Timeout | undefined;
    try {
      if (earlierWork !== undefined) await earlierWork;
      timer = setTimeout(end, longestHold);
      return await work();
    } finally {
      clearTimeout(timer);
      end();
      if (last.get(account) === turn) last.delete(account);
    }
  };
}

/** Chooses the nodes for a transaction. */
export type TxRoutes = ReturnType<typeof createTxRoutes>;

/** Number of blocks for which an account stays with its node. */
const stickyBlocks = 2n;

/** Creates the routes over the nodes of a transport. Records of accounts are kept within the memory share for callers. */
export function createTxRoutes(transport: Transport, memory: MemoryBudget) {
  const lastNodes = memory.cache<{ readonly node: string; readonly height: bigint }>('callers', 'txRoutes', () => objectBytes);
  const checks = memory.cache<bigint>('callers', 'txCheckers', () => objectBytes);
  transport.onRewind?.(() => {
    lastNodes.clear();
    checks.clear();
  });

  /** Whether a node has checked a transaction of the same account at `since` or later. */
  function isSequenceUsed({ account }: OutgoingTx, node: string, since: bigint): boolean {
    return (checks.get(`${account} ${node}`) ?? -1n) >= since;
  }

  return {
    /**
     * The nodes for a transaction, best first. First the node that accepted the account's last transaction within two blocks,
     * because others may not have received it yet. Last the nodes that have used up its sequence in a check at `height`.
     */
    async order(tx: OutgoingTx, height: bigint): Promise<readonly NodeHandle[]> {
      const nodes = await handlesOf(transport);
      const lastNode = lastNodes.get(tx.account);
      const rank = ({ alias }: NodeHandle): number => {
        if (isSequenceUsed(tx, alias, height)) return 2;
        return lastNode?.node === alias && height <= lastNode.height + stickyBlocks ? 0 : 1;
      };
      return nodes.toSorted((a, b) => rank(a) - rank(b));
    },
    /** Records that a node accepted a transaction at a height. */
    noteAccepted: ({ account }: OutgoingTx, node: string, height: bigint): void => lastNodes.set(account, { node, height }),
    /**
     * Records that a node checked a transaction at a height. This uses up the signers' sequences on that node until its next
     * block (docs/chain.md, "check_tx uses up a sequence").
     */
    noteChecked: ({ account }: OutgoingTx, node: string, height: bigint): void => checks.set(`${account} ${node}`, height),
    isSequenceUsed,
  };
}
