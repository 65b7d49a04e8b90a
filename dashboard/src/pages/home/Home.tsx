import { OpenProposals } from '../../components/governance/OpenProposals.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { hasModule } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { HomeDocument, HomeLiveDocument } from '../../gen/graphql.ts';
import { urlOf } from '../../routing/router.ts';
import { BlockChart } from './BlockChart.tsx';
import { NewestTransactions } from './NewestTransactions.tsx';
import { NodeStates } from './NodeStates.tsx';
import { Stake } from './Stake.tsx';
import { Ticker } from './Ticker.tsx';

/** The most proposals that are shown. */
const maxProposals = 6;

/** The chain at a glance: its blocks, its newest transactions, the proposals that close soon, and the nodes. */
export function Home() {
  const state = usePage(
    { past: HomeDocument, live: HomeLiveDocument },
    { gov: hasModule('gov'), group: hasModule('group'), mint: hasModule('mint'), staking: hasModule('staking') },
  );
  return (
    <Page title="Home" state={state}>
      {({ blocks, newest, groups, govProposals, stakingPool }) => {
        const ofGroups = (groups?.nodes ?? []).flatMap(({ proposals }) => proposals?.nodes ?? []);
        const gov = govProposals?.nodes ?? [];
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
            {stakingPool === undefined ? null : <Stake of={stakingPool} />}
            {groups === undefined && govProposals === undefined ? null : (
              <Card title="Proposals closing soon" aside={<a href={urlOf('/proposals')}>All proposals</a>}>
                {groups === null || govProposals === null ? <Unread /> : null}
                {ofGroups.length > 0 || gov.length > 0 ? (
                  <OpenProposals groups={ofGroups} gov={gov} max={maxProposals} />
                ) : groups === null || govProposals === null ? null : (
                  <Empty>No proposal is open.</Empty>
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
