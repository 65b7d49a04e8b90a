import { Address } from '../../components/Address.tsx';
import { Amount, Amounts } from '../../components/Amount.tsx';
import { Tag } from '../../components/Badge.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { ValidatorLink } from '../../components/ValidatorLink.tsx';
import { count } from '../../format/numbers.ts';
import type { AccountQuery } from '../../gen/graphql.ts';

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
    <Card title="Staking">
      <Facts
        of={[
          ['Staked', total && <Amount of={total} />],
          ['Rewards not withdrawn', rewards && <Amounts of={wholeOf(rewards)} />],
          ['Operates', validator ? <ValidatorLink of={validator} /> : null],
          ['Commission not withdrawn', commission && <Amounts of={wholeOf(commission)} />],
          [
            'Rewards go to',
            withdrawAddress === null ? null : withdrawAddress.address === address ? (
              'this account'
            ) : (
              <Address of={withdrawAddress.address} />
            ),
          ],
        ]}
      />
      <h3>
        Delegations <span class="muted num">{delegations?.totalCount ? count(delegations.totalCount) : ''}</span>
      </h3>
      {delegations === null ? <Unread /> : null}
      {delegations !== null && rows.length === 0 ? <Empty>It has delegated nothing.</Empty> : null}
      {delegations === null || rows.length === 0 ? null : (
        <>
          <Table
            name="Delegations"
            rows={rows}
            keyOf={({ operatorAddress }) => operatorAddress}
            columns={[
              {
                name: 'Validator',
                class: 'fill',
                cell: ({ validator: to, operatorAddress }) => (
                  <>
                    <ValidatorLink of={to} operatorAddress={operatorAddress} />{' '}
                    {to?.jailed ? <Tag tone="bad">Jailed</Tag> : to?.isBonded === false ? <Tag>Not bonded</Tag> : null}
                  </>
                ),
              },
              { name: 'Stake', class: 'num', cell: ({ balance }) => <Amount of={balance} isPlain /> },
              { name: 'Rewards', class: 'num', cell: (delegation) => <Amounts of={wholeOf(delegation.rewards ?? [])} /> },
            ]}
          />
          <Pager info={delegations.pageInfo} name="delegations" />
        </>
      )}
      {unbonding === null || unbonding.length === 0 ? null : (
        <>
          <h3>Being taken back</h3>
          <Table
            name="Stake that is being taken back"
            rows={unbonding}
            keyOf={({ operatorAddress, creationHeight, completionTime }) =>
              `${operatorAddress}/${creationHeight}/${completionTime}`
            }
            columns={[
              {
                name: 'From',
                class: 'fill',
                cell: (move) => <ValidatorLink of={move.validator} operatorAddress={move.operatorAddress} />,
              },
              { name: 'Amount', class: 'num', cell: ({ balance }) => <Amount of={balance} isPlain /> },
              { name: 'Ends', class: 'num', cell: ({ completionTime }) => <Time of={completionTime} /> },
            ]}
          />
        </>
      )}
      {redelegations === null || redelegations.length === 0 ? null : (
        <>
          <h3>Being moved</h3>
          <Table
            name="Stake that is being moved"
            rows={redelegations}
            keyOf={({ operatorAddress, toValidator, creationHeight, completionTime }) =>
              `${operatorAddress}/${toValidator?.address}/${creationHeight}/${completionTime}`
            }
            columns={[
              {
                name: 'From',
                class: 'fill',
                cell: (move) => <ValidatorLink of={move.validator} operatorAddress={move.operatorAddress} />,
              },
              { name: 'To', cell: ({ toValidator }) => <ValidatorLink of={toValidator} /> },
              { name: 'Amount', class: 'num', cell: ({ balance }) => <Amount of={balance} isPlain /> },
              { name: 'Ends', class: 'num', cell: ({ completionTime }) => <Time of={completionTime} /> },
            ]}
          />
        </>
      )}
    </Card>
  );
}
