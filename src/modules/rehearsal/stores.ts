import type { Any } from '@bufbuild/protobuf/wkt';
import type { StateRoots } from '../../chain/roots/stateRoots.ts';
import { typeNameOf } from '../../chain/wire/protoJson.ts';

/** The stores that every rehearsal reads: votes, accounts, and what decides whether coins may move. */
const always = ['acc', 'attribute', 'bank', 'group', 'hold', 'marker', 'name', 'quarantine', 'sanction'] as const;

/** The further stores of the messages of a package. Messages of other packages may touch any store. */
const byPackage: Readonly<Record<string, readonly string[]>> = {
  'cosmos.bank.v1beta1': [],
  'cosmos.feegrant.v1beta1': ['feegrant'],
  'provenance.attribute.v1': [],
  'provenance.hold.v1': [],
  'provenance.marker.v1': ['authz', 'feegrant'],
  'provenance.metadata.v1': ['authz', 'metadata'],
  'provenance.name.v1': [],
};

/** Further types whose messages touch no other stores than those of every rehearsal. Those that execute messages are not among them. */
const plainGroupTypes =
  /^cosmos\.group\.v1\.Msg(CreateGroup|CreateGroupPolicy|CreateGroupWithPolicy|LeaveGroup|Update\w+|WithdrawProposal)$/;
const grants = /^cosmos\.authz\.v1beta1\.Msg(Grant|Revoke)$/;

function storesOf(type: string): readonly string[] | undefined {
  if (plainGroupTypes.test(type)) return [];
  if (grants.test(type)) return ['authz'];
  return byPackage[type.slice(0, type.lastIndexOf('.'))];
}

/** The stores that the rehearsal of these messages depends on, in alphabetical order; undefined if any may be among them, or the chain has another application. */
export function touchedStores(roots: Pick<StateRoots, 'methods'>, messages: readonly Any[]): readonly string[] | undefined {
  const present = roots.methods().byStore;
  const touched = new Set<string>(always);
  for (const { typeUrl } of messages) {
    const stores = storesOf(typeNameOf(typeUrl));
    if (stores === undefined) return undefined;
    for (const store of stores) touched.add(store);
  }
  const list = [...touched].filter((store) => present.has(store)).sort();
  return list.length === 0 ? undefined : list;
}
