import type { LimitEntry } from './limitEntry.ts';

/** What HTTP connections and WebSockets may be. */
export const connectionLimits = {
  'http.connections': {
    value: 12_000,
    unit: 'COUNT',
    code: null,
    description: 'Connections of the process. One more is closed at once.',
  },
  'http.connectionsPerAddress': {
    value: 3_000,
    unit: 'COUNT',
    code: 'RATE_LIMITED',
    description:
      'Connections of one IPv4 address or IPv6 network of 64 bits, WebSockets included. One more is closed at once. Connections of a trusted proxy are not counted; requests under way and WebSockets through it count towards their client, and over the limit they get status 429. A load balancer that is not a trusted proxy is one address.',
    least: 0,
  },
  'http.pipelined': {
    value: 32 * 1024 * 1024,
    unit: 'BYTES',
    code: null,
    description:
      'Memory for requests that wait for an earlier request of their connection, of all connections; each takes 4 KiB beside its headers and body. Over it, the connection of the next one is closed.',
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
    description:
      'How long a connection is kept on which nothing is asked, or on which an answer is not read, but not less than twice `request.freshness` and `request.deadline`.',
  },
  'http.body': {
    value: 1_500_000,
    unit: 'BYTES',
    code: null,
    description:
      'Body of a request at `/graphql`, `/` and `/comet`, and of a transaction over REST: one of 1 MiB in base64 fits. Over it, status 413, before anything is parsed.',
  },
  'http.otherBody': {
    value: 64 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Body of a request at any other path. Over it, status 413.',
  },
  'json.depth': {
    value: 64,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description:
      'Levels of arrays and objects in JSON that a client sends, in a body, a message or a parameter of a query. Checked before the JSON is parsed. Over it, status 400, or error -32700 of JSON-RPC; a WebSocket of GraphQL is closed with 4400.',
  },
  'json.values': {
    value: 25_000,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Values in such JSON, each array and object included. Checked before the JSON is parsed.',
  },
  'json.number': {
    value: 128,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description: 'Characters of a number in such JSON. Checked before the JSON is parsed. Longer numbers are sent as strings.',
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
  'socket.id': {
    value: 128,
    unit: 'BYTES',
    code: null,
    description: 'Id of an operation on a WebSocket of GraphQL. Over it, the socket is closed with 4400.',
  },
  'socket.messages': {
    value: 100,
    unit: 'PER_MINUTE',
    code: null,
    description: 'Messages on a WebSocket of GraphQL, after the first burst. Over it, the socket is closed with 4429.',
    least: 0,
  },
  'socket.burst': {
    value: 300,
    unit: 'COUNT',
    code: null,
    description: 'Messages that a WebSocket of GraphQL which was quiet may send at once.',
  },
  'socket.subscriptions': {
    value: 100,
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
  'rpc.messages': {
    value: 6_000,
    unit: 'PER_MINUTE',
    code: null,
    description:
      'Messages on a WebSocket of the node RPC, each of which is a call, after the first burst. Over it, the socket is closed with 1008.',
    least: 0,
  },
  'rpc.burst': {
    value: 1_000,
    unit: 'COUNT',
    code: null,
    description: 'Messages that a WebSocket of the node RPC which was quiet may send at once.',
  },
  'rpc.idle': {
    value: 3_600_000,
    unit: 'MILLISECONDS',
    code: null,
    description:
      'How long a WebSocket of the node RPC is kept on which nothing is asked and that has no subscription, as long as it answers pings; a node keeps it for ever. Then it is closed with 1000, at the next ping.',
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
    description:
      'How long a WebSocket of GraphQL is kept on which no operation runs; then it is closed with 1000, at the next ping.',
  },
  'socket.ping': {
    value: 12_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time between pings. A WebSocket that has not answered one by the next is cut off.',
  },
} as const satisfies Record<string, LimitEntry>;
