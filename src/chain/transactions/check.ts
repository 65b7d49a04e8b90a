import { isChainError } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import { sizeOfExec } from '../blocks/blockStore.ts';
import type { Head } from '../blocks/head.ts';
import { createInFlight } from '../memory/inFlight.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { noNodeError } from '../transports/nodeErrors.ts';
import { decodeExec } from '../wire/results.ts';
import type { OutgoingTx } from './outgoingTx.ts';
import type { TxRoutes } from './routes.ts';

/** Asks a node whether it would take a transaction. Rejects with what kept the nodes from answering. */
export type TxCheck = (tx: OutgoingTx, signal: AbortSignal | undefined) => Promise<TxExec>;

/** What a node said of a transaction that it took, and the newest block then. */
interface PassedCheck {
  readonly height: bigint;
  readonly check: TxExec;
}

/** Nodes that are asked: the first and two others, as for a read. */
const nodesTried = 3;

/**
 * Makes it. A check uses sequences up, so a transaction that a node took is remembered until the next block, within the memory for callers: for
 * those who ask again, and for the sending after it.
 */
export function createTxCheck(options: {
  readonly head: Head;
  readonly routes: TxRoutes;
  readonly memory: MemoryBudget;
}): TxCheck {
  const { head, routes, memory } = options;
  const passed = memory.cache<PassedCheck>('callers', 'txChecks', ({ check }) => sizeOfExec(check));
  head.onRewind(() => passed.clear());
  const inFlight = createInFlight<TxExec>();

  async function ask(tx: OutgoingTx, signal: AbortSignal): Promise<TxExec> {
    const { height } = await head.ready({ signal });
    const known = passed.get(tx.hash);
    if (known?.height === height) return known.check;
    let failure: unknown;
    for (const node of (await routes.order(tx, height)).slice(0, nodesTried)) {
      try {
        const check = await node.call('check_tx', { tx: tx.tx }, { signal, decode: decodeExec });
        if (check.code === 0) {
          const now = head.current()?.height ?? height;
          routes.checked(tx, node.alias, now);
          passed.set(tx.hash, { height: now, check });
        }
        return check;
      } catch (error) {
        if (signal.aborted || isChainError(error, 'RPC_ERROR')) throw error;
        // It may have been looked at all the same.
        if (!(isChainError(error, 'NODE_UNREACHABLE') && error.facts.sent === false)) routes.checked(tx, node.alias, height);
        failure ??= error;
      }
    }
    throw failure ?? noNodeError();
  }

  return (tx, signal) => inFlight.join(tx.hash, signal, (joined) => ask(tx, joined));
}
