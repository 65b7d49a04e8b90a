import { count } from '../../format/numbers.ts';
import { type Counts, markOf, type Part, partsOf, type Rule, requiredWeight } from '../../format/tally.ts';
import { texts } from '../../language/language.ts';

/** A mark on a bar. */
interface Mark {
  /** Where it is, 0 to 100. */
  readonly at: number;
  /** What it means, such as `Required`. */
  readonly name: string;
  readonly value: string;
}

interface StackedBarProps {
  readonly parts: readonly Part[];
  readonly mark: Mark | undefined;
  /** What the bar shows, for screen readers. */
  readonly label: string;
  /** What is written for each part below the bar. Absent: nothing is. */
  readonly legend?: ((part: Part) => string) | undefined;
}

/** A tally as a stacked bar with a mark. */
export function StackedBar({ parts, mark, label, legend }: StackedBarProps) {
  return (
    <div class="tally">
      <div class="tally-bar" role="img" aria-label={label}>
        {parts.map(({ option, share }) =>
          share > 0 ? <span key={option} class="tally-part" data-option={option} style={{ width: `${share}%` }} /> : null,
        )}
        {mark === undefined ? null : (
          <span class="tally-mark" style={{ left: `${mark.at}%` }} title={`${mark.name}: ${mark.value}`} />
        )}
      </div>
      {legend === undefined ? null : (
        <ul class="legend" aria-hidden="true">
          {parts.map((part) => (
            <li key={part.option} data-option={part.option}>
              {part.name} <span class="num">{legend(part)}</span>
            </li>
          ))}
          {mark === undefined ? null : (
            <li class="legend-mark">
              {mark.name} <span class="num">{mark.value}</span>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

interface TallyBarProps {
  readonly counts: Counts;
  readonly totalWeight: string;
  readonly rule: Rule | undefined;
  readonly isOpen: boolean;
  /** Whether the weights are written below the bar. */
  readonly hasLegend?: boolean;
}

/** A tally as a stacked bar over the total weight of the group, with a mark at the yes weight that is required. */
export function TallyBar({ counts, totalWeight, rule, isOpen, hasLegend = false }: TallyBarProps) {
  const parts = partsOf(counts, totalWeight, isOpen);
  const at = rule === undefined ? undefined : markOf(rule, totalWeight);
  const required = rule === undefined ? undefined : requiredWeight(rule, totalWeight);
  const words = parts.map(({ name, weight }) => `${name} ${weight}`).join(', ');
  return (
    <StackedBar
      parts={parts}
      mark={
        at === undefined || required === undefined
          ? undefined
          : { at, name: texts.value.proposal.required, value: count(required) }
      }
      label={`${words}${required === undefined ? '' : `. ${texts.value.proposal.required}: ${required} ${texts.value.proposal.ofTotal(totalWeight)}`}`}
      legend={hasLegend ? ({ weight }) => count(weight) : undefined}
    />
  );
}
