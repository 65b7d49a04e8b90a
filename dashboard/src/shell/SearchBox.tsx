import { useEffect, useRef } from 'preact/hooks';
import { hasModule } from '../data/modules.ts';
import { navigate, parameters, path } from '../routing/router.ts';

/** Whether a key press writes text. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** The search field. The key `/` moves the focus to it from anywhere. */
export function SearchBox() {
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  const search = (event: Event): void => {
    event.preventDefault();
    const text = input.current?.value.trim() ?? '';
    if (text === '') return;
    input.current?.blur();
    navigate(`/search?q=${encodeURIComponent(text)}`);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: the element `search` has no support in browsers of 2022
    <form class="search" role="search" onSubmit={search}>
      <input
        ref={input}
        type="search"
        aria-label={`Search an address, a hash, a height${hasModule('group') ? ', a proposal' : ''}${hasModule('name') ? ', a name' : ''} or a denom`}
        aria-keyshortcuts="/"
        placeholder={`Address, hash, height, denom${hasModule('name') ? ', name' : ''}`}
        autocomplete="off"
        spellcheck={false}
        defaultValue={path.value === '/search' ? (parameters.value.get('q') ?? '') : ''}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      <span class="key" aria-hidden="true">
        /
      </span>
    </form>
  );
}
