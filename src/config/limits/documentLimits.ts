import type { LimitEntry } from './limitEntry.ts';

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
