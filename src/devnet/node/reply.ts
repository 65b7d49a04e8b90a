import type { ServerResponse } from 'node:http';

/** An HTTP answer of the node. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly type: 'application/json' | 'text/html' | 'text/plain; charset=utf-8' | undefined;
  readonly cacheable?: boolean;
  /** Two refusals, both made before the node's outer handler has set its header, come without the server's time. */
  readonly timeless?: true;
}

/** An answer that is JSON. */
export function json(status: number, body: string, cacheable = false): Reply {
  return { status, body, type: 'application/json', cacheable };
}

/** Sends an answer; `cut` ends it half way. */
export function send(response: ServerResponse, reply: Reply, cut = false): void {
  const body = Buffer.from(reply.body);
  if (!reply.timeless) response.setHeader('X-Server-Time', String(Math.floor(Date.now() / 1000)));
  if (reply.type !== undefined) response.setHeader('Content-Type', reply.type);
  if (reply.cacheable) response.setHeader('Cache-Control', 'public, max-age=86400');
  response.writeHead(reply.status, { 'Content-Length': body.length });
  if (!cut) {
    response.end(body);
    return;
  }
  // Closed only when the half has left, so that the client always sees it.
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}
