import { useEffect, useState } from 'preact/hooks';
import { type Finds, type Found, find } from '../components/search/find.ts';
import { texts } from '../language/language.ts';
import { navigate, urlOf } from '../routing/router.ts';

/** The most suggestions. */
const most = 8;

/** A text is searched for after a pause in typing, in ms. */
const pause = 150;

export interface SuggestionsProps {
  /** The id of the list. */
  readonly id: string;
  readonly text: string;
  /** The index of the one that the arrow keys have chosen; -1 for none. */
  readonly chosen: number;
  /** Gets the paths of the suggestions in their order. */
  readonly onFind: (items: readonly Found[]) => void;
  readonly onLeave: () => void;
}

/** What a text may mean, as a list under the search field. Nothing while nothing is found. */
export function Suggestions({ id, text, chosen, onFind, onLeave }: SuggestionsProps) {
  const [finds, setFinds] = useState<Finds | string | undefined>(undefined);
  useEffect(() => {
    let isGone = false;
    const take = (next: Finds | string): void => {
      if (isGone) return;
      setFinds(next);
      onFind(typeof next === 'string' ? [] : next.items);
    };
    const timer = setTimeout(() => {
      find(text, most).then(take, (error: unknown) =>
        take(error instanceof Error ? error.message : texts.value.shell.searchFailed),
      );
    }, pause);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [text]);
  if (finds === undefined) return null;
  const items = typeof finds === 'string' ? [] : finds.items;
  if (items.length === 0)
    return (
      <p class="suggestions muted small" role="status">
        {typeof finds === 'string' ? finds : texts.value.shell.nothingFound}
      </p>
    );
  return (
    // The field keeps the focus while a suggestion is pressed.
    <div
      id={id}
      class="suggestions"
      role="listbox"
      aria-label={texts.value.shell.suggestions}
      tabIndex={-1}
      onMouseDown={(event) => event.preventDefault()}
    >
      {items.map(({ kind, name, path }, index) => (
        <a
          key={`${path} ${index}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          href={urlOf(path)}
          tabIndex={-1}
          onClick={(event) => {
            event.preventDefault();
            onLeave();
            navigate(path);
          }}
        >
          <span class="muted small">{texts.value.found[kind]}</span> {name}
        </a>
      ))}
    </div>
  );
}
