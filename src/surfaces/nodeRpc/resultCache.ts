import type { Client } from '../../chain/client.ts';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import { objectBytes, textBytes } from '../../chain/memory/memoryBudget.ts';
import type { ReadonlyLifetime } from '../../server/lifetime.ts';

/** A serialized result. */
export interface ReadyResult {
  /** JSON. */
  readonly text: string;
  /** The height of the result. undefined if it has none. */
  readonly height?: bigint | undefined;
  /** Whether the result is immutable, and therefore cached. */
  readonly keep: boolean;
  /** Whether it was in memory. */
  readonly isRepeated?: boolean;
}

/** A cache of serialized results. */
export interface ResultCache {
  /** Returns the cached result under `name`, or else calls `make`, once for all concurrent callers. */
  read(name: string, lifetime: ReadonlyLifetime, make: (signal: AbortSignal) => Promise<ReadyResult>): Promise<ReadyResult>;
}

/** Creates the cache. It counts toward the memory for answers, and is cleared when the chain rewinds. */
export function createResultCache({ head, memory }: Pick<Client, 'head' | 'memory'>): ResultCache {
  const kept = memory.cache<ReadyResult>('answers', 'rpc', ({ text }) => objectBytes + textBytes(text));
  const inFlight = createInFlight<ReadyResult>();
  head.onRewind(() => kept.clear());
  return {
    read(name, lifetime, make) {
      const key = `${head.generation()} ${name}`;
      const known = kept.get(key);
      if (known !== undefined) return Promise.resolve(known);
      return inFlight.join(key, lifetime.signal, async (joined) => {
        const made = await make(joined);
        if (made.keep) kept.set(key, { ...made, isRepeated: true });
        return made;
      });
    },
  };
}
