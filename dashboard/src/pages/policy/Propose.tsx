import { useEffect, useState } from 'preact/hooks';
import { actorOf } from '../../actions/actors.ts';
import { type MessageJson, proposeMessage } from '../../actions/messages.ts';
import { useSend } from '../../actions/useSend.ts';
import { ActorChoice } from '../../components/acting/ActorChoice.tsx';
import { DescribedMessages } from '../../components/acting/DescribedMessages.tsx';
import { ForWallet } from '../../components/acting/ForWallet.tsx';
import type { Balance } from '../../components/acting/PaymentFields.tsx';
import { SubmittedProposal } from '../../components/acting/SubmittedProposal.tsx';
import { lazyPart } from '../../components/page/lazyPart.tsx';
import { shownHead } from '../../data/shown.ts';
import { countOf } from '../../format/numbers.ts';
import { lengthProblem, maxMetadata, maxSummary } from '../../format/texts.ts';
import { actingTexts } from '../../language/acting/texts.ts';
import { texts } from '../../language/language.ts';
import { at } from '../../routing/router.ts';
import { type Draft, emptyDraft, keepDraft, newMessage, readDraft } from './draft.ts';
import { MessageFields, messagesOf } from './MessageFields.tsx';

interface ProposeProps {
  readonly policy: string;
  readonly balances: readonly Balance[];
  /** Who can decide a proposal, in words. */
  readonly deciders: string;
}

const Rehearsal = lazyPart(async () => (await import('../../components/rehearsal/parts.ts')).Rehearsal);
const Markdown = lazyPart(async () => (await import('../../components/Markdown.tsx')).Markdown);

/** A rehearsal takes at most this many messages. More are refused here, so that everybody can see what a proposal would do. */
const maxMessages = 99;

/** A form for a proposal: a title, a summary, and the messages that the policy signs. It asks once before it signs. A draft survives a reload. */
export function Propose({ policy, balances, deciders }: ProposeProps) {
  const { progress, send } = useSend();
  const [draft, setDraft] = useState(() => readDraft(policy) ?? emptyDraft);
  const [isAsked, setAsked] = useState(false);
  const [hasPreview, setPreview] = useState(false);
  useEffect(() => {
    if (progress.kind === 'done') change(emptyDraft);
  }, [progress.kind]);
  const chainId = shownHead.value?.chainId;
  const actor = actorOf(chainId);
  if (at.value !== undefined) return <p class="muted">{actingTexts.value.propose.past}</p>;

  function change(next: Draft): void {
    setDraft(next);
    setAsked(false);
    keepDraft(policy, next);
  }

  const title = draft.title.trim();
  const summary = draft.summary.trim();
  const problems = {
    title: lengthProblem(actingTexts.value.propose.theTitle, title, maxMetadata),
    summary: lengthProblem(actingTexts.value.propose.theSummary, summary, maxSummary),
  };
  const read = messagesOf(draft.messages, policy, balances);
  const messages = read.flatMap(({ message }): MessageJson[] => (message === undefined ? [] : [message]));
  const areRead = messages.length === draft.messages.length && messages.length > 0;
  const isComplete = areRead && title !== '' && problems.title === undefined && problems.summary === undefined;
  const isBusy = progress.kind === 'signing' || progress.kind === 'sending';
  const message = proposeMessage(actor?.address ?? '', policy, { title, summary, messages });

  return (
    <form
      class="act-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (actor === undefined || !isComplete || isBusy) return;
        if (!isAsked) return setAsked(true);
        setAsked(false);
        void send(actor, message);
      }}
    >
      <label for="propose-title">{actingTexts.value.propose.title}</label>
      <input
        id="propose-title"
        type="text"
        autocomplete="off"
        value={draft.title}
        aria-describedby="propose-title-reading"
        aria-invalid={problems.title !== undefined}
        onInput={({ currentTarget }) => change({ ...draft, title: currentTarget.value })}
        required
      />
      <p id="propose-title-reading" class="note failed" role="status">
        {problems.title}
      </p>
      <label for="propose-summary">{actingTexts.value.propose.summary}</label>
      <textarea
        id="propose-summary"
        rows={3}
        value={draft.summary}
        aria-describedby="propose-summary-reading"
        aria-invalid={problems.summary !== undefined}
        onInput={({ currentTarget }) => change({ ...draft, summary: currentTarget.value })}
      />
      <p id="propose-summary-reading" class="note failed" role="status">
        {problems.summary}
      </p>
      {summary === '' ? null : (
        <div>
          <button type="button" class="button small" aria-expanded={hasPreview} onClick={() => setPreview(!hasPreview)}>
            {actingTexts.value.propose.preview}
          </button>
          {hasPreview ? <Markdown text={summary} /> : null}
        </div>
      )}
      {read.map((each, index) => (
        <MessageFields
          key={index}
          index={index}
          policy={policy}
          entry={draft.messages[index] ?? newMessage}
          read={each}
          isOnly={read.length === 1}
          onChange={(entry) => change({ ...draft, messages: draft.messages.with(index, entry) })}
          onRemove={() => change({ ...draft, messages: draft.messages.toSpliced(index, 1) })}
        />
      ))}
      <div class="row">
        <button
          type="button"
          class="button"
          disabled={draft.messages.length >= maxMessages}
          onClick={() => change({ ...draft, messages: [...draft.messages, newMessage] })}
        >
          {actingTexts.value.propose.addMessage}
        </button>
        {JSON.stringify(draft) === JSON.stringify(emptyDraft) ? null : (
          <button type="button" class="button" onClick={() => change(emptyDraft)}>
            {actingTexts.value.propose.discard}
          </button>
        )}
      </div>
      <Rehearsal policy={policy} messages={areRead ? messages : undefined} />
      <p class="note">{deciders}</p>
      {actor?.address === undefined ? (
        <ForWallet chainId={chainId} messages={isComplete ? [{ text: actingTexts.value.propose.forWallet, message }] : []} />
      ) : (
        <>
          <ActorChoice chainId={chainId} />
          {isAsked && isComplete ? (
            <div class="confirmation">
              <p>
                <strong>
                  {actingTexts.value.propose.ask(title, countOf(messages.length, texts.value.counts.messages), actor.text)}
                </strong>
              </p>
              <DescribedMessages messages={messages} sentences={read.map(({ sentence }) => sentence)} />
              <div class="row">
                <button type="submit" class="button primary" disabled={isBusy}>
                  {actingTexts.value.sending.sign}
                </button>
                <button type="button" class="button" onClick={() => setAsked(false)}>
                  {texts.value.words.cancel}
                </button>
              </div>
            </div>
          ) : (
            <div class="row">
              <button type="submit" class="button primary" disabled={!isComplete || isBusy}>
                {actingTexts.value.propose.propose}
              </button>
            </div>
          )}
        </>
      )}
      <SubmittedProposal of={progress} />
    </form>
  );
}
