import type { LimitEntry } from './limitEntry.ts';

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
