import { Address } from '../../components/Address.tsx';
import { Amounts } from '../../components/Amount.tsx';
import { enumWords } from '../../components/Badge.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import type { TokenQuery } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';

interface MarkerCardProps {
  readonly of: TokenQuery['marker'];
  readonly units: readonly { readonly denom: string; readonly exponent: number }[];
}

/** The marker of a token: its rules, and who may do what. On a chain without markers, the units of the token alone. */
export function MarkerCard({ of: marker, units }: MarkerCardProps) {
  const unitsText = units.map(({ denom, exponent }) => (exponent === 0 ? denom : `${denom} (10^${exponent})`)).join(', ');
  if (marker === undefined)
    return units.length === 0 ? null : (
      <Card title={chainTexts.value.token.units}>
        <Facts of={[[chainTexts.value.token.units, unitsText]]} />
      </Card>
    );
  if (marker === null)
    return (
      <Card title={chainTexts.value.token.marker}>
        <Empty>{chainTexts.value.token.noMarker}</Empty>
      </Card>
    );
  return (
    <div class="grid two">
      <Card title={chainTexts.value.token.marker}>
        <Facts
          of={[
            [texts.value.words.account, <Address of={marker.account.address} />],
            [chainTexts.value.token.manager, marker.manager && <Address of={marker.manager.address} />],
            [texts.value.words.supply, marker.supplyFixed ? chainTexts.value.token.fixed : chainTexts.value.token.notFixed],
            [
              chainTexts.value.token.governance,
              marker.allowGovernanceControl ? chainTexts.value.token.canChange : chainTexts.value.token.cannotChange,
            ],
            [
              chainTexts.value.token.forced,
              marker.allowForcedTransfer ? chainTexts.value.token.allowed : chainTexts.value.token.notAllowed,
            ],
            [chainTexts.value.token.recipientsNeed, marker.requiredAttributes.join(', ')],
            [chainTexts.value.token.escrow, <Amounts of={marker.escrow ?? []} />],
            [chainTexts.value.token.units, unitsText],
          ]}
        />
      </Card>
      <Card title={chainTexts.value.token.permissions}>
        {marker.accessControl.length === 0 ? <Empty>{chainTexts.value.token.noPermissions}</Empty> : null}
        <ul class="plain-list">
          {marker.accessControl.map(({ account, permissions }) => (
            <li key={account.address}>
              <Address of={account.address} />
              <span class="muted small">{permissions.map((access) => enumWords(access)).join(', ')}</span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}
