import type { Nanoseconds } from '../../chain/base/time.ts';
import { pause } from '../../chain/base/waiting.ts';
import type { ArchiveStore } from '../store/archiveStore.ts';

/** Options of {@link startExpiry}. Times in ms. */
export interface ExpiryOptions {
  readonly store: Pick<ArchiveStore, 'expire'>;
  /** The time before which contents of blocks are deleted. */
  readonly keptFrom: () => Nanoseconds;
  /** Wait after the last step, until the next look: 10,000. */
  readonly interval?: number;
  /** Wait between two steps, in which blocks are recorded: 50. */
  readonly breather?: number;
}

/** Deletes expired contents of blocks in small steps, until it is stopped. A server that does not write fails each step and tries again. */
export function startExpiry({ store, keptFrom, interval = 10_000, breather = 50 }: ExpiryOptions): { stop(): Promise<void> } {
  const controller = new AbortController();
  const { signal } = controller;

  async function run(): Promise<void> {
    for (;;) {
      const hasMore = await store.expire(keptFrom()).catch(() => false);
      await pause(hasMore ? breather : interval, signal);
    }
  }

  const running = run().catch(() => undefined);
  return {
    async stop() {
      controller.abort(new Error('the archive is closed'));
      await running;
    },
  };
}
