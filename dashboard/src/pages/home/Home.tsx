import { actorOf } from '../../actions/actors.ts';
import { OpenProposals } from '../../components/governance/OpenProposals.tsx';
import { ProposalCard } from '../../components/governance/ProposalCard.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { hasModule } from '../../data/modules.ts';
import { newest } from '../../data/shown.ts';
import { usePage } from '../../data/usePage.ts';
import { HomeDocument, HomeLiveDocument } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';
import { Activity } from './Activity.tsx';
import { Stake } from './Stake.tsx';

/** The most proposals that are shown. */
const maxProposals = 12;

/** The most proposals that wait for the visitor's vote. The page of the account has all. */
const maxWaiting = 6;

/** Governance at a glance: what waits for the vote of the visitor, what is open and how it stands, and the chain below. */
export function Home() {
  const me = actorOf(newest.value?.chainId)?.address;
  const state = usePage(
    { past: HomeDocument, live: HomeLiveDocument },
    {
      ...{ gov: hasModule('gov'), group: hasModule('group'), mint: hasModule('mint'), staking: hasModule('staking') },
      ...(me !== undefined && hasModule('group') && { me, hasMe: true }),
    },
  );
  return (
    <Page title={texts.value.shell.home} state={state}>
      {({ latest, groups, govProposals, stakingPool, mine }) => {
        const ofGroups = (groups?.nodes ?? []).flatMap(({ proposals }) => proposals?.nodes ?? []);
        const gov = govProposals?.nodes ?? [];
        const waiting = (mine?.groupProposals?.nodes ?? []).toSorted(
          (one, other) => Date.parse(one.votingPeriodEnd) - Date.parse(other.votingPeriodEnd),
        );
        return (
          <>
            <h1 class="visually-hidden">{governanceTexts.value.home.heading}</h1>
            {waiting.length === 0 ? null : (
              <Card
                title={governanceTexts.value.home.waiting}
                aside={me === undefined ? null : <a href={urlOf(`/accounts/${me}`)}>{governanceTexts.value.home.allWaiting}</a>}
              >
                <div class="proposal-grid">
                  {waiting.slice(0, maxWaiting).map((proposal) => (
                    <ProposalCard key={proposal.id} of={proposal} hasPolicy />
                  ))}
                </div>
              </Card>
            )}
            {groups === undefined && govProposals === undefined ? null : (
              <Card
                title={governanceTexts.value.home.closingSoon}
                aside={<a href={urlOf('/proposals')}>{governanceTexts.value.home.allProposals}</a>}
              >
                {groups === null || govProposals === null ? <Unread /> : null}
                {ofGroups.length > 0 || gov.length > 0 ? (
                  <OpenProposals groups={ofGroups} gov={gov} max={maxProposals} />
                ) : groups === null || govProposals === null ? null : (
                  <Empty>{governanceTexts.value.home.noneOpen}</Empty>
                )}
              </Card>
            )}
            <Activity latest={latest?.nodes[0]} />
            {stakingPool === undefined ? null : <Stake of={stakingPool} />}
          </>
        );
      }}
    </Page>
  );
}
