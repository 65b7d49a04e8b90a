import { Address } from '../../components/Address.tsx';
import { Badge } from '../../components/Badge.tsx';
import { Countdown } from '../../components/governance/Countdown.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { Messages } from '../../components/Messages.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Time } from '../../components/Time.tsx';
import { usePage } from '../../data/usePage.ts';
import { counted } from '../../format/numbers.ts';
import { ProposalDocument, ProposalLiveDocument } from '../../gen/graphql.ts';
import { type PathParts, urlOf } from '../../routing/router.ts';
import { Act } from './Act.tsx';
import { Tally } from './Tally.tsx';
import { TallyOverTime } from './TallyOverTime.tsx';
import { Timeline } from './Timeline.tsx';
import { Voters } from './Voters.tsx';

/** A proposal: its tally, its voters, what it does, and what happened to it. */
export function Proposal({ id = '' }: PathParts) {
  const state = usePage({ past: ProposalDocument, live: ProposalLiveDocument }, { id });
  return (
    <Page title={`Proposal ${id}`} state={state}>
      {({ proposal, head }) => {
        if (proposal === null)
          return (
            <Notice title={`The chain does not have proposal ${id}`}>
              The chain deletes a proposal when its messages have run, and some time after its voting period. The time machine
              shows it at an earlier block.
            </Notice>
          );
        const policy = proposal.groupPolicy;
        const isOpen = proposal.status === 'PROPOSAL_STATUS_SUBMITTED';
        return (
          <>
            <PageHead
              kind={
                policy === null ? (
                  `Proposal ${id}`
                ) : (
                  <>
                    Proposal {id} ·{' '}
                    <a href={urlOf(`/groups/${policy.group?.id}`)}>{policy.group?.metadata || `Group ${policy.group?.id}`}</a> ·{' '}
                    <a href={urlOf(`/policies/${policy.address}`)}>{policy.metadata || 'Policy'}</a>
                  </>
                )
              }
              title={titleOf(proposal)}
            >
              <Badge of={proposal.status} />
              {isOpen ? null : <Badge of={proposal.executorResult} />}
              {isOpen ? <Countdown until={proposal.votingPeriodEnd} /> : null}
              <span class="muted">
                submitted <Time of={proposal.submitTime} /> by{' '}
                {proposal.proposers.map(({ address }) => (
                  <Address key={address} of={address} />
                ))}
              </span>
            </PageHead>
            {proposal.summary === '' ? null : <p class="lead">{proposal.summary}</p>}
            <div class="grid main-side">
              <Tally of={proposal} />
              <Card title={isOpen ? 'Vote' : 'Execute'}>
                <Act of={proposal} chainId={head?.chainId} time={head?.time} />
              </Card>
            </div>
            <Card title={counted(proposal.messages.length, 'message')}>
              <Messages of={proposal.messages} />
            </Card>
            <Voters of={proposal} />
            <div class="grid two">
              <TallyOverTime of={proposal} now={head?.time} />
              <Timeline id={id} of={proposal} height={state.changed} />
            </div>
          </>
        );
      }}
    </Page>
  );
}
