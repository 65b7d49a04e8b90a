import { useEffect, useState } from 'preact/hooks';
import { setParameters } from '../../routing/router.ts';
import { type Preset, presets, readPlace } from './ranges.ts';

interface RangePickerProps {
  /** The range of the page, if it is one of those offered. */
  readonly preset: Preset | undefined;
  /** The texts of an entered range. */
  readonly from: string;
  readonly to: string;
}

const hint =
  'A block, such as 1200, or a day in UTC, such as 2026-06-30. Without an end, the statement goes on to the newest block.';

/** The range of a statement: those offered, and fields for another one. The range is in the URL. */
export function RangePicker({ preset, from, to }: RangePickerProps) {
  const [entered, setEntered] = useState({ from, to });
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    setEntered({ from, to });
    setProblem(undefined);
  }, [from, to, preset]);

  function show(): void {
    const [begin, end] = [readPlace(entered.from, 'from'), entered.to.trim() === '' ? '' : readPlace(entered.to, 'to')];
    if (begin === undefined) setProblem('“From” must be a block or a day.');
    else if (end === undefined) setProblem('“To” must be a block, a day, or empty.');
    else setParameters({ range: undefined, from: entered.from.trim(), to: end === '' ? undefined : entered.to.trim() });
  }

  const field = (name: 'from' | 'to', label: string) => (
    <label class="row">
      <span class="muted">{label}</span>
      <input
        type="text"
        size={12}
        spellcheck={false}
        placeholder={name === 'from' ? 'block or day' : 'newest block'}
        aria-describedby="range-note"
        aria-invalid={problem?.toLowerCase().includes(name) ?? false}
        value={entered[name]}
        onInput={(event) => setEntered({ ...entered, [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <div class="range-picker">
      <fieldset class="chips" aria-label="Range">
        {Object.entries(presets).map(([name, words]) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={name === preset}
            onClick={() => setParameters({ range: name, from: undefined, to: undefined })}
          >
            {words}
          </button>
        ))}
      </fieldset>
      <form
        class="range-fields"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          show();
        }}
      >
        {field('from', 'From')}
        {field('to', 'To')}
        <button type="submit" class="button">
          Show
        </button>
      </form>
      <p class={problem === undefined ? 'note' : 'note failed'} id="range-note" role="status">
        {problem ?? hint}
      </p>
    </div>
  );
}
