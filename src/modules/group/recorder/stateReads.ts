import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { GroupFact, RecordedMember } from '../../../archive/facts.ts';
import { isChainError } from '../../../chain/base/errors.ts';
import type { AnyMessage } from '../../../chain/wire/protoJson.ts';
import { scanPage } from '../../../config/bounds.ts';
import { Query as GovQuery } from '../../../proto/cosmos/gov/v1/query_pb.js';
import { Query as TriggerQuery } from '../../../proto/provenance/trigger/v1/query_pb.js';
import { canonicalDecimal } from '../../../reads/decimal.ts';
import type { Awaitable } from '../../../reads/loader.ts';
import type { ChainList } from '../../../reads/page.ts';
import type { Pin } from '../../../reads/pin.ts';
import { queryState } from '../../../reads/query.ts';
import { fromAny } from '../../any/codec.ts';
import { groupMembers, votesByProposal } from '../state/lists.ts';
import { createGroupLoaders } from '../state/loaders.ts';
import type { Group, GroupPolicy, Proposal, Vote } from '../state/model.ts';
import { type PolicyVersion, recordedAddress, recordedAny, recordedMember } from './convert.ts';

/**
 * The state at one height, for the recorder. Every read returns undefined if the state is not known: no node has it any more, or the block before the
 * first one is asked for. Absent objects are null. Other errors are thrown.
 */
export interface RecorderState {
  group(id: bigint): Promise<Omit<GroupFact, 'kind' | 'at' | 'change' | 'account' | 'members'> | null | undefined>;
  members(groupId: bigint): Promise<readonly RecordedMember[] | undefined>;
  policy(address: string): Promise<PolicyVersion | null | undefined>;
  proposal(id: bigint): Promise<Proposal | null | undefined>;
  votes(proposalId: bigint): Promise<readonly Vote[] | undefined>;
}

/**
 * Begins a read whose value is needed later, so that it shares a batch with other reads. The later read returns the same value, and an error is thrown
 * there.
 */
export function readAhead(read: Promise<unknown>): void {
  read.catch(() => undefined);
}

/** Reads a whole list of any length, part by part. */
export async function readEvery<T>(list: ChainList<T>): Promise<readonly T[]> {
  const items: T[] = [];
  for (;;) {
    const part = await list.read({ offset: BigInt(items.length), limit: scanPage });
    items.push(...part.items);
    if (!part.more || part.items.length === 0) return items;
  }
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

/** A version of a group without its members. */
export function groupVersionOf({ id, version, admin, metadata, totalWeight }: Group) {
  return { groupId: id, version, admin: recordedAddress(admin), metadata, totalWeight: canonicalDecimal(totalWeight) };
}

/** A version of a policy. */
export function policyVersionOf({ address, groupId, version, admin, metadata, decisionPolicy }: GroupPolicy): PolicyVersion {
  return {
    ...{ groupId, version, metadata, decisionPolicy: recordedAny(decisionPolicy.any) },
    address: recordedAddress(address),
    admin: recordedAddress(admin),
  };
}

/** The members of a group at the height of the pin. */
export async function readMembers(pin: Pin, groupId: bigint): Promise<readonly RecordedMember[]> {
  return (await readEvery(groupMembers(pin.loaders(createGroupLoaders), groupId))).map(recordedMember);
}

/** The votes on a proposal that the state at the height of the pin has. */
export function readVotes(pin: Pin, proposalId: bigint): Promise<readonly Vote[]> {
  return readEvery(votesByProposal(pin.loaders(createGroupLoaders), proposalId));
}

/** The state at the height of a pin. `pin` is null for the state before the first block. */
export function recorderState(pin: Pin | null): RecorderState {
  const read = <T>(from: (pin: Pin) => Awaitable<T>): Promise<T | undefined> =>
    pin === null ? Promise.resolve(undefined) : ifKept(() => from(pin));
  return {
    async group(id) {
      const group = await read((at) => at.loaders(createGroupLoaders).group.load(id));
      return group && groupVersionOf(group);
    },
    members: (groupId) => read((at) => readMembers(at, groupId)),
    async policy(address) {
      const policy = await read((at) => at.loaders(createGroupLoaders).groupPolicy.load(address));
      return policy && policyVersionOf(policy);
    },
    proposal: (id) => read((at) => at.loaders(createGroupLoaders).proposal.load(id)),
    votes: (proposalId) => read((at) => readVotes(at, proposalId)),
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
