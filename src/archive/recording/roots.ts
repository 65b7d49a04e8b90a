import { abortable, onAbort } from '../../chain/base/time.ts';
import type { KeptPast } from '../../chain/past/keptPast.ts';
import type { RecordingSource } from './source.ts';

/** A block, and the application hash after it, as the next header has it. */
interface ConfirmedBlock {
  readonly height: bigint;
  readonly appHash: string;
}

/** Blocks that wait. If there are more, because the nodes are slow, the roots after the oldest ones are not kept. */
const mostWaiting = 1_000;

/** Keeps the roots of the stores after each block that arrives. Nothing waits for them. What is missing, a history reads and keeps. */
export function createRootKeeper({
  rootsAfter,
  keep,
}: {
  readonly rootsAfter: RecordingSource['rootsAfter'];
  readonly keep: KeptPast['keep'];
}) {
  const waiting: ConfirmedBlock[] = [];
  let wake = (): void => undefined;

  return {
    note(block: ConfirmedBlock): void {
      waiting.push(block);
      if (waiting.length > mostWaiting) waiting.shift();
      wake();
    },
    /** Keeps roots until the signal is aborted. Rejects with its reason. */
    async run(signal: AbortSignal): Promise<never> {
      for (;;) {
        signal.throwIfAborted();
        const block = waiting.shift();
        if (block !== undefined) {
          const { height } = block;
          for (const [store, root] of await abortable(rootsAfter(block), signal))
            keep(store, { ...root, first: height, last: height });
          continue;
        }
        await new Promise<void>((resolve) => {
          const removeListener = onAbort(signal, resolve);
          wake = () => {
            removeListener();
            resolve();
          };
        });
      }
    },
  };
}
