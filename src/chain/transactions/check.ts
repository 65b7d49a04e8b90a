import { isChainError } from '../base/errors.ts';
import type { TxExec } from '../base/execution.ts';
import { sizeOfExec } from '../blocks/blockStore.ts';
import type { Head } from '../blocks/head.ts';
import { createInFlight } from '../memory/inFlight.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import { noNodeError } from '../transports/nodeReplies.ts';
import { decodeExec } from '../wire/block.ts';
import type { OutgoingTx } from './outgoingTx.ts';
import type { TxRoutes } from './routes.ts';

/** Runs CheckTx on a node. Rejects with an error if no node responds. */
export type TxCheck = (tx: OutgoingTx, signal: AbortSignal | undefined) => Promise<TxExec>;

/** A successful result of CheckTx, and the newest block at that time. */
interface PassedCheck {
  readonly height: bigint;
  readonly check: TxExec;
}

/** Nodes to try: the first and two others, as for a read. */
const nodesTried = 3;

/**
 * Makes the check. CheckTx uses up the sender's sequence on the node, so a success is kept until the next block, within the
 * memory share for callers: for repeated checks, and for sending the transaction afterwards.
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

  async function runCheck(tx: OutgoingTx, signal: AbortSignal): Promise<TxExec> {
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
        // The node may have run CheckTx in spite of the error.
        if (!(isChainError(error, 'NODE_UNREACHABLE') && error.facts.sent === false)) routes.checked(tx, node.alias, height);
        failure ??= error;
      }
    }
    throw failure ?? noNodeError();
  }

  return (tx, signal) => inFlight.join(tx.hash, signal, (joined) => runCheck(tx, joined));
}
