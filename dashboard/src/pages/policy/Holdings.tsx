import { Amount, Value, type ValuedMoney } from '../../components/Amount.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';

/** What the account of a policy holds. */
export function Holdings({ of }: { readonly of: readonly ValuedMoney[] }) {
  return (
    <Card title="Holdings">
      {of.length === 0 ? (
        <Empty>The policy holds nothing.</Empty>
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
