import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { bytes, count, countOf } from '../../format/numbers.ts';
import { span } from '../../format/times.ts';
import type { StatusQuery } from '../../gen/graphql.ts';

type ArchiveData = NonNullable<StatusQuery['archive']>;

const storages = { MEMORY: 'in memory', SQLITE: 'in a file', POSTGRES: 'in PostgreSQL' } as const;

const modes = { GOVERNANCE: 'groups, policies, proposals and votes', FULL: 'everything, with an index' } as const;

/** The recorded heights as a bar from the first block to the newest one. */
function CoverageBar({ of, head }: { readonly of: ArchiveData['coverage']; readonly head: string }) {
  const place = (height: string): number => (100 * Number(height)) / Math.max(1, Number(head));
  const words = of.map(({ from, to }) => `${count(from)} to ${count(to)}`).join(', ');
  return (
    <div class="coverage" role="img" aria-label={`Recorded blocks: ${words || 'none'}, of ${count(head)}`}>
      {of.map(({ from, to }) => (
        <span key={from} style={{ left: `${place(from)}%`, width: `${Math.max(0.5, place(to) - place(from))}%` }} />
      ))}
    </div>
  );
}

/** The older blocks that are still to be recorded. They are recorded newest first. */
function Backfill({ of: { from, to, blocksPerSecond, secondsLeft } }: { readonly of: NonNullable<ArchiveData['backfill']> }) {
  return (
    <>
      block {count(from)} to {count(to)} still missing
      <span class="block small muted">
        {blocksPerSecond.toFixed(blocksPerSecond < 10 ? 1 : 0)} blocks a second
        {secondsLeft === null ? '' : `, ${span(Number(secondsLeft))} left`}
      </span>
    </>
  );
}

/** What the archive covers, and how the recording of older blocks goes. */
export function ArchiveCard({ of, head }: { readonly of: ArchiveData | null; readonly head: string | undefined }) {
  if (of === null)
    return (
      <Card title="Archive">
        <Empty>This server runs without an archive, so it shows only what the chain still has.</Empty>
      </Card>
    );
  const { mode, storage, lag, coverage, backfill, proposals, votes, sizeBytes, auditFailures, unexplained } = of;
  const hasGroups = !of.notRecorded.includes('cosmos.group.v1');
  const tallies = auditFailures === '0' ? 'none' : <strong>{count(auditFailures)}</strong>;
  return (
    <Card title="Archive">
      {head === undefined ? null : <CoverageBar of={coverage} head={head} />}
      <Facts
        of={[
          ['Recorded', `${hasGroups || mode === 'FULL' ? modes[mode] : 'nothing'}, ${storages[storage]}`],
          ['Not on this chain', hasGroups ? null : modes.GOVERNANCE],
          [
            'Coverage',
            coverage.length === 0
              ? 'nothing yet'
              : coverage.map(({ from, to }) => (
                  <span key={from} class="block num">
                    block {count(from)} to {count(to)}
                  </span>
                )),
          ],
          ['Behind the chain', lag === '0' ? 'no block' : countOf(lag, 'block')],
          ['Older blocks', backfill === null ? 'none are being recorded' : <Backfill of={backfill} />],
          ['Proposals', hasGroups ? count(proposals) : null],
          ['Votes', hasGroups ? count(votes) : null],
          ['Size', bytes(sizeBytes)],
          ['Tallies that differ', hasGroups ? tallies : null],
          ['Unexplained events', unexplained === '0' ? null : count(unexplained)],
        ]}
      />
    </Card>
  );
}
