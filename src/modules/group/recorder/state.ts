import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type {
  Fact,
  GroupFact,
  PolicyFact,
  ProposalFact,
  RecordedAny,
  RecordedMember,
  RecordedTally,
  VoteFact,
} from '../../../archive/facts.ts';
import { isChainError } from '../../../chain/base/errors.ts';
import type { Nanoseconds } from '../../../chain/base/time.ts';
import { type AnyMessage, typeNameOf } from '../../../chain/wire/protoJson.ts';
import { scanPage } from '../../../config/bounds.ts';
import { Query as GovQuery } from '../../../proto/cosmos/gov/v1/query_pb.js';
import { Query as TriggerQuery } from '../../../proto/provenance/trigger/v1/query_pb.js';
import { canonicalDecimal } from '../../../reads/decimal.ts';
import { isModuleAbsent } from '../../../reads/errors.ts';
import { readEvery } from '../../../reads/page.ts';
import type { Awaitable, Pin } from '../../../reads/pin.ts';
import { queryState } from '../../../reads/query.ts';
import { fromAny } from '../../any/codec.ts';
import { blockTime, isOpen } from '../derived.ts';
import {
  type Group,
  type GroupPolicy,
  type Proposal,
  type ProposalExecutorResult,
  type ProposalStatus,
  proposalExecutorResults,
  proposalStatuses,
  type TallyResult,
  type Vote,
  type VoteOption,
  voteOptions,
} from '../model.ts';
import {
  createGroupLoaders,
  groupMembers,
  groupPoliciesByGroup,
  groups,
  proposalsByGroupPolicy,
  votesByProposal,
} from '../query.ts';

/** A version of a group; its place and its change are not part of it. `members` is null if they are not known. */
export type GroupVersion = Omit<GroupFact, 'kind' | 'at' | 'change' | 'account'>;
/** A version of a policy; its place and its change are not part of it. */
export type PolicyVersion = Omit<PolicyFact, 'kind' | 'at' | 'change' | 'account'>;

/**
 * The address as it is recorded: in lower case. Bech32 allows upper case too, and the chain keeps an address as a message spells it but compares its
 * bytes.
 */
export function recordedAddress(address: string): string {
  return address.toLowerCase();
}

/** Number of a name of an enum; 0, which means unspecified, for a value that this server does not recognize. */
function numberOf(names: readonly string[], name: string): number {
  return Math.max(names.indexOf(name), 0);
}

export function statusNumber(status: ProposalStatus): number {
  return numberOf(proposalStatuses, status);
}

export function resultNumber(result: ProposalExecutorResult): number {
  return numberOf(proposalExecutorResults, result);
}

function optionNumber(option: VoteOption): number {
  return numberOf(voteOptions, option);
}

/** A message as the chain stores it in a proposal or a policy: its type has the prefix `/` only. */
export function recordedAny({ type, value }: AnyMessage): RecordedAny {
  return { type: `/${typeNameOf(type)}`, value };
}

/** A tally with canonical counts. */
export function recordedTally(tally: TallyResult): RecordedTally {
  return {
    yesCount: canonicalDecimal(tally.yesCount),
    abstainCount: canonicalDecimal(tally.abstainCount),
    noCount: canonicalDecimal(tally.noCount),
    noWithVetoCount: canonicalDecimal(tally.noWithVetoCount),
  };
}

function recordedMember({ address, weight, metadata }: RecordedMember): RecordedMember {
  return { address: recordedAddress(address), weight: canonicalDecimal(weight), metadata };
}

/** The fact of a proposal that the state shows. */
export function proposalFactOf(proposal: Proposal, groupId: bigint | null, submitted: ProposalFact['submitted']): ProposalFact {
  const { id, groupVersion, groupPolicyVersion, title, summary, metadata } = proposal;
  return {
    kind: 'proposal',
    ...{ id, groupId, groupVersion, groupPolicyVersion, title, summary, metadata },
    groupPolicyAddress: recordedAddress(proposal.groupPolicyAddress),
    proposers: proposal.proposers.map(recordedAddress),
    messages: proposal.messages.map(recordedAny),
    submitTime: proposal.submitTime,
    votingPeriodEnd: proposal.votingPeriodEnd,
    submitted,
  };
}

