import type { GroupFact, PolicyFact, RecordedAny, RecordedMember, RecordedTally, VoteFact } from '../../../archive/facts.ts';
import { tallyOf } from '../../../archive/store/votes.ts';
import { VoteOption } from '../../../proto/cosmos/group/v1/types_pb.js';
import { canonicalDecimal, type Decimal, decimal, decimalText, isDecimal } from '../../../reads/decimal.ts';
import { type GroupVersion, type PolicyVersion, type RecorderState, readAhead } from './state.ts';

type Members = ReadonlyMap<string, RecordedMember>;

/** Adds to and takes from a decimal, exactly as the chain does. Returns null if one of them is not a decimal of at most 999 digits. */
function changedBy(value: string, added: string, takenWeight: string): string | null {
  if (![value, added, takenWeight].every(isDecimal)) return null;
  return decimalText(decimal(value).plus(decimal(added)).minus(decimal(takenWeight)));
}

/** The name of the count of each option. */
const countNames = {
  [VoteOption.YES]: 'yesCount',
  [VoteOption.ABSTAIN]: 'abstainCount',
  [VoteOption.NO]: 'noCount',
  [VoteOption.NO_WITH_VETO]: 'noWithVetoCount',
} as const;

/**
 * Counts votes by the present weights of the members. The votes of accounts that are not members do not count. Returns null if a weight is not a
 * decimal of at most 999 digits.
 */
export function countVotes(votes: readonly VoteFact[], members: Members): RecordedTally | null {
  const weighted = votes.map(({ voter, option }) => ({ option, weight: members.get(voter)?.weight ?? null }));
  return weighted.every(({ weight }) => weight === null || isDecimal(weight)) ? tallyOf(weighted) : null;
}

/** A vote whose voter follows from the tally. */
type InferredVote = Pick<VoteFact, 'voter' | 'option'>;

/** The most combinations of voters and options that are tried. */
const mostCombinations = 20_000;

/**
 * The `count` votes that a final tally has more than the known ones, if only one combination of the other members and options adds up to it. They are in
 * the order of their voters. Null if there is none or more than one, or too many to try.
 */
export function inferVotes(
  tally: RecordedTally,
  knownVotes: readonly VoteFact[],
  members: Members,
  count: number,
): readonly InferredVote[] | null {
  const knownTally = countVotes(knownVotes, members);
  const voted = new Set(knownVotes.map(({ voter }) => voter));
  const others = [...members.values()]
    .filter(({ address }) => !voted.has(address))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
  if (knownTally === null || !others.every(({ weight }) => isDecimal(weight))) return null;
  const rest = new Map<VoteOption, Decimal>(
    ([VoteOption.YES, VoteOption.ABSTAIN, VoteOption.NO, VoteOption.NO_WITH_VETO] as const).map((option) => {
      const name = countNames[option];
      return [option, decimal(tally[name]).minus(decimal(knownTally[name]))];
    }),
  );
  const combinations: InferredVote[][] = [];
  let tried = 0;

  function search(from: number, votes: readonly InferredVote[]): void {
    if (combinations.length > 1 || tried > mostCombinations) return;
    if (votes.length === count) {
      if ([...rest.values()].every((weight) => weight.eq(0))) combinations.push([...votes]);
      return;
    }
    for (let index = from; index < others.length; index += 1) {
      const { address, weight } = others[index] ?? { address: '', weight: '0' };
      for (const [option, left] of rest) {
        tried += 1;
        const after = left.minus(decimal(weight));
        if (after.lt(0)) continue;
        rest.set(option, after);
        search(index + 1, [...votes, { voter: address, option }]);
        rest.set(option, left);
      }
    }
  }

  search(0, []);
  return tried > mostCombinations || combinations.length !== 1 ? null : (combinations[0] ?? null);
}

/** A new weight of a member. Weight 0 removes it. */
export type MemberUpdate = Pick<RecordedMember, 'address' | 'weight' | 'metadata'>;

/** What a message changes in a group. Undefined if no message explains the change. */
export type GroupChange =
  | { readonly admin: string }
  | { readonly metadata: string }
  | { readonly members: readonly MemberUpdate[] }
  | undefined;

/** What a message changes in a policy. Undefined if no message explains the change. */
export type PolicyChange =
  | { readonly admin: string }
  | { readonly metadata: string }
  | { readonly decisionPolicy: RecordedAny }
  | undefined;

export function kindOfChange(change: GroupChange): GroupFact['change'];
export function kindOfChange(change: PolicyChange): PolicyFact['change'];
export function kindOfChange(change: GroupChange | PolicyChange): GroupFact['change'] | PolicyFact['change'] {
  if (change === undefined) return 'other';
  if ('admin' in change) return 'admin';
  if ('metadata' in change) return 'metadata';
  return 'members' in change ? 'members' : 'decisionPolicy';
}

export type BlockGroups = ReturnType<typeof createBlockGroups>;

