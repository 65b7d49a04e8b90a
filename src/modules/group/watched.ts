import type { Nanoseconds } from '../../chain/base/time.ts';
import { checkScan, readAll } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { isOpen, policyProposals } from './derived.ts';
import type { GroupEvents } from './events.ts';
import { groups as allGroups, createGroupLoaders, groupPoliciesByGroup, groupsByMember } from './loaders.ts';
import type { Proposal } from './model.ts';
import { memberOf } from './voters.ts';

/**
 * The proposals that a stream covers: one, those of a policy, of a group, of all groups of a member, or all proposals of the
 * chain.
 */
export type Target =
  | { readonly of: 'id'; readonly id: bigint }
  | { readonly of: 'policy'; readonly address: string }
  | { readonly of: 'group'; readonly id: bigint }
  | { readonly of: 'member'; readonly address: string }
  | { readonly of: 'chain' };

/** The fields of an open proposal that determine which blocks can change it. */
interface OpenProposal {
  readonly policy: string;
  readonly votingPeriodEnd: Nanoseconds;
}

/**
 * The objects that a stream watches at a height. They equal those that `readWatched` reads there. Proposals that are not open
 * are left out, because they change only by events that name them. At most 5,000 groups, policies and open proposals each.
 */
export interface Watched {
  /** Groups of the target; empty for the targets `id` and `policy`. */
  readonly groups: ReadonlySet<bigint>;
  /** Group id of each watched policy, by the policy's address. */
  readonly policies: ReadonlyMap<string, bigint>;
  /** Proposals that are open for voting, by id. */
  readonly open: ReadonlyMap<bigint, OpenProposal>;
}

/** Watches no object. */
export const emptyWatched: Watched = { groups: new Set(), policies: new Map(), open: new Map() };

function openProposalOf({ groupPolicyAddress, votingPeriodEnd }: Proposal): OpenProposal {
  return { policy: groupPolicyAddress, votingPeriodEnd };
}

/** Returns the entry of a policy: its address and group id. Empty if the policy does not exist. */
async function groupOfPolicy(pin: Pin, address: string): Promise<readonly (readonly [string, bigint])[]> {
  const policy = await pin.loaders(createGroupLoaders).groupPolicy.load(address);
  return policy === null ? [] : [[address, policy.groupId]];
}

async function readOpenProposals(pin: Pin, policies: Iterable<string>): Promise<ReadonlyMap<bigint, OpenProposal>> {
  const lists = await Promise.all(
    Array.from(policies, (address) => policyProposals(pin, address, ['PROPOSAL_STATUS_SUBMITTED'])),
  );
  const open = new Map(lists.flat().map((proposal) => [proposal.id, openProposalOf(proposal)]));
  checkScan(open.size, 'open proposals');
  return open;
}

async function readPolicies(pin: Pin, groups: Iterable<bigint>): Promise<ReadonlyMap<string, bigint>> {
  const lists = await Promise.all(
    Array.from(groups, (group) => readAll(groupPoliciesByGroup(pin.loaders(createGroupLoaders), group), 'group policies')),
  );
  const policies = new Map(lists.flat().map(({ address, groupId }) => [address, groupId]));
  checkScan(policies.size, 'group policies');
  return policies;
}

type GroupsTarget = Extract<Target, { readonly of: 'group' | 'member' | 'chain' }>;

async function readGroups(pin: Pin, target: GroupsTarget): Promise<readonly bigint[]> {
  const loaders = pin.loaders(createGroupLoaders);
  if (target.of === 'group') return (await loaders.group.load(target.id)) === null ? [] : [target.id];
  const list = target.of === 'chain' ? allGroups(loaders) : groupsByMember(loaders, target.address);
  return (await readAll(list, 'groups')).map(({ id }) => id);
}

/** Reads the objects to watch at the height of the pin. Throws OPERATION_TOO_COMPLEX for more than 5,000 of a kind. */
export async function readWatched(pin: Pin, target: Target): Promise<Watched> {
  switch (target.of) {
    case 'id': {
      const proposal = await pin.loaders(createGroupLoaders).proposal.load(target.id);
      if (proposal === null || !isOpen(proposal)) return emptyWatched;
      const policies = new Map(await groupOfPolicy(pin, proposal.groupPolicyAddress));
      return { ...emptyWatched, policies, open: new Map([[proposal.id, openProposalOf(proposal)]]) };
    }
    case 'policy': {
      const [policies, open] = await Promise.all([
        groupOfPolicy(pin, target.address),
        readOpenProposals(pin, [target.address]),
      ]);
      return { ...emptyWatched, policies: new Map(policies), open };
    }
    case 'group':
    case 'member':
    case 'chain': {
      const groups = new Set(await readGroups(pin, target));
      const policies = await readPolicies(pin, groups);
      return { groups, policies, open: await readOpenProposals(pin, policies.keys()) };
    }
  }
}

