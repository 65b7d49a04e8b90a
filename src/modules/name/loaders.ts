import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { createListLoader, type ListKey, type Read } from '../../reads/page.ts';
import * as query from './query.ts';

/** Loaders of the name module for one pin. */
export interface NameLoaders {
  readonly binding: Loader<string, query.Binding | null>;
  readonly namesOf: Loader<ListKey<string>, Read<{ readonly name: string }>>;
}

/** Creates the loaders of one pin. */
export function createNameLoaders({ state }: Source): NameLoaders {
  return {
    binding: createLoader((name: string) => query.resolve(state, name)),
    namesOf: createListLoader((of: string, page) => query.reverseLookup(state, of, page)),
  };
}
