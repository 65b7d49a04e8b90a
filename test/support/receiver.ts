import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery as a receiver gets it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly id: string;
    readonly webhook: string;
    readonly height: string;
    readonly time: string;
    readonly sequence: string | null;
    readonly previous: string | null;
    readonly data: unknown;
    readonly errors?: unknown;
    readonly extensions: { readonly height: string };
    readonly redelivery?: boolean;
    readonly test?: boolean;
  };
}

/** How a receiver responds: a status, or a function that responds by itself. */
export type Respond = (received: Received, request: IncomingMessage, response: ServerResponse) => number | undefined;

/** Receivers of webhooks at the paths of one server. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Resolves when a delivery was received that makes the condition true. */
  until(condition: (received: readonly Received[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Starts a receiver that responds 204 unless `respond` says otherwise. */
export async function startReceiver(respond: Respond = () => 204): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const delivery: Received = { path: request.url!, headers: request.headers, text, body: JSON.parse(text) };
      const status = respond(delivery, request, response);
      received.push(delivery);
      if (status !== undefined) response.writeHead(status).end();
      for (const check of waiting) check();
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    until: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition(received)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
