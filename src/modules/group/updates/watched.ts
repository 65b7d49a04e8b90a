import { checkScan, readAll } from '../../../reads/page.ts';
import type { Pin } from '../../../reads/pin.ts';
import type { Nanoseconds } from '../../../reads/time.ts';
import { isOpen, memberOf, policyProposals } from '../derived.ts';
import { groups as allGroups, groupPoliciesByGroup, groupsByMember } from '../lists.ts';
import { createGroupLoaders } from '../loaders.ts';
import type { Proposal } from '../model.ts';
import type { GroupEvents } from './blockEvents.ts';

/** Which proposals a stream covers: one, those of a group policy, of a group, of all groups that an account is a member of, or all of the chain. */
export type Target =
  | { readonly of: 'id'; readonly id: bigint }
  | { readonly of: 'policy'; readonly address: string }
  | { readonly of: 'group'; readonly id: bigint }
  | { readonly of: 'member'; readonly address: string }
  | { readonly of: 'chain' };

/** What is kept of an open proposal: enough to know which blocks can change it. */
export interface OpenProposal {
  readonly policy: string;
  readonly votingPeriodEnd: Nanoseconds;
}

/**
 * What a stream knows of the state at a height: all of it could be read there. Closed proposals are not kept: nothing but an event that
 * names them changes them. At most 5,000 groups, policies and open proposals each.
 */
export interface Watched {
  /** Groups whose policies are of interest; empty for the targets `id` and `policy`. */
  readonly groups: ReadonlySet<bigint>;
  /** Group of each policy whose proposals are of interest. */
  readonly policies: ReadonlyMap<string, bigint>;
  /** Proposals on which votes are being taken. */
  readonly open: ReadonlyMap<bigint, OpenProposal>;
}

/** What is watched of a height of which nothing is known. */
export const nothingWatched: Watched = { groups: new Set(), policies: new Map(), open: new Map() };

function opened({ groupPolicyAddress, votingPeriodEnd }: Proposal): OpenProposal {
  return { policy: groupPolicyAddress, votingPeriodEnd };
}

/** The group of a policy under its address; empty when there is no such policy. */
async function groupOfPolicy(pin: Pin, address: string): Promise<readonly (readonly [string, bigint])[]> {
  const policy = await pin.loaders(createGroupLoaders).groupPolicy.load(address);
  return policy === null ? [] : [[address, policy.groupId]];
}

async function openOf(pin: Pin, policies: Iterable<string>): Promise<ReadonlyMap<bigint, OpenProposal>> {
  const lists = await Promise.all(
    Array.from(policies, (address) => policyProposals(pin, address, ['PROPOSAL_STATUS_SUBMITTED'])),
  );
  const open = new Map(lists.flat().map((proposal) => [proposal.id, opened(proposal)]));
  checkScan(open.size, 'open proposals');
  return open;
}

async function policiesOf(pin: Pin, groups: Iterable<bigint>): Promise<ReadonlyMap<string, bigint>> {
  const lists = await Promise.all(
    Array.from(groups, (group) => readAll(groupPoliciesByGroup(pin.loaders(createGroupLoaders), group), 'group policies')),
  );
  const policies = new Map(lists.flat().map(({ address, groupId }) => [address, groupId]));
  checkScan(policies.size, 'group policies');
  return policies;
}

/** A target that is made of groups. */
type GroupsTarget = Extract<Target, { readonly of: 'group' | 'member' | 'chain' }>;

async function groupsOf(pin: Pin, target: GroupsTarget): Promise<readonly bigint[]> {
  const loaders = pin.loaders(createGroupLoaders);
  if (target.of === 'group') return (await loaders.group.load(target.id)) === null ? [] : [target.id];
  const list = target.of === 'chain' ? allGroups(loaders) : groupsByMember(loaders, target.address);
  return (await readAll(list, 'groups')).map(({ id }) => id);
}

