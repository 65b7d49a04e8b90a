import { unitOf } from '../../components/Amount.tsx';
import { GovTallyBar } from '../../components/governance/GovTallyBar.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { type Condition, conditionsOf, govShares, govVerdict } from '../../format/govTally.ts';
import { percent, rounded } from '../../format/numbers.ts';
import { displayUnits } from '../../format/units.ts';
import type { GovProposalQuery } from '../../gen/graphql.ts';
import type { GovProposalData } from './shape.ts';

type Bonded = NonNullable<GovProposalQuery['stakingPool']>['bonded'];

/** What a tally has beside what a rule asks for. */
function Meter({ of }: { readonly of: Condition }) {
  const { name, value, limit, words, limitWords, isMet } = of;
  return (
    <div class="meter">
      <p class="meter-words">
        <span>
          {name} <span class="num">{percent(value)}</span> <span class="muted">({limitWords})</span>
        </span>
        <span class={isMet ? undefined : 'strong'}>{words}</span>
      </p>
      <div class="tally-bar" aria-hidden="true">
        <span
          class="tally-part"
          data-option={name === 'Veto' ? 'veto' : name === 'Yes' ? 'yes' : 'abstain'}
          style={{ width: `${Math.min(100, Number(value))}%` }}
        />
        <span class="tally-mark" style={{ left: `${limit}%` }} />
      </div>
    </div>
  );
}

/** The tally of a proposal: the power of each option, and what it has of quorum, threshold and veto. */
export function GovTally({ of, bonded }: { readonly of: GovProposalData; readonly bonded: Bonded | null }) {
  const { tally, outcome, status } = of;
  const hasVotes = tally !== null && Object.values(tally).some((power) => power !== '0');
  if (tally === null || (outcome === null && !hasVotes))
    return (
      <Card title="Tally">
        <Empty>
          {status === 'PROPOSAL_STATUS_DEPOSIT_PERIOD'
            ? 'Voting begins when it has its deposit.'
            : 'Nobody voted, or only accounts without stake.'}
        </Empty>
      </Card>
    );
  const power = (weight: string): string => (bonded === null ? weight : rounded(displayUnits(weight, bonded)));
  const unit = bonded === null ? '' : unitOf({ ...bonded, display: bonded.display && { ...bonded.display, amount: '' } });
  const shares = govShares(tally);
  return (
    <Card title="Tally" aside={unit === '' ? null : <span class="muted">voting power in {unit}</span>}>
      {outcome === null ? (
        <dl class="figures">
          <div>
            <dt>Yes</dt>
            <dd class="num">{percent(shares.yes)}</dd>
          </div>
          <div>
            <dt>No with veto</dt>
            <dd class="num">{percent(shares.veto)}</dd>
          </div>
        </dl>
      ) : null}
      <GovTallyBar counts={tally} rules={outcome} legend={power} />
      {outcome === null ? null : (
        <div class="meters">
          {conditionsOf(outcome).map((condition) => (
            <Meter key={condition.name} of={condition} />
          ))}
        </div>
      )}
      <p class="verdict">{govVerdict(of)}.</p>
    </Card>
  );
}
