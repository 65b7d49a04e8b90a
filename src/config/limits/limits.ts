import {
  type Bounds,
  cursorMax,
  defaultBounds,
  defaultBudget,
  defaultNodeBounds,
  leastBudget,
  maxEventQueryBytes,
  maxTxBytes,
  pageDefault,
  pageKeyMax,
  scanMax,
  searchScan,
  searchTextMax,
} from '../bounds.ts';
import type { ErrorCode } from '../errorCodes.ts';

/** The unit of a limit. The names are those of the enum `LimitUnit` in the schema. */
export type LimitUnit = 'COUNT' | 'BYTES' | 'MILLISECONDS' | 'PER_MINUTE';

export interface LimitEntry {
  readonly value: number;
  /** How the default is calculated, as docs/limits.md shows it. Only for a default that depends on the machine. */
  readonly shown?: string;
  readonly unit: LimitUnit;
  /** The code of the error over the limit; null if the response is a status or a closed connection. */
  readonly code: keyof typeof ErrorCode | null;
  readonly description: string;
  /** The smallest valid value: 1 if absent. */
  readonly least?: number;
  /** The largest valid value: the longest timer of Node if absent. */
  readonly most?: number;
  /** The meaning of 0 if it is valid: "no limit" if absent. */
  readonly zero?: string;
  /** Why the limit cannot be set. Present only if it cannot: "part of the schema". */
  readonly fixed?: string;
  /** The name of a limit that this one must not exceed. */
  readonly atMost?: string;
}

type Optional = Partial<Omit<LimitEntry, 'value' | 'unit' | 'description'>>;

const inUnit =
  (unit: LimitUnit) =>
  (value: number, description: string, more: Optional = {}): LimitEntry => ({ value, unit, code: null, description, ...more });

const count = inUnit('COUNT');
const bytes = inUnit('BYTES');
const milliseconds = inUnit('MILLISECONDS');
const perMinute = inUnit('PER_MINUTE');

/**
 * Every limit with its default. The configuration, `Query.limits`, docs/limits.md and the code that enforces a limit read this table. A name is
 * never reused for another limit.
 */
