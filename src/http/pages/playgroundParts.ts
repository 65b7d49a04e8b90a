import { devnetClient } from '../../config/authTypes.ts';
import { playgroundTokenPath } from './playgroundToken.ts';

/**
 * The script that gives the playground its token, run before GraphiQL. It replaces `fetch` for requests to `/graphql`,
 * including subscriptions, which GraphiQL reads as server-sent events:
 *
 * - Without an `authorization` header, or with a token of the client `devnet`, a request gets the token of
 *   {@link playgroundTokenPath}. The page requests it again after a minute.
 * - A request that is refused with 401 is sent again once, with a new token: the server was restarted, or the header of the tab
 *   holds the token of another server. That header is not sent again.
 * - Where the server has no token for the page, the header of the tab is sent as it is.
 *
 * On local names it also removes tokens of the client `devnet` from tabs in `localStorage`: earlier versions of the page put
 * them there.
 */
export const playgroundScript = `
(() => {
  const send = window.fetch.bind(window);
  const refused = new Set();
  let own;

  const isDevnetToken = (header) => {
    try {
      const payload = header.split('.')[1].replace(/-/g, '+').replace(/_/g, '/');
      return JSON.parse(atob(payload)).client_id === ${JSON.stringify(devnetClient.id)};
    } catch {
      return false;
    }
  };

  const ownToken = (isNew) => {
    if (isNew || own === undefined || Date.now() > own.until) {
      const token = send(${JSON.stringify(playgroundTokenPath)}, { cache: 'no-store' })
        .then(async (response) => (response.status === 200 ? 'Bearer ' + (await response.json()).access_token : undefined))
        .catch(() => undefined);
      own = { token, until: Date.now() + 60_000 };
    }
    return own.token;
  };

  window.fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input, location.href);
    if (url.origin !== location.origin || url.pathname !== '/graphql') return send(input, init);
    const headers = new Headers(init.headers);
    const given = headers.get('authorization');
    if (given === null || isDevnetToken(given) || refused.has(given)) {
      const token = await ownToken(false);
      if (token !== undefined) headers.set('authorization', token);
    }
    const response = await send(input, { ...init, headers });
    if (response.status !== 401) return response;
    const token = await ownToken(true);
    if (token === undefined) return response;
    if (given !== null) refused.add(given);
    headers.set('authorization', token);
    return send(input, { ...init, headers });
  };

  const withoutToken = (text) => {
    try {
      const headers = Object.entries(JSON.parse(text));
      const kept = headers.filter(([name, value]) => name.toLowerCase() !== 'authorization' || !isDevnetToken(value));
      if (kept.length === headers.length) return text;
      return kept.length === 0 ? '' : JSON.stringify(Object.fromEntries(kept), null, 2);
    } catch {
      return text;
    }
  };

  if (/^(localhost|.*\\.localhost|127\\..*|\\[::1\\])$/.test(location.hostname)) {
    try {
      const current = localStorage.getItem('graphiql:headers');
      if (current !== null) localStorage.setItem('graphiql:headers', withoutToken(current));
      const state = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
      for (const tab of state.tabs ?? []) tab.headers = withoutToken(tab.headers);
      if (state.tabs !== undefined) localStorage.setItem('graphiql:tabState', JSON.stringify(state));
    } catch {
      // The stored tabs cannot be read: GraphiQL opens with the default tabs.
    }
  }
})();
`;

/**
 * Styles. GraphiQL gives tabs an offset that moves a tab away under the pointer, so that a click does not select it: the offset
 * is removed. On narrow screens the sidebar becomes a bar at the bottom, and the editors, the response and the documentation
 * are above each other.
 */
export const playgroundStyle = `
.graphiql-container .graphiql-logo { white-space: nowrap; }
.graphiql-container .graphiql-logo svg { width: 28px; height: 28px; }
.graphiql-container .graphiql-tab { transform: none !important; }
@media (max-width: 640px) {
  .graphiql-container { flex-direction: column-reverse; }
  .graphiql-container .graphiql-sidebar { flex-direction: row; width: auto; padding: 4px 8px; }
  .graphiql-container .graphiql-sidebar button { margin: 0 !important; }
  .graphiql-container .graphiql-main { flex-direction: column; min-height: 0; width: 100%; overflow: hidden; }
  .graphiql-container .graphiql-plugin { flex: 1 1 0% !important; min-width: 0 !important; overflow: auto; }
  .graphiql-container .graphiql-sessions { margin: 8px 8px 0; max-width: none; min-height: 0; }
  .graphiql-container .graphiql-tabs { overflow-x: auto; }
  .graphiql-container #graphiql-session { flex-direction: column; min-height: 0; }
  .graphiql-container .graphiql-editors { flex: 3 1 0% !important; min-height: 0; }
  .graphiql-container .graphiql-response { flex: 2 1 0% !important; min-height: 0; min-width: 0; }
  .graphiql-container .graphiql-horizontal-drag-bar { display: none; }
}
`;
