import type { ServerResponse } from 'node:http';

/** An HTTP response of the node. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly type: 'application/json' | 'text/html' | 'text/plain; charset=utf-8' | undefined;
  readonly cacheable?: boolean;
  /** Whether to omit `X-Server-Time`. A node omits it in two errors, which precede the handler that sets it. */
  readonly timeless?: true;
}

/** Creates a JSON response. */
export function json(status: number, body: string, cacheable = false): Reply {
  return { status, body, type: 'application/json', cacheable };
}

/** Sends a response. With `cut`, sends only half of the body. */
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
  // Closes only after the half was sent, so that the client always receives it.
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}
