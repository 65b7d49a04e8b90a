import type { Server } from '../../../src/start/server.ts';

/** A decoded REST response. */
export interface RestReply {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test expects its own format.
  readonly body: any;
}

/** Requests a path of a server without normalizing it. */
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

/** The header that selects a height. */
export const at = (height: bigint | number | string): Record<string, string> => ({ 'x-cosmos-block-height': String(height) });
