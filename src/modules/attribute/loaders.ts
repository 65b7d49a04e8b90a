import { createListLoader, type ListKey } from '../../reads/chainList.ts';
import { createLoader, type Loader, type Source } from '../../reads/loader.ts';
import type { Read } from '../../reads/page.ts';
import type { Attribute } from './model.ts';
import * as query from './query.ts';

/** The loaders of the attribute module, for one pin. A list of one account is named by its address, a space, and name or suffix. */
export interface AttributeLoaders {
  readonly attributes: Loader<ListKey<string>, Read<Attribute>>;
  readonly named: Loader<ListKey<string>, Read<Attribute>>;
  readonly scanned: Loader<ListKey<string>, Read<Attribute>>;
  readonly accounts: Loader<ListKey<string>, Read<{ readonly address: string }>>;
  readonly accountData: Loader<string, string>;
}

/** Splits `address name` at its first space: addresses have none. */
function parts(of: string): [string, string] {
  const space = of.indexOf(' ');
  return [of.slice(0, space), of.slice(space + 1)];
}

/** Makes the loaders of one pin. */
export function createAttributeLoaders({ state }: Source): AttributeLoaders {
  return {
    attributes: createListLoader((of: string, page) => query.attributes(state, of, page)),
    named: createListLoader((of: string, page) => query.attribute(state, ...parts(of), page)),
    scanned: createListLoader((of: string, page) => query.scan(state, ...parts(of), page)),
    accounts: createListLoader((of: string, page) => query.attributeAccounts(state, of, page)),
    accountData: createLoader((address: string) => query.accountData(state, address)),
  };
}
