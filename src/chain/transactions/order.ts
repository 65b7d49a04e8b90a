import { type MemoryBudget, objectBytes } from '../memory/memoryBudget.ts';
import type { NodeHandle, Transport } from '../transports/transport.ts';
import { handlesOf } from '../transports/transport.ts';
import type { OutgoingTx } from './tx.ts';

/**
 * Sends the transactions of an account one after another, in the order of their arrival. Over several connections the second
 * could overtake the first.
 */
interface AccountQueue {
  /**
   * Runs the work after earlier work for the same account has ended. Slow work blocks the next only for a moment, because any
   * client can name any account.
   */
  take<T>(account: string, work: () => Promise<T>): Promise<T>;
}

/** Longest time in ms that work blocks the next of its account. */
const longestHold = 500;

/** Creates an empty queue. It holds an account only while work for it is pending. */
export function createAccountQueue(): AccountQueue {
  const last = new Map<string, Promise<void>>();

  return {
    async take(account, work) {
      const before = last.get(account);
      let end = (): void => undefined;
      const turn = new Promise<void>((resolve) => {
        end = resolve;
      });
      last.set(account, turn);
      let timer: NodeJS.Timeout | undefined;
      try {
        if (before !== undefined) await before;
        timer = setTimeout(end, longestHold);
        return await work();
      } finally {
        clearTimeout(timer);
        end();
        if (last.get(account) === turn) last.delete(account);
      }
    },
  };
}

/** Chooses the nodes for a transaction. */
export interface TxRoutes {
  /**
   * The nodes for a transaction, best first. First the node that accepted the account's last transaction within two blocks,
   * because others may not have received it yet. Last the nodes that have used up its sequence in a check at `height`.
   */
  order(tx: OutgoingTx, height: bigint): Promise<readonly NodeHandle[]>;
  /** Records that a node accepted a transaction at a height. */
  accepted(tx: OutgoingTx, node: string, height: bigint): void;
  /**
   * Records that a node checked a transaction at a height. This uses up the signers' sequences on that node until its next
   * block (docs/chain.md, "check_tx uses up a sequence").
   */
  checked(tx: OutgoingTx, node: string, height: bigint): void;
  /** Whether a node has checked a transaction of the same account at `since` or later. */
  isSequenceUsed(tx: OutgoingTx, node: string, since: bigint): boolean;
}

/** Number of blocks for which an account stays with its node. */
const stickyBlocks = 2n;

/** Makes the routes over the nodes of a transport. Records of accounts are kept within the memory share for callers. */
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
