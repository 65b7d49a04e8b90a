import { maxEventQueryBytes, maxTxBytes } from '../bounds.ts';
import type { LimitEntry } from './limitEntry.ts';

/** What a caller may do in how much time, and how long one request may take. */
export const callerLimits = {
  'rate.points': {
    value: 500_000,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description:
      'Points of the operations of one caller: those of what they ask for, of their bytes (`rate.bytes`) and of their time (`rate.computing`). A short request with an answer from memory costs 1. An event of a subscription costs what its operation costs, 1 from memory, as does a block without events; all who listen to the event share this evenly. A stream whose caller has too few points left ends and tells where to resume.',
    least: 0,
  },
  'rate.burst': {
    value: 100_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Points that a caller who was quiet has at once.',
  },
  'rate.bytes': {
    value: 1_024,
    unit: 'BYTES',
    code: null,
    description:
      'Bytes of a request body, or of a message of a WebSocket, that cost a point: each started part of this length is one.',
    least: 0,
    zero: 'one point for any length',
  },
  'rate.computing': {
    value: 20,
    unit: 'COUNT',
    code: null,
    description:
      'Points for each millisecond that the server parses, validates and executes for a caller. They are charged behind the work: they refuse later requests.',
    least: 0,
    zero: 'no charge',
  },
  'rate.bodies': {
    value: 8,
    unit: 'COUNT',
    code: null,
    description:
      'Bodies of more than 64 KiB, or of unknown length, of one caller that are read or wait for their turn at once. Others wait at the sender.',
    least: 0,
  },
  'rate.broadcasts': {
    value: 60,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description: 'Broadcasts of one caller, `submitTx` too; as many at once.',
    least: 0,
  },
  'rate.concurrent': {
    value: 100,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Requests of one caller under way at once, without streams.',
    least: 0,
  },
  'rate.counts': {
    value: 2,
    unit: 'COUNT',
    code: null,
    description:
      'Operations of one caller that are executed at once though the chain walks a list to count it: with a `totalCount`; over REST with `pagination.countTotal`. Under the names of the seed also with `pagination.reverse` and no `pagination.key` in lists of the group module, behind `/rest` also where `pagination.limit` is absent or 0. Others wait.',
    least: 0,
  },
  'rate.failedAuthentications': {
    value: 20,
    unit: 'PER_MINUTE',
    code: null,
    description:
      'Failed authentications from one address, and wrong secrets for one client at `/oauth/token`; as many at once. Over it, status 429 to what fails. Good tokens and secrets, and expired tokens, are not affected.',
    least: 0,
  },
  'rate.callers': {
    value: 20_000,
    unit: 'COUNT',
    code: null,
    description:
      'Callers whose limits are kept apart, and addresses and clients whose failed authentications are. One is forgotten when nothing of it is under way and it has all of its points again. While all of them are in use, new ones share the limits of one caller.',
  },
  'rate.public': {
    value: 600,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description:
      'Requests from one address to endpoints that need no token: pages, descriptions, the collection, tokens and `/.well-known`; as many at once. The probes are not counted.',
    least: 0,
  },
  'request.deadline': {
    value: 15_000,
    unit: 'MILLISECONDS',
    code: 'NODE_TIMEOUT',
    description: 'Time of an operation. What has not been read by then fails; a stream has no such end.',
  },
  'request.freshness': {
    value: 5_000,
    unit: 'MILLISECONDS',
    code: 'HEIGHT_NOT_YET_AVAILABLE',
    description:
      'How long a request waits for the block that it asks for with `x-min-height`, and a subscription for the block that `after` names.',
  },
  'request.events': {
    value: maxEventQueryBytes,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description: 'Length of a query of events.',
    fixed: 'no node takes a longer one',
  },
  'broadcast.size': {
    value: maxTxBytes,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description: 'Bytes of a transaction.',
    fixed: 'it is that of the nodes',
  },
  'broadcast.wait': {
    value: 10_000,
    unit: 'MILLISECONDS',
    code: 'COMMIT_TIMEOUT',
    description: 'How long `broadcastTxCommit` waits for a block.',
  },
} as const satisfies Record<string, LimitEntry>;
