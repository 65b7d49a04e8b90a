import { OpenProposals } from '../../components/governance/OpenProposals.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { hasModule } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { countOf } from '../../format/numbers.ts';
import { ProposalsDocument, ProposalsLiveDocument } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { parameters, urlOf } from '../../routing/router.ts';
import { ClosedOfGroups } from './ClosedOfGroups.tsx';
import { CollectingDeposits } from './CollectingDeposits.tsx';
import { DeletedProposals } from './DeletedProposals.tsx';
import { GovList } from './GovList.tsx';

/**
 * The open proposals of groups and of the governance module in one list, those that collect deposits, all of the governance module with those that the chain has deleted, and the closed ones of
 * groups.
 */
export function Proposals() {
  const state = usePage(
    { past: ProposalsDocument, live: ProposalsLiveDocument },
    { after: parameters.value.get('after'), gov: hasModule('gov'), group: hasModule('group') },
  );
  return (
    <Page title={texts.value.shell.proposals} state={state}>
      {({ open, deposits, govParams, govProposals, groups }) => {
        const ofGroups = (groups?.nodes ?? []).flatMap(({ proposals }) => proposals?.nodes ?? []);
        const total =
          Number(open?.totalCount ?? 0) +
          (groups?.nodes ?? []).reduce((sum, { proposals }) => sum + Number(proposals?.totalCount ?? 0), 0);
        const shownCount = ofGroups.length + (open?.nodes.length ?? 0);
        return (
          <>
            <PageHead title={texts.value.shell.proposals}>
              <span class="muted">{countOf(total, texts.value.counts.openProposals)}</span>
              {groups === undefined ? null : <a href={urlOf('/groups')}>{texts.value.shell.groups}</a>}
            </PageHead>
            <Card
              title={texts.value.proposal.open}
              aside={<span class="muted">{governanceTexts.value.lists.firstClosing}</span>}
            >
              {open === null || groups === null ? <Unread /> : null}
              {shownCount === 0 ? <Empty>{governanceTexts.value.lists.noneOpen}</Empty> : null}
              {shownCount === 0 ? null : <OpenProposals groups={ofGroups} gov={open?.nodes ?? []} />}
              {shownCount < total ? (
                <p class="note">
                  {shownCount} {governanceTexts.value.lists.othersOnGroups}
                </p>
              ) : null}
            </Card>
            {!deposits || deposits.nodes.length === 0 ? null : (
              <CollectingDeposits of={deposits.nodes} params={govParams ?? null} />
            )}
            {govProposals === undefined ? null : <GovList of={govProposals} />}
            {govProposals === undefined ? null : <DeletedProposals height={state.changed} />}
            {groups === undefined ? null : <ClosedOfGroups height={state.changed} />}
          </>
        );
      }}
    </Page>
  );
}
