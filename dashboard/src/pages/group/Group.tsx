import { Address } from '../../components/Address.tsx';
import { ProposalCard } from '../../components/governance/ProposalCard.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { NamesOfPage, namesOf } from '../../components/people.ts';
import { Time } from '../../components/Time.tsx';
import { hasModule } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { useRead } from '../../data/useRead.ts';
import { count, countOf } from '../../format/numbers.ts';
import { GroupDocument, GroupLiveDocument, GroupRecordsDocument, type ProposalStatus } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { at, type PathParts, parameters } from '../../routing/router.ts';
import { LazyChanges } from '../changes/lazyChanges.ts';
import { LazyTurnout } from '../trends/lazyTrends.ts';
import { ClosedProposals } from './ClosedProposals.tsx';
import { Members } from './Members.tsx';
import { Policies } from './Policies.tsx';

const closedStatuses: readonly ProposalStatus[] = [
  'PROPOSAL_STATUS_ACCEPTED',
  'PROPOSAL_STATUS_REJECTED',
  'PROPOSAL_STATUS_WITHDRAWN',
  'PROPOSAL_STATUS_ABORTED',
];

/** A group: its policies, its members, and its open proposals. */
export function Group({ id = '' }: PathParts) {
  const state = usePage(
    { past: GroupDocument, live: GroupLiveDocument },
    { id, marker: hasModule('marker'), after: parameters.value.get('after') },
  );
  // The archive has the proposals of blocks whose state no node has any more.
  const isGone = !state.data?.group?.proposals && state.partial.some(({ code }) => code === 'HEIGHT_PRUNED');
  const recorded = useRead(GroupRecordsDocument, { id, status: isGone ? null : closedStatuses }, state.changed);
  return (
    <Page title={texts.value.proposal.group(id)} state={state} hasRecords={isGone && recorded.data?.proposalRecords !== null}>
      {({ group }) => {
        if (isGone)
          return (
            <>
              <PageHead kind={texts.value.proposal.group(id)} title={group?.metadata || texts.value.proposal.group(id)} />
              <ClosedProposals read={recorded} title={governanceTexts.value.group.recorded} />
            </>
          );
        if (group === null)
          return <Notice title={governanceTexts.value.group.unknown(id)}>{governanceTexts.value.group.unknownWhy}</Notice>;
        const proposals = group.proposals?.nodes ?? [];
        return (
          <NamesOfPage.Provider value={namesOf(group.members?.nodes)}>
            <PageHead
              kind={texts.value.proposal.group(group.id)}
              title={group.metadata || texts.value.proposal.group(group.id)}
            >
              <span>{countOf(group.members?.totalCount ?? 0, texts.value.counts.members)}</span>
              <span>
                {governanceTexts.value.group.weight} {count(group.totalWeight)}
              </span>
              <span>
                {governanceTexts.value.group.admin} <Address of={group.admin.address} />
              </span>
              <span class="muted">
                {governanceTexts.value.group.created} <Time of={group.createdAt} />
                {governanceTexts.value.group.version} {group.version}
              </span>
            </PageHead>
            <Policies of={group.policies?.nodes ?? []} />
            <Card
              title={governanceTexts.value.group.openProposals}
              aside={<span class="muted num">{count(group.proposals?.totalCount ?? 0)}</span>}
            >
              {proposals.length === 0 ? (
                <Empty>{governanceTexts.value.group.noneOpen}</Empty>
              ) : (
                <div class="proposal-grid">
                  {proposals.map((proposal) => (
                    <ProposalCard key={proposal.id} of={proposal} />
                  ))}
                </div>
              )}
            </Card>
            {group.members === null ? null : (
              <Members
                groupId={id}
                of={group.members}
                proposals={proposals}
                participation={recorded.data?.group?.participation ?? null}
              />
            )}
            <ClosedProposals read={recorded} title={governanceTexts.value.group.closedProposals} />
            <LazyTurnout key={[id, at.value].join()} id={id} members={group.members?.nodes ?? []} height={state.changed} />
            <LazyChanges kind="group" id={id} />
          </NamesOfPage.Provider>
        );
      }}
    </Page>
  );
}
