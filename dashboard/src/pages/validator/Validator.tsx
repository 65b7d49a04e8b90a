import { Address, Height } from '../../components/Address.tsx';
import { Amount, Amounts } from '../../components/Amount.tsx';
import { Tag } from '../../components/Badge.tsx';
import { Copy } from '../../components/Copy.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { hasModule } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { accountOfOperator } from '../../format/addresses.ts';
import { count, percent } from '../../format/numbers.ts';
import { ValidatorDocument, ValidatorLiveDocument, type ValidatorQuery } from '../../gen/graphql.ts';
import { type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { LazyChanges } from '../changes/lazyChanges.ts';
import { Participation } from './Participation.tsx';
import { ValidatorVotes } from './ValidatorVotes.tsx';

type ValidatorData = NonNullable<ValidatorQuery['validator']>;

/** Whether a validator takes part in the blocks, in words. */
function State({ of }: { readonly of: ValidatorData }) {
  if (of.signingInfo?.tombstoned) return <Tag tone="bad">Excluded for ever</Tag>;
  if (of.jailed) return <Tag tone="bad">Jailed</Tag>;
  if (of.isBonded === null) return null;
  return of.isBonded ? <Tag tone="good">Bonded</Tag> : <Tag>Not bonded</Tag>;
}

/** What a validator has: its stake, its part of the voting power, and what its operator keeps. */
function Stake({ of }: { readonly of: ValidatorData }) {
  const outstanding = of.operator?.staking?.commission;
  return (
    <Card title="Stake">
      <Facts
        of={[
          ['Stake', of.tokens && <Amount of={of.tokens} />],
          [
            'Voting power',
            of.votingPower === null ? (
              'none: it is not in the set of validators'
            ) : (
              <>
                <span class="num">{count(of.votingPower)}</span>{' '}
                {of.votingPowerPercent === null ? null : <span class="muted">({percent(of.votingPowerPercent)})</span>}
              </>
            ),
          ],
          ['Commission', of.commissionPercent && `${percent(of.commissionPercent)} of the rewards`],
          ['Commission not withdrawn', outstanding && <Amounts of={outstanding.map(({ whole }) => whole)} />],
          ['Operator', of.operator && <Address of={of.operator.address} />],
          [
            'Operator address',
            of.operatorAddress && (
              <span class="mono break">
                {of.operatorAddress} <Copy text={of.operatorAddress} name="the operator address" />
              </span>
            ),
          ],
          ['Public key', of.publicKey && <code class="break">{of.publicKey.value}</code>],
        ]}
      />
    </Card>
  );
}

/** How a validator has signed lately. */
function Signing({ of }: { readonly of: NonNullable<ValidatorData['signingInfo']> | null }) {
  return (
    <Card title="Signing">
      {of === null ? (
        <Empty>It was never bonded.</Empty>
      ) : (
        <Facts
          of={[
            ['Uptime', of.uptimePercent && <span class="num">{percent(of.uptimePercent)}</span>],
            [
              'Missed',
              <span class="num">
                {count(of.missedBlocks)} of the last {count(of.window)} blocks
              </span>,
            ],
            ['Watched since', of.startHeight === '0' ? 'the first block' : <>block {<Height of={of.startHeight} />}</>],
            ['Jailed until', of.jailedUntil && <Time of={of.jailedUntil} isExact />],
            ['Tombstoned', of.tombstoned ? 'It signed two blocks of one height.' : null],
          ]}
        />
      )}
    </Card>
  );
}

function Delegations({ of }: { readonly of: NonNullable<ValidatorData['delegations']> | null }) {
  return (
    <Card title="Delegations" aside={<span class="muted num">{of?.totalCount ? count(of.totalCount) : ''}</span>}>
      {of === null ? <Unread /> : null}
      {of?.nodes.length === 0 ? <Empty>Nobody has delegated to it.</Empty> : null}
      {of === null || of.nodes.length === 0 ? null : (
        <>
          <Table
            name="Delegations, by address"
            rows={of.nodes}
            keyOf={({ delegator }) => delegator.address}
            columns={[
              { name: 'Delegator', class: 'fill', cell: ({ delegator }) => <Address of={delegator.address} /> },
              { name: 'Stake', class: 'num', cell: ({ balance }) => <Amount of={balance} isPlain /> },
            ]}
          />
          <Pager info={of.pageInfo} />
        </>
      )}
    </Card>
  );
}

/** A validator, by the address of its key in hexadecimal, or by its `…valoper1…` address. */
export function Validator({ address = '' }: PathParts) {
  const account = accountOfOperator(address);
  const state = usePage(
    { past: ValidatorDocument, live: ValidatorLiveDocument },
    {
      address: account === undefined ? address : '',
      account: account ?? '',
      isOperator: account !== undefined,
      after: parameters.value.get('after'),
      gov: hasModule('gov'),
      slashing: hasModule('slashing'),
      staking: hasModule('staking'),
    },
  );
  return (
    <Page title="Validator" state={state} subject={account === undefined ? 'validator' : 'account'}>
      {({ validator: byKey, account: byOperator, govProposals }) => {
        const validator = byKey ?? byOperator?.validator ?? null;
        if (validator === null)
          return (
            <Notice title="The chain does not have this validator">
              <p>
                See <a href={urlOf('/validators')}>the validators</a> of this block.
              </p>
            </Notice>
          );
        return (
          <>
            <PageHead
              kind={<a href={urlOf('/validators')}>Validator</a>}
              title={validator.moniker || 'Validator without a name'}
            >
              <State of={validator} />
              <span class="mono muted break">
                {validator.address} <Copy text={validator.address} name="the address" />
              </span>
            </PageHead>
            <div class={validator.signingInfo === undefined ? 'grid' : 'grid two'}>
              <Stake of={validator} />
              {validator.signingInfo === undefined ? null : <Signing of={validator.signingInfo} />}
            </div>
            {govProposals === undefined ? null : (
              <ValidatorVotes proposals={govProposals} votes={validator.operator?.govVotes ?? null} />
            )}
            {govProposals === undefined || !validator.operatorAddress || !validator.operator ? null : (
              <Participation
                operatorAddress={validator.operatorAddress}
                account={validator.operator.address}
                height={state.changed}
              />
            )}
            {validator.delegations === undefined ? null : <Delegations of={validator.delegations} />}
            <LazyChanges kind="validator" id={address} operator={account} />
          </>
        );
      }}
    </Page>
  );
}
