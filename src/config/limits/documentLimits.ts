import type { LimitEntry } from './limitEntry.ts';

/** What a document of GraphQL and its variables may be. */
export const documentLimits = {
  'graphql.bytes': {
    value: 64 * 1024,
    unit: 'BYTES',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Bytes of a document, with comments. Checked before it is read; long values belong in variables.',
  },
  'graphql.tokens': {
    value: 2_000,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Tokens of a document, comments too. Counted before it is parsed.',
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
      'Points of an operation: an object 1, a list its page size times one item (5 items where it takes no `first`), a mutation 10 more and a broadcast 20, a scan 5 times as much, a `totalCount` 50, ten fields under `__schema` and `__type` 1. Told in `extensions.cost` when the request asks for it.',
  },
  'variables.depth': {
    value: 16,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Lists and objects within one another in a variable, in its default, or in a value in the document.',
  },
  'variables.items': {
    value: 250,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Items of a list in a variable, in its default, or in a value in the document.',
  },
  'variables.string': {
    value: 4 * 1024,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description:
      'A string in a variable, in its default, or in a value in the document. One that is the argument `tx` may be as long as the body, or as `graphql.bytes` in the document.',
  },
} as const satisfies Record<string, LimitEntry>;
