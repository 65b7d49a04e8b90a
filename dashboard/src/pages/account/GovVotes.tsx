import { Countdown } from '../../components/governance/Countdown.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { VoteOptions } from '../../components/governance/VoteOptions.tsx';
import { Card, Unread } from '../../components/page/Card.tsx';
import { count } from '../../format/numbers.ts';
import type { AccountQuery } from '../../gen/graphql.ts';
import { urlOf } from '../../routing/router.ts';

type Votes = NonNullable<AccountQuery['account']>['govVotes'];

/** The votes of an account on open proposals of the governance module. Nothing if it has none. */
export function GovVotes({ of }: { readonly of: Votes | undefined }) {
  if (of === undefined || of?.nodes.length === 0) return null;
  return (
    <Card title="Votes on open proposals of the chain" aside={<span class="muted num">{count(of?.totalCount ?? 0)}</span>}>
      {of === null ? <Unread /> : null}
      <ul class="plain-list">
        {of?.nodes.map(({ proposalId, proposal, options }) => (
          <li key={proposalId}>
            <a href={urlOf(`/gov/${proposalId}`)}>{titleOf({ id: proposalId, title: proposal?.title ?? '' })}</a>
            <span class="vote-options">
              <VoteOptions of={options} />
              {proposal === null || proposal.votingEndTime === null ? null : <Countdown until={proposal.votingEndTime} />}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
