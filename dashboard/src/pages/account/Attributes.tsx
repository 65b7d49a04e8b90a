import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Time } from '../../components/Time.tsx';
import { accountsTexts } from '../../language/accounts/texts.ts';

interface AttributesProps {
  /** null if they could not be read. */
  readonly of: {
    readonly nodes: readonly {
      readonly name: string;
      readonly value: string;
      readonly attributeType: string;
      readonly expirationDate: string | null;
    }[];
  } | null;
}

/** The attributes of an account. */
export function Attributes({ of }: AttributesProps) {
  return (
    <Card title={accountsTexts.value.account.attributes}>
      {of === null ? <Unread /> : null}
      {of?.nodes.length === 0 ? <Empty>{accountsTexts.value.account.hasNone}</Empty> : null}
      <dl class="facts">
        {of?.nodes.map(({ name, value, attributeType, expirationDate }) => (
          <div key={`${name} ${value}`}>
            <dt>
              {name}
              <span class="block small muted">{attributeType.replace('ATTRIBUTE_TYPE_', '').toLowerCase()}</span>
            </dt>
            <dd>
              <code class="break">{value}</code>
              {expirationDate === null ? null : (
                <span class="block small muted">
                  {accountsTexts.value.account.expires} <Time of={expirationDate} />
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
