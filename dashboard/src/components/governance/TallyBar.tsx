import { count } from '../../format/numbers.ts';
import { type Counts, markOf, partsOf, type Rule, requiredWeight } from '../../format/tally.ts';

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
  const mark = rule === undefined ? undefined : markOf(rule, totalWeight);
  const required = rule === undefined ? undefined : requiredWeight(rule, totalWeight);
  const words = parts.map(({ name, weight }) => `${name} ${weight}`).join(', ');
  return (
    <div class="tally">
      <div
        class="tally-bar"
        role="img"
        aria-label={`${words}${required === undefined ? '' : `. Required: ${required} of ${totalWeight}`}`}
      >
        {parts.map(({ option, share }) =>
          share > 0 ? <span key={option} class="tally-part" data-option={option} style={{ width: `${share}%` }} /> : null,
        )}
        {mark === undefined ? null : <span class="tally-mark" style={{ left: `${mark}%` }} title={`Required: ${required}`} />}
      </div>
      {hasLegend ? (
        <ul class="legend" aria-hidden="true">
          {parts.map(({ option, name, weight }) => (
            <li key={option} data-option={option}>
              {name} <span class="num">{count(weight)}</span>
            </li>
          ))}
          {required === undefined ? null : (
            <li class="legend-mark">
              Required <span class="num">{count(required)}</span>
            </li>
          )}
        </ul>
      ) : null}
    </div>
  );
}
