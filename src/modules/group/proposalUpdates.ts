import { type Nanoseconds, parseTime } from '../../chain/base/time.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import { decimal } from '../../reads/decimal.ts';
import { RequestError } from '../../reads/errors.ts';
import { type ChainList, checkScan, readAll } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { isOpen, memberOf, policyProposals } from './derived.ts';
import { type GroupEvents, groupEvents, policyOfSubmission } from './events.ts';
import type { Proposal, ProposalExecutorResult, ProposalStatus, TallyResult } from './model.ts';
import {
  groups as allGroups,
  createGroupLoaders,
  groupMembers,
  groupPoliciesByGroup,
  groupsByMember,
  proposalsByGroupPolicy,
} from './query.ts';

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
  const changedGroups = new Set([...events.groupCreated, ...events.groupUpdated]);
  for (const [group, addresses] of events.leavers) if (addresses.has(target.address)) changedGroups.add(group);
  const candidates = [...changedGroups];
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
async function extendWatched(
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
  if (joined.length === 0 && events.policyCreated.size === 0) return { extended: watched, leftGroups };
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
async function updateWatched(
  extended: Watched,
  touched: readonly ProposalUpdate[],
  leftGroups: ReadonlySet<bigint>,
  pin: Pin,
): Promise<Watched> {
  const open = new Map(extended.open);
  const policies = new Map(extended.policies);
  for (const { proposalId: id, proposal } of touched) {
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
  const groups = new Set(extended.groups);
  for (const group of leftGroups) groups.delete(group);
  return { groups, policies, open };
}

/** Reads a whole list. Returns undefined if it has more than 5,000 items. `what` names the items. */
async function readAllIfBounded<T>(list: ChainList<T>, what: string): Promise<readonly T[] | undefined> {
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

async function changedGroups(
  { open, policies }: Watched,
  { groupUpdated, leavers }: GroupEvents,
  before: Pin | null,
  pin: Pin,
): Promise<ReadonlySet<bigint>> {
  const changed = new Set<bigint>();
  if (before === null || (groupUpdated.size === 0 && leavers.size === 0)) return changed;
  const groups = new Set(Array.from(open.values(), ({ policy }) => policies.get(policy)));
  await Promise.all(
    [...groupUpdated, ...leavers.keys()].map(async (group) => {
      if (groups.has(group) && (await membersChanged(before, pin, group))) changed.add(group);
    }),
  );
  return changed;
}

/**
 * Values of the enum `ProposalUpdateReason`, in its order. EXECUTED is set for every attempt, including one without effect.
 * VOTING_ENDED and GROUP_UPDATED apply only to proposals that were open for voting before the block. POLICY_UPDATED applies to
 * proposals that the change of the policy aborted. A change of a group's admin or metadata is not GROUP_UPDATED.
 */
export type ProposalUpdateReason =
  | 'CURRENT'
  | 'SUBMITTED'
  | 'VOTED'
  | 'EXECUTED'
  | 'WITHDRAWN'
  | 'VOTING_ENDED'
  | 'POLICY_UPDATED'
  | 'GROUP_UPDATED'
  | 'PRUNED';

/** The state of a proposal after a block that changed it. */
export interface ProposalUpdate {
  readonly proposalId: bigint;
  readonly height: bigint;
  /** Block time, RFC 3339. */
  readonly time: string;
  readonly reasons: readonly ProposalUpdateReason[];
  /** Status after the block; for a deleted proposal, its last status. */
  readonly status: ProposalStatus;
  readonly executorResult: ProposalExecutorResult;
  /** null if the chain has deleted it. */
  readonly proposal: Proposal | null;
  /** Final tally of a deleted proposal. null if it had none, and for a proposal that is not deleted. */
  readonly lastTally: TallyResult | null;
}

interface ProposalStep {
  /** By ascending proposal id, at most one for each proposal. */
  readonly updates: readonly ProposalUpdate[];
  readonly watched: Watched;
}

/** Returns the ids of the target's proposals that an event of the block names and that were not open before it. */
async function namedProposals(
  target: Target,
  { open, policies }: Watched,
  block: CommittedBlock,
  events: GroupEvents,
  before: Pin | null,
  pin: Pin,
): Promise<readonly bigint[]> {
  const { submitted, voted, withdrawn, executed, pruned } = events;
  if (target.of === 'id') {
    return [submitted, voted, withdrawn, executed, pruned].some((ids) => ids.has(target.id)) ? [target.id] : [];
  }
  // Votes and withdrawals concern open proposals only: those of the target are in `open`, or submitted in this block.
  const ids = [...new Set([...submitted, ...executed.keys(), ...pruned.keys()])].filter((id) => !open.has(id));
  const matches = await Promise.all(
    ids.map(async (id) => {
      const proposal = await (pruned.has(id) ? before : pin)?.loaders(createGroupLoaders).proposal.load(id);
      return policies.has(proposal?.groupPolicyAddress ?? policyOfSubmission(block, id) ?? '');
    }),
  );
  return ids.filter((_, index) => matches[index]);
}

function anyEnded({ open }: Watched, now: Nanoseconds): boolean {
  for (const { votingPeriodEnd } of open.values()) if (votingPeriodEnd < now) return true;
  return false;
}

/**
 * Computes the updates of a target's proposals in one block. `watched` is the state before the block; `before` is null at
 * height 1.
 */
export async function advanceProposals(
  target: Target,
  watched: Watched,
  block: CommittedBlock,
  before: Pin | null,
  pin: Pin,
): Promise<ProposalStep> {
  const events = groupEvents(block);
  const now = parseTime(block.header.time);
  if (events.isEmpty && !anyEnded(watched, now)) return { updates: [], watched };

  const { extended, leftGroups } = await extendWatched(target, watched, events, before, pin);
  const [named, changed] = await Promise.all([
    namedProposals(target, extended, block, events, before, pin),
    changedGroups(extended, events, before, pin),
  ]);
  const touched = new Set(named);
  for (const [id, { policy, votingPeriodEnd }] of extended.open) {
    const byEvent = events.voted.has(id) || events.withdrawn.has(id) || events.executed.has(id) || events.pruned.has(id);
    const byGroup = changed.has(extended.policies.get(policy) ?? 0n);
    if (byEvent || byGroup || votingPeriodEnd < now || events.policyUpdated.has(policy)) touched.add(id);
  }
  await preloadProposals(pin, extended, touched, events);
  const context: BlockContext = { block, now, events, extended, changed, before, pin };
  const reads: Promise<ProposalUpdate>[] = [];
  for (const id of touched) reads.push(updateOf(id, context));
  const states = await Promise.all(reads);
  const updates: ProposalUpdate[] = [];
  for (const state of states) if (state.reasons.length > 0) updates.push(state);
  updates.sort((a, b) => (a.proposalId < b.proposalId ? -1 : 1));
  return { updates, watched: await updateWatched(extended, states, leftGroups, pin) };
}

/** Number of proposals of one policy from which they are read as a list, at 200 proposals for each read. */
const listReadThreshold = 4;

/** Loads the proposals of a policy as a list if the block touched several open ones, so that they are not read one by one. */
async function preloadProposals(
  pin: Pin,
  { open }: Watched,
  touched: ReadonlySet<bigint>,
  { pruned }: GroupEvents,
): Promise<void> {
  const counts = new Map<string, number>();
  for (const id of touched) {
    const policy = open.get(id)?.policy;
    if (policy !== undefined && !pruned.has(id)) counts.set(policy, (counts.get(policy) ?? 0) + 1);
  }
  const reads: Promise<unknown>[] = [];
  for (const [policy, count] of counts) {
    if (count >= listReadThreshold) {
      reads.push(readAllIfBounded(proposalsByGroupPolicy(pin.loaders(createGroupLoaders), policy), 'proposals'));
    }
  }
  await Promise.all(reads);
}

interface BlockContext {
  readonly block: CommittedBlock;
  readonly now: Nanoseconds;
  readonly events: GroupEvents;
  readonly extended: Watched;
  readonly changed: ReadonlySet<bigint>;
  readonly before: Pin | null;
  readonly pin: Pin;
}

/** Computes the update of one proposal. An empty list of reasons means that the block did not change it. */
async function updateOf(id: bigint, context: BlockContext): Promise<ProposalUpdate> {
  const { block, now, events, extended, changed, before, pin } = context;
  const open = extended.open.get(id);
  const submitted = events.submitted.has(id);
  const pruned = events.pruned.get(id);
  const proposal = pruned === undefined ? await pin.loaders(createGroupLoaders).proposal.load(id) : null;
  // The block's events describe a deleted proposal completely if it was open, submitted or executed in this block.
  // Otherwise its executor result comes from the state before the block.
  const isDescribed = pruned !== undefined && (open !== undefined || submitted || events.executed.has(id));
  const last = proposal ?? (isDescribed ? undefined : await before?.loaders(createGroupLoaders).proposal.load(id));
  const status = pruned?.status ?? last?.status ?? 'PROPOSAL_STATUS_UNSPECIFIED';
  const reasons: ProposalUpdateReason[] = [];
  if (submitted) reasons.push('SUBMITTED');
  if (events.voted.has(id)) reasons.push('VOTED');
  if (events.executed.has(id)) reasons.push('EXECUTED');
  if (events.withdrawn.has(id)) reasons.push('WITHDRAWN');
  if (open !== undefined && open.votingPeriodEnd < now && status !== 'PROPOSAL_STATUS_SUBMITTED') reasons.push('VOTING_ENDED');
  if (status === 'PROPOSAL_STATUS_ABORTED' && (open !== undefined || submitted)) reasons.push('POLICY_UPDATED');
  if (open !== undefined && changed.has(extended.policies.get(open.policy) ?? 0n)) reasons.push('GROUP_UPDATED');
  if (proposal === null) reasons.push('PRUNED');
  return {
    proposalId: id,
    height: block.header.height,
    time: block.header.time,
    reasons,
    status,
    executorResult:
      proposal?.executorResult ?? events.executed.get(id) ?? last?.executorResult ?? 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN',
    proposal,
    lastTally: pruned?.tally ?? null,
  };
}
