import { Tag } from '../../components/Badge.tsx';
import { Countdown } from '../../components/governance/Countdown.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { VoteOptions } from '../../components/governance/VoteOptions.tsx';
import { Card, Unread } from '../../components/page/Card.tsx';
import { ValidatorLink } from '../../components/ValidatorLink.tsx';
import { type Options, optionsOf, type VotingPart, votingParts } from '../../format/govPower.ts';
import { count, percent } from '../../format/numbers.ts';
import type { AccountQuery } from '../../gen/graphql.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';

type AccountData = NonNullable<AccountQuery['account']>;
type Delegations = NonNullable<NonNullable<AccountData['staking']>['delegations']>['nodes'];
type Part = VotingPart<NonNullable<Delegations[number]['validator']>>;

interface GovVotesProps {
  /** The open proposals of the governance module. null if they could not be read. */
  readonly proposals: AccountQuery['govProposals'];
  readonly votes: AccountData['govVotes'];
  readonly delegations: Delegations;
  /** Whether the account has more delegations than these. */
  readonly hasMore: boolean;
  readonly isOperator: boolean;
}

/** The vote of an account or a validator. */
function Vote({ of }: { readonly of: Options | undefined | null }) {
  if (of === null) return <span class="muted">{accountsTexts.value.votes.unread}</span>;
  return of === undefined ? <Tag tone="warn">{texts.value.proposal.notVoted}</Tag> : <VoteOptions of={of} />;
}

/** Whose votes the stake of the account counts for. */
function Power({
  hasVoted,
  parts,
  isOperator,
}: {
  readonly hasVoted: boolean;
  readonly parts: readonly Part[];
  readonly isOperator: boolean;
}) {
  if (parts.length === 0) return <p class="note">{accountsTexts.value.votes.noneCounts}</p>;
  if (isOperator) return <p class="note">{accountsTexts.value.votes.asValidator}</p>;
  const names = parts.map(({ validator }) => validator.moniker ?? validator.address).join(', ');
  if (hasVoted) return <p class="note">{accountsTexts.value.votes.ownVote(names)}</p>;
  return (
    <>
      <p class="note">{accountsTexts.value.votes.validatorsVote}</p>
      <ul class="power">
        {parts.map(({ validator, share, options }) => (
          <li key={validator.address}>
            <ValidatorLink of={validator} />
            <span class="num muted">{percent(share)}</span>
            <Vote of={options} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** How an account votes on each open proposal of the governance module, and who votes with its stake. Nothing if it has neither votes nor stake. */
export function GovVotes({ proposals, votes, delegations, hasMore, isOperator }: GovVotesProps) {
  if (proposals === undefined || proposals?.nodes.length === 0) return null;
  if (votes?.nodes.length === 0 && delegations.length === 0 && !isOperator) return null;
  return (
    <Card
      title={texts.value.words.chainGovernance}
      aside={
        proposals === null ? undefined : <span class="muted num">{count(proposals.totalCount ?? proposals.nodes.length)}</span>
      }
    >
      {proposals === null || votes === null ? <Unread /> : null}
      <ul class="plain-list">
        {proposals?.nodes.map((proposal) => {
          const ownVote = optionsOf(votes, proposal.id);
          return (
            <li key={proposal.id}>
              <span>
                <span class="muted num">#{proposal.id}</span> <a href={urlOf(`/gov/${proposal.id}`)}>{titleOf(proposal)}</a>
              </span>
              <span class="vote-options">
                <Vote of={ownVote} />
                {proposal.votingEndTime === null ? null : <Countdown until={proposal.votingEndTime} />}
              </span>
              <div class="whole-line">
                {ownVote === null || delegations.length === 0 ? null : (
                  <Power
                    hasVoted={ownVote !== undefined}
                    parts={votingParts(delegations, proposal.id)}
                    isOperator={isOperator}
                  />
                )}
              </div>
            </li>
          );
        })}
      </ul>
      {hasMore ? <p class="note">{accountsTexts.value.votes.sharesNote}</p> : null}
    </Card>
  );
}
