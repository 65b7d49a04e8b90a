import { actorOf } from '../../actions/actors.ts';
import { executeMessage, type VoteChoice, voteMessage } from '../../actions/messages.ts';
import { useSend } from '../../actions/useSend.ts';
import { ActorChoice } from '../../components/acting/ActorChoice.tsx';
import { ForWallet } from '../../components/acting/ForWallet.tsx';
import { ProgressLine } from '../../components/acting/ProgressLine.tsx';
import { enumWords } from '../../components/Badge.tsx';
import { Time } from '../../components/Time.tsx';
import { at } from '../../routing/router.ts';
import type { ProposalData } from './shape.ts';

const choices: readonly VoteChoice[] = ['VOTE_OPTION_YES', 'VOTE_OPTION_NO', 'VOTE_OPTION_ABSTAIN', 'VOTE_OPTION_NO_WITH_VETO'];

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
  if (at.value !== undefined) return <p class="muted">The page shows the past. Go back to now to vote or to execute.</p>;
  if (!isOpen && !canExecute)
    return (
      <p class="muted">
        {of.status === 'PROPOSAL_STATUS_ACCEPTED' && of.executableFrom !== null ? (
          <>
            It can be executed <Time of={of.executableFrom} />.
          </>
        ) : (
          'It is closed, and there is nothing to execute.'
        )}
      </p>
    );
  if (actor?.address === undefined) {
    const votes = isOpen
      ? choices.map((option) => ({ text: `Vote ${enumWords(option).toLowerCase()}`, message: voteMessage('', of.id, option) }))
      : [];
    return (
      <ForWallet
        chainId={chainId}
        messages={canExecute ? [...votes, { text: 'Execute', message: executeMessage('', of.id) }] : votes}
      />
    );
  }

  const { address } = actor;
  const vote = of.votes?.nodes.find(({ voter }) => voter.address === address);
  const isPending = of.pendingVoters?.nodes.some(({ account }) => account.address === address) === true;
  const isBusy = progress.kind === 'signing' || progress.kind === 'sending';
  const names = new Map([
    ...(of.pendingVoters?.nodes ?? []).map(({ account, metadata }) => [account.address, metadata] as const),
    ...(of.votes?.nodes ?? []).map(({ voter, member }) => [voter.address, member?.metadata ?? ''] as const),
  ]);
  return (
    <div class="act">
      <ActorChoice chainId={chainId} names={names} />
      {isOpen && vote !== undefined ? <p>Voted {enumWords(vote.option).toLowerCase()}. A vote cannot be changed.</p> : null}
      {isOpen && vote === undefined && !isPending ? <p class="muted">This account is not a member of the group.</p> : null}
      {isOpen && isPending ? (
        <div class="vote-buttons">
          {choices.map((option) => (
            <button
              key={option}
              type="button"
              class="button vote"
              data-option={option}
              disabled={isBusy}
              onClick={() => send(actor, voteMessage(address, of.id, option))}
            >
              {enumWords(option)}
            </button>
          ))}
        </div>
      ) : null}
      {canExecute ? (
        <button
          type="button"
          class="button primary"
          disabled={isBusy}
          onClick={() => send(actor, executeMessage(address, of.id))}
        >
          Execute
        </button>
      ) : null}
      <ProgressLine of={progress} />
    </div>
  );
}
