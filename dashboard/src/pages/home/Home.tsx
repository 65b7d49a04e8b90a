import { ProposalCard } from '../../components/governance/ProposalCard.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { hasModule } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { HomeDocument, HomeLiveDocument } from '../../gen/graphql.ts';
import { urlOf } from '../../routing/router.ts';
import { BlockChart } from './BlockChart.tsx';
import { NewestTransactions } from './NewestTransactions.tsx';
import { NodeStates } from './NodeStates.tsx';
import { Ticker } from './Ticker.tsx';

/** The most proposals that are shown. */
const maxProposals = 6;

/** The chain at a glance: its blocks, its newest transactions, the proposals that close soon, and the nodes. */
export function Home() {
  const state = usePage({ past: HomeDocument, live: HomeLiveDocument }, { group: hasModule('group') });
  return (
    <Page title="Home" state={state}>
      {({ blocks, newest, groups }) => {
        const closing = (groups?.nodes ?? [])
          .flatMap(({ proposals }) => proposals?.nodes ?? [])
          .toSorted((one, other) => Date.parse(one.votingPeriodEnd) - Date.parse(other.votingPeriodEnd))
          .slice(0, maxProposals);
        const times = new Map((blocks?.nodes ?? []).map((block) => [block.height, block]));
        const latest = (newest?.nodes ?? []).flatMap((block) => {
          const knownTime = times.get(block.height);
          return knownTime === undefined ? [] : [{ ...block, ...knownTime }];
        });
        return (
          <>
            <h1 class="visually-hidden">The chain now</h1>
            <div class="grid home-top">
              <BlockChart of={blocks?.nodes ?? []} />
              <NodeStates />
            </div>
            <Card title="Newest blocks" aside={<a href={urlOf('/blocks')}>All blocks</a>}>
              <Ticker of={latest} />
            </Card>
            {groups === undefined ? null : (
              <Card title="Proposals closing soon" aside={<a href={urlOf('/groups')}>All groups</a>}>
                {groups === null ? <Unread /> : null}
                {groups !== null && closing.length === 0 ? <Empty>No proposal is open.</Empty> : null}
                {closing.length === 0 ? null : (
                  <div class="proposal-grid">
                    {closing.map((proposal) => (
                      <ProposalCard key={proposal.id} of={proposal} hasPolicy />
                    ))}
                  </div>
                )}
              </Card>
            )}
            <NewestTransactions of={latest} />
          </>
        );
      }}
    </Page>
  );
}