/**
 * Begins a read whose value is needed later, so that it shares a batch with other reads. The later read returns the same value, and an error is thrown
 * there.
 */
export function readAhead(read: Promise<unknown>): void {
  read.catch(() => undefined);
}

/** Returns what `read` returns, or undefined if the state or the block is pruned. */
export async function ifKept<T>(read: () => Awaitable<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isChainError(error, 'HEIGHT_PRUNED')) return undefined;
    throw error;
  }
}

function groupVersionOf({ id, version, admin, metadata, totalWeight }: Group) {
  return { groupId: id, version, admin: recordedAddress(admin), metadata, totalWeight: canonicalDecimal(totalWeight) };
}

function policyVersionOf({ address, groupId, version, admin, metadata, decisionPolicy }: GroupPolicy): PolicyVersion {
  return {
    ...{ groupId, version, metadata, decisionPolicy: recordedAny(decisionPolicy.any) },
    address: recordedAddress(address),
    admin: recordedAddress(admin),
  };
}

async function readMembers(pin: Pin, groupId: bigint): Promise<readonly RecordedMember[]> {
  return (await readEvery(groupMembers(pin.loaders(createGroupLoaders), groupId))).map(recordedMember);
}

function readVotes(pin: Pin, proposalId: bigint): Promise<readonly Vote[]> {
  return readEvery(votesByProposal(pin.loaders(createGroupLoaders), proposalId));
}

export type RecorderState = ReturnType<typeof recorderState>;

/**
 * The state at the height of a pin, for the recorder. `pin` is null for the state before the first block. Every read returns undefined if the state is not known: no node has it any more, or the block before the
 * first one is asked for. Absent objects are null. Other errors are thrown.
 */
export function recorderState(pin: Pin | null) {
  const read = <T>(from: (pin: Pin) => Awaitable<T>): Promise<T | undefined> =>
    pin === null ? Promise.resolve(undefined) : ifKept(() => from(pin));
  return {
    async group(id: bigint): Promise<ReturnType<typeof groupVersionOf> | null | undefined> {
      const group = await read((at) => at.loaders(createGroupLoaders).group.load(id));
      return group && groupVersionOf(group);
    },
    members: (groupId: bigint) => read((at) => readMembers(at, groupId)),
    async policy(address: string): Promise<PolicyVersion | null | undefined> {
      const policy = await read((at) => at.loaders(createGroupLoaders).groupPolicy.load(address));
      return policy && policyVersionOf(policy);
    },
    proposal: (id: bigint) => read((at) => at.loaders(createGroupLoaders).proposal.load(id)),
    votes: (proposalId: bigint) => read((at) => readVotes(at, proposalId)),
  };
}

