import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { bytes, count, countOf } from '../../format/numbers.ts';
import { span } from '../../format/times.ts';
import type { StatusQuery } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';
import { serverTexts } from '../../language/server/texts.ts';

type ArchiveData = NonNullable<StatusQuery['archive']>;

/** The recorded heights as a bar from the first block to the newest one. */
function CoverageBar({ of, head }: { readonly of: ArchiveData['coverage']; readonly head: string }) {
  const place = (height: string): number => (100 * Number(height)) / Math.max(1, Number(head));
  const words = of.map(({ from, to }) => texts.value.proposal.range(count(from), count(to))).join(', ');
  return (
    <div
      class="coverage"
      role="img"
      aria-label={serverTexts.value.status.recordedBlocks(words || texts.value.words.none, count(head))}
    >
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
      {texts.value.words.inBlock} {count(from)} {serverTexts.value.status.to} {count(to)}{' '}
      {serverTexts.value.status.stillMissing}
      <span class="block small muted">
        {blocksPerSecond.toFixed(blocksPerSecond < 10 ? 1 : 0)} {serverTexts.value.status.blocksPerSecond}
        {secondsLeft === null ? '' : `, ${texts.value.proposal.left(span(Number(secondsLeft)))}`}
      </span>
    </>
  );
}

/** What the archive covers, and how the recording of older blocks goes. */
export function ArchiveCard({ of, head }: { readonly of: ArchiveData | null; readonly head: string | undefined }) {
  if (of === null)
    return (
      <Card title={serverTexts.value.status.archive}>
        <Empty>{texts.value.proposal.noArchive}</Empty>
      </Card>
    );
  const { mode, storage, lag, coverage, backfill, proposals, votes, sizeBytes, auditFailures, unexplained } = of;
  const hasGroups = !of.notRecorded.includes('cosmos.group.v1');
  const tallies = auditFailures === '0' ? texts.value.words.none : <strong>{count(auditFailures)}</strong>;
  return (
    <Card title={serverTexts.value.status.archive}>
      {head === undefined ? null : <CoverageBar of={coverage} head={head} />}
      <Facts
        of={[
          [
            serverTexts.value.status.recorded,
            `${hasGroups || mode === 'FULL' ? serverTexts.value.status[mode] : serverTexts.value.status.nothing}, ${serverTexts.value.status[storage]}`,
          ],
          [serverTexts.value.status.notOnChain, hasGroups ? null : serverTexts.value.status.GOVERNANCE],
          [
            serverTexts.value.status.coverage,
            coverage.length === 0
              ? serverTexts.value.status.nothingYet
              : coverage.map(({ from, to }) => (
                  <span key={from} class="block num">
                    {texts.value.words.inBlock} {count(from)} {serverTexts.value.status.to} {count(to)}
                  </span>
                )),
          ],
          [
            serverTexts.value.status.behindChain,
            lag === '0' ? serverTexts.value.status.noBlock : countOf(lag, texts.value.counts.blocks),
          ],
          [
            serverTexts.value.status.olderBlocks,
            backfill === null ? serverTexts.value.status.noneRecorded : <Backfill of={backfill} />,
          ],
          [texts.value.shell.proposals, hasGroups ? count(proposals) : null],
          [texts.value.proposal.votes, hasGroups ? count(votes) : null],
          [serverTexts.value.status.size, bytes(sizeBytes)],
          [serverTexts.value.status.talliesDiffer, hasGroups ? tallies : null],
          [serverTexts.value.status.unexplained, unexplained === '0' ? null : count(unexplained)],
        ]}
      />
    </Card>
  );
}
