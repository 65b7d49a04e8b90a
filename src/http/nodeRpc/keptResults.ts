import { LRUCache } from 'lru-cache';
import { createInFlight } from '../../chain/inFlight.ts';

/** A result as text, and whether it will be the same for ever. */
export interface MadeResult {
  readonly text: string;
  readonly keep: boolean;
}

/** Results that are ready to be sent. */
export interface KeptResults {
  /** The result named `key`; made when it is not kept, by one for all who ask at once. */
  read(key: string, signal: AbortSignal, make: (signal: AbortSignal) => Promise<MadeResult>): Promise<string>;
  /** Joins calls that are under way, and keeps nothing. */
  join(key: string, signal: AbortSignal, make: (signal: AbortSignal) => Promise<string>): Promise<string>;
}

/** Characters that are kept in all, and of one result at most: a page of an explorer asks for a few kilobytes, a genesis is megabytes. */
const keptCharacters = 32 * 1024 * 1024;
const longestResult = 8 * 1024 * 1024;

/** Makes the place where they are kept, the least recently used out first. */
export function createKeptResults(): KeptResults {
  const kept = new LRUCache<string, string>({
    maxSize: keptCharacters,
    maxEntrySize: longestResult,
    sizeCalculation: (text, key) => text.length + key.length + 1,
  });
  const inFlight = createInFlight<string>();
  return {
    read(key, signal, make) {
      const known = kept.get(key);
      if (known !== undefined) return Promise.resolve(known);
      return inFlight.join(key, signal, async (joined) => {
        const { text, keep } = await make(joined);
        if (keep) kept.set(key, text);
        return text;
      });
    },
    join: (key, signal, make) => inFlight.join(key, signal, make),
  };
}
