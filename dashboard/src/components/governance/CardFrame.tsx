import type { ComponentChildren } from 'preact';
import { count } from '../../format/numbers.ts';
import { texts } from '../../language/language.ts';
import { Words } from '../Words.tsx';
import { Countdown } from './Countdown.tsx';

interface CardFrameProps {
  readonly id: string;
  /** The URL of the page of the proposal. */
  readonly href: string;
  readonly title: string;
  readonly badges: ComponentChildren;
  /** When voting ends; undefined if it has ended or not begun. */
  readonly until: string | undefined;
  /** Where the proposal belongs: the group, or the governance of the chain. */
  readonly place: ComponentChildren;
  readonly messages: readonly { readonly type: string; readonly inWords: string | null }[];
  /** The tally. */
  readonly children: ComponentChildren;
  /** The kind of the proposal, for tests and styles. */
  readonly kind: 'group' | 'gov';
}

/** A proposal of any kind as a card: where it belongs, what it does, its tally, and the time that is left. */
export function CardFrame({ id, href, title, badges, until, place, messages, children, kind }: CardFrameProps) {
  const [message] = messages;
  return (
    <article class="proposal-card" {...{ [kind === 'group' ? 'data-proposal' : 'data-gov-proposal']: id }}>
      <div class="proposal-top">
        <span class="muted num">#{id}</span>
        {badges}
        <span class="grow" />
        {until === undefined ? null : <Countdown until={until} />}
      </div>
      <h3>
        <a href={href}>{title}</a>
      </h3>
      {place}
      {message === undefined ? null : (
        <p class="small clamp">
          <Words {...message} />
          {messages.length > 1 ? ` ${texts.value.words.and} ${texts.value.proposal.andMore(count(messages.length - 1))}` : ''}
        </p>
      )}
      {children}
    </article>
  );
}
