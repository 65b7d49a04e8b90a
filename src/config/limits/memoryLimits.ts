import { defaultBudget, leastBudget } from '../memory.ts';
import type { LimitEntry } from './limitEntry.ts';

/** The memory budget of the caches. */
export const memoryLimits = {
  'cache.bytes': {
    value: defaultBudget(),
    shown:
      "a quarter of the smallest of the control group's memory limit, the machine's memory and V8's heap limit; at least 67,108,864 B",
    unit: 'BYTES',
    code: null,
    description:
      'Memory of all caches together: answers, state, documents, blocks, types of the chain, tokens. A full cache evicts the least recently used entries.',
    least: leastBudget,
    most: 2 ** 40,
  },
} as const satisfies Record<string, LimitEntry>;
