import { Address } from '../../components/Address.tsx';
import { Amounts } from '../../components/Amount.tsx';
import { Badge, Tag } from '../../components/Badge.tsx';
import { Code } from '../../components/Code.tsx';
import { Countdown } from '../../components/governance/Countdown.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { Messages } from '../../components/Messages.tsx';
import { Card, Unread } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Time } from '../../components/Time.tsx';
import { usePage } from '../../data/usePage.ts';
import { countOf } from '../../format/numbers.ts';
import { GovProposalDocument, GovProposalLiveDocument, type GovProposalQuery } from '../../gen/graphql.ts';
import { type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { Deposits } from './Deposits.tsx';
import { GovTally } from './GovTally.tsx';
import { GovVotes } from './GovVotes.tsx';
import type { GovProposalData } from './shape.ts';

/** What the end of the voting period would do with the votes so far, besides the execution. */
function endWords(isExpedited: boolean, { passes, burnsDeposits }: NonNullable<GovProposalData['outcome']>): string {
  if (isExpedited && !passes) return 'it would become a regular proposal: its votes are deleted, and voting goes on';
  return `its deposits would be ${burnsDeposits ? 'burnt' : 'returned'}`;
}

/** What happens when, and what the deposit is. */
function Terms({ of, params }: { readonly of: GovProposalData; readonly params: GovProposalQuery['govParams'] }) {
  const { status, votingStartTime, votingEndTime, outcome } = of;
  const isCollecting = status === 'PROPOSAL_STATUS_DEPOSIT_PERIOD';
  const needed = of.expedited ? params?.expeditedMinDeposit : params?.minDeposit;
  return (
    <Card title="Terms">
      <Facts
        of={[
          ['Submitted', <Time of={of.submitTime} isExact />],
          ['Deposits until', isCollecting ? <Time of={of.depositEndTime} isExact /> : null],
          ['Voting began', votingStartTime && <Time of={votingStartTime} isExact />],
          [outcome === null ? 'Voting ended' : 'Voting ends', votingEndTime && <Time of={votingEndTime} isExact />],
          ['Deposit', <Amounts of={of.totalDeposit} />],
          ['Deposit needed', isCollecting && needed ? <Amounts of={needed} /> : null],
          ['If it ended now', outcome && endWords(of.expedited, outcome)],
          ['Metadata', of.metadata === '' ? null : <span class="break">{of.metadata}</span>],
        ]}
      />
    </Card>
  );
}

/** A proposal of the governance module: its tally against the rules, what it does, its votes, deposits and who of the validators has not voted. */
export function GovProposal({ id = '' }: PathParts) {
  const query = parameters.value;
  const state = usePage(
    { past: GovProposalDocument, live: GovProposalLiveDocument },
    { id, votes: query.get('votes'), deposits: query.get('deposits') },
  );
  return (
    <Page title={`Governance proposal ${id}`} state={state}>
      {({ govProposal: proposal, govParams, stakingPool }) => {
        if (proposal === null && state.partial.some(({ path }) => path?.[0] === 'govProposal')) return <Unread />;
        if (proposal === null)
          return (
            <Notice title={`The chain does not have governance proposal ${id}`}>
              <p>The chain deletes a proposal that does not get its deposit in time, and one that its proposer cancels.</p>
            </Notice>
          );
        const isOpen = proposal.status === 'PROPOSAL_STATUS_VOTING_PERIOD';
        const { proposer } = proposal;
        return (
          <>
            <PageHead
              kind={
                <>
                  Proposal {id} · <a href={urlOf('/proposals')}>Governance of the chain</a>
                </>
              }
              title={titleOf(proposal)}
            >
              <Badge of={proposal.status} />
              {proposal.expedited ? <Tag tone="warn">Expedited</Tag> : null}
              {isOpen && proposal.votingEndTime !== null ? <Countdown until={proposal.votingEndTime} /> : null}
              <span class="muted">
                submitted <Time of={proposal.submitTime} />
                {proposer === null ? null : (
                  <>
                    {' by '}
                    <Address of={proposer.address} />
                  </>
                )}
              </span>
            </PageHead>
            {proposal.summary === '' ? null : <p class="lead text">{proposal.summary}</p>}
            {proposal.failedReason === '' ? null : (
              <Card title="Why its execution failed">
                <Code of={proposal.failedReason} />
              </Card>
            )}
            <div class="grid main-side">
              <GovTally of={proposal} bonded={stakingPool?.bonded ?? null} />
              <Terms of={proposal} params={govParams} />
            </div>
            <Card title={proposal.messages.length === 0 ? 'Messages' : countOf(proposal.messages.length, 'message')}>
              {proposal.messages.length === 0 ? (
                <p class="empty">It is a text: nothing is executed if it passes.</p>
              ) : (
                <Messages of={proposal.messages} />
              )}
            </Card>
            <GovVotes of={proposal} />
            <Deposits of={proposal} />
          </>
        );
      }}
    </Page>
  );
}