export const limitTable = {
  // GraphQL documents and their variables.
  'graphql.bytes': bytes(
    64 * 1024,
    'Bytes of a GraphQL document, comments included. Checked before the document is parsed. Put long values into variables.',
    { code: 'OPERATION_TOO_COMPLEX' },
  ),
  'graphql.tokens': count(2_000, 'Tokens of a document, comments included. Counted before the document is parsed.', {
    code: 'OPERATION_TOO_COMPLEX',
  }),
  'graphql.nesting': count(100, 'Nested brackets of any kind in a document. Counted with the tokens.', {
    code: 'OPERATION_TOO_COMPLEX',
  }),
  'graphql.depth': count(20, 'Nested fields, fragments expanded. Fields under `__schema` and `__type` are not counted.', {
    code: 'OPERATION_TOO_COMPLEX',
  }),
  'graphql.aliases': count(30, 'Aliases in a document.', { code: 'OPERATION_TOO_COMPLEX' }),
  'graphql.directives': count(50, 'Directives in a document.', { code: 'OPERATION_TOO_COMPLEX' }),
  'graphql.rootFields': count(20, 'Fields at the root of an operation, fragments expanded.', { code: 'OPERATION_TOO_COMPLEX' }),
  'graphql.representations': count(250, 'Representations in one `_entities` field.', { code: 'BAD_USER_INPUT' }),
  'graphql.validationErrors': count(5, 'Validation errors that a response lists. Validation stops after the last one.', {
    code: 'GRAPHQL_VALIDATION_FAILED',
  }),
  'graphql.cost': count(
    25_000,
    'Points of an operation. An object costs 1, a list its page size times the cost of one item (5 items if it has no `first`), a mutation 10 more, a broadcast 20 more, a field that scans a list 5 times as much, a tally or outcome of a record and its `electorate` with `voted` 10 more, its `timeline` and `tallyHistory` 100 more, `participation` 10 more for each proposal, a `search` 20 more, a `totalCount` 50 (in the items of a list 5, and 45 more for each list that is counted), and a hundred fields under `__schema` and `__type` 1. With `extensions.quorum`, all of it counts as often as nodes must agree. `extensions.cost` shows the cost if the request asks for it.',
    { code: 'OPERATION_TOO_COMPLEX' },
  ),
  'variables.depth': count(16, 'Nested lists and objects in a variable, its default value, or a literal in the document.', {
    code: 'BAD_USER_INPUT',
  }),
  'variables.items': count(250, 'Items of a list in a variable, its default value, or a literal in the document.', {
    code: 'BAD_USER_INPUT',
  }),
  'variables.string': bytes(
    4 * 1024,
    'Bytes of a string in a variable, its default value, or a literal in the document. The argument `tx` may be as long as the body in a variable, and as `graphql.bytes` in the document.',
    { code: 'BAD_USER_INPUT' },
  ),

  // The pages of lists, on every interface.
  'page.size.default': count(pageDefault, 'Items of a page if `first`, or `pagination.pageSize` under `/v1`, is absent.', {
    fixed: 'part of the schema',
  }),
  'page.size.max': count(defaultBounds.pageMax, 'Items of a page: the largest `first` and `pagination.pageSize`.', {
    code: 'BAD_USER_INPUT',
    least: pageDefault,
  }),
  'page.offset': count(defaultBounds.offsetMax, 'The largest `offset`. The chain reads every item that an offset skips.', {
    code: 'BAD_USER_INPUT',
  }),
  'page.cursor': bytes(cursorMax, 'Characters of a cursor.', {
    code: 'BAD_CURSOR',
    fixed: 'cursors of this server are never longer',
  }),
  'rest.page.default': count(
    100,
    "Items of a page over REST if `pagination.limit` is absent or 0. At most `rest.page.max`. Under `/rest` the chain's own default applies, 100.",
    { atMost: 'rest.page.max' },
  ),
  'rest.page.max': count(200, 'Items of a page over REST, except under `/rest`: the largest `pagination.limit`.', {
    code: 'BAD_USER_INPUT',
  }),
  'rest.page.node': count(
    1000,
    'Items of a page under `/rest`. A larger `pagination.limit` gets this many, and a `next_key` that continues behind them. Items beyond `rest.page.max` are charged by their number in the response.',
  ),
  'rest.page.key': bytes(pageKeyMax, 'Bytes of `pagination.key`.', {
    code: 'BAD_USER_INPUT',
    fixed: 'page keys of a chain are never longer',
  }),
  'search.text': count(searchTextMax, 'Characters of the text of a search.', {
    code: 'BAD_USER_INPUT',
    fixed: 'part of the schema',
  }),
  'search.scan': count(
    searchScan,
    'Items of each list of the state that a search reads. If there are more, `isComplete` of the answer is false.',
    { fixed: 'bounds the reads that the price of a search covers' },
  ),
  'scan.max': count(scanMax, 'Items of a list that a derived field reads whole.', {
    code: 'OPERATION_TOO_COMPLEX',
    fixed: 'derived fields are built for it',
  }),

  // The proofs of answers.
  'proof.keys': count(5_000, 'Keys of the proof of an answer. Each costs a point beside those of the operation.', {
    code: 'PROOF_UNAVAILABLE',
  }),
  'proof.bytes': bytes(2 * 1024 * 1024, 'Bytes of the proof of an answer, without its header and before base64.', {
    code: 'PROOF_UNAVAILABLE',
  }),

  // The requests of one caller over time, and the time of one request.
  'rate.points': perMinute(
    500_000,
    'Points of one caller: the cost of its operations, of their bytes (`rate.bytes`) and of their computing time (`rate.computing`). A short request that is answered from memory costs 1. An event of a subscription costs what its operation costs, or 1 from memory, and so does a block without events. All subscribers to an event share its cost evenly. If a caller has too few points left, its stream ends with the height to resume from.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'rate.burst': count(100_000, 'Points that a caller has at once after a quiet time.', { code: 'RATE_LIMITED' }),
  'rate.bytes': bytes(
    1_024,
    'Bytes of a request body or a WebSocket message for each point. A started part costs a whole point.',
    { least: 0, zero: 'one point for any length' },
  ),
  'rate.computing': count(
    20,
    'Points for each millisecond that the server parses, validates and executes for a caller. They are charged afterwards and count against later requests.',
    { least: 0, zero: 'no charge' },
  ),
  'rate.bodies': count(
    8,
    'Bodies of one caller that are longer than 64 KiB, or of unknown length, and are read at once. Further bodies wait.',
    { least: 0 },
  ),
  'rate.broadcasts': perMinute(60, 'Broadcasts of one caller, `submitTx` included. The burst is the same number.', {
    code: 'RATE_LIMITED',
    least: 0,
  }),
  'webhooks.count': count(100, 'Webhooks of one subject.', { code: 'RATE_LIMITED' }),
  'webhooks.connections': count(
    256,
    'Connections that deliver webhooks at the same time. Receivers whose last response was a failure share a quarter of them.',
  ),
  'webhooks.bytes': bytes(
    64 * 1024 * 1024,
    'Bytes of events that wait for their delivery, of all webhooks together; an event of several webhooks counts once. Over it, webhooks read one event at a time.',
  ),
  'webhooks.timeout': milliseconds(15_000, 'Time of one try of a delivery, from the look-up of the host to the response.'),
  'webhooks.response': bytes(
    64 * 1024,
    'Bytes of the response to a delivery that are read. The first 200 printable characters are shown.',
  ),
  'webhooks.deliveries': count(100, 'Deliveries of each webhook that are kept for `webhookDeliveries`.'),
  'rate.concurrent': count(100, 'Concurrent requests of one caller, streams excluded.', { code: 'RATE_LIMITED', least: 0 }),
  'rate.counts': count(
    2,
    'Concurrent operations of one caller that make the chain count a list: with `totalCount` in GraphQL, or `pagination.countTotal` over REST. On the documented paths, also lists of the group module with `pagination.reverse` and without `pagination.key`. Under `/rest`, also if `pagination.limit` is absent or 0. Further operations wait.',
    { least: 0 },
  ),
  'rate.failedAuthentications': perMinute(
    20,
    'Failed authentications from one address, and wrong secrets for one client at `/oauth/token`. The burst is the same number. Over it, failing requests get status 429. Valid tokens and secrets, and expired tokens, are not affected.',
    { least: 0 },
  ),
  'rate.callers': count(
    20_000,
    'Callers with limits of their own, and addresses and clients with counted failures. A caller is forgotten when it has no work in progress and all of its points again. While all entries are in use, new callers share the limits of one caller.',
  ),
  'rate.public': perMinute(
    600,
    'Requests from one address to endpoints that need no token: pages, API descriptions, the collection, tokens and `/.well-known`. The burst is the same number. Probes are not counted.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'client.points': perMinute(
    0,
    'Points of one client in total, for all subjects of its tokens (the claim `client_id` or `azp`), besides `rate.points` for each subject. The burst is the same number.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'client.broadcasts': perMinute(
    0,
    'Broadcasts of one client in total, for all subjects of its tokens, besides `rate.broadcasts` for each subject. The burst is the same number.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'client.streams': count(0, 'Subscriptions and live queries of one client in total, for all subjects of its tokens.', {
    code: 'RATE_LIMITED',
    least: 0,
  }),
  'publicClient.points': perMinute(
    200_000,
    'Points of one public client from one address, in place of `rate.points`. The burst is `rate.burst`. The other limits of a caller apply to one address, too.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'publicClient.totalPoints': perMinute(
    600_000,
    'Points of one public client from all addresses. The burst is the same number.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'publicClient.totalStreams': count(2_000, 'Subscriptions and live queries of one public client from all addresses.', {
    code: 'RATE_LIMITED',
    least: 0,
  }),
  'publicClient.tokens': perMinute(
    60,
    'Tokens that one public client gets from one address. The burst is the same number. Over it, `/oauth/token` responds with status 429.',
    { least: 0 },
  ),
  'publicClient.totalTokens': perMinute(
    3_000,
    'Tokens that one public client gets from all addresses. The burst is the same number.',
    { least: 0 },
  ),
  'anonymous.cost': count(
    1_000,
    'Points of one operation of a caller without a token (`--public`). Trusted documents, and reads of the schema alone, may cost `graphql.cost`.',
    { code: 'OPERATION_TOO_COMPLEX', least: 0, zero: 'trusted documents only' },
  ),
  'anonymous.points': perMinute(
    60_000,
    'Points of one address whose requests have no token (`--public`), in place of `rate.points`. The burst is the same number. The other limits of a caller apply to one address, too.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'anonymous.concurrent': count(
    20,
    'Requests without a token from one address that run at the same time, and a fifth of them once the address has used a twelfth of `anonymous.points`. Others wait in the order of their arrival. Streams are not counted.',
    { least: 0 },
  ),
  'anonymous.totalPoints': perMinute(
    600_000,
    'Points of all addresses whose requests have no token. The burst is the same number.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'anonymous.totalStreams': count(1_000, 'Subscriptions and live queries without a token from all addresses.', {
    code: 'RATE_LIMITED',
    least: 0,
  }),
  'mcp.bytes': bytes(
    12_000,
    'Bytes of the JSON of one result of `/mcp`. Longer lists and texts are cut, with a cursor for the rest. A result contains its JSON twice, as the protocol asks. Both together are below 25,000 tokens: texts of rare characters have a token for each byte.',
    { code: 'OPERATION_TOO_COMPLEX', least: 4_000 },
  ),
  'card.waiting': count(
    32,
    'Pictures of proposals (`/cards`) that wait to be drawn. One is drawn at a time, in a thread of its own; equal ones are drawn once.',
    { code: 'RATE_LIMITED' },
  ),
  'cacheTags.age': milliseconds(
    3_600_000,
    'How long a cache may keep an answer with tags (`--cache-tags`), if no invalidation reaches it.',
    { least: 1_000 },
  ),
  'cacheTags.number': count(
    100,
    'Tags of one answer (`--cache-tags`). An answer that was computed from more reads has one tag for each store.',
    { least: 1 },
  ),
  'request.deadline': milliseconds(
    15_000,
    'Time of an operation. Reads that have not finished by then fail. Streams have no deadline.',
    { code: 'NODE_TIMEOUT' },
  ),
  'request.freshness': milliseconds(
    5_000,
    'How long a request waits for the block that `x-min-height` names, and a subscription for the block that `after` names.',
    { code: 'HEIGHT_NOT_YET_AVAILABLE' },
  ),
  'request.events': bytes(maxEventQueryBytes, 'Bytes of an event query.', {
    code: 'BAD_USER_INPUT',
    fixed: 'nodes accept no longer query',
  }),
  'broadcast.size': bytes(maxTxBytes, 'Bytes of a transaction.', {
    code: 'BAD_USER_INPUT',
    fixed: 'nodes accept no larger transaction',
  }),
  'broadcast.wait': milliseconds(10_000, 'How long `broadcastTxCommit` waits for a block.', { code: 'COMMIT_TIMEOUT' }),

  // Calls to nodes, and the health of nodes.
  'upstream.attempt': milliseconds(5_000, 'Time of one call to one node. After that, another node may be called.', {
    code: 'NODE_TIMEOUT',
  }),
  'upstream.connect': milliseconds(2_000, 'Time to connect to a node.', { code: 'NODE_UNREACHABLE' }),
  'upstream.answer': bytes(32 * 1024 * 1024, 'Bytes of a response of a node.', { code: 'NODE_INVALID_RESPONSE' }),
  'upstream.batch': count(10, 'Calls in one batch to a node. By default, a node accepts 10.'),
  'upstream.ejection': milliseconds(
    30_000,
    'How long a node is ejected after `upstream.failures` failures in a row. Each ejection is longer than the one before.',
  ),
  'upstream.failures': count(
    defaultNodeBounds.failures,
    'Failures in a row that eject a node. The last node is never ejected.',
  ),
  'upstream.lagBlocks': count(
    defaultNodeBounds.lagBlocks,
    'Blocks that a node may be behind the best node and still be used while another node is available.',
  ),
  'upstream.lagTime': milliseconds(
    defaultNodeBounds.lagTime,
    'Block time that a node may be behind the best node and still be used while another node is available.',
  ),
  'upstream.downBlocks': count(defaultNodeBounds.downBlocks, 'Blocks behind the best node at which a node counts as down.'),
  'upstream.retries': count(2, 'Further nodes that a failed read is retried on. Broadcasts are never retried this way.', {
    least: 0,
    zero: 'none',
  }),
  'upstream.retryWait': milliseconds(
    50,
    'The longest wait before the first retry. It doubles with each retry, with full jitter.',
  ),
  'upstream.retryBudget': count(10, 'Retries for each hundred reads. The first ten retries are free.', {
    least: 0,
    zero: 'none',
  }),
  'simulation.bytes': bytes(
    64 * 1024,
    'Bytes of a transaction that is simulated on a node that also serves reads, and of the messages of a proposal that is rehearsed.',
    {
      code: 'SIMULATION_DISABLED',
    },
  ),
  'simulation.messages': count(
    100,
    'Messages of such a transaction, with those inside of other messages and of proposals that it executes.',
    { code: 'SIMULATION_DISABLED' },
  ),
  'simulation.deadline': milliseconds(
    2_000,
    'Time of a simulation on a node, and of the wait for the one before it. A node simulates one transaction at a time.',
    { code: 'NODE_TIMEOUT' },
  ),
  'simulation.share': count(25, 'Percent of the time of a node that serves reads, for simulations. Further ones wait.', {
    most: 100,
  }),
  'simulation.pause': milliseconds(
    60_000,
    'How long a node is left alone after a simulation that did not end in `simulation.deadline`, because the simulation still runs there.',
    { code: 'NODE_UNREACHABLE' },
  ),

  'rehearsal.perMinute': count(
    60,
    'Rehearsals of proposals that one caller makes a node run in a minute. Those that are known already do not count. Further ones are CANNOT_REHEARSE.',
  ),

  // HTTP connections and WebSockets.
  'http.connections': count(12_000, 'Connections of the process. Further connections are closed at once.'),
  'http.connectionsPerAddress': count(
    3_000,
    'Connections from one IPv4 address or IPv6 /64 network, WebSockets included. Further connections are closed at once. Connections of a trusted proxy are not counted: requests in progress and WebSockets through it count towards their client, and further ones get status 429. A load balancer that is not a trusted proxy counts as one address.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'http.pipelined': bytes(
    32 * 1024 * 1024,
    'Memory for requests that wait for an earlier request on their connection, on all connections together. Each takes 4 KiB plus its path and headers. The bytes that the connection received with and after them, up to about 128 KiB, count too. Over it, the connection of the next such request is closed.',
  ),
  'http.headersTime': milliseconds(
    10_000,
    'Time to receive the headers of a request, from the start of the connection. Over it, status 408.',
  ),
  'http.requestTime': milliseconds(20_000, 'Time to receive a request with its body. Over it, status 408.'),
  'http.keepAlive': milliseconds(
    65_000,
    'How long an idle connection, or a connection whose client does not read its response, is kept. At least twice `request.freshness` and `request.deadline`.',
  ),
  'http.body': bytes(
    1_500_000,
    'Bytes of a request body at `/graphql`, `/` and `/comet`, and of a transaction over REST. A transaction of 1 MiB in base64 fits. Over it, status 413, before the body is parsed.',
  ),
  'http.otherBody': bytes(64 * 1024, 'Bytes of a request body at any other path. Over it, status 413.'),
  'json.depth': count(
    64,
    'Nested arrays and objects in JSON from a client: in a body, a message or a query parameter. Checked before the JSON is parsed. Over it, status 400, JSON-RPC error -32700, or WebSocket close code 4400.',
    { code: 'BAD_USER_INPUT' },
  ),
  'json.values': count(
    25_000,
    'Values in JSON from a client, each array and object included. Checked before the JSON is parsed.',
    { code: 'BAD_USER_INPUT' },
  ),
  'json.number': bytes(
    128,
    'Characters of a number in JSON from a client. Checked before the JSON is parsed. Send longer numbers as strings.',
    { code: 'BAD_USER_INPUT' },
  ),
  'http.headers': bytes(16 * 1024, 'Bytes of the headers of a request. Over it, status 431.'),
  'http.uri': bytes(8 * 1024, 'Bytes of the path and query of a request. Over it, status 414. Send longer documents by POST.'),
  'rpc.batch': count(10, 'Calls in one JSON-RPC batch, as on a node. Over it, error -32600.'),
  'socket.message': bytes(64 * 1024, 'Bytes of a message on a GraphQL WebSocket. Over it, close code 1009.'),
  'socket.id': bytes(128, 'Bytes of the id of an operation on a GraphQL WebSocket. Over it, close code 4400.'),
  'socket.messages': perMinute(100, 'Messages on a GraphQL WebSocket, after the burst. Over it, close code 4429.', {
    least: 0,
  }),
  'socket.burst': count(300, 'Messages on a GraphQL WebSocket at once after a quiet time.'),
  'socket.subscriptions': count(100, 'Subscriptions on one GraphQL WebSocket.', { code: 'RATE_LIMITED' }),
  'rpc.message': bytes(
    1_500_000,
    'Bytes of a message on a node RPC WebSocket. A transaction of 1 MiB in base64 fits. Over it, close code 1009.',
  ),
  'rpc.messages': perMinute(6_000, 'Messages (calls) on a node RPC WebSocket, after the burst. Over it, close code 1008.', {
    least: 0,
  }),
  'rpc.burst': count(1_000, 'Messages on a node RPC WebSocket at once after a quiet time.'),
  'rpc.idle': milliseconds(
    3_600_000,
    'How long a node RPC WebSocket without calls and subscriptions is kept while it answers pings. It is closed with 1000 at the next ping. A node keeps such a socket without limit.',
  ),
  'rpc.subscriptions': count(5, 'Subscriptions on one node RPC WebSocket. Over it, the same error as from a node.'),
  'socket.connections': count(1_000, 'WebSockets of one caller. Over it, close code 4429, or 1008 on the node RPC.', {
    least: 0,
  }),
  'socket.init': milliseconds(3_000, 'Time to send `connection_init`. Over it, close code 4408.'),
  'socket.idle': milliseconds(
    60_000,
    'How long a GraphQL WebSocket without operations is kept. It is closed with 1000 at the next ping.',
  ),
  'socket.ping': milliseconds(12_000, 'Time between pings. A WebSocket that has not answered by the next ping is closed.'),

  // Subscriptions, and times of a shutdown.
  'subscriptions.caller': count(5_000, 'Subscriptions and live queries of one caller, on all connections.', {
    code: 'RATE_LIMITED',
    least: 0,
  }),
  'subscriptions.process': count(10_000, 'Subscriptions and live queries of the process.', { code: 'RATE_LIMITED', least: 0 }),
  'subscriptions.distinct': count(
    500,
    'Distinct subscriptions and live queries of one caller. Subscriptions are distinct if they differ in document, variables (without `after`), operation or scopes. The distinct event queries of its node RPC WebSockets count too. A subscription that several callers share counts for each of them.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'subscriptions.points': count(
    40_000,
    'Points of one event of each distinct subscription, and of the last execution of each distinct live query, of one caller, added up. A live query has a point for each object of its result and 50 for each list that it counts, so one that is too heavy ends at its first result. An event query of the node RPC has 1. The default is what `rate.points` covers at one block every 5 seconds: 12 times 40,000 a minute. A dashboard with 100 proposal cards (86 points each) and a board (2,000 points) has 10,600.',
    { code: 'RATE_LIMITED', least: 0 },
  ),
  'subscriptions.bytes': bytes(
    32 * 1024 * 1024,
    'Bytes that wait for one caller because it reads slowly: events in queues, and unsent bytes of its WebSockets and event streams. An event that waits in several of its streams counts once; a copy that was made for one socket counts by itself. Over it, the stream with the longest queue ends with the height to resume from. If no event is queued, the connection with the most unsent bytes is closed. A single event is always accepted.',
    { code: 'SLOW_CONSUMER', least: 0 },
  ),
  'subscriptions.processBytes': bytes(
    256 * 1024 * 1024,
    'The same for all callers together. Over it, streams of the caller with the most bytes end, in the same order.',
    { code: 'SLOW_CONSUMER', least: 0 },
  ),
  'history.executions': count(
    200,
    'Executions of one history: of a stream `@live(from:)`, up to the newest block, or of a page of `extensions.history`. Over it, the stream ends with the height to continue from, and the page with `next`.',
    { code: 'HISTORY_LIMIT' },
  ),
  'history.roots': count(
    20_000,
    'Roots of stores that one history requests from the nodes to find the blocks that changed its answer. Over it, it ends as over `history.executions`.',
    { code: 'HISTORY_LIMIT' },
  ),
  'subscription.events': count(
    128,
    'Events that wait for one slow subscriber. Over it, the stream ends with the height to resume from.',
    { code: 'SLOW_CONSUMER' },
  ),
  'subscription.bytes': bytes(
    8 * 1024 * 1024,
    'Bytes of the events that wait for one slow subscriber. Over it, the stream ends with the height to resume from.',
    { code: 'SLOW_CONSUMER' },
  ),
  'subscription.wait': milliseconds(
    24_000,
    'How long a subscriber that receives past blocks may read nothing. Over it, the stream ends with the height to resume from.',
    { code: 'SLOW_CONSUMER' },
  ),
  'shutdown.delay': milliseconds(
    5_000,
    'How long the server keeps serving after a stop signal while `/readyz` fails, so that a load balancer notices.',
    { fixed: 'set by `--drain-delay`' },
  ),
  'shutdown.drain': milliseconds(
    25_000,
    'Time from the stop signal for requests in progress to finish. Requests that are left are aborted.',
    { code: 'SERVER_SHUTDOWN' },
  ),
  'shutdown.exit': milliseconds(30_000, 'Time from the stop signal until the process exits, whatever is still open.'),

  // The memory budget of the caches.
  'cache.bytes': bytes(
    defaultBudget(),
    'Memory of all caches together: answers, state, documents, blocks, types of the chain, tokens. A full cache evicts the least recently used entries.',
    {
      shown:
        "a quarter of the smallest of the control group's memory limit, the machine's memory and V8's heap limit; at least 67,108,864 B",
      least: leastBudget,
      most: 2 ** 40,
    },
  ),

  // What processes share.
  'shared.value': bytes(
    256 * 1024,
    'Bytes of one response in the shared store. Each process reads larger responses from a node itself.',
  ),
  'shared.wait': milliseconds(
    20,
    'How long a request waits for the shared store in total: a quarter for the limits of its caller, a quarter for its document, and half for its reads. After that, it goes on without the store. A process that waits this long for one command does so until the store responds again.',
    { most: 1_000 },
  ),
};

