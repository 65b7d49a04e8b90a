import type { LimitEntry } from './limitEntry.ts';

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
  'subscriptions.distinct': {
    value: 500,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description:
      'Different subscriptions of one caller: those that differ in document, variables (without `after`), operation or scopes, and the different queries of its WebSockets of the node RPC. Equal ones count once. A subscription that other callers share counts for each of them.',
    least: 0,
  },
  'subscriptions.points': {
    value: 40_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description:
      'Points of one event of each of these subscriptions together; a query of the node RPC has 1. The default is what `rate.points` pays for at one block every 5 seconds: 12 times 40,000 a minute. A dashboard of 100 proposal cards (86 points each) and a board (2,000 points) has 10,600.',
    least: 0,
  },
  'subscriptions.bytes': {
    value: 32 * 1024 * 1024,
    unit: 'BYTES',
    code: 'SLOW_CONSUMER',
    description:
      'Bytes that wait for one caller because it reads slowly: events in queues, and what its WebSockets and event streams hold unsent. An event that several of its streams wait for counts once, a copy made for one socket by itself. Over it the stream with the largest queue ends and tells where to resume; where nothing is queued, the connection with the most unsent bytes is closed. One event alone is never too large.',
    least: 0,
  },
  'subscriptions.processBytes': {
    value: 256 * 1024 * 1024,
    unit: 'BYTES',
    code: 'SLOW_CONSUMER',
    description: 'The same of all callers together. Over it the caller with the most bytes gives way, in the same order.',
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
