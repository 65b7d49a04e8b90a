import type { ChangeRecord, ProposalRecord } from '../../archive/records.ts';
import { archiveOf } from '../../archive/setup/archive.ts';
import { type ArchiveReader, ArchiveUnavailable } from '../../archive/store/reader.ts';
import { isChainError } from '../../chain/base/errors.ts';
import { timeText } from '../../chain/base/time.ts';
import type { CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import type { EventCondition } from '../../chain/events/eventQuery.ts';
import type { Pin } from '../../reads/pin.ts';
import { blockSearch, createBlockLoaders } from '../blocks/query.ts';
import { searchList } from '../events/search.ts';
import { transactionSearch } from '../transactions/query.ts';
import { groupEvents } from './events.ts';
import { resultName, statusName } from './model.ts';
import {
  advanceProposals,
  emptyWatched,
  type ProposalUpdate,
  type ProposalUpdateReason,
  readWatched,
} from './proposalUpdates.ts';
import { createGroupLoaders } from './query.ts';

/** How long a stream waits for the archive to hold the height at which it begins, in ms. */
const archiveWait = 2_000;

/** The height that deleted a proposal, and the update of that block, made of the record alone. */
type RecordedDeletion = Pick<ProposalUpdate, 'height'> & { update(): Promise<ProposalUpdate> };

/** Changes of a group that are no reason for an update of its proposals. */
const quietChanges: readonly ChangeRecord['change'][] = ['created', 'admin', 'metadata'];

/** The time of a block as a node prints it: without trailing zeros. */
function blockTimeText(time: bigint): string {
  return timeText(time).replace(/(\.\d*?)0+Z$/, '$1Z');
}

async function reasonsOf(
  reader: ArchiveReader,
  record: ProposalRecord,
  height: bigint,
): Promise<readonly ProposalUpdateReason[]> {
  const [[votes], [executions = []], [changes = []]] = await Promise.all([
    reader.votes([record], { first: 1, reverse: true, count: false }),
    reader.executions([record]),
    reader.changes([record]),
  ]);
  const { close, submitted, votingPeriodEnd, pruned } = record;
  const isSubmission = submitted?.height === height;
  const wasOpen = close?.at.height === height && !isSubmission;
  const ended = wasOpen && pruned !== null && votingPeriodEnd < pruned.time;
  const changed = changes.some(
    ({ kind, at, change }) => kind === 'group' && at.height === height && !quietChanges.includes(change),
  );
  const reasons: readonly (readonly [boolean, ProposalUpdateReason])[] = [
    [isSubmission, 'SUBMITTED'],
    [votes?.items[0]?.at.height === height, 'VOTED'],
    [executions.some(({ at }) => at.height === height), 'EXECUTED'],
    [close?.at.height === height && close.by === 'WITHDRAWN', 'WITHDRAWN'],
    [ended, 'VOTING_ENDED'],
    [close?.at.height === height && close.by === 'ABORTED', 'POLICY_UPDATED'],
    [wasOpen && changed, 'GROUP_UPDATED'],
    [true, 'PRUNED'],
  ];
  return reasons.flatMap(([applies, reason]) => (applies ? [reason] : []));
}

/**
 * Looks up the deletion of a proposal in the archive, as of the height of the pin. undefined without an archive, if the archive did not see the deletion,
 * and if it cannot be read.
 */
async function recordedDeletion({ client, height, signal }: Pin, id: bigint): Promise<RecordedDeletion | undefined> {
  const reader = archiveOf(client.archive())?.reader.under(signal);
  if (reader === undefined) return undefined;
  try {
    await reader.waitFor(height, { milliseconds: archiveWait });
    const [record] = await reader.records([id], height);
    const pruned = record?.pruned;
    if (record == null || pruned == null) return undefined;
    return {
      height: pruned.height,
      update: async () => ({
        proposalId: id,
        height: pruned.height,
        time: blockTimeText(pruned.time),
        reasons: await reasonsOf(reader, record, pruned.height),
        status: statusName(record.status),
        executorResult: resultName(record.executorResult),
        proposal: null,
        lastTally: record.close?.tally ?? null,
      }),
    };
  } catch (error) {
    if (error instanceof ArchiveUnavailable || isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE')) return undefined;
    throw error;
  }
}

/**
 * Key of the proposal sequence in the store of the group module: the prefix 0x31, then 0x01 (docs/chain.md, "Keys of stores").
 */
const counterKey = Uint8Array.of(0x31, 0x01);

/**
 * Returns whether the chain had deleted the proposal at the height of the pin: the proposal is absent, but its id was assigned.
 * The chain assigns ids in ascending order and never reuses them. Returns false if the store has no proposal sequence.
 */
export async function isDeleted(pin: Pin, id: bigint): Promise<boolean> {
  if ((await pin.loaders(createGroupLoaders).proposal.load(id)) !== null) return false;
  const { value } = await pin.state.store('group', { key: counterKey });
  return value?.length === 8 && Buffer.from(value).readBigUInt64BE() >= id;
}

/**
 * Finds the height that deleted the proposal in the blocks in memory, from the pin's height downwards. Returns undefined if
 * none did.
 */
function deletionInMemory({ client, height }: Pin, id: bigint): bigint | undefined {
  for (let at = height; ; at -= 1n) {
    const block = client.blocks.at(at);
    if (block === undefined) return undefined;
    if (groupEvents(block).pruned.has(id)) return at;
  }
}

/** Searches the node's event index for the height that deleted the proposal. Returns undefined if the node has no index. */
async function deletionInIndex({ client, height, signal }: Pin, id: bigint): Promise<bigint | undefined> {
  const argument = { type: 'string', text: JSON.stringify(id.toString()) } as const;
  const tag = 'cosmos.group.v1.EventProposalPruned.proposal_id';
  const conditions: readonly EventCondition[] = [{ tag, operator: '=', argument }];
  try {
    const request = { offset: 0n, limit: 1 };
    const [byTransactions, byBlocks] = await Promise.all([
      searchList(client, transactionSearch, conditions, height, true, signal).read(request),
      searchList(client, blockSearch, conditions, height, true, signal).read(request),
    ]);
    return byTransactions.items[0]?.height ?? byBlocks.items[0]?.header.height;
  } catch (error) {
    if (isChainError(error, 'INDEX_UNAVAILABLE')) return undefined;
    throw error;
  }
}

async function readBlock({ client, signal }: Pin, height: bigint): Promise<CommittedBlock | undefined> {
  const blocks = client.blocks.from(height - 1n, { signal });
  try {
    const { value } = await blocks.next();
    return value;
  } catch (error) {
    if (isChainError(error, 'HEIGHT_PRUNED')) return undefined;
    throw error;
  }
}

/**
 * The update by the block that deleted the proposal. undefined if the state before the block is pruned, unless the block is the first one. Everything else
 * that the update says is in the events of the block.
 */
async function updateOfBlock(pin: Pin, id: bigint, block: CommittedBlock): Promise<ProposalUpdate | undefined> {
  const { height } = block.header;
  if (height === 1n) return updateOfEvents(pin, id, block);
  const target = { of: 'id', id } as const;
  const [before, now] = [pin.at(height - 1n), pin.at(height)];
  try {
    const { updates } = await advanceProposals(target, await readWatched(before, target), block, before, now);
    return updates[0];
  } catch (error) {
    if (isChainError(error, 'HEIGHT_PRUNED')) return undefined;
    throw error;
  }
}

async function updateOfEvents(pin: Pin, id: bigint, block: CommittedBlock): Promise<ProposalUpdate | undefined> {
  const { updates } = await advanceProposals({ of: 'id', id }, emptyWatched, block, null, pin.at(block.header.height));
  return updates[0];
}

/**
 * Returns the last update of a deleted proposal. If neither the archive, nor memory, nor the node's index has the block that deleted it, the update has the
 * height of the pin, the reason PRUNED and no status, executor result or tally.
 */
export async function deletionOf(pin: Pin, id: bigint): Promise<ProposalUpdate> {
  const recorded = await recordedDeletion(pin, id);
  const height = recorded?.height ?? deletionInMemory(pin, id) ?? (await deletionInIndex(pin, id));
  const block = height === undefined ? undefined : await readBlock(pin, height);
  // With the state before the block, else from the record, else from the events of the block.
  const update = (block && (await updateOfBlock(pin, id, block))) ?? (await recorded?.update());
  const knownUpdate = update ?? (block && (await updateOfEvents(pin, id, block)));
  if (knownUpdate !== undefined) return knownUpdate;
  const { header } = await pin.loaders(createBlockLoaders).block.load(pin.height);
  return {
    proposalId: id,
    height: pin.height,
    time: header.time,
    reasons: ['PRUNED'],
    status: 'PROPOSAL_STATUS_UNSPECIFIED',
    executorResult: 'PROPOSAL_EXECUTOR_RESULT_UNSPECIFIED',
    proposal: null,
    lastTally: null,
  };
}
