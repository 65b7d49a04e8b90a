import { defaultClaimTime, type SharedStore } from '../../shared/sharedStore.ts';
import type { PrimaryLink } from './link.ts';

/** Creates the shared store of a worker, which is in the memory of the primary. */
export function createLinkedStore(link: PrimaryLink): SharedStore {
  const calls = { answered: 0, failed: 0, skipped: 0 };
  const counts = { hits: 0, misses: 0 };

  /** Resolves to undefined if the primary has ended. */
  async function run<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      const result = await asked;
      calls.answered += 1;
      return result;
    } catch {
      calls.failed += 1;
      return undefined;
    }
  }

  return {
    claimTime: defaultClaimTime,
    async find(group, keys, claim) {
      const found = await run(link.ask('find', { group, keys, claim }));
      if (found !== undefined) counts[found.kind === 'value' ? 'hits' : 'misses'] += 1;
      return found;
    },
    get: (group, key) => run(link.ask('get', { group, key })),
    async put(group, key, value, ttl, claim) {
      await run(link.ask('put', { group, key, value, ttl, claim }));
    },
    async release(group, key) {
      await run(link.ask('release', { group, key }));
    },
    count: (update) => run(link.ask('count', update)),
    isUsable: link.isOpen,
    stats: () => ({ isUsable: link.isOpen(), calls, ...counts, losses: 0 }),
    close: async () => undefined,
  };
}
