import {
  cursorMax,
  defaultBounds,
  type LimitEntry,
  maxEventQueryBytes,
  maxTxBytes,
  pageDefault,
  pageKeyMax,
  scanMax,
} from '../bounds.ts';

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

/** Limits of GraphQL documents and their variables. */
export const documentLimits = {
  'graphql.bytes': {
    value: 64 * 1024,
    unit: 'BYTES',
    code: 'OPERATION_TOO_COMPLEX',
    description:
      'Bytes of a GraphQL document, comments included. Checked before the document is parsed. Put long values into variables.',
  },
  'graphql.tokens': {
    value: 2_000,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Tokens of a document, comments included. Counted before the document is parsed.',
  },
  'graphql.nesting': {
    value: 100,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Nested brackets of any kind in a document. Counted with the tokens.',
  },
  'graphql.depth': {
    value: 20,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Nested fields, fragments expanded. Fields under `__schema` and `__type` are not counted.',
  },
  'graphql.aliases': {
    value: 30,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Aliases in a document.',
  },
  'graphql.directives': {
    value: 50,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Directives in a document.',
  },
  'graphql.rootFields': {
    value: 20,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Fields at the root of an operation, fragments expanded.',
  },
  'graphql.representations': {
    value: 250,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Representations in one `_entities` field.',
  },
  'graphql.validationErrors': {
    value: 5,
    unit: 'COUNT',
    code: 'GRAPHQL_VALIDATION_FAILED',
    description: 'Validation errors that a response lists. Validation stops after the last one.',
  },
  'graphql.cost': {
    value: 25_000,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description:
      'Points of an operation. An object costs 1, a list its page size times the cost of one item (5 items if it has no `first`), a mutation 10 more, a broadcast 20 more, a field that scans a list 5 times as much, a tally or outcome of a record and its `electorate` with `voted` 10 more, its `timeline` and `tallyHistory` 100 more, `participation` 10 more for each proposal, a `totalCount` 50 (in the items of a list 5, and 45 more for each list that is counted), and ten fields under `__schema` and `__type` 1. `extensions.cost` shows the cost if the request asks for it.',
  },
  'variables.depth': {
    value: 16,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Nested lists and objects in a variable, its default value, or a literal in the document.',
  },
  'variables.items': {
    value: 250,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Items of a list in a variable, its default value, or a literal in the document.',
  },
  'variables.string': {
    value: 4 * 1024,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description:
      'Bytes of a string in a variable, its default value, or a literal in the document. The argument `tx` may be as long as the body in a variable, and as `graphql.bytes` in the document.',
  },
} as const satisfies Record<string, LimitEntry>;

/** Limits of the pages of lists, on every interface. */
export const pageLimits = {
  'page.size.default': {
    value: pageDefault,
    unit: 'COUNT',
    code: null,
    description: 'Items of a page if `first`, or `pagination.pageSize` under `/v1`, is absent.',
    fixed: 'part of the schema',
  },
  'page.size.max': {
    value: defaultBounds.pageMax,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Items of a page: the largest `first` and `pagination.pageSize`.',
    least: pageDefault,
  },
  'page.offset': {
    value: defaultBounds.offsetMax,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'The largest `offset`. The chain reads every item that an offset skips.',
  },
  'page.cursor': {
    value: cursorMax,
    unit: 'BYTES',
    code: 'BAD_CURSOR',
    description: 'Characters of a cursor.',
    fixed: 'cursors of this server are never longer',
  },
  'rest.page.default': {
    value: 100,
    unit: 'COUNT',
    code: null,
    description:
      "Items of a page over REST if `pagination.limit` is absent or 0. At most `rest.page.max`. Under `/rest` the chain's own default applies, 100.",
    atMost: 'rest.page.max',
  },
  'rest.page.max': {
    value: 200,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Items of a page over REST, except under `/rest`: the largest `pagination.limit`.',
  },
  'rest.page.node': {
    value: 1000,
    unit: 'COUNT',
    code: null,
    description:
      'Items of a page under `/rest`. A larger `pagination.limit` gets this many, and a `next_key` that continues behind them. Items beyond `rest.page.max` are charged by their number in the response.',
  },
  'rest.page.key': {
    value: pageKeyMax,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description: 'Bytes of `pagination.key`.',
    fixed: 'page keys of a chain are never longer',
  },
  'scan.max': {
    value: scanMax,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Items of a list that a derived field reads whole.',
    fixed: 'derived fields are built for it',
  },
} as const satisfies Record<string, LimitEntry>;
