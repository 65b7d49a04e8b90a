import type { LimitEntry } from '../limits.ts';

/** What subscriptions may be, and how a stop is told to whoever listens. */
export const streamLimits = {
  'subscriptions.caller': {
    value: 5_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Subscriptions of one caller, on all connections.',
    least: 0,
  },
  'subscriptions.process': {
    value: 10_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Subscriptions of the process.',
    least: 0,
  },
  'subscription.events': {
    value: 128,
    unit: 'COUNT',
    code: 'SLOW_CONSUMER',
    description: 'Events that wait for a subscriber who reads slowly; over it the stream ends and tells where to resume.',
  },
  'subscription.bytes': {
    value: 8 * 1024 * 1024,
    unit: 'BYTES',
    code: 'SLOW_CONSUMER',
    description: 'Bytes of the events that wait for a subscriber.',
  },
  'subscription.wait': {
    value: 24_000,
    unit: 'MILLISECONDS',
    code: 'SLOW_CONSUMER',
    description:
      'How long a subscriber who is told of past blocks may read nothing; over it the stream ends and tells where to resume.',
  },
  'shutdown.delay': {
    value: 5_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'How long a server that is told to stop goes on as before, not ready, for a load balancer to notice.',
    fixed: '`--drain-delay` sets it',
  },
  'shutdown.drain': {
    value: 25_000,
    unit: 'MILLISECONDS',
    code: 'SERVER_SHUTDOWN',
    description: 'Time from the signal in which what is under way is finished. Over it, it is cut off.',
  },
  'shutdown.exit': {
    value: 30_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time from the signal after which the process ends whatever hangs.',
  },
} as const satisfies Record<string, LimitEntry>;
