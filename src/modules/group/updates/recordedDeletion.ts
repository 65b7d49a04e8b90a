import { type ArchiveReader, ArchiveUnavailable } from '../../../archive/reader.ts';
import type { ChangeRecord, ProposalRecord } from '../../../archive/records.ts';
import { archiveOf } from '../../../archive/setup/attached.ts';
import { isChainError } from '../../../chain/base/errors.ts';
import { timeText } from '../../../chain/base/time.ts';
import { unrecognized } from '../../../reads/input.ts';
import type { Pin } from '../../../reads/pin.ts';
import { proposalExecutorResults, proposalStatuses } from '../state/model.ts';
import type { ProposalUpdate, ProposalUpdateReason } from './proposalUpdates.ts';

/** How long a stream waits for the archive to hold the height at which it begins, in ms. */
const archiveWait = 2_000;

/** A deletion that the archive has recorded. */
export interface RecordedDeletion {
  /** The height that deleted the proposal. */
  readonly height: bigint;
  /** Builds the update of that block from the record alone. */
  update(): Promise<ProposalUpdate>;
}

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
export async function recordedDeletion({ client, height, signal }: Pin, id: bigint): Promise<RecordedDeletion | undefined> {
  const reader = archiveOf(client)?.reader.under(signal);
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
        status: proposalStatuses[record.status] ?? unrecognized,
        executorResult: proposalExecutorResults[record.executorResult] ?? unrecognized,
        proposal: null,
        lastTally: record.close?.tally ?? null,
      }),
    };
  } catch (error) {
    if (error instanceof ArchiveUnavailable || isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE')) return undefined;
    throw error;
  }
}
