import { nameKey } from '../../reads/input.ts';
import { chainList, type NamedList } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { createNameLoaders } from './loaders.ts';

/** The names that are bound to an address. Paged by offset, because no page key of this list was recorded. */
export function namesList({ loaders }: Pin, address: string): NamedList<{ readonly name: string }> {
  return {
    name: `names/${address}`,
    list: chainList(loaders(createNameLoaders).namesOf, address, ({ name }) => nameKey(name)),
  };
}
