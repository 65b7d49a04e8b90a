import { Address, Height } from '../../components/Address.tsx';
import { Amount, Amounts } from '../../components/Amount.tsx';
import { Tag } from '../../components/Badge.tsx';
import { Copy } from '../../components/Copy.tsx';
import { ListAside } from '../../components/lists/SaveButtons.tsx';
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
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
import { type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { LazyChanges } from '../changes/lazyChanges.ts';
import { Participation } from './Participation.tsx';
import { ValidatorVotes } from './ValidatorVotes.tsx';

type ValidatorData = NonNullable<ValidatorQuery['validator']>;

/** Whether a validator takes part in the blocks, in words. */
function State({ of }: { readonly of: ValidatorData }) {
  if (of.signingInfo?.tombstoned) return <Tag tone="bad">{chainTexts.value.validator.excluded}</Tag>;
  if (of.jailed) return <Tag tone="bad">{texts.value.words.jailed}</Tag>;
  if (of.isBonded === null) return null;
  return of.isBonded ? <Tag tone="good">{texts.value.words.bonded}</Tag> : <Tag>{texts.value.words.notBonded}</Tag>;
}

/** What a validator has: its stake, its part of the voting power, and what its operator keeps. */
function Stake({ of }: { readonly of: ValidatorData }) {
  const outstanding = of.operator?.staking?.commission;
  return (
    <Card title={texts.value.words.stake}>
      <Facts
        of={[
          [texts.value.words.stake, of.tokens && <Amount of={of.tokens} />],
          [
            chainTexts.value.validator.votingPower,
            of.votingPower === null ? (
              chainTexts.value.validator.noPower
            ) : (
              <>
                <span class="num">{count(of.votingPower)}</span>{' '}
                {of.votingPowerPercent === null ? null : <span class="muted">({percent(of.votingPowerPercent)})</span>}
              </>
            ),
          ],
          [
            texts.value.words.commission,
            of.commissionPercent && chainTexts.value.validator.ofRewards(percent(of.commissionPercent)),
          ],
          [chainTexts.value.validator.commissionWaiting, outstanding && <Amounts of={outstanding.map(({ whole }) => whole)} />],
          [chainTexts.value.validator.operator, of.operator && <Address of={of.operator.address} />],
          [
            chainTexts.value.validator.operatorAddress,
            of.operatorAddress && (
              <span class="mono break">
                {of.operatorAddress} <Copy text={of.operatorAddress} name={chainTexts.value.validator.theOperatorAddress} />
              </span>
            ),
          ],
          [chainTexts.value.validator.publicKey, of.publicKey && <code class="break">{of.publicKey.value}</code>],
        ]}
      />
    </Card>
  );
}

/** How a validator has signed lately. */
function Signing({ of }: { readonly of: NonNullable<ValidatorData['signingInfo']> | null }) {
  return (
    <Card title={chainTexts.value.validator.signing}>
      {of === null ? (
        <Empty>{chainTexts.value.validator.neverBonded}</Empty>
      ) : (
        <Facts
          of={[
            [chainTexts.value.validator.uptime, of.uptimePercent && <span class="num">{percent(of.uptimePercent)}</span>],
            [
              chainTexts.value.validator.missed,
              <span class="num">
                {count(of.missedBlocks)} {chainTexts.value.validator.ofLast} {count(of.window)}{' '}
                {chainTexts.value.validator.blocks}
              </span>,
            ],
            [
              chainTexts.value.validator.watchedSince,
              of.startHeight === '0' ? (
                chainTexts.value.validator.firstBlock
              ) : (
                <>
                  {texts.value.words.inBlock} {<Height of={of.startHeight} />}
                </>
              ),
            ],
            [chainTexts.value.validator.jailedUntil, of.jailedUntil && <Time of={of.jailedUntil} isExact />],
            [chainTexts.value.validator.tombstoned, of.tombstoned ? chainTexts.value.validator.signedTwice : null],
          ]}
        />
      )}
    </Card>
  );
}

interface DelegationsProps {
  readonly of: NonNullable<ValidatorData['delegations']> | null;
  /** The account of the operator. undefined if it is not known. */
  readonly operator: string | undefined;
}

function Delegations({ of, operator }: DelegationsProps) {
  return (
    <Card
      title={chainTexts.value.validator.delegations}
      aside={
        operator === undefined ? null : (
          <ListAside shown={of} name={chainTexts.value.validator.delegations} list="delegators" of={operator} />
        )
      }
    >
      {of === null ? <Unread /> : null}
      {of?.nodes.length === 0 ? <Empty>{chainTexts.value.validator.noDelegations}</Empty> : null}
      {of === null || of.nodes.length === 0 ? null : (
        <>
          <Table
            name={chainTexts.value.validator.delegationsByAddress}
            rows={of.nodes}
            keyOf={({ delegator }) => delegator.address}
            columns={[
              {
                name: chainTexts.value.validator.delegator,
                class: 'fill',
                cell: ({ delegator }) => <Address of={delegator.address} />,
              },
              { name: texts.value.words.stake, class: 'num', cell: ({ balance }) => <Amount of={balance} isPlain /> },
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
    <Page title={texts.value.words.validator} state={state} subject={account === undefined ? 'validator' : 'account'}>
      {({ validator: byKey, account: byOperator, govProposals }) => {
        const validator = byKey ?? byOperator?.validator ?? null;
        if (validator === null)
          return (
            <Notice title={chainTexts.value.validator.unknown}>
              <p>
                <a href={urlOf('/validators')}>{chainTexts.value.validator.allOfBlock}</a>
              </p>
            </Notice>
          );
        return (
          <>
            <PageHead
              kind={<a href={urlOf('/validators')}>{texts.value.words.validator}</a>}
              title={validator.moniker || texts.value.words.unnamedValidator}
            >
              <State of={validator} />
              <span class="mono muted break">
                {validator.address} <Copy text={validator.address} name={texts.value.parts.theAddress} />
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
            {validator.delegations === undefined ? null : (
              <Delegations of={validator.delegations} operator={validator.operator?.address} />
            )}
            <LazyChanges kind="validator" id={address} operator={account} />
          </>
        );
      }}
    </Page>
  );
}
