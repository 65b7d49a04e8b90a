import { Address } from '../../components/Address.tsx';
import { Amount, Amounts } from '../../components/Amount.tsx';
import { Bonding } from '../../components/Bonding.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { ValidatorLink } from '../../components/ValidatorLink.tsx';
import { count } from '../../format/numbers.ts';
import type { AccountQuery } from '../../gen/graphql.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';

type StakingData = NonNullable<NonNullable<AccountQuery['account']>['staking']>;

interface StakingProps {
  readonly of: StakingData;
  readonly address: string;
  /** The validator that the account operates. */
  readonly validator: { readonly address: string; readonly moniker: string | null } | null | undefined;
}

/** Coins with decimals, in whole base units. Those that are less are left out. */
const wholeOf = (coins: NonNullable<StakingData['rewards']>) =>
  coins.map(({ whole }) => whole).filter(({ amount }) => amount !== '0');

/** What an account has staked, what it gets for it, and what it is taking back or moving. Nothing if it has none of it. */
export function Staking({ of, address, validator }: StakingProps) {
  const { total, delegations, unbonding, redelegations, rewards, commission, withdrawAddress } = of;
  const rows = delegations?.nodes ?? [];
  const isEmpty = [delegations?.nodes, unbonding, redelegations].every((list) => list?.length === 0);
  if (isEmpty && commission === null) return null;
  return (
    <Card title={accountsTexts.value.staking.title}>
      <Facts
        of={[
          [accountsTexts.value.staking.staked, total && <Amount of={total} />],
          [accountsTexts.value.staking.rewardsWaiting, rewards && <Amounts of={wholeOf(rewards)} />],
          [accountsTexts.value.account.operates, validator ? <ValidatorLink of={validator} /> : null],
          [accountsTexts.value.staking.commissionWaiting, commission && <Amounts of={wholeOf(commission)} />],
          [
            accountsTexts.value.staking.rewardsTo,
            withdrawAddress === null ? null : withdrawAddress.address === address ? (
              accountsTexts.value.staking.thisAccount
            ) : (
              <Address of={withdrawAddress.address} />
            ),
          ],
        ]}
      />
      <h3>
        {accountsTexts.value.staking.delegations}{' '}
        <span class="muted num">{delegations?.totalCount ? count(delegations.totalCount) : ''}</span>{' '}
        {rows.length === 0 ? null : <SaveList name={accountsTexts.value.staking.delegations} list="delegations" of={address} />}
      </h3>
      {delegations === null ? <Unread /> : null}
      {delegations !== null && rows.length === 0 ? <Empty>{accountsTexts.value.staking.delegatedNone}</Empty> : null}
      {delegations === null || rows.length === 0 ? null : (
        <>
          <Table
            name={accountsTexts.value.staking.delegations}
            rows={rows}
            keyOf={({ operatorAddress }) => operatorAddress}
            columns={[
              {
                name: texts.value.words.validator,
                class: 'fill',
                cell: ({ validator: to, operatorAddress }) => (
                  <>
                    <ValidatorLink of={to} operatorAddress={operatorAddress} />
                    <Bonding of={to} />
                  </>
                ),
              },
              { name: texts.value.words.stake, class: 'num', cell: ({ balance }) => <Amount of={balance} isPlain /> },
              {
                name: accountsTexts.value.staking.rewards,
                class: 'num',
                cell: (delegation) => <Amounts of={wholeOf(delegation.rewards ?? [])} />,
              },
            ]}
          />
          <Pager info={delegations.pageInfo} name="delegations" />
        </>
      )}
      {unbonding === null || unbonding.length === 0 ? null : (
        <>
          <h3>{accountsTexts.value.staking.takenBack}</h3>
          <Table
            name={accountsTexts.value.staking.takenBackTable}
            rows={unbonding}
            keyOf={({ operatorAddress, creationHeight, completionTime }) =>
              `${operatorAddress}/${creationHeight}/${completionTime}`
            }
            columns={[
              {
                name: texts.value.words.from,
                class: 'fill',
                cell: (move) => <ValidatorLink of={move.validator} operatorAddress={move.operatorAddress} />,
              },
              { name: texts.value.words.amount, class: 'num', cell: ({ balance }) => <Amount of={balance} isPlain /> },
              { name: texts.value.words.ends, class: 'num', cell: ({ completionTime }) => <Time of={completionTime} /> },
            ]}
          />
        </>
      )}
      {redelegations === null || redelegations.length === 0 ? null : (
        <>
          <h3>{accountsTexts.value.staking.moved}</h3>
          <Table
            name={accountsTexts.value.staking.movedTable}
            rows={redelegations}
            keyOf={({ operatorAddress, toValidator, creationHeight, completionTime }) =>
              `${operatorAddress}/${toValidator?.address}/${creationHeight}/${completionTime}`
            }
            columns={[
              {
                name: texts.value.words.from,
                class: 'fill',
                cell: (move) => <ValidatorLink of={move.validator} operatorAddress={move.operatorAddress} />,
              },
              { name: texts.value.words.to, cell: ({ toValidator }) => <ValidatorLink of={toValidator} /> },
              { name: texts.value.words.amount, class: 'num', cell: ({ balance }) => <Amount of={balance} isPlain /> },
              { name: texts.value.words.ends, class: 'num', cell: ({ completionTime }) => <Time of={completionTime} /> },
            ]}
          />
        </>
      )}
    </Card>
  );
}
