import { useEffect, useState } from 'preact/hooks';
import { hasModule } from '../data/modules.ts';
import { earliest, earliestRecorded, nodes, readNodes } from '../data/nodes.ts';
import { newest } from '../data/shown.ts';
import { count } from '../format/numbers.ts';
import { texts } from '../language/language.ts';
import { at, path, setParameters } from '../routing/router.ts';

/** Pages with a part that the archive has, also at heights whose state no node has any more. */
const recordedPages = /^\/(groups|policies|proposals|accounts)\//;

/** The lower of two heights. undefined if neither is known. */
function lowest(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

/** Shows the page at a height: a slider over the heights that a node or the archive still has, and a field for an exact one. */
export function TimeMachine() {
  // What was typed while the page showed this height. It is void when the page shows another.
  const [typed, setTyped] = useState<{ readonly shown: bigint | undefined; readonly text: string }>();
  const field = typed !== undefined && typed.shown === at.value ? typed.text : (at.value?.toString() ?? '');
  const setField = (text: string): void => setTyped({ shown: at.value, text });
  useEffect(() => {
    void readNodes();
  }, []);

  const heights = (nodes.value ?? []).flatMap(({ height }) => (height === null ? [] : [BigInt(height)]));
  const last = [newest.value?.height ?? 0n, ...heights].reduce((one, other) => (other > one ? other : one));
  const recorded = recordedPages.test(path.value) && hasModule('group') ? earliestRecorded.value : undefined;
  const first = lowest(earliest.value, recorded) ?? 1n;
  const show = (height: string): void => setParameters({ at: height, after: undefined }, { replace: at.value !== undefined });

  return (
    <form
      class="time-machine"
      onSubmit={(event) => {
        event.preventDefault();
        if (/^[1-9]\d*$/.test(field)) show(field);
      }}
    >
      <span class="muted">{count(first)}</span>
      <input
        type="range"
        aria-label={texts.value.shell.height}
        min={first.toString()}
        max={last.toString()}
        value={/^\d+$/.test(field) ? field : last.toString()}
        onInput={(event) => setField(event.currentTarget.value)}
        onChange={(event) => show(event.currentTarget.value)}
      />
      <span class="muted">{count(last)}</span>
      <input
        type="text"
        inputMode="numeric"
        pattern="[1-9][0-9]*"
        aria-label={texts.value.shell.exactHeight}
        placeholder={texts.value.shell.height}
        value={field}
        onInput={(event) => setField(event.currentTarget.value)}
      />
      <button type="submit" class="button small">
        {texts.value.words.show}
      </button>
    </form>
  );
}