function possiblyChangedGroups({ groupCreated, groupUpdated, leavers }: GroupEvents, address: string): ReadonlySet<bigint> {
  const leaving = [...leavers].filter(([, addresses]) => addresses.has(address)).map(([group]) => group);
  return new Set([...groupCreated, ...groupUpdated, ...leaving]);
}

async function membershipChanges(
  target: GroupsTarget,
  { groups }: Watched,
  events: GroupEvents,
  pin: Pin,
): Promise<{ readonly joined: readonly bigint[]; readonly leftGroups: ReadonlySet<bigint> }> {
  if (target.of !== 'member') {
    const created = [...events.groupCreated].filter((id) => target.of === 'chain' || id === target.id);
    return { joined: created.filter((id) => !groups.has(id)), leftGroups: new Set() };
  }
  const candidates = [...possiblyChangedGroups(events, target.address)];
  const members = await Promise.all(candidates.map((group) => memberOf(pin, group, target.address)));
  return {
    joined: candidates.filter((group, index) => members[index] !== null && !groups.has(group)),
    leftGroups: new Set(candidates.filter((group, index) => members[index] === null && groups.has(group))),
  };
}

/**
 * Adds the groups and policies that a block adds to the target, with the proposals that were open before the block. A member
 * who joins a group therefore receives the changes of this block as well. `leftGroups` are the groups that the account is not a
 * member of after the block.
 */
export async function extendWatched(
  target: Target,
  watched: Watched,
  events: GroupEvents,
  before: Pin | null,
  pin: Pin,
): Promise<{ readonly extended: Watched; readonly leftGroups: ReadonlySet<bigint> }> {
  const none: ReadonlySet<bigint> = new Set();
  if (target.of === 'id') return { extended: watched, leftGroups: none };
  if (target.of === 'policy') {
    if (!events.policyCreated.has(target.address)) return { extended: watched, leftGroups: none };
    return { extended: { ...watched, policies: new Map(await groupOfPolicy(pin, target.address)) }, leftGroups: none };
  }
  const { joined, leftGroups } = await membershipChanges(target, watched, events, pin);
  const groups = new Set([...watched.groups, ...joined]);
  checkScan(groups.size, 'groups');
  const [joinedPolicies, created] = await Promise.all([
    readPolicies(pin, joined),
    Promise.all(Array.from(events.policyCreated, (address) => groupOfPolicy(pin, address))),
  ]);
  const open = before === null ? emptyWatched.open : await readOpenProposals(before, joinedPolicies.keys());
  const policies = new Map([
    ...watched.policies,
    ...joinedPolicies,
    ...created.flat().filter(([, group]) => groups.has(group)),
  ]);
  checkScan(policies.size, 'group policies');
  return { extended: { groups, policies, open: new Map([...watched.open, ...open]) }, leftGroups };
}

/**
 * Returns what the stream watches after a block: `extended`, updated with the state of the proposals that the block touched
 * (null if deleted), without `leftGroups`.
 */
export async function updateWatched(
  extended: Watched,
  touched: readonly { readonly id: bigint; readonly proposal: Proposal | null }[],
  leftGroups: ReadonlySet<bigint>,
  pin: Pin,
): Promise<Watched> {
  const open = new Map(extended.open);
  const policies = new Map(extended.policies);
  for (const { id, proposal } of touched) {
    if (proposal === null || !isOpen(proposal)) open.delete(id);
    else {
      open.set(id, openProposalOf(proposal));
      const isWatched = policies.has(proposal.groupPolicyAddress);
      if (!isWatched)
        for (const [address, group] of await groupOfPolicy(pin, proposal.groupPolicyAddress)) policies.set(address, group);
    }
  }
  if (leftGroups.size > 0) {
    for (const [address, group] of policies) if (leftGroups.has(group)) policies.delete(address);
    for (const [id, { policy }] of open) if (!policies.has(policy)) open.delete(id);
  }
  checkScan(open.size, 'open proposals');
  return { groups: new Set([...extended.groups].filter((group) => !leftGroups.has(group))), policies, open };
}
