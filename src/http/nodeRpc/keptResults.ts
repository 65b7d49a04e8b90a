import { LRUCache } from 'lru-cache';
import type { Head } from '../../chain/head.ts';
import { createInFlight } from '../../chain/inFlight.ts';
import type { Life } from '../requestLife.ts';

/** A result that is ready to be sent. */
export interface ReadyResult {
  /** JSON. */
  readonly text: string;
  /** The height that was read; undefined where none was. */
  readonly height?: bigint | undefined;
  /** Whether it will be the same for ever, and so is kept. */
  readonly keep: boolean;
}

/** Results that are ready to be sent. */
export interface KeptResults {
  /** The result named `name`; made when it is not kept, once for all who ask at the same time. */
  read(name: string, life: Life, make: (signal: AbortSignal) => Promise<ReadyResult>): Promise<ReadyResult>;
}

/** Characters that are kept in all, and of one result at most: a page of an explorer asks for a few kilobytes, a genesis is megabytes. */
const keptCharacters = 32 * 1024 * 1024;
const longestResult = 8 * 1024 * 1024;

/** Makes the place where they are kept, the least recently used out first, and all of them when the head is given up. */
export function createKeptResults(head: Pick<Head, 'generation' | 'onRewind'>): KeptResults {
  const kept = new LRUCache<string, ReadyResult>({
    maxSize: keptCharacters,
    maxEntrySize: longestResult,
    sizeCalculation: ({ text }, key) => text.length + key.length + 1,
  });
  const inFlight = createInFlight<ReadyResult>();
  head.onRewind(() => kept.clear());
  return {
    read(name, life, make) {
      const key = `${head.generation()} ${name}`;
      const known = kept.get(key);
      if (known !== undefined) return Promise.resolve(known);
      return inFlight.join(key, life.signal, async (joined) => {
        const made = await make(joined);
        if (made.keep) kept.set(key, made);
        return made;
      });
    },
  };
}
