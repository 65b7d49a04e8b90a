import { computed, signal } from '@preact/signals';
import { writeHistory } from './scroll.ts';

/** The path of every page begins with this. */
export const base = '/dashboard';

/** What the path of a page names, such as `{ id: '1' }`. */
export type PathParts = Readonly<Record<string, string>>;

const location = signal(new URL(window.location.href));

/** The path below `/dashboard`, such as `/groups/1`; `/` for the first page. */
export const path = computed(() => {
  const { pathname } = location.value;
  const inner = pathname.startsWith(base) ? pathname.slice(base.length).replace(/\/+$/, '') : '';
  return inner === '' ? '/' : inner;
});

/** The parameters of the page in its URL. */
export const parameters = computed(() => location.value.searchParams);

/** The height that the page is shown at: `?at=`. undefined for the newest one. */
export const at = computed(() => {
  const text = parameters.value.get('at');
  return text !== null && /^[1-9]\d{0,17}$/.test(text) ? BigInt(text) : undefined;
});

/** The URL of a page. A page that is opened from the past is shown at the same height. */
export function urlOf(to: string): string {
  return urlAt(to, at.value);
}

/** The URL of a page at a height; undefined for the newest one. */
export function urlAt(to: string, height: bigint | undefined): string {
  const url = new URL(`${base}${to === '/' ? '' : to}`, window.location.origin);
  if (height !== undefined) url.searchParams.set('at', height.toString());
  return url.pathname + url.search;
}

/** Changes parameters of the page in its URL; undefined removes one. */
export function setParameters(
  changes: Readonly<Record<string, string | undefined>>,
  { replace = false }: { readonly replace?: boolean } = {},
): void {
  const url = new URL(location.value);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  go(url, replace);
}

/** Opens a page. With `replace`, the page before is not in the history. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  go(new URL(urlOf(to), window.location.origin), replace);
  window.scrollTo(0, 0);
}

function go(url: URL, replace: boolean): void {
  writeHistory(url, replace);
  location.value = url;
}

window.addEventListener('popstate', () => {
  location.value = new URL(window.location.href);
});

// Links to pages of the dashboard load no document.
document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== window.location.origin || link.target !== '' || link.hash !== '') return;
  if (link.pathname !== base && !link.pathname.startsWith(`${base}/`)) return;
  event.preventDefault();
  const isOther = link.pathname !== window.location.pathname;
  go(new URL(link.href), false);
  if (isOther) window.scrollTo(0, 0);
});
