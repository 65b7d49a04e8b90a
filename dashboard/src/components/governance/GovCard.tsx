import { conditionsOf, govVerdict } from '../../format/govTally.ts';
import { percent } from '../../format/numbers.ts';
import { govStandingOf } from '../../format/standing.ts';
import type { GovProposalRowFragment } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';
import { Badge, StandingTag, Tag } from '../Badge.tsx';
import { CardFrame } from './CardFrame.tsx';
import { GovTallyBar } from './GovTallyBar.tsx';
import { titleOf } from './ProposalCard.tsx';

/** A proposal of the governance module as a card, in the look of those of groups. */
export function GovCard({ of }: { readonly of: GovProposalRowFragment }) {
  const { tally, outcome, votingEndTime } = of;
  const standing = govStandingOf(of);
  const isOpen = of.status === 'PROPOSAL_STATUS_VOTING_PERIOD';
  return (
    <CardFrame
      kind="gov"
      id={of.id}
      href={urlOf(`/gov/${of.id}`)}
      title={titleOf(of)}
      badges={
        <>
          <Badge of={of.status} />
          {standing === undefined || !isOpen ? null : <StandingTag of={standing} />}
          {of.expedited ? <Tag tone="warn">{texts.value.proposal.expedited}</Tag> : null}
        </>
      }
      until={isOpen ? (votingEndTime ?? undefined) : undefined}
      place={<p class="muted small">{texts.value.words.chainGovernance}</p>}
      messages={of.messages}
    >
      {tally === null ? (
        <p class="muted small">{texts.value.proposal.noTally}</p>
      ) : (
        <>
          <GovTallyBar counts={tally} rules={outcome} />
          <p class="small tally-words">
            <span>{govVerdict(of)}</span>
            {outcome === null ? null : (
              <span class="muted num">{texts.value.proposal.voted(percent(outcome.turnoutPercent))}</span>
            )}
          </p>
          {outcome === null ? null : (
            <p class="conditions">
              {conditionsOf(outcome)
                .filter(({ option, isMet }) => option !== 'veto' || !isMet)
                .map(({ option, isMet, words }) => (
                  <Tag key={option} tone={isMet ? 'good' : option === 'veto' ? 'bad' : 'plain'}>
                    {words}
                  </Tag>
                ))}
            </p>
          )}
        </>
      )}
    </CardFrame>
  );
}
