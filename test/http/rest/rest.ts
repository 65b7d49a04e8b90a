import type { Server } from '../../../src/server.ts';

/** An answer over REST as a client reads it. */
export interface RestReply {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects.
  readonly body: any;
}

/** Asks a path of a server, as it stands: nothing of it is normalised. */
export async function get(
  server: Server,
  path: string,
  headers: Record<string, string> = {},
  init: { method?: string; body?: string } = {},
): Promise<RestReply> {
  const response = await fetch(`${server.url}${path}`, { headers, ...init });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) };
}

/** The header that pins a height. */
export const at = (height: bigint | number | string): Record<string, string> => ({ 'x-cosmos-block-height': String(height) });