/** Applies updates to members in order. Returns the new total weight, or null if a weight is not a decimal. */
function applyUpdates(members: Map<string, RecordedMember>, total: string, updates: readonly MemberUpdate[]): string | null {
  let sum: string | null = total;
  for (const { address, weight: text, metadata } of updates) {
    const weight = canonicalDecimal(text);
    sum = sum === null ? null : changedBy(sum, weight, members.get(address)?.weight ?? '0');
    if (weight === '0') members.delete(address);
    else members.set(address, { address, weight, metadata });
  }
  return sum !== null && isDecimal(sum) ? sum : null;
}

/**
 * The groups and policies within a block: those of the state before it, with the changes of its messages so far. What is not known is null. If a change
 * is not explained by a message, the state after the block shows the result, unless a later change in the block hides it.
 */
export function createBlockGroups(before: RecorderState, now: RecorderState) {
  const groups = new Map<bigint, Omit<GroupVersion, 'members'> | null>();
  const memberLists = new Map<bigint, Map<string, RecordedMember> | null>();
  const policies = new Map<string, PolicyVersion | null>();
  const byMember = (members: readonly RecordedMember[]) => new Map(members.map((member) => [member.address, member]));

  async function group(id: bigint): Promise<Omit<GroupVersion, 'members'> | null> {
    if (!groups.has(id)) groups.set(id, (await before.group(id)) ?? null);
    return groups.get(id) ?? null;
  }

  async function members(id: bigint): Promise<Map<string, RecordedMember> | null> {
    if (!memberLists.has(id)) {
      const list = await before.members(id);
      memberLists.set(id, list === undefined ? null : byMember(list));
    }
    return memberLists.get(id) ?? null;
  }

  async function policy(address: string): Promise<PolicyVersion | null> {
    if (!policies.has(address)) policies.set(address, (await before.policy(address)) ?? null);
    return policies.get(address) ?? null;
  }

  function keep(version: Omit<GroupVersion, 'members'>, list: Map<string, RecordedMember> | null): GroupVersion {
    groups.set(version.groupId, version);
    memberLists.set(version.groupId, list);
    return { ...version, members: list === null ? null : [...list.values()] };
  }

  /** The group after the block, if it has this version there; any version if `version` is undefined. */
  async function adopt(id: bigint, version?: bigint): Promise<GroupVersion | null> {
    readAhead(now.members(id));
    const after = await now.group(id);
    if (after == null || (version !== undefined && after.version !== version)) return null;
    const list = await now.members(id);
    return keep(after, list === undefined ? null : byMember(list));
  }

  function readMembers(id: bigint): void {
    if (!memberLists.has(id)) readAhead(before.members(id));
  }

  /** Begins to read what the fact of a submission needs: the policy, and its group if it is known. */
  function readAheadForSubmission(address: string, groupId: bigint | undefined): void {
    if (!policies.has(address)) readAhead(before.policy(address));
    if (groupId !== undefined && !groups.has(groupId)) readAhead(before.group(groupId));
  }

  return {
    readAheadForSubmission,
    /** Begins to read a policy of the state before the block, and its group with the members if it is known, unless they are known. */
    readAhead(address: string, groupId: bigint | null): void {
      readAheadForSubmission(address, groupId ?? undefined);
      if (groupId !== null) readMembers(groupId);
    },
    group,
    members,
    policy,
    createGroup(created: Omit<GroupVersion, 'totalWeight' | 'members'>, updates: readonly MemberUpdate[]): GroupVersion {
      const list = new Map<string, RecordedMember>();
      const totalWeight = applyUpdates(list, '0', updates) ?? '0';
      return keep({ ...created, totalWeight }, list);
    },
    /** A group that no message explains. Null if the state does not have it either. */
    adoptGroup: (id: bigint) => adopt(id),
    async changeGroup(id: bigint, change: GroupChange): Promise<GroupVersion | null> {
      readMembers(id);
      const was = await group(id);
      const list = await members(id);
      if (was === null) return adopt(id);
      const version = was.version + 1n;
      if (change !== undefined && list !== null) {
        if (!('members' in change)) return keep({ ...was, version, ...change }, list);
        const totalWeight = applyUpdates(list, was.totalWeight, change.members);
        if (totalWeight !== null) return keep({ ...was, version, totalWeight }, list);
      }
      return (await adopt(id, version)) ?? keep({ ...was, version }, null);
    },
    createPolicy(created: PolicyVersion): void {
      policies.set(created.address, created);
    },
    async adoptPolicy(address: string): Promise<PolicyVersion | null> {
      const after = (await now.policy(address)) ?? null;
      policies.set(address, after);
      return after;
    },
    async changePolicy(address: string, change: PolicyChange): Promise<PolicyVersion | null> {
      const was = await policy(address);
      const after = change === undefined || was === null ? await now.policy(address) : undefined;
      const version = was === null ? after?.version : was.version + 1n;
      const explained = after != null && after.version === version ? after : null;
      const next = explained ?? (was && { ...was, version: was.version + 1n, ...change });
      policies.set(address, next);
      return next;
    },
  };
}
