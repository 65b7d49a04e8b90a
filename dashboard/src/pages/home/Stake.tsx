import { Amount } from '../../components/Amount.tsx';
import { Card, Unread } from '../../components/page/Card.tsx';
import { percent } from '../../format/numbers.ts';
import type { HomeQuery } from '../../gen/graphql.ts';

/** The stake of the chain, and what it earns. */
export function Stake({ of }: { readonly of: NonNullable<HomeQuery['stakingPool']> | null }) {
  return (
    <Card title="Stake">
      {of === null ? (
        <Unread />
      ) : (
        <dl class="figures">
          <div>
            <dt>Bonded</dt>
            <dd>
              <Amount of={of.bonded} isPlain />
            </dd>
          </div>
          {of.inflationPercent ? (
            <div>
              <dt>Inflation a year</dt>
              <dd class="num">{percent(of.inflationPercent)}</dd>
            </div>
          ) : null}
          {of.annualPercentage ? (
            <div>
              <dt>Stake earns a year</dt>
              <dd
                class="num"
                title="Derived: what is minted in a year, without the part of the community pool, for the bonded stake"
              >
                {percent(of.annualPercentage)} <small>derived, before commission</small>
              </dd>
            </div>
          ) : null}
        </dl>
      )}
    </Card>
  );
}
