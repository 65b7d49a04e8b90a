import { reference } from '../data/shown.ts';
import { governanceTexts } from '../language/governance/texts.ts';

const day = 86_400_000;

/** How far a visitor can look back, in ms. */
const spans = [
  ['hour', day / 24],
  ['day', day],
  ['week', 7 * day],
  ['month', 30 * day],
] as const;

/** A chosen time: its name, and when it begins, RFC 3339. */
export interface Span {
  readonly name: (typeof spans)[number][0];
  readonly from: string;
}

/** A choice of how far to look back from the shown block. */
export function Spans({ chosen, onChoose }: { readonly chosen: Span | undefined; readonly onChoose: (span: Span) => void }) {
  return (
    <fieldset class="chips" aria-label={governanceTexts.value.changes.span}>
      {spans.map(([name, length]) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-pressed={name === chosen?.name}
          onClick={() => onChoose({ name, from: new Date(reference.value - length).toISOString() })}
        >
          {governanceTexts.value.spans[name]}
        </button>
      ))}
    </fieldset>
  );
}
