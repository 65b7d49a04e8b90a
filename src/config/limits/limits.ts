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
  /** What is limited, and what happens over the limit. */
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

type MakeEntry = (
  value: number,
  code: LimitEntry['code'],
  description: string,
  more?: Omit<LimitEntry, 'value' | 'unit' | 'code' | 'description'>,
) => LimitEntry;

const inUnit =
  (unit: LimitUnit): MakeEntry =>
  (value, code, description, more) => ({ value, unit, code, description, ...more });

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
    'OPERATION_TOO_COMPLEX',
    'Bytes of a GraphQL document, comments included. Checked before the document is parsed. Put long values into variables.',
  ),
  'graphql.tokens': count(
    2_000,
    'OPERATION_TOO_COMPLEX',
    'Tokens of a document, comments included. Counted before the document is parsed.',
  ),
  'graphql.nesting': count(100, 'OPERATION_TOO_COMPLEX', 'Nested brackets of any kind in a document. Counted with the tokens.'),
  'graphql.depth': count(
    20,
    'OPERATION_TOO_COMPLEX',
    'Nested fields, fragments expanded. Fields under `__schema` and `__type` are not counted.',
  ),
  'graphql.aliases': count(30, 'OPERATION_TOO_COMPLEX', 'Aliases in a document.'),
  'graphql.directives': count(50, 'OPERATION_TOO_COMPLEX', 'Directives in a document.'),
  'graphql.rootFields': count(20, 'OPERATION_TOO_COMPLEX', 'Fields at the root of an operation, fragments expanded.'),
  'graphql.representations': count(250, 'BAD_USER_INPUT', 'Representations in one `_entities` field.'),
  'graphql.validationErrors': count(
    5,
    'GRAPHQL_VALIDATION_FAILED',
    'Validation errors that a response lists. Validation stops after the last one.',
  ),
  'graphql.cost': count(
    25_000,
    'OPERATION_TOO_COMPLEX',
    'Points of an operation. An object costs 1, a list its page size times the cost of one item (5 items if it has no `first`), a mutation 10 more, a broadcast 20 more, a field that scans a list 5 times as much, a tally or outcome of a record and its `electorate` with `voted` 10 more, its `timeline` and `tallyHistory` 100 more, `participation` 10 more for each proposal, a `totalCount` 50 (in the items of a list 5, and 45 more for each list that is counted), and ten fields under `__schema` and `__type` 1. `extensions.cost` shows the cost if the request asks for it.',
  ),
  'variables.depth': count(
    16,
    'BAD_USER_INPUT',
    'Nested lists and objects in a variable, its default value, or a literal in the document.',
  ),
  'variables.items': count(
    250,
    'BAD_USER_INPUT',
    'Items of a list in a variable, its default value, or a literal in the document.',
  ),
  'variables.string': bytes(
    4 * 1024,
    'BAD_USER_INPUT',
    'Bytes of a string in a variable, its default value, or a literal in the document. The argument `tx` may be as long as the body in a variable, and as `graphql.bytes` in the document.',
  ),

  // The pages of lists, on every interface.
  'page.size.default': count(
    pageDefault,
    null,
    'Items of a page if `first`, or `pagination.pageSize` under `/v1`, is absent.',
    { fixed: 'part of the schema' },
  ),
  'page.size.max': count(
    defaultBounds.pageMax,
    'BAD_USER_INPUT',
    'Items of a page: the largest `first` and `pagination.pageSize`.',
    { least: pageDefault },
  ),
  'page.offset': count(
    defaultBounds.offsetMax,
    'BAD_USER_INPUT',
    'The largest `offset`. The chain reads every item that an offset skips.',
  ),
  'page.cursor': bytes(cursorMax, 'BAD_CURSOR', 'Characters of a cursor.', {
    fixed: 'cursors of this server are never longer',
  }),
  'rest.page.default': count(
    100,
    null,
    "Items of a page over REST if `pagination.limit` is absent or 0. At most `rest.page.max`. Under `/rest` the chain's own default applies, 100.",
    { atMost: 'rest.page.max' },
  ),
  'rest.page.max': count(
    200,
    'BAD_USER_INPUT',
    'Items of a page over REST, except under `/rest`: the largest `pagination.limit`.',
  ),
  'rest.page.node': count(
    1000,
    null,
    'Items of a page under `/rest`. A larger `pagination.limit` gets this many, and a `next_key` that continues behind them. Items beyond `rest.page.max` are charged by their number in the response.',
  ),
  'rest.page.key': bytes(pageKeyMax, 'BAD_USER_INPUT', 'Bytes of `pagination.key`.', {
    fixed: 'page keys of a chain are never longer',
  }),
  'scan.max': count(scanMax, 'OPERATION_TOO_COMPLEX', 'Items of a list that a derived field reads whole.', {
    fixed: 'derived fields are built for it',
  }),

  // The requests of one caller over time, and the time of one request.
  'rate.points': perMinute(
    500_000,
    'RATE_LIMITED',
    'Points of one caller: the cost of its operations, of their bytes (`rate.bytes`) and of their computing time (`rate.computing`). A short request that is answered from memory costs 1. An event of a subscription costs what its operation costs, or 1 from memory, and so does a block without events. All subscribers to an event share its cost evenly. If a caller has too few points left, its stream ends with the height to resume from.',
    { least: 0 },
  ),
  'rate.burst': count(100_000, 'RATE_LIMITED', 'Points that a caller has at once after a quiet time.'),
  'rate.bytes': bytes(
    1_024,
    null,
    'Bytes of a request body or a WebSocket message for each point. A started part costs a whole point.',
    { least: 0, zero: 'one point for any length' },
  ),
  'rate.computing': count(
    20,
    null,
    'Points for each millisecond that the server parses, validates and executes for a caller. They are charged afterwards and count against later requests.',
    { least: 0, zero: 'no charge' },
  ),
  'rate.bodies': count(
    8,
    null,
    'Bodies of one caller that are longer than 64 KiB, or of unknown length, and are read at once. Further bodies wait.',
    { least: 0 },
  ),
  'rate.broadcasts': perMinute(
    60,
    'RATE_LIMITED',
    'Broadcasts of one caller, `submitTx` included. The burst is the same number.',
    { least: 0 },
  ),
  'rate.concurrent': count(100, 'RATE_LIMITED', 'Concurrent requests of one caller, streams excluded.', { least: 0 }),
  'rate.counts': count(
    2,
    null,
    'Concurrent operations of one caller that make the chain count a list: with `totalCount` in GraphQL, or `pagination.countTotal` over REST. On the documented paths, also lists of the group module with `pagination.reverse` and without `pagination.key`. Under `/rest`, also if `pagination.limit` is absent or 0. Further operations wait.',
    { least: 0 },
  ),
  'rate.failedAuthentications': perMinute(
    20,
    null,
    'Failed authentications from one address, and wrong secrets for one client at `/oauth/token`. The burst is the same number. Over it, failing requests get status 429. Valid tokens and secrets, and expired tokens, are not affected.',
    { least: 0 },
  ),
  'rate.callers': count(
    20_000,
    null,
    'Callers with limits of their own, and addresses and clients with counted failures. A caller is forgotten when it has no work in progress and all of its points again. While all entries are in use, new callers share the limits of one caller.',
  ),
  'rate.public': perMinute(
    600,
    'RATE_LIMITED',
    'Requests from one address to endpoints that need no token: pages, API descriptions, the collection, tokens and `/.well-known`. The burst is the same number. Probes are not counted.',
    { least: 0 },
  ),
  'client.points': perMinute(
    0,
    'RATE_LIMITED',
    'Points of one client in total, for all subjects of its tokens (the claim `client_id` or `azp`), besides `rate.points` for each subject. The burst is the same number.',
    { least: 0 },
  ),
  'client.broadcasts': perMinute(
    0,
    'RATE_LIMITED',
    'Broadcasts of one client in total, for all subjects of its tokens, besides `rate.broadcasts` for each subject. The burst is the same number.',
    { least: 0 },
  ),
  'client.streams': count(
    0,
    'RATE_LIMITED',
    'Subscriptions and live queries of one client in total, for all subjects of its tokens.',
    { least: 0 },
  ),
  'publicClient.points': perMinute(
    200_000,
    'RATE_LIMITED',
    'Points of one public client from one address, in place of `rate.points`. The burst is `rate.burst`. The other limits of a caller apply to one address, too.',
    { least: 0 },
  ),
  'publicClient.totalPoints': perMinute(
    600_000,
    'RATE_LIMITED',
    'Points of one public client from all addresses. The burst is the same number.',
    { least: 0 },
  ),
  'publicClient.totalStreams': count(
    2_000,
    'RATE_LIMITED',
    'Subscriptions and live queries of one public client from all addresses.',
    { least: 0 },
  ),
  'publicClient.tokens': perMinute(
    60,
    null,
    'Tokens that one public client gets from one address. The burst is the same number. Over it, `/oauth/token` responds with status 429.',
    { least: 0 },
  ),
  'publicClient.totalTokens': perMinute(
    3_000,
    null,
    'Tokens that one public client gets from all addresses. The burst is the same number.',
    { least: 0 },
  ),
  'request.deadline': milliseconds(
    15_000,
    'NODE_TIMEOUT',
    'Time of an operation. Reads that have not finished by then fail. Streams have no deadline.',
  ),
  'request.freshness': milliseconds(
    5_000,
    'HEIGHT_NOT_YET_AVAILABLE',
    'How long a request waits for the block that `x-min-height` names, and a subscription for the block that `after` names.',
  ),
  'request.events': bytes(maxEventQueryBytes, 'BAD_USER_INPUT', 'Bytes of an event query.', {
    fixed: 'nodes accept no longer query',
  }),
  'broadcast.size': bytes(maxTxBytes, 'BAD_USER_INPUT', 'Bytes of a transaction.', {
    fixed: 'nodes accept no larger transaction',
  }),
  'broadcast.wait': milliseconds(10_000, 'COMMIT_TIMEOUT', 'How long `broadcastTxCommit` waits for a block.'),

  // Calls to nodes, and the health of nodes.
  'upstream.attempt': milliseconds(
    5_000,
    'NODE_TIMEOUT',
    'Time of one call to one node. After that, another node may be called.',
  ),
  'upstream.connect': milliseconds(2_000, 'NODE_UNREACHABLE', 'Time to connect to a node.'),
  'upstream.answer': bytes(32 * 1024 * 1024, 'NODE_INVALID_RESPONSE', 'Bytes of a response of a node.'),
  'upstream.batch': count(10, null, 'Calls in one batch to a node. By default, a node accepts 10.'),
  'upstream.ejection': milliseconds(
    30_000,
    null,
    'How long a node is ejected after `upstream.failures` failures in a row. Each ejection is longer than the one before.',
  ),
  'upstream.failures': count(
    defaultNodeBounds.failures,
    null,
    'Failures in a row that eject a node. The last node is never ejected.',
  ),
  'upstream.lagBlocks': count(
    defaultNodeBounds.lagBlocks,
    null,
    'Blocks that a node may be behind the best node and still be used while another node is available.',
  ),
  'upstream.lagTime': milliseconds(
    defaultNodeBounds.lagTime,
    null,
    'Block time that a node may be behind the best node and still be used while another node is available.',
  ),
  'upstream.downBlocks': count(
    defaultNodeBounds.downBlocks,
    null,
    'Blocks behind the best node at which a node counts as down.',
  ),
  'upstream.retries': count(2, null, 'Further nodes that a failed read is retried on. Broadcasts are never retried this way.', {
    least: 0,
    zero: 'none',
  }),
  'upstream.retryWait': milliseconds(
    50,
    null,
    'The longest wait before the first retry. It doubles with each retry, with full jitter.',
  ),
  'upstream.retryBudget': count(10, null, 'Retries for each hundred reads. The first ten retries are free.', {
    least: 0,
    zero: 'none',
  }),
  'simulation.bytes': bytes(
    64 * 1024,
    'SIMULATION_DISABLED',
    'Bytes of a transaction that is simulated on a node that also serves reads.',
  ),
  'simulation.messages': count(
    100,
    'SIMULATION_DISABLED',
    'Messages of such a transaction, with those inside of other messages and of proposals that it executes.',
  ),
  'simulation.deadline': milliseconds(
    2_000,
    'NODE_TIMEOUT',
    'Time of a simulation on a node, and of the wait for the one before it. A node simulates one transaction at a time.',
  ),
  'simulation.share': count(25, null, 'Percent of the time of a node that serves reads, for simulations. Further ones wait.', {
    most: 100,
  }),
  'simulation.pause': milliseconds(
    60_000,
    'NODE_UNREACHABLE',
    'How long a node is left alone after a simulation that did not end in `simulation.deadline`, because the simulation still runs there.',
  ),

  // HTTP connections and WebSockets.
  'http.connections': count(12_000, null, 'Connections of the process. Further connections are closed at once.'),
  'http.connectionsPerAddress': count(
    3_000,
    'RATE_LIMITED',
    'Connections from one IPv4 address or IPv6 /64 network, WebSockets included. Further connections are closed at once. Connections of a trusted proxy are not counted: requests in progress and WebSockets through it count towards their client, and further ones get status 429. A load balancer that is not a trusted proxy counts as one address.',
    { least: 0 },
  ),
  'http.pipelined': bytes(
    32 * 1024 * 1024,
    null,
    'Memory for requests that wait for an earlier request on their connection, on all connections together. Each takes 4 KiB plus its path and headers. The bytes that the connection received with and after them, up to about 128 KiB, count too. Over it, the connection of the next such request is closed.',
  ),
  'http.headersTime': milliseconds(
    10_000,
    null,
    'Time to receive the headers of a request, from the start of the connection. Over it, status 408.',
  ),
  'http.requestTime': milliseconds(20_000, null, 'Time to receive a request with its body. Over it, status 408.'),
  'http.keepAlive': milliseconds(
    65_000,
    null,
    'How long an idle connection, or a connection whose client does not read its response, is kept. At least twice `request.freshness` and `request.deadline`.',
  ),
  'http.body': bytes(
    1_500_000,
    null,
    'Bytes of a request body at `/graphql`, `/` and `/comet`, and of a transaction over REST. A transaction of 1 MiB in base64 fits. Over it, status 413, before the body is parsed.',
  ),
  'http.otherBody': bytes(64 * 1024, null, 'Bytes of a request body at any other path. Over it, status 413.'),
  'json.depth': count(
    64,
    'BAD_USER_INPUT',
    'Nested arrays and objects in JSON from a client: in a body, a message or a query parameter. Checked before the JSON is parsed. Over it, status 400, JSON-RPC error -32700, or WebSocket close code 4400.',
  ),
  'json.values': count(
    25_000,
    'BAD_USER_INPUT',
    'Values in JSON from a client, each array and object included. Checked before the JSON is parsed.',
  ),
  'json.number': bytes(
    128,
    'BAD_USER_INPUT',
    'Characters of a number in JSON from a client. Checked before the JSON is parsed. Send longer numbers as strings.',
  ),
  'http.headers': bytes(16 * 1024, null, 'Bytes of the headers of a request. Over it, status 431.'),
  'http.uri': bytes(
    8 * 1024,
    null,
    'Bytes of the path and query of a request. Over it, status 414. Send longer documents by POST.',
  ),
  'rpc.batch': count(10, null, 'Calls in one JSON-RPC batch, as on a node. Over it, error -32600.'),
  'socket.message': bytes(64 * 1024, null, 'Bytes of a message on a GraphQL WebSocket. Over it, close code 1009.'),
  'socket.id': bytes(128, null, 'Bytes of the id of an operation on a GraphQL WebSocket. Over it, close code 4400.'),
  'socket.messages': perMinute(100, null, 'Messages on a GraphQL WebSocket, after the burst. Over it, close code 4429.', {
    least: 0,
  }),
  'socket.burst': count(300, null, 'Messages on a GraphQL WebSocket at once after a quiet time.'),
  'socket.subscriptions': count(100, 'RATE_LIMITED', 'Subscriptions on one GraphQL WebSocket.'),
  'rpc.message': bytes(
    1_500_000,
    null,
    'Bytes of a message on a node RPC WebSocket. A transaction of 1 MiB in base64 fits. Over it, close code 1009.',
  ),
  'rpc.messages': perMinute(
    6_000,
    null,
    'Messages (calls) on a node RPC WebSocket, after the burst. Over it, close code 1008.',
    { least: 0 },
  ),
  'rpc.burst': count(1_000, null, 'Messages on a node RPC WebSocket at once after a quiet time.'),
  'rpc.idle': milliseconds(
    3_600_000,
    null,
    'How long a node RPC WebSocket without calls and subscriptions is kept while it answers pings. It is closed with 1000 at the next ping. A node keeps such a socket without limit.',
  ),
  'rpc.subscriptions': count(5, null, 'Subscriptions on one node RPC WebSocket. Over it, the same error as from a node.'),
  'socket.connections': count(1_000, null, 'WebSockets of one caller. Over it, close code 4429, or 1008 on the node RPC.', {
    least: 0,
  }),
  'socket.init': milliseconds(3_000, null, 'Time to send `connection_init`. Over it, close code 4408.'),
  'socket.idle': milliseconds(
    60_000,
    null,
    'How long a GraphQL WebSocket without operations is kept. It is closed with 1000 at the next ping.',
  ),
  'socket.ping': milliseconds(
    12_000,
    null,
    'Time between pings. A WebSocket that has not answered by the next ping is closed.',
  ),

  // Subscriptions, and times of a shutdown.
  'subscriptions.caller': count(5_000, 'RATE_LIMITED', 'Subscriptions and live queries of one caller, on all connections.', {
    least: 0,
  }),
  'subscriptions.process': count(10_000, 'RATE_LIMITED', 'Subscriptions and live queries of the process.', { least: 0 }),
  'subscriptions.distinct': count(
    500,
    'RATE_LIMITED',
    'Distinct subscriptions and live queries of one caller. Subscriptions are distinct if they differ in document, variables (without `after`), operation or scopes. The distinct event queries of its node RPC WebSockets count too. A subscription that several callers share counts for each of them.',
    { least: 0 },
  ),
  'subscriptions.points': count(
    40_000,
    'RATE_LIMITED',
    'Points of one event of each distinct subscription, and of the last execution of each distinct live query, of one caller, added up. A live query has a point for each object of its result and 50 for each list that it counts, so one that is too heavy ends at its first result. An event query of the node RPC has 1. The default is what `rate.points` covers at one block every 5 seconds: 12 times 40,000 a minute. A dashboard with 100 proposal cards (86 points each) and a board (2,000 points) has 10,600.',
    { least: 0 },
  ),
  'subscriptions.bytes': bytes(
    32 * 1024 * 1024,
    'SLOW_CONSUMER',
    'Bytes that wait for one caller because it reads slowly: events in queues, and unsent bytes of its WebSockets and event streams. An event that waits in several of its streams counts once; a copy that was made for one socket counts by itself. Over it, the stream with the longest queue ends with the height to resume from. If no event is queued, the connection with the most unsent bytes is closed. A single event is always accepted.',
    { least: 0 },
  ),
  'subscriptions.processBytes': bytes(
    256 * 1024 * 1024,
    'SLOW_CONSUMER',
    'The same for all callers together. Over it, streams of the caller with the most bytes end, in the same order.',
    { least: 0 },
  ),
  'subscription.events': count(
    128,
    'SLOW_CONSUMER',
    'Events that wait for one slow subscriber. Over it, the stream ends with the height to resume from.',
  ),
  'subscription.bytes': bytes(
    8 * 1024 * 1024,
    'SLOW_CONSUMER',
    'Bytes of the events that wait for one slow subscriber. Over it, the stream ends with the height to resume from.',
  ),
  'subscription.wait': milliseconds(
    24_000,
    'SLOW_CONSUMER',
    'How long a subscriber that receives past blocks may read nothing. Over it, the stream ends with the height to resume from.',
  ),
  'shutdown.delay': milliseconds(
    5_000,
    null,
    'How long the server keeps serving after a stop signal while `/readyz` fails, so that a load balancer notices.',
    { fixed: 'set by `--drain-delay`' },
  ),
  'shutdown.drain': milliseconds(
    25_000,
    'SERVER_SHUTDOWN',
    'Time from the stop signal for requests in progress to finish. Requests that are left are aborted.',
  ),
  'shutdown.exit': milliseconds(30_000, null, 'Time from the stop signal until the process exits, whatever is still open.'),

  // The memory budget of the caches.
  'cache.bytes': bytes(
    defaultBudget(),
    null,
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
    null,
    'Bytes of one response in the shared store. Each process reads larger responses from a node itself.',
  ),
  'shared.wait': milliseconds(
    20,
    null,
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
