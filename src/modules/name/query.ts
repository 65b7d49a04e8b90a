import { Query } from '../../proto/provenance/name/v1/query_pb.js';
import { nameKey } from '../../reads/input.ts';
import { chainList, listOnce, type NamedList, stateList } from '../../reads/page.ts';
import { lazyLoaders, type Pin } from '../../reads/pin.ts';
import { stateReadOrNull, valueOnce } from '../../reads/query.ts';

/** The address that a name is bound to. `restricted`: only the owner of the name can bind names under it. */
interface Binding {
  readonly address: string;
  readonly restricted: boolean;
}

/** The address that a name is bound to; null if the name is not bound. */
const readResolve = stateReadOrNull({
  method: Query.method.resolve,
  request: (name: string) => ({ name }),
  value: ({ address, restricted }): Binding | null => ({ address, restricted }),
  absences: ['no address bound to name'],
});

/** The names that are bound to an address. */
const readReverseLookup = stateList({
  method: Query.method.reverseLookup,
  request: (address: string, pagination) => ({ address, pagination }),
  part: ({ name, pagination }) => [name.map((each) => ({ name: each })), pagination],
});

export const createNameLoaders = lazyLoaders({
  binding: valueOnce(readResolve),
  namesOf: listOnce(readReverseLookup),
});

/** The names that are bound to an address. Paged by offset, because no page key of this list was recorded. */
export function namesList(pin: Pin, address: string): NamedList<{ readonly name: string }> {
  return chainList('names', pin.loaders(createNameLoaders).namesOf, address, ({ name }) => nameKey(name));
}
