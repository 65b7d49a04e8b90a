import { chainList, type NamedList } from '../../reads/chainList.ts';
import { nameKey } from '../../reads/nameKey.ts';
import type { Pin } from '../../reads/pin.ts';
import { createNameLoaders } from './loaders.ts';

/** The names that are bound to an address. The form of the page keys of this list was never seen: it is searched by offset. */
export function namesList({ loaders }: Pin, address: string): NamedList<{ readonly name: string }> {
  return {
    name: `names/${address}`,
    list: chainList(loaders(createNameLoaders).namesOf, address, ({ name }) => nameKey(name)),
  };
}
