import { defaultBudget, defaultNodeBounds, type LimitEntry, leastBudget } from '../bounds.ts';

/** Limits of HTTP connections and WebSockets. */
export const connectionLimits = {
  'http.connections': {
    value: 12_000,
    unit: 'COUNT',
    code: null,
    description: 'Connections of the process. Further connections are closed at once.',
  },
  'http.connectionsPerAddress': {
    value: 3_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description:
      'Connections from one IPv4 address or IPv6 /64 network, WebSockets included. Further connections are closed at once. Connections of a trusted proxy are not counted: requests in progress and WebSockets through it count towards their client, and further ones get status 429. A load balancer that is not a trusted proxy counts as one address.',
    least: 0,
  },
  'http.pipelined': {
    value: 32 * 1024 * 1024,
    unit: 'BYTES',
    code: null,
    description:
      'Memory for requests that wait for an earlier request on their connection, on all connections together. Each takes 4 KiB plus its path and headers. The bytes that the connection received with and after them, up to about 128 KiB, count too. Over it, the connection of the next such request is closed.',
  },
  'http.headersTime': {
    value: 10_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time to receive the headers of a request, from the start of the connection. Over it, status 408.',
  },
  'http.requestTime': {
    value: 20_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time to receive a request with its body. Over it, status 408.',
  },
  'http.keepAlive': {
    value: 65_000,
    unit: 'MILLISECONDS',
    code: null,
    description:
      'How long an idle connection, or a connection whose client does not read its response, is kept. At least twice `request.freshness` and `request.deadline`.',
  },
  'http.body': {
    value: 1_500_000,
    unit: 'BYTES',
    code: null,
    description:
      'Bytes of a request body at `/graphql`, `/` and `/comet`, and of a transaction over REST. A transaction of 1 MiB in base64 fits. Over it, status 413, before the body is parsed.',
  },
  'http.otherBody': {
    value: 64 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Bytes of a request body at any other path. Over it, status 413.',
  },
  'json.depth': {
    value: 64,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description:
      'Nested arrays and objects in JSON from a client: in a body, a message or a query parameter. Checked before the JSON is parsed. Over it, status 400, JSON-RPC error -32700, or WebSocket close code 4400.',
  },
  'json.values': {
    value: 25_000,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Values in JSON from a client, each array and object included. Checked before the JSON is parsed.',
  },
  'json.number': {
    value: 128,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description:
      'Characters of a number in JSON from a client. Checked before the JSON is parsed. Send longer numbers as strings.',
  },
  'http.headers': {
    value: 16 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Bytes of the headers of a request. Over it, status 431.',
  },
  'http.uri': {
    value: 8 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Bytes of the path and query of a request. Over it, status 414. Send longer documents by POST.',
  },
  'rpc.batch': {
    value: 10,
    unit: 'COUNT',
    code: null,
    description: 'Calls in one JSON-RPC batch, as on a node. Over it, error -32600.',
  },
  'socket.message': {
    value: 64 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Bytes of a message on a GraphQL WebSocket. Over it, close code 1009.',
  },
  'socket.id': {
    value: 128,
    unit: 'BYTES',
    code: null,
    description: 'Bytes of the id of an operation on a GraphQL WebSocket. Over it, close code 4400.',
  },
  'socket.messages': {
    value: 100,
    unit: 'PER_MINUTE',
    code: null,
    description: 'Messages on a GraphQL WebSocket, after the burst. Over it, close code 4429.',
    least: 0,
  },
  'socket.burst': {
    value: 300,
    unit: 'COUNT',
    code: null,
    description: 'Messages on a GraphQL WebSocket at once after a quiet time.',
  },
  'socket.subscriptions': {
    value: 100,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description: 'Subscriptions on one GraphQL WebSocket.',
  },
  'rpc.message': {
    value: 1_500_000,
    unit: 'BYTES',
    code: null,
    description: 'Bytes of a message on a node RPC WebSocket. A transaction of 1 MiB in base64 fits. Over it, close code 1009.',
  },
  'rpc.messages': {
    value: 6_000,
    unit: 'PER_MINUTE',
    code: null,
    description: 'Messages (calls) on a node RPC WebSocket, after the burst. Over it, close code 1008.',
    least: 0,
  },
  'rpc.burst': {
    value: 1_000,
    unit: 'COUNT',
    code: null,
    description: 'Messages on a node RPC WebSocket at once after a quiet time.',
  },
  'rpc.idle': {
    value: 3_600_000,
    unit: 'MILLISECONDS',
    code: null,
    description:
      'How long a node RPC WebSocket without calls and subscriptions is kept while it answers pings. It is closed with 1000 at the next ping. A node keeps such a socket without limit.',
  },
  'rpc.subscriptions': {
    value: 5,
    unit: 'COUNT',
    code: null,
    description: 'Subscriptions on one node RPC WebSocket. Over it, the same error as from a node.',
  },
  'socket.connections': {
    value: 1_000,
    unit: 'COUNT',
    code: null,
    description: 'WebSockets of one caller. Over it, close code 4429, or 1008 on the node RPC.',
    least: 0,
  },
  'socket.init': {
    value: 3_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time to send `connection_init`. Over it, close code 4408.',
  },
  'socket.idle': {
    value: 60_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'How long a GraphQL WebSocket without operations is kept. It is closed with 1000 at the next ping.',
  },
  'socket.ping': {
    value: 12_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time between pings. A WebSocket that has not answered by the next ping is closed.',
  },
} as const satisfies Record<string, LimitEntry>;

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

/** The memory budget of the caches. */
export const memoryLimits = {
  'cache.bytes': {
    value: defaultBudget(),
    shown:
      "a quarter of the smallest of the control group's memory limit, the machine's memory and V8's heap limit; at least 67,108,864 B",
    unit: 'BYTES',
    code: null,
    description:
      'Memory of all caches together: answers, state, documents, blocks, types of the chain, tokens. A full cache evicts the least recently used entries.',
    least: leastBudget,
    most: 2 ** 40,
  },
} as const satisfies Record<string, LimitEntry>;

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
