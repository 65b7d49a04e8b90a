import { maxTxBytes } from '../chain/txFacts.ts';
import { cursorMax, pageDefault, pageKeyMax, scanMax, usualBounds } from '../modules/bounds.ts';
import { queryMax } from '../modules/node/eventConditions.ts';
import type { LimitEntry } from './limits.ts';

/**
 * Every limit, with its usual value. It is the one table that configuration, `Query.limits`, whatever enforces a limit and
 * docs/limits.md read; a name is never used again for another thing.
 */
export const limitTable = {
  'graphql.tokens': {
    value: 2_000,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Tokens of a document, comments too. Counted before anything else is done with it.',
  },
  'graphql.nesting': {
    value: 100,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Brackets of a document within one another, of any kind. Counted with the tokens.',
  },
  'graphql.depth': {
    value: 20,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Fields within one another, through fragments. What is under `__schema` and `__type` does not count.',
  },
  'graphql.aliases': {
    value: 30,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Aliases of a document.',
  },
  'graphql.directives': {
    value: 50,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Directives of a document.',
  },
  'graphql.rootFields': {
    value: 20,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Fields of an operation itself, through fragments.',
  },
  'graphql.representations': {
    value: 250,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'References that a router asks for in one `_entities`.',
  },
  'graphql.validationErrors': {
    value: 5,
    unit: 'COUNT',
    code: 'GRAPHQL_VALIDATION_FAILED',
    description: 'Errors that are told of a document; validation stops there.',
  },
  'graphql.cost': {
    value: 25_000,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description:
      'Points of an operation: an object 1, a list its page size times one item (5 items where it takes no `first`), a mutation 10 more and a broadcast 20, a scan 5 times as much, a `totalCount` 50. Told in `extensions.cost` when the request asks for it.',
  },
  'variables.depth': {
    value: 16,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Lists and objects of a variable within one another.',
  },
  'variables.items': {
    value: 250,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Items of a list in a variable.',
  },
  'variables.string': {
    value: 4 * 1024,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description: 'A string in a variable. One that is the argument `tx` may be as long as the body.',
  },
  'page.size.default': {
    value: pageDefault,
    unit: 'COUNT',
    code: null,
    description: 'Items of a page when `first` is absent.',
    fixed: 'it is part of the schema',
  },
  'page.size.max': {
    value: usualBounds.pageMax,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Items of a page: the largest `first`.',
    least: pageDefault,
  },
  'page.offset': {
    value: usualBounds.offsetMax,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Largest `offset`: the chain walks over what an offset skips.',
  },
  'page.cursor': {
    value: cursorMax,
    unit: 'BYTES',
    code: 'BAD_CURSOR',
    description: 'Length of a cursor.',
    fixed: 'no cursor of this server is longer',
  },
  'rest.page.default': {
    value: 100,
    unit: 'COUNT',
    code: null,
    description: 'Items of a page over REST when `pagination.limit` is absent or 0.',
  },
  'rest.page.max': {
    value: 200,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Items of a page over REST: the largest `pagination.limit`.',
  },
  'rest.page.key': {
    value: pageKeyMax,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description: 'Bytes of `pagination.key`.',
    fixed: 'no page key of a chain is longer',
  },
  'scan.max': {
    value: scanMax,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Items of one whole list that a derived field walks over.',
    fixed: 'derived fields are made for it',
  },
  'rate.points': {
    value: 500_000,
    unit: 'PER_MINUTE',
    code: 'RATE_LIMITED',
    description: 'Points of the operations of one caller. An answer from memory costs 1.',
    least: 0,
  },
  'rate.burst': {
    value: 100_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Points that a caller who was quiet has at once.',
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
      'Operations of one caller with a `totalCount` that are executed at once, as the chain walks a list to count it. Others wait.',
    least: 0,
  },
  'rate.failedAuthentications': {
    value: 20,
    unit: 'PER_MINUTE',
    code: null,
    description:
      'Failed authentications from one address; as many at once. Over it, status 429 to what fails. Good tokens are not touched.',
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
    description: 'How long a request waits for the block that it asks for with `x-min-height`.',
  },
  'request.events': {
    value: queryMax,
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
    description: 'How long a node that failed five times in a row is left alone, longer each time.',
  },
  'http.connections': {
    value: 12_000,
    unit: 'COUNT',
    code: null,
    description: 'Connections of the process. One more is closed at once.',
  },
  'http.headersTime': {
    value: 10_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time for the headers of a request, from the connection on. Over it, status 408.',
  },
  'http.requestTime': {
    value: 20_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time for a request with its body. Over it, status 408.',
  },
  'http.keepAlive': {
    value: 65_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'How long a connection is kept on which nothing is asked.',
  },
  'http.body': {
    value: 1_500_000,
    unit: 'BYTES',
    code: null,
    description:
      'Body of a request at `/graphql`, `/` and `/comet`: a transaction of 1 MiB in base64 fits. Over it, status 413, before anything is parsed.',
  },
  'http.otherBody': {
    value: 64 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Body of a request at any path but `/graphql`, `/` and `/comet`. Over it, status 413.',
  },
  'http.headers': {
    value: 16 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Headers of a request. Over it, status 431.',
  },
  'http.uri': {
    value: 8 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Path and query of a request. Over it, status 414; a document that is longer goes by POST.',
  },
  'rpc.batch': {
    value: 10,
    unit: 'COUNT',
    code: null,
    description: 'Calls of one JSON-RPC batch, as of the node. Over it, error -32600.',
  },
  'socket.message': {
    value: 64 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Message of a WebSocket. Over it, the socket is closed with 1009.',
  },
  'socket.messages': {
    value: 100,
    unit: 'PER_MINUTE',
    code: null,
    description:
      'Messages on a WebSocket, after the first burst. Over it, the socket is closed with 4429, with 1008 where it is one of the node RPC.',
    least: 0,
  },
  'socket.burst': {
    value: 50,
    unit: 'COUNT',
    code: null,
    description: 'Messages that a WebSocket which was quiet may send at once.',
  },
  'socket.subscriptions': {
    value: 10,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Subscriptions on one WebSocket.',
  },
  'rpc.message': {
    value: 1_500_000,
    unit: 'BYTES',
    code: null,
    description:
      'Message of a WebSocket of the node RPC: a transaction of 1 MiB in base64 fits. Over it, the socket is closed with 1009.',
  },
  'rpc.subscriptions': {
    value: 5,
    unit: 'COUNT',
    code: null,
    description: 'Subscriptions on one WebSocket of the node RPC. One more is refused in the words of a node.',
  },
  'socket.connections': {
    value: 1_000,
    unit: 'COUNT',
    code: null,
    description: 'WebSockets of one caller. One more is closed with 4429, with 1008 where it is one of the node RPC.',
    least: 0,
  },
  'socket.init': {
    value: 3_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time for `connection_init`. Over it, the socket is closed with 4408.',
  },
  'socket.idle': {
    value: 60_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'How long a WebSocket is kept on which no operation runs; then it is closed with 1000, at the next ping.',
  },
  'socket.ping': {
    value: 12_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time between pings. A WebSocket that has not answered one by the next is cut off.',
  },
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
} as const satisfies Record<string, LimitEntry>;