export type LimitName = keyof typeof limitTable;

/** The limits in force, by name. */
export type Limits = Readonly<Record<LimitName, number>>;

/** The largest value of most limits: the longest timer of Node, in ms. */
const largest = 2 ** 31 - 1;

export const limitNames: readonly LimitName[] = Object.keys(limitTable).filter(isLimitName);

export function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(limitTable, name);
}

export function limitEntry(name: LimitName): LimitEntry {
  return limitTable[name];
}

/** The default limits, with `changed` applied. */
export function createLimits(changed: Partial<Limits> = {}): Limits {
  const entries = limitNames.map((name) => [name, changed[name] ?? limitEntry(name).value] as const);
  // The type of Object.fromEntries does not keep the names.
  return Object.fromEntries(entries) as Limits;
}

/** The valid values of a limit. Completes the sentence "NAME must be …". */
export function limitBounds(name: LimitName): string {
  const { least = 1, most = largest, zero = 'no limit' } = limitEntry(name);
  return `an integer from ${least} to ${most}${least === 0 ? `, where 0 is ${zero}` : ''}`;
}

/** Parses the value of a limit; undefined if it is not valid. */
export function limitValue(name: LimitName, text: string): number | undefined {
  if (!/^\d{1,13}$/.test(text)) return undefined;
  const value = Number(text);
  const { least = 1, most = largest } = limitEntry(name);
  return value >= least && value <= most ? value : undefined;
}

/** The variable that sets a limit: `STELE_LIMIT_GRAPHQL_ROOT_FIELDS` for `graphql.rootFields`. */
export function limitVariable(name: LimitName): string {
  const words = name.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`);
  return `STELE_LIMIT_${words.toUpperCase()}`;
}

/** The bounds of pages, from the limits in force. */
export function boundsOf(limits: Limits): Bounds {
  return { pageMax: limits['page.size.max'], offsetMax: limits['page.offset'] };
}

/** The bounds of a proof. */
export interface ProofBounds {
  readonly maxKeys: number;
  readonly maxBytes: number;
}

/** The bounds of proofs, from the limits in force. */
export function proofBoundsOf(limits: Limits): ProofBounds {
  return { maxKeys: limits['proof.keys'], maxBytes: limits['proof.bytes'] };
}
