import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { texts } from '../../language/language.ts';

interface CardProps {
  readonly title: string;
  /** Right of the title: a count, a link, a choice. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
  /** The fragment of a link to it. */
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** A part of a page with a title. */
export function Card({ title, aside, class: name, id, children }: CardProps) {
  const titleId = useId();
  return (
    <section id={id} class={`card ${name ?? ''}`} aria-labelledby={titleId}>
      <div class="card-head">
        <h2 id={titleId}>{title}</h2>
        {aside === undefined ? null : <div class="aside">{aside}</div>}
      </div>
      {children}
    </section>
  );
}

/** In place of a list that could not be read. The page says why. */
export function Unread() {
  return <p class="empty">{texts.value.parts.unread}</p>;
}

/** In place of a list that has no items. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
