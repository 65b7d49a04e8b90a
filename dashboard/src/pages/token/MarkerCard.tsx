import { Address } from '../../components/Address.tsx';
import { Amounts } from '../../components/Amount.tsx';
import { enumWords } from '../../components/Badge.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import type { TokenQuery } from '../../gen/graphql.ts';

interface MarkerCardProps {
  readonly of: TokenQuery['marker'];
  readonly units: readonly { readonly denom: string; readonly exponent: number }[];
}

/** The marker of a token: its rules, and who may do what. On a chain without markers, the units of the token alone. */
export function MarkerCard({ of: marker, units }: MarkerCardProps) {
  const unitsText = units.map(({ denom, exponent }) => (exponent === 0 ? denom : `${denom} (10^${exponent})`)).join(', ');
  if (marker === undefined)
    return units.length === 0 ? null : (
      <Card title="Units">
        <Facts of={[['Units', unitsText]]} />
      </Card>
    );
  if (marker === null)
    return (
      <Card title="Marker">
        <Empty>The denom has no marker.</Empty>
      </Card>
    );
  return (
    <div class="grid two">
      <Card title="Marker">
        <Facts
          of={[
            ['Account', <Address of={marker.account.address} />],
            ['Manager', marker.manager && <Address of={marker.manager.address} />],
            ['Supply', marker.supplyFixed ? 'fixed' : 'not fixed'],
            ['Governance', marker.allowGovernanceControl ? 'can change it' : 'cannot change it'],
            ['Forced transfers', marker.allowForcedTransfer ? 'allowed' : 'not allowed'],
            ['Recipients need', marker.requiredAttributes.join(', ')],
            ['In escrow', <Amounts of={marker.escrow ?? []} />],
            ['Units', unitsText],
          ]}
        />
      </Card>
      <Card title="Permissions">
        {marker.accessControl.length === 0 ? <Empty>No account has any.</Empty> : null}
        <ul class="plain-list">
          {marker.accessControl.map(({ account, permissions }) => (
            <li key={account.address}>
              <Address of={account.address} />
              <span class="muted small">
                {permissions.map((access) => enumWords(access).replace('access ', '')).join(', ')}
              </span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}
