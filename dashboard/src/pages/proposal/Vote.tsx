import { useEffect, useRef, useState } from 'preact/hooks';
import type { VoteChoice } from '../../actions/messages.ts';
import type { Progress } from '../../actions/useSend.ts';
import { enumWords } from '../../components/Badge.tsx';
import { count } from '../../format/numbers.ts';
import type { Counts } from '../../format/tally.ts';
import { lengthProblem, maxMetadata } from '../../format/texts.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { texts } from '../../language/language.ts';
import type { ProposalData } from './shape.ts';

/** The options of a vote, in the order in which they are offered. */
export const choices: readonly VoteChoice[] = [
  'VOTE_OPTION_YES',
  'VOTE_OPTION_NO',
  'VOTE_OPTION_ABSTAIN',
  'VOTE_OPTION_NO_WITH_VETO',
];

const weights: Readonly<Record<VoteChoice, keyof Counts>> = {
  VOTE_OPTION_YES: 'yesCount',
  VOTE_OPTION_NO: 'noCount',
  VOTE_OPTION_ABSTAIN: 'abstainCount',
  VOTE_OPTION_NO_WITH_VETO: 'noWithVetoCount',
};

const optionWords = (option: string): string => texts.value.format.inSentence(enumWords(option));

interface VoteProps {
  /** What the voter is called. */
  readonly name: string;
  readonly weight: string;
  readonly isBusy: boolean;
  /** Called once the visitor has confirmed the vote. */
  onVote(option: VoteChoice, reason: string): void;
}

/** Asks for an option, then once more before it is signed. */
export function Vote({ name, weight, isBusy, onVote }: VoteProps) {
  const [option, setOption] = useState<VoteChoice | undefined>(undefined);
  const [reason, setReason] = useState('');
  const confirmation = useRef<HTMLButtonElement>(null);
  useEffect(() => confirmation.current?.focus(), [option]);
  const problem = lengthProblem(actingTexts.value.vote.theReason, reason, maxMetadata);
  return (
    <>
      <div class="vote-buttons">
        {choices.map((each) => (
          <button
            key={each}
            type="button"
            class="button vote"
            data-option={each}
            aria-pressed={each === option}
            disabled={isBusy}
            onClick={() => setOption(each)}
          >
            {enumWords(each)}
          </button>
        ))}
      </div>
      {option === undefined ? null : (
        <form
          class="act-form confirmation"
          onSubmit={(event) => {
            event.preventDefault();
            if (problem !== undefined || isBusy) return;
            setOption(undefined);
            onVote(option, reason.trim());
          }}
        >
          <p>
            <strong>{actingTexts.value.vote.ask(optionWords(option), name, count(weight))}</strong>{' '}
            {actingTexts.value.vote.cannotChange}
          </p>
          <label for="vote-reason">{actingTexts.value.vote.reason}</label>
          <input
            id="vote-reason"
            type="text"
            autocomplete="off"
            value={reason}
            aria-describedby="vote-reason-reading"
            aria-invalid={problem !== undefined}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
          <p id="vote-reason-reading" class="note failed" role="status">
            {problem}
          </p>
          <div class="row">
            <button ref={confirmation} type="submit" class="button primary" disabled={problem !== undefined || isBusy}>
              {actingTexts.value.sending.sign}
            </button>
            <button type="button" class="button" onClick={() => setOption(undefined)}>
              {texts.value.words.cancel}
            </button>
          </div>
        </form>
      )}
    </>
  );
}

interface VotedProps {
  readonly of: ProposalData;
  readonly vote: { readonly option: string; readonly metadata: string; readonly weight: string | undefined };
  /** How far the transaction of the vote is, if this page has sent it. */
  readonly progress: Progress;
}

/** What the account has voted. After a vote from this page, also what it did to the tally. */
export function Voted({ of, vote, progress }: VotedProps) {
  const choice = choices.find((each) => each === vote.option);
  const weight = choice && of.tally?.[weights[choice]];
  const needed = of.outcome?.yesNeeded;
  return (
    <>
      <p>
        {vote.metadata === ''
          ? actingTexts.value.vote.voted(optionWords(vote.option))
          : actingTexts.value.vote.votedReason(optionWords(vote.option), vote.metadata)}
      </p>
      {progress.kind !== 'done' || weight === undefined || vote.weight === undefined ? null : (
        <p class="vote-effect" role="status">
          {actingTexts.value.vote.effect(count(vote.weight), optionWords(vote.option), count(weight))}
          {needed === undefined || needed === null
            ? null
            : Number(needed) > 0
              ? actingTexts.value.vote.needs(count(needed))
              : actingTexts.value.vote.hasWeight}
        </p>
      )}
    </>
  );
}
