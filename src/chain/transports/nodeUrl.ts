/** Where a node is, taken apart so that its credentials travel in a header and are never part of an address that could be shown. */
export interface NodeUrl {
  /** `http://host:port`, without credentials. */
  readonly origin: string;
  /** Path and query to which calls are posted. */
  readonly path: string;
  /** The same place for subscriptions: scheme `ws` or `wss`, path ending in `/websocket`. */
  readonly webSocket: string;
  /** `authorization` where the URL had credentials. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads the URL of a node: `http`, `https`, or `tcp` as the node itself names it. User and password become Basic
 * credentials. Throws a TypeError that does not repeat the text, which may hold a password.
 */
export function parseNodeUrl(text: string): NodeUrl {
  if (!URL.canParse(text)) throw new TypeError('A node is named by a URL such as http://host:26657; this is none.');
  const url = new URL(text.replace(/^tcp:/i, 'http:'));
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError('The URL of a node begins with http:// or https://.');
  const hasCredentials = url.username !== '' || url.password !== '';
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const webSocketPath = `${url.pathname.replace(/\/+$/, '')}/websocket${url.search}`;
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    webSocket: url.origin.replace(/^http/, 'ws') + webSocketPath,
    headers: hasCredentials ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } : {},
  };
}
