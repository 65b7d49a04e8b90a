/** An entry of the history, in its state. */
interface Entry {
  readonly entry: string;
}

const storageKey = 'stele.scroll';

/** How far each entry of the history is scrolled, in px. The browser restores it before the content has arrived, so the page does it. */
const positions = new Map<string, number>(stored());

let count = 0;
let current = entryOf(history.state) ?? newEntry();
/** How long parts of a restored page may arrive, in ms. */
const arrival = 3_000;
/** Ends a restoration that waits for content. */
let stopRestoring: (() => void) | undefined;

function stored(): [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
  } catch {
    return [];
  }
}

function entryOf(state: Partial<Entry> | null): Entry | undefined {
  return typeof state?.entry === 'string' ? { entry: state.entry } : undefined;
}

function newEntry(): Entry {
  count += 1;
  return { entry: `${performance.timeOrigin} ${count}` };
}

/** Adds an entry to the history, or replaces the present one. */
export function writeHistory(url: URL, replace: boolean): void {
  stopRestoring?.();
  if (!replace) {
    current = newEntry();
    positions.set(current.entry, window.scrollY);
  }
  if (replace) history.replaceState(current, '', url);
  else history.pushState(current, '', url);
}

/** Scrolls to where the entry was left, as soon as the page is long enough, unless the visitor scrolls first. */
function restore(): void {
  stopRestoring?.();
  current = entryOf(history.state) ?? newEntry();
  const y = positions.get(current.entry);
  if (y === undefined) return;
  const inputBegins = new AbortController();
  // The browser would scroll on as parts of the page arrive above.
  const { style } = document.documentElement;
  style.overflowAnchor = 'none';
  setTimeout(() => style.removeProperty('overflow-anchor'), arrival);
  const scroll = (): void => {
    window.scrollTo(0, y);
    if (document.documentElement.scrollHeight - window.innerHeight >= y) stopRestoring?.();
  };
  const resized = new ResizeObserver(scroll);
  stopRestoring = () => {
    stopRestoring = undefined;
    resized.disconnect();
    inputBegins.abort();
  };
  for (const input of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    window.addEventListener(input, () => stopRestoring?.(), { signal: inputBegins.signal, passive: true });
  // The content of the entry is rendered after this event.
  requestAnimationFrame(() => inputBegins.signal.aborted || resized.observe(document.body));
}

history.scrollRestoration = 'manual';
history.replaceState(current, '');
restore();
window.addEventListener('popstate', restore);
window.addEventListener('scroll', () => stopRestoring === undefined && positions.set(current.entry, window.scrollY), {
  passive: true,
});
window.addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([...positions].slice(-100)));
  } catch {
    // Without storage, only the positions of this document are known.
  }
});
