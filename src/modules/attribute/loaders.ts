import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import { createListLoader, type ListKey, type Read } from '../../reads/page.ts';
import type { Attribute } from './model.ts';
import * as query from './query.ts';

/**
 * Loaders of the attribute module for one pin. The keys of `named` and `scanned` are an address, a space, and a name or suffix.
 */
export interface AttributeLoaders {
  readonly attributes: Loader<ListKey<string>, Read<Attribute>>;
  readonly named: Loader<ListKey<string>, Read<Attribute>>;
  readonly scanned: Loader<ListKey<string>, Read<Attribute>>;
  readonly accounts: Loader<ListKey<string>, Read<{ readonly address: string }>>;
  readonly accountData: Loader<string, string>;
}

/** Splits `address name` at the first space; an address contains none. */
function parts(of: string): [string, string] {
  const space = of.indexOf(' ');
  return [of.slice(0, space), of.slice(space + 1)];
}

/** Creates the loaders of one pin. */
export function createAttributeLoaders({ state }: Source): AttributeLoaders {
  return {
    attributes: createListLoader((of: string, page) => query.attributes(state, of, page)),
    named: createListLoader((of: string, page) => query.attribute(state, ...parts(of), page)),
    scanned: createListLoader((of: string, page) => query.scan(state, ...parts(of), page)),
    accounts: createListLoader((of: string, page) => query.attributeAccounts(state, of, page)),
    accountData: createLoader((address: string) => query.accountData(state, address)),
  };
}
