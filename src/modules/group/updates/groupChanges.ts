import { decimal } from '../../../reads/decimal.ts';
import { RequestError } from '../../../reads/errors.ts';
import { type ChainList, readAll } from '../../../reads/page.ts';
import type { Pin } from '../../../reads/pin.ts';
import { groupMembers } from '../state/lists.ts';
import { createGroupLoaders } from '../state/loaders.ts';
import type { GroupEvents } from './blockEvents.ts';
import type { Watched } from './watched.ts';

/** Reads a whole list. Returns undefined if it has more than 5,000 items. `what` names the items. */
export async function readAllIfBounded<T>(list: ChainList<T>, what: string): Promise<readonly T[] | undefined> {
  try {
    return await readAll(list, what);
  } catch (error) {
    if (error instanceof RequestError && error.code === 'OPERATION_TOO_COMPLEX') return undefined;
    throw error;
  }
}

/** Reads the weights of a group by member address. Returns undefined for a group of more than 5,000 members. */
async function weights(pin: Pin, group: bigint): Promise<ReadonlyMap<string, string> | undefined> {
  const members = await readAllIfBounded(groupMembers(pin.loaders(createGroupLoaders), group), 'members');
  return members && new Map(members.map(({ address, weight }) => [address, weight]));
}

/**
 * Returns whether a block changed the members of a group or their weights. A change of admin or metadata does not affect a
 * tally. For a group of more than 5,000 members, every update counts as a change.
 */
async function membersChanged(before: Pin, pin: Pin, id: bigint): Promise<boolean> {
  const [was, is] = await Promise.all([
    before.loaders(createGroupLoaders).group.load(id),
    pin.loaders(createGroupLoaders).group.load(id),
  ]);
  if (was === null || is === null) return false;
  if (!decimal(was.totalWeight).eq(decimal(is.totalWeight))) return true;
  const [old, now] = await Promise.all([weights(before, id), weights(pin, id)]);
  if (old === undefined || now === undefined || old.size !== now.size) return true;
  return [...now].some(([address, weight]) => !decimal(old.get(address) ?? '0').eq(decimal(weight)));
}

/** Returns the groups of open proposals whose members or weights the block changed. */
export async function changedGroups(
  { open, policies }: Watched,
  { updatedGroups, leavers }: GroupEvents,
  before: Pin | null,
  pin: Pin,
): Promise<ReadonlySet<bigint>> {
  const changed = new Set<bigint>();
  if (before === null || (updatedGroups.size === 0 && leavers.size === 0)) return changed;
  const groups = new Set(Array.from(open.values(), ({ policy }) => policies.get(policy)));
  await Promise.all(
    [...updatedGroups, ...leavers.keys()].map(async (group) => {
      if (groups.has(group) && (await membersChanged(before, pin, group))) changed.add(group);
    }),
  );
  return changed;
}
