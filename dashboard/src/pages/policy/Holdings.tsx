import { Amount, Value, type ValuedMoney } from '../../components/Amount.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { governanceTexts } from '../../language/governance/texts.ts';

/** What the account of a policy holds. */
export function Holdings({ of }: { readonly of: readonly ValuedMoney[] }) {
  return (
    <Card title={governanceTexts.value.policy.holdings}>
      {of.length === 0 ? (
        <Empty>{governanceTexts.value.policy.holdsNothing}</Empty>
      ) : (
        <ul class="balance-list">
          {of.map((coin) => (
            <li key={coin.denom}>
              <Amount of={coin} />
              <Value of={coin.value} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