/** Reads what there is to watch at a height. More than the bounds is OPERATION_TOO_COMPLEX. */
export async function readWatched(pin: Pin, target: Target): Promise<Watched> {
  switch (target.of) {
    case 'id': {
      const proposal = await pin.loaders(createGroupLoaders).proposal.load(target.id);
      if (proposal === null || !isOpen(proposal)) return nothingWatched;
      const policies = new Map(await groupOfPolicy(pin, proposal.groupPolicyAddress));
      return { ...nothingWatched, policies, open: new Map([[proposal.id, opened(proposal)]]) };
    }
    case 'policy': {
      const [policies, open] = await Promise.all([groupOfPolicy(pin, target.address), openOf(pin, [target.address])]);
      return { ...nothingWatched, policies: new Map(policies), open };
    }
    case 'group':
    case 'member':
    case 'chain': {
      const groups = new Set(await groupsOf(pin, target));
      const policies = await policiesOf(pin, groups);
      return { groups, policies, open: await openOf(pin, policies.keys()) };
    }
  }
}

/** Groups whose members a block may have changed so that the account joined or left them. */
function concerning({ createdGroups, updatedGroups, left }: GroupEvents, address: string): ReadonlySet<bigint> {
  const leaving = [...left].filter(([, who]) => who.has(address)).map(([group]) => group);
  return new Set([...createdGroups, ...updatedGroups, ...leaving]);
}

/** The groups that a block adds to a target, and those that it takes out of it. */
async function moves(
  target: GroupsTarget,
  { groups }: Watched,
  events: GroupEvents,
  pin: Pin,
): Promise<{ readonly joined: readonly bigint[]; readonly gone: ReadonlySet<bigint> }> {
  if (target.of !== 'member') {
    const created = [...events.createdGroups].filter((id) => target.of === 'chain' || id === target.id);
    return { joined: created.filter((id) => !groups.has(id)), gone: new Set() };
  }
  const asked = [...concerning(events, target.address)];
  const members = await Promise.all(asked.map((group) => memberOf(pin, group, target.address)));
  return {
    joined: asked.filter((group, index) => members[index] !== null && !groups.has(group)),
    gone: new Set(asked.filter((group, index) => members[index] === null && groups.has(group))),
  };
}

/**
 * What was watched before a block, with the groups and policies that the block brings: an account that joins a group is told of its
 * proposals from that block on, as they were before it. Also, which groups the account is no member of after the block.
 */
export async function widen(
  target: Target,
  watched: Watched,
  events: GroupEvents,
  before: Pin | null,
  pin: Pin,
): Promise<{ readonly wider: Watched; readonly gone: ReadonlySet<bigint> }> {
  const none: ReadonlySet<bigint> = new Set();
  if (target.of === 'id') return { wider: watched, gone: none };
  if (target.of === 'policy') {
    if (!events.createdPolicies.has(target.address)) return { wider: watched, gone: none };
    return { wider: { ...watched, policies: new Map(await groupOfPolicy(pin, target.address)) }, gone: none };
  }
  const { joined, gone } = await moves(target, watched, events, pin);
  const groups = new Set([...watched.groups, ...joined]);
  checkScan(groups.size, 'groups');
  const [theirs, created] = await Promise.all([
    policiesOf(pin, joined),
    Promise.all(Array.from(events.createdPolicies, (address) => groupOfPolicy(pin, address))),
  ]);
  const open = before === null ? nothingWatched.open : await openOf(before, theirs.keys());
  const policies = new Map([...watched.policies, ...theirs, ...created.flat().filter(([, group]) => groups.has(group))]);
  checkScan(policies.size, 'group policies');
  return { wider: { groups, policies, open: new Map([...watched.open, ...open]) }, gone };
}

/**
 * What is watched after a block: `wider` with those proposals that the block touched as it left them (null: deleted), without the
 * groups that the account is gone from.
 */
export async function narrow(
  wider: Watched,
  touched: readonly { readonly id: bigint; readonly proposal: Proposal | null }[],
  gone: ReadonlySet<bigint>,
  pin: Pin,
): Promise<Watched> {
  const open = new Map(wider.open);
  const policies = new Map(wider.policies);
  for (const { id, proposal } of touched) {
    if (proposal === null || !isOpen(proposal)) open.delete(id);
    else {
      open.set(id, opened(proposal));
      const known = policies.has(proposal.groupPolicyAddress);
      if (!known)
        for (const [address, group] of await groupOfPolicy(pin, proposal.groupPolicyAddress)) policies.set(address, group);
    }
  }
  if (gone.size > 0) {
    for (const [address, group] of policies) if (gone.has(group)) policies.delete(address);
    for (const [id, { policy }] of open) if (!policies.has(policy)) open.delete(id);
  }
  checkScan(open.size, 'open proposals');
  return { groups: new Set([...wider.groups].filter((group) => !gone.has(group))), policies, open };
}
