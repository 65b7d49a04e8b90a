import { actorOf } from '../../actions/actors.ts';
import { executeMessage, voteMessage } from '../../actions/messages.ts';
import { useSend } from '../../actions/useSend.ts';
import { ActorChoice } from '../../components/acting/ActorChoice.tsx';
import { ForWallet } from '../../components/acting/ForWallet.tsx';
import { ProgressLine } from '../../components/acting/ProgressLine.tsx';
import { enumWords } from '../../components/Badge.tsx';
import { verdictOf } from '../../components/governance/verdict.ts';
import { Time } from '../../components/Time.tsx';
import { actingTexts } from '../../language/acting/texts.ts';
import { texts } from '../../language/language.ts';
import { at } from '../../routing/router.ts';
import type { ProposalData } from './shape.ts';
import { choices, Vote, Voted } from './Vote.tsx';

interface ActProps {
  readonly of: ProposalData;
  readonly chainId: string | undefined;
  /** The time of the shown block. */
  readonly time: string | undefined;
}

/** Whether the messages can run now. An open proposal with enough weight is decided by its execution. */
function isExecutable({ status, outcome, executableFrom }: ProposalData, time: string | undefined): boolean {
  const isDue = executableFrom === null || time === undefined || Date.parse(executableFrom) <= Date.parse(time);
  return isDue && (status === 'PROPOSAL_STATUS_ACCEPTED' || outcome?.decision === 'ACCEPTED');
}

/** Voting on a proposal and executing it. */
export function Act({ of, chainId, time }: ActProps) {
  const { progress, send } = useSend();
  const actor = actorOf(chainId);
  const isOpen = of.status === 'PROPOSAL_STATUS_SUBMITTED';
  const canExecute = isExecutable(of, time);
  const decision = { isDecided: !isOpen, words: `${verdictOf(isOpen ? of : { ...of, outcome: null })}.` };
  if (at.value !== undefined) return <p class="muted">{actingTexts.value.vote.past}</p>;
  if (!isOpen && !canExecute)
    return (
      <>
        <p class="muted">
          {of.status === 'PROPOSAL_STATUS_ACCEPTED' && of.executableFrom !== null ? (
            <>
              {actingTexts.value.vote.executable} <Time of={of.executableFrom} />.
            </>
          ) : (
            actingTexts.value.vote.nothingLeft
          )}
        </p>
        <ProgressLine of={progress} decision={decision} />
      </>
    );
  if (actor?.address === undefined) {
    const votes = isOpen
      ? choices.map((option) => ({
          text: actingTexts.value.vote.voteFor(texts.value.format.inSentence(enumWords(option))),
          message: voteMessage('', of.id, option),
        }))
      : [];
    return (
      <ForWallet
        chainId={chainId}
        messages={canExecute ? [...votes, { text: texts.value.proposal.execute, message: executeMessage('', of.id) }] : votes}
      />
    );
  }

  const { address } = actor;
  const vote = of.votes?.nodes.find(({ voter }) => voter.address === address);
  const pending = of.pendingVoters?.nodes.find(({ account }) => account.address === address);
  const isBusy = progress.kind === 'signing' || progress.kind === 'sending';
  const names = new Map([
    ...(of.pendingVoters?.nodes ?? []).map(({ account, metadata }) => [account.address, metadata] as const),
    ...(of.votes?.nodes ?? []).map(({ voter, member }) => [voter.address, member?.metadata ?? ''] as const),
  ]);
  return (
    <div class="act">
      <ActorChoice chainId={chainId} names={names} />
      {isOpen && vote !== undefined ? (
        <Voted of={of} vote={{ ...vote, weight: vote.member?.weight }} progress={progress} />
      ) : null}
      {isOpen && vote === undefined && pending === undefined ? <p class="muted">{actingTexts.value.vote.notMember}</p> : null}
      {isOpen && vote === undefined && pending !== undefined ? (
        <Vote
          key={address}
          name={pending.metadata || actor.text}
          weight={pending.weight}
          isBusy={isBusy}
          onVote={(option, reason) => void send(actor, voteMessage(address, of.id, option, reason))}
        />
      ) : null}
      {canExecute ? (
        <button
          type="button"
          class="button primary"
          disabled={isBusy}
          onClick={() => send(actor, executeMessage(address, of.id))}
        >
          {texts.value.proposal.execute}
        </button>
      ) : null}
      <ProgressLine of={progress} decision={decision} />
    </div>
  );
}
