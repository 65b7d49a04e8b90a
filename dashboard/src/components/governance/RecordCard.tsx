import { count, percent } from '../../format/numbers.ts';
import { votedPercent } from '../../format/tally.ts';
import type { RecordRowFragment } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';
import { Badge } from '../Badge.tsx';
import { Time } from '../Time.tsx';
import { Words } from '../Words.tsx';
import { titleOf } from './ProposalCard.tsx';
import { TallyBar } from './TallyBar.tsx';

/** A closed proposal of the archive as a card: what it does, its final tally, and when it closed. */
export function RecordCard({ of }: { readonly of: RecordRowFragment }) {
  const { id, status, executorResult, tally, totalWeight, decisionPolicy, messages, closed, submitTime } = of;
  const [message] = messages;
  return (
    <article class="proposal-card" data-record={id}>
      <div class="proposal-top">
        <span class="muted num">#{id}</span>
        <Badge of={status} />
        {executorResult === 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN' ? null : <Badge of={executorResult} />}
        <span class="grow" />
        <span class="muted small nowrap">
          <Time of={closed?.time ?? submitTime} />
        </span>
      </div>
      <h3>
        <a href={urlOf(`/proposals/${id}`)}>{titleOf(of)}</a>
      </h3>
      {message === undefined ? null : (
        <p class="small clamp">
          <Words {...message} />
          {messages.length > 1 ? ` ${texts.value.words.and} ${texts.value.proposal.andMore(count(messages.length - 1))}` : ''}
        </p>
      )}
      {tally === null ? (
        <p class="muted small">{texts.value.proposal.noTally}</p>
      ) : (
        <>
          <TallyBar
            counts={tally}
            totalWeight={totalWeight ?? '0'}
            rule={totalWeight === null ? undefined : (decisionPolicy ?? undefined)}
            isOpen={false}
          />
          <p class="small tally-words">
            <span class="num">{texts.value.proposal.yesWeight(count(tally.yesCount))}</span>
            {totalWeight === null ? null : (
              <span class="muted num">{texts.value.proposal.voted(percent(votedPercent(tally, totalWeight)))}</span>
            )}
          </p>
        </>
      )}
    </article>
  );
}
