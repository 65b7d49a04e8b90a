import { maxEventQueryBytes, maxTxBytes } from '../bounds.ts';
import type { LimitEntry } from './limitEntry.ts';

/** Limits of one caller over time, and of the time of one request. */
export const callerLimits = {
  'rate.points': {
    value: 500_000,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description:
      'Points of one caller: the cost of its operations, of their bytes (`rate.bytes`) and of their computing time (`rate.computing`). A short request that is answered from memory costs 1. An event of a subscription costs what its operation costs, or 1 from memory, and so does a block without events. All subscribers to an event share its cost evenly. If a caller has too few points left, its stream ends with the height to resume from.',
    least: 0,
  },
  'rate.burst': {
    value: 100_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Points that a caller has at once after a quiet time.',
  },
  'rate.bytes': {
    value: 1_024,
    unit: 'BYTES',
    code: null,
    description: 'Bytes of a request body or a WebSocket message for each point. A started part costs a whole point.',
    least: 0,
    zero: 'one point for any length',
  },
  'rate.computing': {
    value: 20,
    unit: 'COUNT',
    code: null,
    description:
      'Points for each millisecond that the server parses, validates and executes for a caller. They are charged afterwards and count against later requests.',
    least: 0,
    zero: 'no charge',
  },
  'rate.bodies': {
    value: 8,
    unit: 'COUNT',
    code: null,
    description:
      'Bodies of one caller that are longer than 64 KiB, or of unknown length, and are read at once. Further bodies wait.',
    least: 0,
  },
  'rate.broadcasts': {
    value: 60,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description: 'Broadcasts of one caller, `submitTx` included. The burst is the same number.',
    least: 0,
  },
  'rate.concurrent': {
    value: 100,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Concurrent requests of one caller, streams excluded.',
    least: 0,
  },
  'rate.counts': {
    value: 2,
    unit: 'COUNT',
    code: null,
    description:
      'Concurrent operations of one caller that make the chain count a list: with `totalCount` in GraphQL, or `pagination.countTotal` over REST. On the documented paths, also lists of the group module with `pagination.reverse` and without `pagination.key`. Under `/rest`, also if `pagination.limit` is absent or 0. Further operations wait.',
    least: 0,
  },
  'rate.failedAuthentications': {
    value: 20,
    unit: 'PER_MINUTE',
    code: null,
    description:
      'Failed authentications from one address, and wrong secrets for one client at `/oauth/token`. The burst is the same number. Over it, failing requests get status 429. Valid tokens and secrets, and expired tokens, are not affected.',
    least: 0,
  },
  'rate.callers': {
    value: 20_000,
    unit: 'COUNT',
    code: null,
    description:
      'Callers with limits of their own, and addresses and clients with counted failures. A caller is forgotten when it has no work in progress and all of its points again. While all entries are in use, new callers share the limits of one caller.',
  },
  'rate.public': {
    value: 600,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description:
      'Requests from one address to endpoints that need no token: pages, API descriptions, the collection, tokens and `/.well-known`. The burst is the same number. Probes are not counted.',
    least: 0,
  },
  'client.points': {
    value: 0,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description:
      'Points of one client in total, for all subjects of its tokens (the claim `client_id` or `azp`), besides `rate.points` for each subject. The burst is the same number.',
    least: 0,
  },
  'client.broadcasts': {
    value: 0,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description:
      'Broadcasts of one client in total, for all subjects of its tokens, besides `rate.broadcasts` for each subject. The burst is the same number.',
    least: 0,
  },
  'client.streams': {
    value: 0,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Subscriptions and live queries of one client in total, for all subjects of its tokens.',
    least: 0,
  },
  'publicClient.points': {
    value: 200_000,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description:
      'Points of one public client from one address, in place of `rate.points`. The burst is `rate.burst`. The other limits of a caller apply to one address, too.',
    least: 0,
  },
  'publicClient.totalPoints': {
    value: 600_000,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description: 'Points of one public client from all addresses. The burst is the same number.',
    least: 0,
  },
  'publicClient.totalStreams': {
    value: 2_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Subscriptions and live queries of one public client from all addresses.',
    least: 0,
  },
  'publicClient.tokens': {
    value: 60,
    unit: 'PER_MINUTE',
    code: null,
    description:
      'Tokens that one public client gets from one address. The burst is the same number. Over it, `/oauth/token` responds with status 429.',
    least: 0,
  },
  'publicClient.totalTokens': {
    value: 3_000,
    unit: 'PER_MINUTE',
    code: null,
    description: 'Tokens that one public client gets from all addresses. The burst is the same number.',
    least: 0,
  },
  'request.deadline': {
    value: 15_000,
    unit: 'MILLISECONDS',
    code: 'NODE_TIMEOUT',
    description: 'Time of an operation. Reads that have not finished by then fail. Streams have no deadline.',
  },
  'request.freshness': {
    value: 5_000,
    unit: 'MILLISECONDS',
    code: 'HEIGHT_NOT_YET_AVAILABLE',
    description:
      'How long a request waits for the block that `x-min-height` names, and a subscription for the block that `after` names.',
  },
  'request.events': {
    value: maxEventQueryBytes,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description: 'Bytes of an event query.',
    fixed: 'nodes accept no longer query',
  },
  'broadcast.size': {
    value: maxTxBytes,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description: 'Bytes of a transaction.',
    fixed: 'nodes accept no larger transaction',
  },
  'broadcast.wait': {
    value: 10_000,
    unit: 'MILLISECONDS',
    code: 'COMMIT_TIMEOUT',
    description: 'How long `broadcastTxCommit` waits for a block.',
  },
} as const satisfies Record<string, LimitEntry>;
