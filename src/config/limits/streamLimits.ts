import type { LimitEntry } from './limitEntry.ts';

/** Limits of subscriptions, and times of a shutdown. */
export const streamLimits = {
  'subscriptions.caller': {
    value: 5_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Subscriptions and live queries of one caller, on all connections.',
    least: 0,
  },
  'subscriptions.process': {
    value: 10_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Subscriptions and live queries of the process.',
    least: 0,
  },
  'subscriptions.distinct': {
    value: 500,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description:
      'Distinct subscriptions and live queries of one caller. Subscriptions are distinct if they differ in document, variables (without `after`), operation or scopes. The distinct event queries of its node RPC WebSockets count too. A subscription that several callers share counts for each of them.',
    least: 0,
  },
  'subscriptions.points': {
    value: 40_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description:
      'Points of one event of each distinct subscription, and of the last execution of each distinct live query, of one caller, added up. A live query has a point for each object of its result and 50 for each list that it counts, so one that is too heavy ends at its first result. An event query of the node RPC has 1. The default is what `rate.points` covers at one block every 5 seconds: 12 times 40,000 a minute. A dashboard with 100 proposal cards (86 points each) and a board (2,000 points) has 10,600.',
    least: 0,
  },
  'subscriptions.bytes': {
    value: 32 * 1024 * 1024,
    unit: 'BYTES',
    code: 'SLOW_CONSUMER',
    description:
      'Bytes that wait for one caller because it reads slowly: events in queues, and unsent bytes of its WebSockets and event streams. An event that waits in several of its streams counts once; a copy that was made for one socket counts by itself. Over it, the stream with the longest queue ends with the height to resume from. If no event is queued, the connection with the most unsent bytes is closed. A single event is always accepted.',
    least: 0,
  },
  'subscriptions.processBytes': {
    value: 256 * 1024 * 1024,
    unit: 'BYTES',
    code: 'SLOW_CONSUMER',
    description:
      'The same for all callers together. Over it, streams of the caller with the most bytes end, in the same order.',
    least: 0,
  },
  'subscription.events': {
    value: 128,
    unit: 'COUNT',
    code: 'SLOW_CONSUMER',
    description: 'Events that wait for one slow subscriber. Over it, the stream ends with the height to resume from.',
  },
  'subscription.bytes': {
    value: 8 * 1024 * 1024,
    unit: 'BYTES',
    code: 'SLOW_CONSUMER',
    description:
      'Bytes of the events that wait for one slow subscriber. Over it, the stream ends with the height to resume from.',
  },
  'subscription.wait': {
    value: 24_000,
    unit: 'MILLISECONDS',
    code: 'SLOW_CONSUMER',
    description:
      'How long a subscriber that receives past blocks may read nothing. Over it, the stream ends with the height to resume from.',
  },
  'shutdown.delay': {
    value: 5_000,
    unit: 'MILLISECONDS',
    code: null,
    description:
      'How long the server keeps serving after a stop signal while `/readyz` fails, so that a load balancer notices.',
    fixed: 'set by `--drain-delay`',
  },
  'shutdown.drain': {
    value: 25_000,
    unit: 'MILLISECONDS',
    code: 'SERVER_SHUTDOWN',
    description: 'Time from the stop signal for requests in progress to finish. Requests that are left are aborted.',
  },
  'shutdown.exit': {
    value: 30_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time from the stop signal until the process exits, whatever is still open.',
  },
} as const satisfies Record<string, LimitEntry>;
