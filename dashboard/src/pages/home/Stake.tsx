import { Amount } from '../../components/Amount.tsx';
import { Card, Unread } from '../../components/page/Card.tsx';
import { percent } from '../../format/numbers.ts';
import type { HomeQuery } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';

/** The stake of the chain, and what it earns. */
export function Stake({ of }: { readonly of: NonNullable<HomeQuery['stakingPool']> | null }) {
  return (
    <Card title={texts.value.words.stake}>
      {of === null ? (
        <Unread />
      ) : (
        <dl class="figures">
          <div>
            <dt>{texts.value.words.bonded}</dt>
            <dd>
              <Amount of={of.bonded} isPlain />
            </dd>
          </div>
          {of.inflationPercent ? (
            <div>
              <dt>{governanceTexts.value.home.inflation}</dt>
              <dd class="num">{percent(of.inflationPercent)}</dd>
            </div>
          ) : null}
          {of.annualPercentage ? (
            <div>
              <dt>{governanceTexts.value.home.earns}</dt>
              <dd class="num" title={governanceTexts.value.home.derivedWhy}>
                {percent(of.annualPercentage)} <small>{governanceTexts.value.home.derived}</small>
              </dd>
            </div>
          ) : null}
        </dl>
      )}
    </Card>
  );
}
