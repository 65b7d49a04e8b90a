import { wouldFail } from '../../data/wouldFail.ts';
import { percent } from '../../format/numbers.ts';
import { standingOf } from '../../format/standing.ts';
import { votedPercent } from '../../format/tally.ts';
import type { ProposalRowFragment } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';
import { Badge, StandingTag, Tag } from '../Badge.tsx';
import { CardFrame } from './CardFrame.tsx';
import { TallyBar } from './TallyBar.tsx';
import { verdictOf } from './verdict.ts';

/** The title of a proposal, or its number if it has none. */
export function titleOf({ id, title }: { readonly id: string; readonly title: string }): string {
  return title === '' ? texts.value.proposal.named(id) : title;
}

/** A proposal of a group policy as a card: what it does, its tally, and the time that is left. `hasPolicy` says where it belongs, in lists of several policies. */
export function ProposalCard({ of, hasPolicy = false }: { readonly of: ProposalRowFragment; readonly hasPolicy?: boolean }) {
  const { groupPolicy, tally, outcome } = of;
  const isOpen = of.status === 'PROPOSAL_STATUS_SUBMITTED';
  const total = outcome?.totalWeight ?? groupPolicy?.group?.totalWeight;
  const failure = wouldFail.value.get(of.id);
  const standing = isOpen ? standingOf(of) : undefined;
  return (
    <CardFrame
      kind="group"
      id={of.id}
      href={urlOf(`/proposals/${of.id}`)}
      title={titleOf(of)}
      badges={
        <>
          <Badge of={of.status} />
          {standing === undefined ? null : <StandingTag of={standing} />}
          {of.executorResult === 'PROPOSAL_EXECUTOR_RESULT_FAILURE' ? <Badge of={of.executorResult} /> : null}
          {failure === undefined ? null : <Tag tone="bad">{texts.value.proposal.wouldFail}</Tag>}
        </>
      }
      until={isOpen ? of.votingPeriodEnd : undefined}
      place={
        hasPolicy && groupPolicy !== null ? (
          <p class="muted small">
            {groupPolicy.group?.metadata || texts.value.proposal.group(groupPolicy.group?.id ?? '')} ·{' '}
            <a href={urlOf(`/policies/${groupPolicy.address}`)}>{groupPolicy.metadata || texts.value.proposal.policy}</a>
          </p>
        ) : null
      }
      messages={of.messages}
    >
      {failure === undefined ? null : <p class="failed small">{failure}</p>}
      {tally === null || total === undefined ? (
        <p class="muted small">{texts.value.proposal.noTally}</p>
      ) : (
        <>
          <TallyBar counts={tally} totalWeight={total} rule={groupPolicy?.decisionPolicy} isOpen={isOpen} />
          <p class="small tally-words">
            <span>{verdictOf(of)}</span>
            {outcome === null ? null : (
              <span class="muted num">{texts.value.proposal.voted(percent(votedPercent(tally, total)))}</span>
            )}
          </p>
        </>
      )}
    </CardFrame>
  );
}
