import type { AnswerCacheSource } from '../../src/answers/answerCache.ts';
import type { MemoryBudget } from '../../src/chain/memory/memoryBudget.ts';

/** A source of answers without a chain: it never rewinds, and no roots are known. */
export function withoutRoots(memory: Pick<MemoryBudget, 'cache'>): AnswerCacheSource {
  const remove = (): void => undefined;
  return {
    memory,
    head: { onRewind: () => remove, timeAt: () => undefined },
    roots: {
      keyAt: () => undefined,
      areSame: () => false,
      timeAt: () => undefined,
      settled: () => undefined,
      onDropped: () => remove,
    },
  };
}
