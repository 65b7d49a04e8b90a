import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { createListLoader, type ListKey, type Read } from '../../reads/page.ts';
import type { FeeGrant } from './model.ts';
import * as query from './query.ts';

/** The two accounts of a fee grant. */
interface Pair {
  readonly granter: string;
  readonly grantee: string;
}

/** Loaders of the feegrant module for one pin. */
export interface FeegrantLoaders {
  readonly grant: Loader<Pair, FeeGrant | null>;
  readonly received: Loader<ListKey<string>, Read<FeeGrant>>;
  readonly issued: Loader<ListKey<string>, Read<FeeGrant>>;
}

/** Creates the loaders of one pin. */
export function createFeegrantLoaders({ state }: Source): FeegrantLoaders {
  return {
    grant: createLoader(
      ({ granter, grantee }: Pair) => query.allowance(state, granter, grantee),
      ({ granter, grantee }) => `${granter}/${grantee}`,
    ),
    received: createListLoader((of: string, page) => query.allowances(state, of, page)),
    issued: createListLoader((of: string, page) => query.allowancesByGranter(state, of, page)),
  };
}
