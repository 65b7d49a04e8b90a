import { cursorMax, defaultBounds, pageDefault, pageKeyMax, scanMax } from '../bounds.ts';
import type { LimitEntry } from './limitEntry.ts';

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
