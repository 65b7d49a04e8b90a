import { Address } from '../../components/Address.tsx';
import { Amount, Value, type ValuedMoney } from '../../components/Amount.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { type Rule, ruleWords } from '../../format/tally.ts';
import { duration } from '../../format/times.ts';
import { urlOf } from '../../routing/router.ts';

interface Policy {
  readonly address: string;
  readonly metadata: string;
  readonly decisionPolicy: Rule;
  readonly account: { readonly balances: { readonly nodes: readonly ValuedMoney[] } | null };
}

/** The policies of a group: their rules and what their accounts hold. */
export function Policies({ of }: { readonly of: readonly Policy[] }) {
  if (of.length === 0)
    return (
      <Card title="Policies">
        <Empty>The group has no policy, so it can decide nothing.</Empty>
      </Card>
    );
  return (
    <div class="grid two">
      {of.map(({ address, metadata, decisionPolicy, account }) => (
        <Card
          key={address}
          title={metadata || 'Policy without a name'}
          aside={<a href={urlOf(`/policies/${address}`)}>Board</a>}
        >
          <Facts
            of={[
              ['Passes with', ruleWords(decisionPolicy)],
              ['Voting', decisionPolicy.windows ? duration(decisionPolicy.windows.votingPeriod) : null],
              ['Account', <Address of={address} />],
            ]}
          />
          <ul class="balance-list">
            {(account.balances?.nodes ?? []).map((coin) => (
              <li key={coin.denom}>
                <Amount of={coin} />
                <Value of={coin.value} />
              </li>
            ))}
            {account.balances?.nodes.length === 0 ? <li class="muted">It holds nothing.</li> : null}
          </ul>
        </Card>
      ))}
    </div>
  );
}
