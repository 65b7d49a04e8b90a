import type { ComponentChildren } from 'preact';

interface ScrollProps {
  /** What is in it, for screen readers. */
  readonly name: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** A part that scrolls sideways rather than being cut off. The keyboard reaches it. */
export function Scroll({ name, class: className, children }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of this kind is no fieldset, and many landmarks help nobody
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <div class={className} role="group" aria-label={name} tabIndex={0}>
      {children}
    </div>
  );
}
