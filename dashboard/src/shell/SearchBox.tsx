import { useEffect, useRef, useState } from 'preact/hooks';
import { lazyPart } from '../components/page/lazyPart.tsx';
import type { Found } from '../components/search/find.ts';
import { texts } from '../language/language.ts';
import { navigate, parameters, path } from '../routing/router.ts';

const Suggestions = lazyPart(async () => (await import('./Suggestions.tsx')).Suggestions);

/** The fewest characters for which there are suggestions. */
const fewest = 2;

const listId = 'suggestions';

/** Whether a key press writes text. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** The search field, with suggestions while a text is entered. The key `/`, and Ctrl or Command with K, move the focus to it from anywhere. */
export function SearchBox() {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [items, setItems] = useState<readonly Found[]>([]);
  const [chosen, setChosen] = useState(-1);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
      if (!isShortcut && !isSlash) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  const leave = (): void => {
    setOpen(false);
    setChosen(-1);
    input.current?.blur();
  };

  const search = (event: Event): void => {
    event.preventDefault();
    const entered = input.current?.value.trim() ?? '';
    if (entered === '') return;
    const target = items[chosen]?.path ?? `/search?q=${encodeURIComponent(entered)}`;
    leave();
    navigate(target);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') leave();
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move === undefined || !isOpen || items.length === 0) return;
    event.preventDefault();
    const places = items.length + 1;
    setChosen((before) => ((before + 1 + move + places) % places) - 1);
  };

  const hasList = isOpen && text.trim().length >= fewest;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the element `search` has no support in browsers of 2022
    <form class="search" role="search" onSubmit={search}>
      <input
        ref={input}
        type="search"
        list={undefined}
        // biome-ignore lint/a11y/noRedundantRoles: without a list of the browser, a search field is no combobox
        role="combobox"
        aria-label={texts.value.shell.searchLabel}
        aria-keyshortcuts="/ Control+K"
        aria-autocomplete="list"
        aria-expanded={hasList && items.length > 0}
        aria-controls={listId}
        aria-activedescendant={chosen >= 0 ? `${listId}-${chosen}` : undefined}
        placeholder={texts.value.shell.searchPlaceholder}
        autocomplete="off"
        spellcheck={false}
        defaultValue={path.value === '/search' ? (parameters.value.get('q') ?? '') : ''}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(-1);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <span class="key" aria-hidden="true">
        /
      </span>
      {hasList ? <Suggestions id={listId} text={text} chosen={chosen} onFind={setItems} onLeave={leave} /> : null}
    </form>
  );
}
