import { Skeleton } from '../../components/page/Skeleton.tsx';
import { Time } from '../../components/Time.tsx';
import { errorWords } from '../../data/failures.ts';
import { count } from '../../format/numbers.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { path, urlAt } from '../../routing/router.ts';
import { type Change, changesBetween, type Facts } from './facts.ts';
import { type ReadSteps, useHistory } from './useHistory.ts';

function ChangeWords({ of: { name, before, after } }: { readonly of: Change }) {
  return (
    <span class="block break">
      {name}:{' '}
      {before === undefined ? null : (
        <>
          <span class="muted">{before || texts.value.words.none}</span> →{' '}
        </>
      )}
      {after === undefined ? governanceTexts.value.changes.gone : <strong>{after || texts.value.words.none}</strong>}
    </span>
  );
}

/** A block at which something changed. Its link shows the page at this block. */
function Place({ height, time }: { readonly height: string; readonly time: string }) {
  return (
    <span class="block small muted">
      <Time of={time} isExact /> ·{' '}
      <a href={urlAt(path.value, BigInt(height))}>
        {texts.value.words.inBlock} {count(height)}
      </a>
    </span>
  );
}

interface TimelineProps<T> {
  readonly read: ReadSteps<T>;
  readonly factsOf: (data: T) => Facts;
  /** The time at which it begins, RFC 3339. */
  readonly from: string;
}

/** What changed since a time, newest first, and what was before. */
export function Timeline<T>({ read, factsOf, from }: TimelineProps<T>) {
  const [{ steps, progress, failure, isCut }, goOn] = useHistory(read, from);
  const facts = steps.map(({ data }) => factsOf(data));
  const entries = steps
    .map((step, index) => ({ ...step, changes: changesBetween(facts[index - 1] ?? new Map(), facts[index] ?? new Map()) }))
    .slice(1)
    .filter(({ changes }) => changes.length > 0);
  const [first] = steps;
  const [start] = facts;
  return (
    <div class="changes" aria-busy={progress === 'reading'}>
      {failure === undefined ? null : (
        <p class="partial" role="note">
          {failure.code === 'HISTORY_DEPENDS_ON_HEIGHT' ? governanceTexts.value.changes.everyBlock : errorWords(failure)}
        </p>
      )}
      {progress === 'paused' ? (
        <p class="row wrap">
          <button type="button" class="button small" onClick={goOn}>
            {governanceTexts.value.changes.goOn}
          </button>
          <span class="muted small">{governanceTexts.value.changes.later}</span>
        </p>
      ) : null}
      {progress === 'reading' ? (
        <p class="muted" role="status">
          {governanceTexts.value.changes.reading}
        </p>
      ) : null}
      {progress === 'complete' && entries.length === 0 ? <p class="empty">{governanceTexts.value.changes.nothing}</p> : null}
      {first === undefined ? (
        progress === 'reading' ? (
          <Skeleton lines={4} />
        ) : null
      ) : (
        <ol class="timeline">
          {entries.toReversed().map(({ height, time, changes }) => (
            <li key={height}>
              {changes.map((change) => (
                <ChangeWords key={change.name} of={change} />
              ))}
              <Place height={height} time={time} />
            </li>
          ))}
          <li>
            {isCut ? governanceTexts.value.changes.oldest : governanceTexts.value.changes.start}
            {start?.size === 0 ? governanceTexts.value.changes.absent : null}
            <Place height={first.height} time={first.time} />
            {start === undefined || start.size === 0 ? null : (
              <details>
                <summary>{governanceTexts.value.changes.before}</summary>
                {[...start].map(([name, value]) => (
                  <span key={name} class="block break">
                    {name}: {value || texts.value.words.none}
                  </span>
                ))}
              </details>
            )}
          </li>
        </ol>
      )}
    </div>
  );
}
