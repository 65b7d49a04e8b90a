import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { createListLoader, type ListKey, type Read } from '../../reads/page.ts';
import type { Scope, ScopeSpecification } from './model.ts';
import * as query from './query.ts';

/**
 * Loaders of the metadata module for one pin, by address. A scope that the list `scopes` returned is not read again by `scope`.
 */
export interface MetadataLoaders {
  readonly scope: Loader<string, Scope | null>;
  readonly scopes: Loader<ListKey<''>, Read<Scope>>;
  readonly owned: Loader<ListKey<string>, Read<{ readonly uuid: string }>>;
  readonly valueOwned: Loader<ListKey<string>, Read<{ readonly uuid: string }>>;
  readonly specification: Loader<string, ScopeSpecification | null>;
}

/** Creates the loaders of one pin. */
export function createMetadataLoaders({ state }: Source): MetadataLoaders {
  const scope = createLoader((id: string) => query.scope(state, id));
  return {
    scope,
    scopes: createListLoader(
      (_: '', page) => query.scopesAll(state, page),
      (items) => scope.prime(items, ({ id }) => id),
    ),
    owned: createListLoader((of: string, page) => query.ownership(state, of, page)),
    valueOwned: createListLoader((of: string, page) => query.valueOwnership(state, of, page)),
    specification: createLoader((id: string) => query.scopeSpecification(state, id)),
  };
}
