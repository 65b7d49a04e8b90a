import { Query } from '../../proto/provenance/name/v1/query_pb.js';
import { type Read, type ReadRequest, readOf, toPagination } from '../../reads/page.ts';
import { stateRead, stateReadOrNull } from '../../reads/query.ts';

/** The address that a name is bound to. `restricted`: only the owner of the name can bind names under it. */
export interface Binding {
  readonly address: string;
  readonly restricted: boolean;
}

/** Reads the address that a name is bound to; null if the name is not bound. */
export const resolve = stateReadOrNull({
  method: Query.method.resolve,
  request: (name: string) => ({ name }),
  value: ({ address, restricted }): Binding | null => ({ address, restricted }),
  absences: ['no address bound to name'],
});

/** Reads the names that are bound to an address. */
export const reverseLookup = stateRead({
  method: Query.method.reverseLookup,
  request: (address: string, page: ReadRequest) => ({ address, pagination: toPagination(page) }),
  value: (answer, _address, page): Read<{ readonly name: string }> =>
    readOf(
      answer.name.map((name) => ({ name })),
      answer.pagination,
      page,
    ),
});
