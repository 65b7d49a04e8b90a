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
      'How long a request waits for the shared store in total: a quarter for the limits of its caller, a quarter for its document, and half for its reads. After that, it goes on without the store. A process that waits this long for one command does so until the store responds again.',
    most: 1_000,
  },
} as const satisfies Record<string, LimitEntry>;
