import { Address, Height } from '../../components/Address.tsx';
import { Badge } from '../../components/Badge.tsx';
import { Countdown } from '../../components/governance/Countdown.tsx';
import { NoArchive } from '../../components/governance/NoArchive.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { Messages } from '../../components/Messages.tsx';
import { Card } from '../../components/page/Card.tsx';
import { lazyPart } from '../../components/page/lazyPart.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Partial } from '../../components/page/Partial.tsx';
import { PageSkeleton } from '../../components/page/Skeleton.tsx';
import { NamesOfPage } from '../../components/people.ts';
import { Time } from '../../components/Time.tsx';
import { archive } from '../../data/nodes.ts';
import { usePage } from '../../data/usePage.ts';
import { useRead } from '../../data/useRead.ts';
import { countOf } from '../../format/numbers.ts';
import { ProposalDocument, ProposalLiveDocument, ProposalRecordDocument } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { SealButton } from '../../proof/SealButton.tsx';
import { at, type PathParts, urlOf } from '../../routing/router.ts';
import { LazyChanges } from '../changes/lazyChanges.ts';
import { Executions } from './Executions.tsx';
import { RecordTimeline } from './RecordTimeline.tsx';
import { SearchedTimeline } from './SearchedTimeline.tsx';
import { type ProposalView, viewOf } from './shape.ts';
import { Tally } from './Tally.tsx';
import { TallyOverTime } from './TallyOverTime.tsx';
import { Voters } from './Voters.tsx';

/** What a proposal is, and where it stands. */
function Head({ of, isDeleted }: { readonly of: ProposalView; readonly isDeleted: boolean }) {
  const { id, group, policy, status, executorResult, isOpen, record } = of;
  return (
    <PageHead
      kind={
        <>
          {texts.value.proposal.named(id)} ·{' '}
          {group === undefined ? null : <a href={urlOf(`/groups/${group.id}`)}>{group.name}</a>} ·{' '}
          <a href={urlOf(`/policies/${policy.address}`)}>{policy.name}</a>
        </>
      }
      title={titleOf(of)}
    >
      <Badge of={status} />
      {isOpen ? null : <Badge of={executorResult} />}
      {isOpen ? <Countdown until={of.votingPeriodEnd} /> : null}
      <span class="muted">
        {texts.value.proposal.submitted} <Time of={of.submitTime} /> {texts.value.words.by}{' '}
        {of.proposers.map(({ address }) => (
          <Address key={address} of={address} />
        ))}
      </span>
      {isDeleted && record?.pruned?.height ? (
        <span class="muted">
          {governanceTexts.value.proposal.deletedIn} <Height of={record.pruned.height} />
          {governanceTexts.value.proposal.fromRecord}
        </span>
      ) : null}
    </PageHead>
  );
}

const Act = lazyPart(async () => (await import('./Act.tsx')).Act);

const Markdown = lazyPart(async () => (await import('../../components/Markdown.tsx')).Markdown);

const ProposalRehearsal = lazyPart(async () => (await import('../../components/rehearsal/parts.ts')).ProposalRehearsal);

/** The statuses of proposals that may still run. */
const runnable: readonly string[] = ['PROPOSAL_STATUS_SUBMITTED', 'PROPOSAL_STATUS_ACCEPTED'];

/** A proposal: its tally, its voters, what it does, and what happened to it. From the record once the chain has deleted it. */
export function Proposal({ id = '' }: PathParts) {
  const state = usePage({ past: ProposalDocument, live: ProposalLiveDocument }, { id });
  const recorded = useRead(ProposalRecordDocument, { id }, state.changed);
  const record = recorded.data?.proposalRecord ?? null;
  const isWaiting = recorded.data === undefined && recorded.failure === undefined;
  // The group of the record only names the voters. Its state may be gone.
  const partial = recorded.partial.filter(({ path }) => path?.[1] !== 'groupPolicy');
  return (
    <Page title={texts.value.proposal.named(id)} state={state} hasRecords={isWaiting || record !== null}>
      {({ proposal, head }) => {
        const view = viewOf(proposal, record);
        if (view === undefined)
          return isWaiting ? (
            <PageSkeleton />
          ) : (
            <Notice title={governanceTexts.value.proposal.unknown(id)}>
              <p>
                {governanceTexts.value.proposal.unknownWhy}
                {archive.value ? texts.value.proposal.archiveUnknown : ''}
              </p>
              <NoArchive />
              <Partial errors={partial} />
            </Notice>
          );
        return (
          <NamesOfPage.Provider value={view.names}>
            <Head of={view} isDeleted={proposal === null} />
            {proposal === null ? null : (
              <p>
                <SealButton kind="proposal" id={id} page={{ proposal }} changed={state.changed} />
              </p>
            )}
            {view.summary === '' ? null : /[*_`#>[\n]|:\/\//.test(view.summary) ? (
              <Markdown text={view.summary} />
            ) : (
              <p class="lead">{view.summary}</p>
            )}
            <div class="grid main-side">
              <Tally of={view} />
              {proposal === null ? (
                <TallyOverTime of={view} now={head?.time} />
              ) : (
                <Card title={view.isOpen ? texts.value.proposal.vote : texts.value.proposal.execute}>
                  <Act of={proposal} chainId={head?.chainId} time={head?.time} />
                </Card>
              )}
            </div>
            {proposal === null || at.value !== undefined || !runnable.includes(view.status) ? null : (
              <ProposalRehearsal id={id} />
            )}
            <Card title={countOf(view.messages.length, texts.value.counts.messages)}>
              <Messages of={view.messages} />
            </Card>
            {record === null ? null : <Executions of={record.executions} />}
            <Voters of={view} />
            <div class={proposal === null ? 'grid' : 'grid two'}>
              {proposal === null ? null : <TallyOverTime of={view} now={head?.time} />}
              {record !== null ? (
                <RecordTimeline of={view} record={record} />
              ) : proposal !== null && !isWaiting ? (
                <SearchedTimeline id={id} of={proposal} height={state.changed} />
              ) : null}
            </div>
            <LazyChanges kind="proposal" id={id} />
            <Partial errors={partial} />
          </NamesOfPage.Provider>
        );
      }}
    </Page>
  );
}
