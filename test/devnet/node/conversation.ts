import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';

/** A client of a node's socket that records its frames. */
export interface Conversation {
  readonly frames: readonly string[];
  send(frame: string | object): void;
  /** Waits for the first frame from `position` on that matches `wanted`. */
  next(wanted: (message: Message) => boolean, position?: number): Promise<Message>;
  /** Waits until `count` frames were received. */
  received(count: number): Promise<readonly string[]>;
  /** Waits until the socket is closed, and returns its code. */
  readonly closed: Promise<number>;
  readonly socket: WebSocket;
}

export interface Message {
  id?: string | number;
  result?: { query?: string; data?: { type: string; value: Record<string, unknown> }; events?: Record<string, string[]> };
  error?: { code: number; message: string; data?: string };
}

/** Opens the socket of a node: `/websocket` under `url`. */
export async function converse(url: string, options: ClientOptions = {}): Promise<Conversation> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket`, options);
  const frames: string[] = [];
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    frames.push(data.toString());
    messages.push(JSON.parse(data.toString()) as Message);
    for (const check of [...waiting]) check();
  });
  socket.on('error', () => {});
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await once(socket, 'open');

  function until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const found = look();
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  }

  return {
    frames,
    socket,
    closed,
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify({ jsonrpc: '2.0', ...frame })),
    next: (wanted, position = 0) => until(() => messages.slice(position).find(wanted)),
    received: (count) => until(() => (frames.length >= count ? frames : undefined)),
  };
}
