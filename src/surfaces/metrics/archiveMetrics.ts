import type { Archive } from '../../archive/setup/archive.ts';
import type { ArchiveStats } from '../../archive/store/reader.ts';
import type { Kinds } from './metricKinds.ts';

const recordingStates = ['STARTING', 'STANDBY', 'RECORDING', 'PAUSED', 'STOPPED'] as const;

/** Adds the metrics of the archive. */
export function addArchiveMetrics({ gauge }: Pick<Kinds, 'gauge'>, { reader, recording }: Archive): void {
  /** The last numbers that were read. Each reading of the metrics reads them again for the next one. */
  let last: ArchiveStats | undefined;
  const ofStats = (name: string, help: string, read: (stats: ArchiveStats) => bigint): void =>
    gauge(name, help, '', () => {
      reader.stats().then(
        (stats) => {
          last = stats;
        },
        () => undefined,
      );
      return last === undefined ? [] : [{ value: Number(read(last)) }];
    });
  gauge('stele_archive_state', '1 for the current state of the recording, 0 for the others.', 'state', () =>
    recordingStates.map((state) => ({ labels: { state }, value: recording.status().state === state ? 1 : 0 })),
  );
  gauge('stele_archive_height', 'Newest recorded block.', '', () =>
    [reader.coverage().ranges.at(-1)].flatMap((range) => (range === undefined ? [] : [{ value: Number(range.to) }])),
  );
  gauge('stele_archive_lag_blocks', 'Blocks between the newest recorded one and the newest one.', '', () => [
    { value: Number(recording.lag()) },
  ]);
  gauge('stele_archive_ranges', 'Ranges of blocks that are recorded without a gap.', '', () => [
    { value: reader.coverage().ranges.length },
  ]);
  gauge('stele_archive_backfill_blocks_per_second', 'Older blocks recorded per second; 0 while none are filled in.', '', () => [
    { value: recording.backfill()?.blocksPerSecond ?? 0 },
  ]);
  gauge('stele_archive_backfill_seconds_left', 'Estimated time until older blocks are filled in.', '', () =>
    [recording.backfill()?.secondsLeft].flatMap((left) => (left == null ? [] : [{ value: Number(left) }])),
  );
  ofStats('stele_archive_proposals', 'Recorded proposals.', ({ proposals }) => proposals);
  ofStats('stele_archive_votes', 'Recorded votes.', ({ votes }) => votes);
  ofStats('stele_archive_bytes', 'Size of the archive on disk.', ({ sizeBytes }) => sizeBytes);
  ofStats(
    'stele_archive_audit_failures',
    'Proposals whose tally, computed from the recorded votes, differs from that of the chain.',
    ({ auditFailures }) => auditFailures,
  );
  ofStats(
    'stele_archive_unexplained',
    'Proposals and votes that events name and neither a message nor the state explains.',
    ({ unexplained }) => unexplained,
  );
}
