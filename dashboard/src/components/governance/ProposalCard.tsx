import { percent } from '../../format/numbers.ts';
import { votedPercent } from '../../format/tally.ts';
import type { ProposalRowFragment } from '../../gen/graphql.ts';
import { urlOf } from '../../routing/router.ts';
import { Badge } from '../Badge.tsx';
import { Words } from '../Words.tsx';
import { Countdown } from './Countdown.tsx';
import { TallyBar } from './TallyBar.tsx';
import { verdictOf } from './verdict.ts';

/** The title of a proposal, or its number if it has none. */
export function titleOf({ id, title }: { readonly id: string; readonly title: string }): string {
  return title === '' ? `Proposal ${id}` : title;
}

/** A proposal as a card of the board: what it does, its tally, and the time that is left. */
export function ProposalCard({ of, hasPolicy = false }: { readonly of: ProposalRowFragment; readonly hasPolicy?: boolean }) {
  const { groupPolicy, tally, outcome, messages } = of;
  const isOpen = of.status === 'PROPOSAL_STATUS_SUBMITTED';
  const total = outcome?.totalWeight ?? groupPolicy?.group?.totalWeight;
  const [message] = messages;
  const verdict = verdictOf(of);
  return (
    <article class="proposal-card" data-proposal={of.id}>
      <div class="proposal-top">
        <span class="muted num">#{of.id}</span>
        <Badge of={of.status} />
        {of.executorResult === 'PROPOSAL_EXECUTOR_RESULT_FAILURE' ? <Badge of={of.executorResult} /> : null}
        <span class="grow" />
        {isOpen ? <Countdown until={of.votingPeriodEnd} /> : null}
      </div>
      <h3>
        <a href={urlOf(`/proposals/${of.id}`)}>{titleOf(of)}</a>
      </h3>
      {hasPolicy && groupPolicy !== null ? (
        <p class="muted small">
          {groupPolicy.group?.metadata || `Group ${groupPolicy.group?.id}`} ·{' '}
          <a href={urlOf(`/policies/${groupPolicy.address}`)}>{groupPolicy.metadata || 'Policy'}</a>
        </p>
      ) : null}
      {message === undefined ? null : (
        <p class="small clamp">
          <Words {...message} />
          {messages.length > 1 ? ` and ${messages.length - 1} more` : ''}
        </p>
      )}
      {tally === null || total === undefined ? (
        <p class="muted small">No tally</p>
      ) : (
        <>
          <TallyBar counts={tally} totalWeight={total} rule={groupPolicy?.decisionPolicy} isOpen={isOpen} />
          <p class="small tally-words">
            <span>{verdict}</span>
            {outcome === null ? null : <span class="muted num">{percent(votedPercent(tally, total))} voted</span>}
          </p>
        </>
      )}
    </article>
  );
}
