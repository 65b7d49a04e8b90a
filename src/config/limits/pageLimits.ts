import { cursorMax, defaultBounds, pageDefault, pageKeyMax, scanMax } from '../bounds.ts';
import type { LimitEntry } from './limitEntry.ts';

/** What pages of lists may be, on every surface. */
export const pageLimits = {
  'page.size.default': {
    value: pageDefault,
    unit: 'COUNT',
    code: null,
    description: 'Items of a page when `first`, or `pagination.pageSize` of an aggregate, is absent.',
    fixed: 'it is part of the schema',
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
    description: 'Largest `offset`: the chain walks over what an offset skips.',
  },
  'page.cursor': {
    value: cursorMax,
    unit: 'BYTES',
    code: 'BAD_CURSOR',
    description: 'Length of a cursor.',
    fixed: 'no cursor of this server is longer',
  },
  'rest.page.default': {
    value: 100,
    unit: 'COUNT',
    code: null,
    description:
      'Items of a page over REST when `pagination.limit` is absent or 0. Not above `rest.page.max`. Behind `/rest` the chain gives its own number, 100.',
    atMost: 'rest.page.max',
  },
  'rest.page.max': {
    value: 200,
    unit: 'COUNT',
    code: 'BAD_USER_INPUT',
    description: 'Items of a page over REST: the largest `pagination.limit`.',
  },
  'rest.page.key': {
    value: pageKeyMax,
    unit: 'BYTES',
    code: 'BAD_USER_INPUT',
    description: 'Bytes of `pagination.key`.',
    fixed: 'no page key of a chain is longer',
  },
  'scan.max': {
    value: scanMax,
    unit: 'COUNT',
    code: 'OPERATION_TOO_COMPLEX',
    description: 'Items of one whole list that a derived field walks over.',
    fixed: 'derived fields are made for it',
  },
} as const satisfies Record<string, LimitEntry>;
