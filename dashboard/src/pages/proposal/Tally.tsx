import { TallyBar } from '../../components/governance/TallyBar.tsx';
import { verdictOf } from '../../components/governance/verdict.ts';
import { Card, Empty } from '../../components/page/Card.tsx';
import { count, percent } from '../../format/numbers.ts';
import { requiredWeight, ruleWords, votedPercent } from '../../format/tally.ts';
import { texts } from '../../language/language.ts';
import type { ProposalView } from './shape.ts';

/** The tally, the threshold, and what is missing. */
export function Tally({ of }: { readonly of: ProposalView }) {
  const { tally, outcome, rule, totalWeight: total, status, isOpen } = of;
  if (tally === null || total === undefined)
    return (
      <Card title={texts.value.proposal.tally}>
        <Empty>{texts.value.proposal.noTallyWhy}</Empty>
      </Card>
    );
  const required = rule === undefined ? undefined : requiredWeight(rule, total);
  return (
    <Card
      title={texts.value.proposal.tally}
      aside={rule === undefined ? null : <span class="muted">{texts.value.proposal.passesWith(ruleWords(rule))}</span>}
    >
      <dl class="figures">
        <div>
          <dt>{texts.value.proposal.yes}</dt>
          <dd class="num">
            {count(tally.yesCount)}{' '}
            <small>
              {required === undefined
                ? texts.value.proposal.ofTotal(count(total))
                : texts.value.proposal.ofRequired(count(required))}
            </small>
          </dd>
        </div>
        {isOpen ? (
          <div>
            <dt>{texts.value.proposal.missing}</dt>
            <dd class="num">{outcome === null ? '–' : count(outcome.yesNeeded)}</dd>
          </div>
        ) : null}
        <div>
          <dt>{texts.value.proposal.turnout}</dt>
          <dd class="num">{percent(votedPercent(tally, total))}</dd>
        </div>
      </dl>
      <TallyBar counts={tally} totalWeight={total} rule={rule} isOpen={isOpen} hasLegend />
      <p class="verdict" data-decision={outcome?.decision ?? status}>
        {verdictOf(of)}
        {outcome?.decision === 'UNDECIDED' ? texts.value.proposal.undecided(count(outcome.undecidedWeight)) : '.'}
      </p>
    </Card>
  );
}
