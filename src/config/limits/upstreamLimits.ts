import { defaultNodeBounds } from '../bounds.ts';
import type { LimitEntry } from './limitEntry.ts';

/** Limits of calls to nodes, and of the health of nodes. */
export const upstreamLimits = {
  'upstream.attempt': {
    value: 5_000,
    unit: 'MILLISECONDS',
    code: 'NODE_TIMEOUT',
    description: 'Time of one call to one node. After that, another node may be called.',
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
    description: 'Bytes of a response of a node.',
  },
  'upstream.batch': {
    value: 10,
    unit: 'COUNT',
    code: null,
    description: 'Calls in one batch to a node. By default, a node accepts 10.',
  },
  'upstream.ejection': {
    value: 30_000,
    unit: 'MILLISECONDS',
    code: null,
    description:
      'How long a node is ejected after `upstream.failures` failures in a row. Each ejection is longer than the one before.',
  },
  'upstream.failures': {
    value: defaultNodeBounds.failures,
    unit: 'COUNT',
    code: null,
    description: 'Failures in a row that eject a node. The last node is never ejected.',
  },
  'upstream.lagBlocks': {
    value: defaultNodeBounds.lagBlocks,
    unit: 'COUNT',
    code: null,
    description: 'Blocks that a node may be behind the best node and still be used while another node is available.',
  },
  'upstream.lagTime': {
    value: defaultNodeBounds.lagTime,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Block time that a node may be behind the best node and still be used while another node is available.',
  },
  'upstream.downBlocks': {
    value: defaultNodeBounds.downBlocks,
    unit: 'COUNT',
    code: null,
    description: 'Blocks behind the best node at which a node counts as down.',
  },
  'upstream.retries': {
    value: 2,
    unit: 'COUNT',
    code: null,
    description: 'Further nodes that a failed read is retried on. Broadcasts are never retried this way.',
    least: 0,
    zero: 'none',
  },
  'upstream.retryWait': {
    value: 50,
    unit: 'MILLISECONDS',
    code: null,
    description: 'The longest wait before the first retry. It doubles with each retry, with full jitter.',
  },
  'upstream.retryBudget': {
    value: 10,
    unit: 'COUNT',
    code: null,
    description: 'Retries for each hundred reads. The first ten retries are free.',
    least: 0,
    zero: 'none',
  },
  'simulation.bytes': {
    value: 64 * 1024,
    unit: 'BYTES',
    code: 'SIMULATION_DISABLED',
    description: 'Bytes of a transaction that is simulated on a node that also serves reads.',
  },
  'simulation.messages': {
    value: 100,
    unit: 'COUNT',
    code: 'SIMULATION_DISABLED',
    description: 'Messages of such a transaction, with those inside of other messages and of proposals that it executes.',
  },
  'simulation.deadline': {
    value: 2_000,
    unit: 'MILLISECONDS',
    code: 'NODE_TIMEOUT',
    description:
      'Time of a simulation on a node, and of the wait for the one before it. A node simulates one transaction at a time.',
  },
  'simulation.share': {
    value: 25,
    unit: 'COUNT',
    code: null,
    description: 'Percent of the time of a node that serves reads, for simulations. Further ones wait.',
    most: 100,
  },
  'simulation.pause': {
    value: 60_000,
    unit: 'MILLISECONDS',
    code: 'NODE_UNREACHABLE',
    description:
      'How long a node is left alone after a simulation that did not end in `simulation.deadline`, because the simulation still runs there.',
  },
} as const satisfies Record<string, LimitEntry>;
