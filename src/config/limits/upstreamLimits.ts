import { defaultNodeBounds } from '../bounds.ts';
import type { LimitEntry } from './limitEntry.ts';

/** How nodes are asked, and when one is not asked any more. */
export const upstreamLimits = {
  'upstream.attempt': {
    value: 5_000,
    unit: 'MILLISECONDS',
    code: 'NODE_TIMEOUT',
    description: 'Time of one question to one node; another may be asked behind it.',
  },
  'upstream.connect': {
    value: 2_000,
    unit: 'MILLISECONDS',
    code: 'NODE_UNREACHABLE',
    description: 'Time to connect to a node.',
  },
  'upstream.answer': {
    value: 32 * 1024 * 1024,
    unit: 'BYTES',
    code: 'NODE_INVALID_RESPONSE',
    description: 'Answer of a node.',
  },
  'upstream.batch': {
    value: 10,
    unit: 'COUNT',
    code: null,
    description: 'Questions that go to a node in one batch; a node takes 10 unless its operator said otherwise.',
  },
  'upstream.ejection': {
    value: 30_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'How long a node that failed `upstream.failures` times in a row is left alone, longer each time.',
  },
  'upstream.failures': {
    value: defaultNodeBounds.failures,
    unit: 'COUNT',
    code: null,
    description: 'Failures in a row after which a node is left alone; never the last one.',
  },
  'upstream.lagBlocks': {
    value: defaultNodeBounds.lagBlocks,
    unit: 'COUNT',
    code: null,
    description: 'Blocks that a node may be behind the best one and still be read from where there is another.',
  },
  'upstream.lagTime': {
    value: defaultNodeBounds.lagTime,
    unit: 'MILLISECONDS',
    code: null,
    description: 'The same in time of blocks.',
  },
  'upstream.downBlocks': {
    value: defaultNodeBounds.downBlocks,
    unit: 'COUNT',
    code: null,
    description: 'Blocks behind the best one beyond which a node counts as down.',
  },
  'upstream.retries': {
    value: 2,
    unit: 'COUNT',
    code: null,
    description: 'Further nodes that a read is tried on. What sends a transaction is never tried so.',
    least: 0,
    zero: 'none',
  },
  'upstream.retryWait': {
    value: 50,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Longest wait before a node that failed is tried again; twice as long each time, all of it random.',
  },
  'upstream.retryBudget': {
    value: 10,
    unit: 'COUNT',
    code: null,
    description: 'Such tries for each hundred reads, after a first ten.',
    least: 0,
    zero: 'none',
  },
} as const satisfies Record<string, LimitEntry>;
