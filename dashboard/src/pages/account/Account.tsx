import { Amounts, tokenUrl } from '../../components/Amount.tsx';
import { enumWords, Tag } from '../../components/Badge.tsx';
import { Copy } from '../../components/Copy.tsx';
import { ProposalCard } from '../../components/governance/ProposalCard.tsx';
import { Identicon } from '../../components/Identicon.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Failure } from '../../components/page/Failure.tsx';
import { lazyPart } from '../../components/page/lazyPart.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { ValidatorLink } from '../../components/ValidatorLink.tsx';
import { hasModule } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { isMetadata, shorten } from '../../format/addresses.ts';
import { count } from '../../format/numbers.ts';
import { AccountDocument, AccountLiveDocument } from '../../gen/graphql.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';
import { SealButton } from '../../proof/SealButton.tsx';
import { type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { LazyChanges } from '../changes/lazyChanges.ts';
import { AccountHistory } from './AccountHistory.tsx';
import { Attributes } from './Attributes.tsx';
import { Balances } from './Balances.tsx';
import { GovVoteRecords } from './GovVoteRecords.tsx';
import { GovVotes } from './GovVotes.tsx';
import { Memberships } from './Memberships.tsx';
import { Staking } from './Staking.tsx';
import { Votes } from './Votes.tsx';

const BookEntry = lazyPart(async () => (await import('./BookEntry.tsx')).BookEntry);

const Send = lazyPart(async () => (await import('./Send.tsx')).Send);

/** An account: what it holds, what it is part of, and what it does. */
export function Account({ address = '' }: PathParts) {
  const state = usePage(
    { past: AccountDocument, live: AccountLiveDocument },
    {
      address,
      after: parameters.value.get('after'),
      attribute: hasModule('attribute'),
      delegations: parameters.value.get('delegations'),
      gov: hasModule('gov'),
      group: hasModule('group'),
      hold: hasModule('hold'),
      marker: hasModule('marker'),
      name: hasModule('name'),
      staking: hasModule('staking'),
      wasm: hasModule('wasm'),
    },
  );
  return (
    <Page title={shorten(address)} state={state} subject="account">
      {({ account, govProposals }) => {
        // Open proposals are no account: the error says why there is none.
        const accountError = state.partial.find(({ path }) => path?.[0] === 'account');
        if (account === null && accountError !== undefined) return <Failure error={accountError} />;
        if (account === null) return <Empty>{accountsTexts.value.account.nothingHere}</Empty>;
        const { groupPolicy, marker, holds } = account;
        const awaiting = account.groupProposals?.nodes ?? [];
        const details = (
          <Card title={accountsTexts.value.account.details}>
            <Facts
              of={[
                [accountsTexts.value.account.number, account.accountNumber],
                [accountsTexts.value.account.sequence, account.sequence],
                [
                  accountsTexts.value.account.publicKey,
                  account.publicKey && <code class="break">{account.publicKey.value}</code>,
                ],
                [accountsTexts.value.account.data, account.accountData],
                [texts.value.words.onHold, holds && holds.length > 0 ? <Amounts of={holds} /> : null],
              ]}
            />
          </Card>
        );
        return (
          <>
            <PageHead
              kind={
                isMetadata(address)
                  ? accountsTexts.value.account.metadataAddress
                  : account.moduleName
                    ? accountsTexts.value.account.ofModule(account.moduleName)
                    : texts.value.words.account
              }
              title={
                <span class="mono break">
                  <Identicon of={address} />
                  {address} <Copy text={address} name={texts.value.parts.theAddress} />
                </span>
              }
            >
              {account.kind === null ? (
                isMetadata(address) ? null : (
                  <Tag>{accountsTexts.value.account.noAccount}</Tag>
                )
              ) : (
                <Tag>{enumWords(account.kind)}</Tag>
              )}
              <a href={urlOf(`/accounts/${address}/statement`)}>{accountsTexts.value.account.statement}</a>
              {groupPolicy ? (
                <a href={urlOf(`/policies/${address}`)}>
                  {accountsTexts.value.account.boardOf} {groupPolicy.metadata || accountsTexts.value.account.thisPolicy}
                </a>
              ) : null}
              {account.contract ? (
                <a class="break" href={urlOf(`/contracts/${address}`)}>
                  {texts.value.words.contract} {account.contract.label}
                </a>
              ) : null}
              {account.validator ? (
                <span>
                  {accountsTexts.value.account.operates} <ValidatorLink of={account.validator} />
                </span>
              ) : null}
              {marker ? (
                <a href={tokenUrl(marker.denom)}>
                  {accountsTexts.value.account.markerOf} {marker.denom}
                </a>
              ) : null}
              {(account.names?.nodes ?? []).map(({ name }) => (
                <Tag key={name}>{name}</Tag>
              ))}
            </PageHead>
            {isMetadata(address) ? null : <BookEntry address={address} />}
            {parameters.value.get('after') === null ? (
              <p>
                <SealButton kind="account" id={address} page={{ account }} changed={state.changed} />
              </p>
            ) : null}
            <div class="grid two">
              <Balances address={address} of={account.balances} holds={holds} />
              {account.groups === undefined ? details : <Memberships groups={account.groups} votes={account.votes ?? null} />}
            </div>
            {account.staking === undefined ? null : (
              <Staking of={account.staking} address={address} validator={account.validator} />
            )}
            <GovVotes
              proposals={govProposals}
              votes={account.govVotes}
              delegations={account.staking?.delegations?.nodes ?? []}
              hasMore={account.staking?.delegations?.pageInfo.hasNextPage ?? false}
              isOperator={Boolean(account.validator)}
            />
            {account.govVotes === undefined ? null : <GovVoteRecords address={address} height={state.changed} />}
            {awaiting.length === 0 ? null : (
              <Card
                title={accountsTexts.value.account.awaitingVote}
                aside={<span class="muted num">{count(account.groupProposals?.totalCount ?? 0)}</span>}
              >
                <div class="proposal-grid">
                  {awaiting.map((proposal) => (
                    <ProposalCard key={proposal.id} of={proposal} hasPolicy />
                  ))}
                </div>
              </Card>
            )}
            <Send address={address} balances={account.balances?.nodes ?? []} />
            {account.attributes === undefined && account.groups === undefined ? null : (
              <div class="grid two">
                {account.attributes === undefined ? null : <Attributes of={account.attributes} />}
                {account.groups === undefined ? null : details}
              </div>
            )}
            {account.groups === undefined ? null : <Votes address={address} height={state.changed} />}
            <LazyChanges kind="account" id={address} />
            <AccountHistory address={address} height={state.changed} />
          </>
        );
      }}
    </Page>
  );
}
