import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../language/language.ts';

interface ScrollProps {
  /** What is in it, for screen readers. */
  readonly name: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** A part that scrolls sideways rather than being cut off, and says so while it does. The keyboard reaches it. */
export function Scroll({ name, class: className, children }: ScrollProps) {
  const place = useRef<HTMLDivElement>(null);
  // Until it is measured, it scrolls.
  const [isCut, setCut] = useState<boolean | undefined>(undefined);
  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    // What lies in the space at its right end is still seen.
    const look = (): void =>
      setCut(box.scrollWidth - Number.parseFloat(getComputedStyle(box).paddingRight) > box.clientWidth + 1);
    const sizes = new ResizeObserver(look);
    sizes.observe(box);
    for (const child of box.children) sizes.observe(child);
    return () => sizes.disconnect();
  }, []);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a group of this kind is no fieldset, and many landmarks help nobody */}
      <div
        ref={place}
        class={className}
        role="group"
        aria-label={name}
        data-cut={isCut}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        {children}
      </div>
      {isCut ? (
        <p class="scroll-hint" aria-hidden="true">
          {texts.value.parts.scrollHint}
        </p>
      ) : null}
    </>
  );
}
