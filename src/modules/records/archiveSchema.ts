import type { BackfillView } from '../../archive/recording/backfill.ts';
import { archiveOf } from '../../archive/setup/archive.ts';
import type { HeightRange } from '../../archive/store/ranges.ts';
import type { ArchiveStats } from '../../archive/store/reader.ts';
import { chainAccessOf } from '../../reads/pin.ts';
import { type Builder, createRef, liveField, nonNull, usesContext } from '../../schema/builder.ts';
import { readForRequest } from './loaders.ts';

interface ArchiveView extends ArchiveStats {
  readonly lag: bigint;
  readonly backfill: BackfillView | null;
  readonly notRecorded: readonly string[];
}

export function addArchive(builder: Builder): void {
  const ArchiveRef = createRef<ArchiveView>('Archive');
  const HeightRangeRef = createRef<HeightRange>('HeightRange');
  const BackfillRef = createRef<BackfillView>('Backfill');
  const ArchiveModeRef = builder.enumType('ArchiveMode', {
    description: 'What is recorded.',
    values: {
      GOVERNANCE: { description: 'Groups, group policies, proposals and votes.' },
      FULL: {
        description: 'The same, and blocks, transactions, events, transfers and net asset values, with an index.',
      },
    },
  });
  const ArchiveStorageRef = builder.enumType('ArchiveStorage', {
    description: 'Where records are stored.',
    values: {
      MEMORY: { description: 'In memory, until the server stops.' },
      SQLITE: { description: 'In a file of this server.' },
      POSTGRES: { description: 'In PostgreSQL, which several servers can share.' },
    },
  });
  builder.objectType(HeightRangeRef, {
    description: 'A range of heights, both included.',
    fields: (t) => ({
      from: t.expose('from', { type: 'Int64', nullable: false }),
      to: t.expose('to', { type: 'Int64', nullable: false }),
    }),
  });
  builder.objectType(BackfillRef, {
    description: 'The work of recording older blocks.',
    fields: (t) => ({
      from: t.expose('from', nonNull('Int64', 'The oldest height to record.')),
      to: t.expose('to', nonNull('Int64', 'The newest height to record.')),
      next: t.expose('next', nonNull('Int64', 'The height that is read next.')),
      blocksPerSecond: t.exposeFloat('blocksPerSecond', { nullable: false, description: '0 before the work begins.' }),
      secondsLeft: t.expose('secondsLeft', { type: 'Int64', description: 'null if it is not known yet.' }),
    }),
  });
  builder.objectType(ArchiveRef, {
    description: 'What this server has recorded. Not read at a height.',
    fields: (t) => ({
      mode: t.expose('mode', { type: ArchiveModeRef, nullable: false }),
      storage: t.expose('storage', { type: ArchiveStorageRef, nullable: false }),
      coverage: t.expose(
        'coverage',
        nonNull(
          [HeightRangeRef],
          'Ranges of heights that are recorded without a gap, ascending. The first height is 2 at least: a range begins with the state after a block, and the\nstate after block 1 is the first one. What block 1 did is known from that state.',
        ),
      ),
      lag: t.expose('lag', nonNull('Int64', 'Number of blocks between the newest recorded one and the head.')),
      backfill: t.expose('backfill', {
        type: BackfillRef,
        description:
          'The older blocks that are left to record, also before the work on them begins. null if none are, or no node has responded yet.',
      }),
      notRecorded: t.exposeStringList('notRecorded', {
        nullable: false,
        description:
          'The modules that the archive records and this chain does not have, such as `cosmos.group.v1`. Their lists are empty. If an upgrade adds the module,\nit is recorded from there on.',
      }),
      proposals: t.expose('proposals', nonNull('Int64', 'Number of recorded proposals.')),
      votes: t.expose('votes', nonNull('Int64', 'Number of recorded votes.')),
      transactions: t.expose('transactions', {
        type: 'Int64',
        description: 'Number of indexed transactions; null in mode GOVERNANCE.',
      }),
      sizeBytes: t.expose('sizeBytes', nonNull('Int64', 'Size of the database.')),
      auditFailures: t.expose(
        'auditFailures',
        nonNull('Int64', "Number of proposals whose recomputed tally differs from the chain's. 0 is expected."),
      ),
      rehearsalsCompared: t.expose(
        'rehearsalsCompared',
        nonNull('Int64', 'Number of proposals that were rehearsed and then executed.'),
      ),
      rehearsalsAgreed: t.expose(
        'rehearsalsAgreed',
        nonNull('Int64', 'Number of those whose first execution after the rehearsal succeeded or failed as it said.'),
      ),
      unexplained: t.expose(
        'unexplained',
        nonNull(
          'Int64',
          'Number of proposals and votes that events name and neither a message nor the state explains, such as those of contracts that submit,\nvote and execute in one call.',
        ),
      ),
    }),
  });
  builder.queryField('archive', (t) =>
    t.field({
      type: ArchiveRef,
      description: 'The archive of this server; null if it runs without one. Not read at a height.',
      extensions: liveField,
      resolve: usesContext(async (root, _args, { outcome }) => {
        outcome.immutable = false;
        const { client, signal } = chainAccessOf(root);
        const archive = archiveOf(client.archive());
        if (archive === undefined) return null;
        const stats = await readForRequest(archive.reader.under(signal).stats());
        const { recording } = archive;
        return { ...stats, lag: recording.lag(), backfill: recording.backfill(), notRecorded: recording.status().absent };
      }),
    }),
  );
}
