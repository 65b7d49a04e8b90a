/**
 * The parts of a node's URL. Credentials are kept out of the addresses and sent in a header, so that no error or log shows
 * them.
 */
export interface NodeUrl {
  /** `http://host:port`, without credentials. */
  readonly origin: string;
  /** Path and query for calls. */
  readonly path: string;
  /** The URL for subscriptions: scheme `ws` or `wss`, path ending in `/websocket`. */
  readonly webSocket: string;
  /** `authorization`, if the URL contains credentials. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Parses the URL of a node: `http`, `https`, or `tcp` as in a node's own configuration. User and password become Basic
 * credentials. Throws a TypeError that does not contain the text, which may contain a password.
 */
export function parseNodeUrl(text: string): NodeUrl {
  if (!URL.canParse(text)) throw new TypeError('A node needs a URL such as http://host:26657.');
  const url = new URL(text.replace(/^tcp:/i, 'http:'));
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError('The URL of a node must begin with http:// or https://.');
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
