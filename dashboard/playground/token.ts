import { devnetClient } from '../../src/config/devnetClient.ts';

/** The path at which the development server has a token for local pages. */
const ownTokenPath = '/playground/token';

/** Where the pages of the server keep the token that the visitor entered, until the tab is closed. The dashboard uses the same place. */
const enteredKey = 'stele.token';

/** What the visitor is to know of the token: nothing, that the server needs one, or that it refused the one that was sent. */
export type TokenState = 'fine' | 'needed' | 'refused';

/** The token that the visitor has entered. */
export function enteredToken(): string | undefined {
  return sessionStorage.getItem(enteredKey) ?? undefined;
}

/** Keeps a token for the requests of this tab, or removes it if the text is empty. */
export function enterToken(text: string): void {
  const token = text.trim().replace(/^Bearer\s+/i, '');
  if (token === '') sessionStorage.removeItem(enteredKey);
  else sessionStorage.setItem(enteredKey, token);
}

/** Whether a header has a token of the development client. */
function isDevnetToken(header: unknown): boolean {
  try {
    const payload = String(header).split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
    return JSON.parse(atob(payload)).client_id === devnetClient.id;
  } catch {
    return false;
  }
}

/**
 * Gives requests to `/graphql` a token. Replaces `fetch`:
 *
 * - Without an `authorization` header, or with a token of the development client, a request gets the token that the visitor has entered, or that which the
 *   development server has for the page. The page requests it again after a minute.
 * - A request that is refused with 401 is sent again once, with a new token of the development server: the server was restarted, or the header of the tab
 *   holds the token of another server. That header is not sent again.
 * - Where the server has no token for the page, the header of the tab is sent as it is. `onState` is called with what became of it.
 */
export function giveTokens(onState: (state: TokenState) => void): void {
  const send = window.fetch.bind(window);
  const refusedTokens = new Set<string>();
  let pageToken: { readonly token: Promise<string | undefined>; readonly until: number } | undefined;

  async function requestToken(): Promise<string | undefined> {
    const response = await send(ownTokenPath, { cache: 'no-store' }).catch(() => undefined);
    if (response?.status !== 200) return undefined;
    const { access_token: token }: { access_token: string } = await response.json();
    return `Bearer ${token}`;
  }

  function ownToken(isNew: boolean): Promise<string | undefined> {
    if (isNew || pageToken === undefined || Date.now() > pageToken.until)
      pageToken = { token: requestToken(), until: Date.now() + 60_000 };
    return pageToken.token;
  }

  window.fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input, window.location.href);
    if (url.origin !== window.location.origin || url.pathname !== '/graphql') return send(input, init);
    const headers = new Headers(init.headers);
    const authorization = headers.get('authorization');
    const entered = enteredToken();
    if (authorization === null || isDevnetToken(authorization) || refusedTokens.has(authorization)) {
      const token = entered === undefined ? await ownToken(false) : `Bearer ${entered}`;
      if (token !== undefined) headers.set('authorization', token);
    }
    const response = await send(input, { ...init, headers });
    if (response.status !== 401) {
      onState('fine');
      return response;
    }
    const token = await ownToken(true);
    if (token === undefined) {
      onState(headers.has('authorization') ? 'refused' : 'needed');
      return response;
    }
    if (authorization !== null) refusedTokens.add(authorization);
    headers.set('authorization', token);
    return send(input, { ...init, headers });
  };
}

/** A text of headers without a token of the development client. */
function withoutToken(text: string | null): string | null {
  try {
    const headers = Object.entries(JSON.parse(text ?? ''));
    const keptHeaders = headers.filter(([name, value]) => name.toLowerCase() !== 'authorization' || !isDevnetToken(value));
    if (keptHeaders.length === headers.length) return text;
    return keptHeaders.length === 0 ? '' : JSON.stringify(Object.fromEntries(keptHeaders), null, 2);
  } catch {
    return text;
  }
}

/** Removes tokens of the development client from stored tabs, on local names: earlier versions of the page put them there. */
export function removeOldTokens(): void {
  if (!/^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(window.location.hostname)) return;
  try {
    const current = localStorage.getItem('graphiql:headers');
    if (current !== null) localStorage.setItem('graphiql:headers', withoutToken(current) ?? '');
    const state: { tabs?: { headers: string | null }[] } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
    for (const tab of state.tabs ?? []) tab.headers = withoutToken(tab.headers);
    if (state.tabs !== undefined) localStorage.setItem('graphiql:tabState', JSON.stringify(state));
  } catch {
    // The stored tabs cannot be read: GraphiQL opens with the default tabs.
  }
}
