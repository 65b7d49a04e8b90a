import { useEffect, useState } from 'preact/hooks';
import { Time } from '../components/Time.tsx';
import { isStalled, stopWaiting } from '../data/nodes.ts';
import { shownHead } from '../data/shown.ts';
import { outage, retrying } from '../data/stele.ts';
import { count } from '../format/numbers.ts';
import { texts } from '../language/language.ts';
import { at, setParameters } from '../routing/router.ts';
import { Share } from './Share.tsx';
import { TimeMachine } from './TimeMachine.tsx';

/** The block that every number of the page is of, and the time machine. */
export function HeightBar() {
  const { shell, words } = texts.value;
  const block = shownHead.value;
  const isPast = at.value !== undefined;
  const [isOpen, setOpen] = useState(isPast);
  const [isShared, setShared] = useState(false);
  const state = isPast
    ? 'past'
    : isStalled.value || outage.value !== undefined || retrying.value !== undefined
      ? 'stalled'
      : 'live';
  useEffect(() => {
    if (isPast) stopWaiting();
  }, [isPast]);

  return (
    <section class="height-bar" aria-label={shell.shownBlock} data-state={state}>
      <div class="height-line">
        <span class="dot" aria-hidden="true" />
        <span class="height-text">
          {isPast ? shell.atBlock : words.block}{' '}
          {block === undefined ? (
            <span class="skeleton-text">{count(0)}</span>
          ) : (
            <output class="height" aria-live="off">
              {count(block.height)}
            </output>
          )}
        </span>
        {block?.time === undefined ? null : (
          <span class="muted">{isPast ? <Time of={block.time} isExact /> : <Time of={block.time} />}</span>
        )}
        <span class="muted wide">{block?.chainId}</span>
        <span class="grow" />
        {isPast ? (
          <button type="button" class="button small primary" onClick={() => setParameters({ at: undefined })}>
            {shell.backToNow}
          </button>
        ) : null}
        <button
          type="button"
          class="button small"
          aria-expanded={isShared}
          aria-controls="share"
          onClick={() => setShared(!isShared)}
        >
          {texts.value.shell.share}
        </button>
        <button
          type="button"
          class="button small"
          aria-expanded={isOpen}
          aria-controls="time-machine"
          onClick={() => setOpen(!isOpen)}
        >
          {shell.timeMachine}
        </button>
      </div>
      <div id="share" hidden={!isShared}>
        {isShared ? <Share /> : null}
      </div>
      <div id="time-machine" hidden={!isOpen}>
        {isOpen ? <TimeMachine /> : null}
      </div>
    </section>
  );
}
