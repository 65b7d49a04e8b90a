import { cursorMax, pageDefault, scanMax, usualBounds } from '../modules/bounds.ts';
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
  'scan.max': {
    value: scanMax,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Items of one whole list that a derived field walks over.',
    fixed: 'derived fields are made for it',
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
  'http.body': {
    value: 1_500_000,
    unit: 'BYTES',
    code: null,
    description: 'Body of a request: a transaction of 1 MiB in base64 fits. Over it, status 413, before anything is parsed.',
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
  'socket.message': {
    value: 64 * 1024,
    unit: 'BYTES',
    code: null,
    description: 'Message of a WebSocket. Over it, the socket is closed with 1009.',
  },
  'socket.ping': {
    value: 12_000,
    unit: 'MILLISECONDS',
    code: null,
    description: 'Time between pings. A WebSocket that has not answered one by the next is cut off.',
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
} as const satisfies Record<string, LimitEntry>;
