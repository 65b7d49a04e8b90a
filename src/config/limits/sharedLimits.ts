import type { LimitEntry } from './limitEntry.ts';

/** Limits of what processes share. */
export const sharedLimits = {
  'shared.value': {
    value: 256 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Bytes of one response in the shared store. Each process reads larger responses from a node itself.',
  },
  'shared.wait': {
    value: 20,
    unit: 'MILLISECONDS',
    code: null,
    description:
      'How long a request waits for a command of the shared store. After that, the process goes on without the store until it responds again.',
    most: 1_000,
  },
} as const satisfies Record<string, LimitEntry>;
