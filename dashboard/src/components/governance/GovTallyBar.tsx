import type { GovRules } from '../../format/govTally.ts';
import { percent } from '../../format/numbers.ts';
import { type Counts, partsOf } from '../../format/tally.ts';
import { texts } from '../../language/language.ts';
import { StackedBar } from './TallyBar.tsx';

interface GovTallyBarProps {
  readonly counts: Counts;
  /** null once the proposal is decided. */
  readonly rules: Pick<GovRules, 'bondedTokens' | 'quorumPercent'> | null;
  /** What is written for the power of each option below the bar. Absent: nothing is. */
  readonly legend?: (weight: string) => string;
}

/**
 * A tally of the governance module as a stacked bar: over the bonded stake with a mark at the quorum while the proposal is open, then over the votes, because
 * the stake of then is not known.
 */
export function GovTallyBar({ counts, rules, legend }: GovTallyBarProps) {
  const parts = partsOf(counts, rules?.bondedTokens ?? '0', rules !== null).filter(
    ({ option }) => option !== 'open' || rules !== null,
  );
  const words = parts.map(({ name, share }) => `${name} ${percent(String(share))}`).join(', ');
  const mark = rules && {
    at: Number(rules.quorumPercent),
    name: texts.value.proposal.quorum,
    value: percent(rules.quorumPercent),
  };
  return (
    <StackedBar
      parts={parts}
      mark={mark ?? undefined}
      label={`${words}${mark === null ? '' : `. ${texts.value.proposal.quorum}: ${mark.value}`}`}
      legend={legend && (({ weight }) => legend(weight))}
    />
  );
}
