import { useEffect, useState } from 'preact/hooks';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';
import { setParameters } from '../../routing/router.ts';
import { type Preset, presets, readPlace } from './ranges.ts';

interface RangePickerProps {
  /** The range of the page, if it is one of those offered. */
  readonly preset: Preset | undefined;
  /** The texts of an entered range. */
  readonly from: string;
  readonly to: string;
}

/** The range of a statement: those offered, and fields for another one. The range is in the URL. */
export function RangePicker({ preset, from, to }: RangePickerProps) {
  const [entered, setEntered] = useState({ from, to });
  const [problem, setProblem] = useState<{ readonly of: 'from' | 'to'; readonly words: string }>();
  useEffect(() => {
    setEntered({ from, to });
    setProblem(undefined);
  }, [from, to, preset]);

  function show(): void {
    const [begin, end] = [readPlace(entered.from, 'from'), entered.to.trim() === '' ? '' : readPlace(entered.to, 'to')];
    if (begin === undefined) setProblem({ of: 'from', words: accountsTexts.value.statement.badFrom });
    else if (end === undefined) setProblem({ of: 'to', words: accountsTexts.value.statement.badTo });
    else setParameters({ range: undefined, from: entered.from.trim(), to: end === '' ? undefined : entered.to.trim() });
  }

  const field = (name: 'from' | 'to', label: string) => (
    <label class="row">
      <span class="muted">{label}</span>
      <input
        type="text"
        size={12}
        spellcheck={false}
        placeholder={name === 'from' ? accountsTexts.value.statement.blockOrDay : accountsTexts.value.statement.newestBlock}
        aria-describedby="range-note"
        aria-invalid={problem?.of === name}
        value={entered[name]}
        onInput={(event) => setEntered({ ...entered, [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <div class="range-picker">
      <fieldset class="chips" aria-label={accountsTexts.value.statement.range}>
        {presets.map((name) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={name === preset}
            onClick={() => setParameters({ range: name, from: undefined, to: undefined })}
          >
            {accountsTexts.value.ranges[name]}
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
        {field('from', texts.value.words.from)}
        {field('to', accountsTexts.value.statement.until)}
        <button type="submit" class="button">
          {texts.value.words.show}
        </button>
      </form>
      <p class={problem === undefined ? 'note' : 'note failed'} id="range-note" role="status">
        {problem?.words ?? accountsTexts.value.statement.note}
      </p>
    </div>
  );
}
