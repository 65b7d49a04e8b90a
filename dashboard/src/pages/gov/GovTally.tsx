import { GovTallyBar } from '../../components/governance/GovTallyBar.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { type Condition, conditionsOf, govShares, govVerdict } from '../../format/govTally.ts';
import { percent } from '../../format/numbers.ts';
import { govTexts } from '../../language/gov/texts.ts';
import { texts } from '../../language/language.ts';
import type { GovView } from './shape.ts';

/** What a tally has beside what a rule asks for. */
function Meter({ of }: { readonly of: Condition }) {
  const { option, name, value, limit, words, limitWords, isMet } = of;
  return (
    <div class="meter">
      <p class="meter-words">
        <span>
          {name} <span class="num">{percent(value)}</span> <span class="muted">({limitWords})</span>
        </span>
        <span class={isMet ? undefined : 'strong'}>{words}</span>
      </p>
      <div class="tally-bar" aria-hidden="true">
        <span class="tally-part" data-option={option} style={{ width: `${Math.min(100, Number(value))}%` }} />
        <span class="tally-mark" style={{ left: `${limit}%` }} />
      </div>
    </div>
  );
}

interface GovTallyProps {
  readonly of: Pick<GovView, 'tally' | 'outcome' | 'status'>;
  /** A voting power in the unit of the chain's stake. */
  readonly powerIn: (power: string) => string;
  /** Empty if it is not known. */
  readonly unit: string;
}

/** Why there is no tally. */
const noTally = (): Readonly<Record<string, string>> => ({
  PROPOSAL_STATUS_DEPOSIT_PERIOD: govTexts.value.notBegun,
  PROPOSAL_STATUS_DROPPED: govTexts.value.dropped,
  PROPOSAL_STATUS_CANCELLED: govTexts.value.cancelledEarly,
});

/** The tally of a proposal: the power of each option, and what it has of quorum, threshold and veto. */
export function GovTally({ of, powerIn, unit }: GovTallyProps) {
  const { tally, outcome, status } = of;
  const hasVotes = tally !== null && Object.values(tally).some((power) => power !== '0');
  if (tally === null || (outcome === null && !hasVotes))
    return (
      <Card title={texts.value.proposal.tally}>
        <Empty>
          {tally === null && status === 'PROPOSAL_STATUS_VOTING_PERIOD'
            ? govTexts.value.tallyGone
            : (noTally()[status] ?? govTexts.value.onlyNoStake)}
        </Empty>
      </Card>
    );
  const shares = govShares(tally);
  return (
    <Card
      title={texts.value.proposal.tally}
      aside={
        unit === '' ? null : (
          <span class="muted">
            {govTexts.value.powerIn} {unit}
          </span>
        )
      }
    >
      {outcome === null ? (
        <dl class="figures">
          <div>
            <dt>{texts.value.proposal.yes}</dt>
            <dd class="num">{percent(shares.yes)}</dd>
          </div>
          <div>
            <dt>{texts.value.proposal.veto}</dt>
            <dd class="num">{percent(shares.veto)}</dd>
          </div>
        </dl>
      ) : null}
      <GovTallyBar counts={tally} rules={outcome} legend={powerIn} />
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