/** Calls a method at the height of the pin. Returns null if the chain refuses or the state is pruned. */
async function called<I extends DescMessage, O extends DescMessage>(
  pin: Pin,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<MessageShape<O> | null> {
  try {
    return await queryState(pin.state, method, request);
  } catch (error) {
    if (isChainError(error, 'ABCI_QUERY_FAILED') || isChainError(error, 'HEIGHT_PRUNED')) return null;
    throw error;
  }
}

/** Blocks before its execution in which a trigger is looked for. It waits in a queue if many are executed at once. */
const triggerBlocks = 16n;

/**
 * The actions of a trigger that a block executed. The chain deletes a trigger in the block that detects its event, and executes it in a later one. The
 * state before the detection has it. Returns null if no state is found.
 */
export async function triggerActions(now: Pin, id: bigint): Promise<readonly AnyMessage[] | null> {
  const newest = now.height - 2n;
  for (let height = newest; height > newest - triggerBlocks && height > 0n; height -= 1n) {
    const response = await called(now.at(height), TriggerQuery.method.triggerByID, { id });
    if (response?.trigger !== undefined) return response.trigger.actions.map(fromAny);
  }
  return null;
}

/** The messages of a proposal of the governance module. Returns null if the state does not have it. */
export async function govMessages(now: Pin, proposalId: bigint): Promise<readonly AnyMessage[] | null> {
  const response = await called(now, GovQuery.method.proposal, { proposalId });
  return response?.proposal?.messages.map(fromAny) ?? null;
}

/** Objects that are read at the same time. */
const atOnce = 16;

/** A vote that the state shows. How it was cast is not known. */
export function storedVoteFact({ proposalId, voter, option, metadata, submitTime }: Vote): VoteFact {
  const at = { height: null, time: submitTime };
  const vote = { voter: recordedAddress(voter), option: optionNumber(option), metadata };
  return { kind: 'vote', proposalId, ...vote, at, origin: 'OTHER' };
}

/** The state does not show when a proposal was closed or executed. */
const unknownPlace = { height: null, time: null } as const;

/**
 * The facts of a proposal that the state at `time` shows. After the voting period, the state does not show either whether the end of the period or an
 * execution before it closed the proposal.
 */
export function storedProposalFacts(
  proposal: Proposal,
  groupId: bigint | null,
  votes: readonly VoteFact[],
  time: Nanoseconds,
): readonly (ProposalFact | Fact)[] {
  const { id: proposalId, status, votingPeriodEnd } = proposal;
  const facts: Fact[] = [proposalFactOf(proposal, groupId, null), ...votes];
  if (isOpen(proposal)) return facts;
  const isOver = votingPeriodEnd < time;
  const isUncounted = status === 'PROPOSAL_STATUS_ABORTED' || status === 'PROPOSAL_STATUS_WITHDRAWN';
  const uncounted = status === 'PROPOSAL_STATUS_ABORTED' ? 'ABORTED' : 'WITHDRAWN';
  facts.push({
    kind: 'close',
    proposalId,
    at: unknownPlace,
    by: isUncounted ? uncounted : isOver ? null : 'DECIDED',
    account: null,
    status: statusNumber(status),
    tally: isUncounted ? null : recordedTally(proposal.finalTallyResult),
    groupVersion: null,
    policyVersion: null,
    totalWeight: null,
    computed: null,
  });
  if (proposal.executorResult === 'PROPOSAL_EXECUTOR_RESULT_FAILURE') {
    const result = resultNumber(proposal.executorResult);
    facts.push({ kind: 'execution', proposalId, at: unknownPlace, executor: null, result, logs: '' });
  }
  return facts;
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<readonly R[]>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += atOnce) {
    for (const part of await Promise.all(items.slice(start, start + atOnce).map(work))) results.push(...part);
  }
  return results;
}

async function groupFacts(pin: Pin, group: Group): Promise<readonly GroupFact[]> {
  const members = await readMembers(pin, group.id);
  return [{ kind: 'group', ...groupVersionOf(group), members, at: null, change: 'other', account: null }];
}

function policyFact(policy: GroupPolicy): PolicyFact {
  return { kind: 'policy', ...policyVersionOf(policy), at: null, change: 'other', account: null };
}

/** Whether the chain has the group module. The read is the first one of {@link startFacts}. */
export async function hasGroups(pin: Pin): Promise<boolean> {
  try {
    await groups(pin.loaders(createGroupLoaders)).read({ offset: 0n, limit: scanPage });
    return true;
  } catch (error) {
    if (isModuleAbsent(error)) return false;
    throw error;
  }
}

/** The facts that the state at the height of the pin shows: groups, policies, and proposals with their votes. */
export async function startFacts(pin: Pin): Promise<readonly Fact[]> {
  const loaders = pin.loaders(createGroupLoaders);
  const time = await blockTime(pin);
  const allGroups = await readEvery(groups(loaders));
  const versions = await inTurn(allGroups, (group) => groupFacts(pin, group));
  const policies = await inTurn(allGroups, ({ id }) => readEvery(groupPoliciesByGroup(loaders, id)));
  const proposals = await inTurn(policies, async ({ address, groupId }) => {
    const list = await readEvery(proposalsByGroupPolicy(loaders, address));
    return list.map((proposal) => ({ proposal, groupId }));
  });
  // Ids ascend in the order of submission.
  const ordered = proposals.toSorted((a, b) => (a.proposal.id < b.proposal.id ? -1 : 1));
  const rest = await inTurn(ordered, async ({ proposal, groupId }) => {
    const votes = isOpen(proposal) ? (await readVotes(pin, proposal.id)).map(storedVoteFact) : [];
    return storedProposalFacts(proposal, groupId, votes, time);
  });
  return [...versions, ...policies.map(policyFact), ...rest];
}
