import { TallyBar } from '../../components/governance/TallyBar.tsx';
import { verdictOf } from '../../components/governance/verdict.ts';
import { Card, Empty } from '../../components/page/Card.tsx';
import { count, percent } from '../../format/numbers.ts';
import { requiredWeight, ruleWords, votedPercent } from '../../format/tally.ts';
import type { ProposalView } from './shape.ts';

/** The tally, the threshold, and what is missing. */
export function Tally({ of }: { readonly of: ProposalView }) {
  const { tally, outcome, rule, totalWeight: total, status, isOpen } = of;
  if (tally === null || total === undefined)
    return (
      <Card title="Tally">
        <Empty>It has none: it was withdrawn, or its policy changed before it was decided.</Empty>
      </Card>
    );
  const required = rule === undefined ? undefined : requiredWeight(rule, total);
  return (
    <Card title="Tally" aside={rule === undefined ? null : <span class="muted">passes with {ruleWords(rule)}</span>}>
      <dl class="figures">
        <div>
          <dt>Yes</dt>
          <dd class="num">
            {count(tally.yesCount)} <small>of {required === undefined ? count(total) : `${count(required)} required`}</small>
          </dd>
        </div>
        {isOpen ? (
          <div>
            <dt>Missing</dt>
            <dd class="num">{outcome === null ? '–' : count(outcome.yesNeeded)}</dd>
          </div>
        ) : null}
        <div>
          <dt>Turnout</dt>
          <dd class="num">{percent(votedPercent(tally, total))}</dd>
        </div>
      </dl>
      <TallyBar counts={tally} totalWeight={total} rule={rule} isOpen={isOpen} hasLegend />
      <p class="verdict" data-decision={outcome?.decision ?? status}>
        {verdictOf(of)}
        {outcome?.decision === 'UNDECIDED'
          ? `. Members with a weight of ${count(outcome.undecidedWeight)} have not voted.`
          : '.'}
      </p>
    </Card>
  );
}
