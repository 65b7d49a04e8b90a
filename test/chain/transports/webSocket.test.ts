import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { type WebSocketOptions, webSocket } from '../../../src/chain/transports/http.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { recording } from '../../recordings/recording.ts';
import { createStubNode, errorReply, newBlockEvent, type StubNode } from '../stubNode.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

const query = "tm.event='NewBlock'";

interface Watched {
  /** The notifications in order: `open`, the height of each event, and the code at the end. */
  readonly notifications: string[];
  readonly ended: Promise<string>;
  /** Resolves when there are this many notifications. */
  reached(count: number): Promise<void>;
  close(): void;
}

function watch(url: string, options: WebSocketOptions = {}): Watched {
  const source = webSocket(url, options);
  closing.push(source);
  const notifications: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const record = (what: string): void => {
    notifications.push(what);
    for (const each of waiting) if (notifications.length >= each.count) each.resolve();
  };
  let end: (code: string) => void;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const subscription = source.subscribe(query, {
    open: () => record('open'),
    event: (result) => record(heightOf(result)),
    end(error) {
      const code = error === undefined ? 'closed' : String((error as Error & { code?: string }).code);
      record(code);
      end(code);
    },
  });
  return {
    notifications,
    ended,
    reached: (count) =>
      new Promise((resolve) => (notifications.length >= count ? resolve() : waiting.push({ count, resolve }))),
    close: () => subscription.close(),
  };
}

function heightOf(result: JsonObject): string {
  const { data } = result as { data: { value: { block?: { header: { height: string } }; header?: { height: string } } } };
  return (data.value.block?.header ?? data.value.header)?.height ?? '';
}

async function stub(onSubscribe?: (socket: WebSocket, id: number, node: StubNode) => void): Promise<StubNode> {
  const node = await createStubNode();
  closing.push(node);
  if (onSubscribe !== undefined) {
    node.onSubscribe = (socket, id) => {
      onSubscribe(socket, id, node);
      return true;
    };
  }
  return node;
}

describe('a subscription', () => {
  test('opens, delivers events in order, and ends when it is closed', async () => {
    const node = await stub();
    const watched = watch(node.url);
    await watched.reached(1);
    node.commit();
    node.commit();
    await watched.reached(3);
    watched.close();
    watched.close();
    expect(watched.notifications).toEqual(['open', '101', '102', 'closed']);
  });

  test('is open too if its first event arrives before the confirmation', async () => {
    const node = await stub((socket, id, self) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: newBlockEvent(self, 7n) }));
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: newBlockEvent(self, 8n) }));
    });
    const watched = watch(node.url);
    await watched.reached(3);
    expect(watched.notifications).toEqual(['open', '7', '8']);
  });

  test('delivers all events of a recorded node until it shuts down', async () => {
    const frames = recording<{ from: string; frame?: string }[]>('node-stops').filter(
      ({ from, frame }) => from === 'node' && frame !== undefined,
    );
    const node = await stub((socket) => {
      for (const { frame } of frames) socket.send(frame ?? '');
      socket.terminate();
    });
    const watched = watch(node.url);
    expect(await watched.ended).toBe('RPC_ERROR');
    expect(watched.notifications).toEqual(['open', '1307', 'RPC_ERROR']);
  });

  test('sends the credentials and the path of the URL', async () => {
    const seen = new Promise<{ path: string | undefined; authorization: string | undefined }>((resolve) => {
      const proxy = createServer((socket) => {
        socket.once('data', (data) => {
          const text = data.toString();
          resolve({ path: text.split(' ')[1], authorization: /authorization: (.*)\r/i.exec(text)?.[1] });
          socket.destroy();
        });
      });
      closing.push({ close: () => new Promise((done) => proxy.close(() => done())) });
      proxy.listen(0, '127.0.0.1', () => {
        const address = proxy.address();
        watch(`http://user:secret@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/deep/`);
      });
    });
    expect(await seen).toEqual({
      path: '/deep/websocket',
      authorization: `Basic ${Buffer.from('user:secret').toString('base64')}`,
    });
  });
});

describe('ends', () => {
  test.each<[string, string, (socket: WebSocket, id: number) => void]>([
    [
      'an error reply',
      'RPC_ERROR',
      (socket, id) => socket.send(JSON.stringify(errorReply(id, -32603, 'max_subscription_clients 100 reached'))),
    ],
    ['an error with id -1', 'RPC_ERROR', (socket) => socket.send(JSON.stringify(errorReply(-1, -32603, 'reflect')))],
    [
      'a cancellation',
      'RPC_ERROR',
      (socket, id) => socket.send(JSON.stringify(errorReply(id, -32000, 'subscription was canceled (reason: slow client)'))),
    ],
    ['nonsense', 'NODE_INVALID_RESPONSE', (socket) => socket.send('<html>')],
    ['another id', 'NODE_INVALID_RESPONSE', (socket) => socket.send('{"jsonrpc":"2.0","id":9,"result":{}}')],
    [
      'a message over the size limit',
      'NODE_INVALID_RESPONSE',
      (socket, id) => socket.send(JSON.stringify({ id, result: { query, x: 'x'.repeat(3000) } })),
    ],
    ['a close', 'NODE_UNREACHABLE', (socket) => socket.close()],
    ['a broken connection', 'NODE_UNREACHABLE', (socket) => socket.terminate()],
    ['no confirmation', 'NODE_TIMEOUT', () => undefined],
  ])('with %s: %s, once', async (_name, code, answer) => {
    const node = await stub((socket, id) => answer(socket, id));
    const watched = watch(node.url, { maxMessageBytes: 2000, timeout: 200 });
    expect(await watched.ended).toBe(code);
    expect(watched.notifications.filter((what) => what === code)).toHaveLength(1);
  });

  test('with a refused connection', async () => {
    const node = await stub();
    await node.close();
    expect(await watch(node.url).ended).toBe('NODE_UNREACHABLE');
  });

  test('with an HTTP status in place of the upgrade', async () => {
    const node = await stub();
    const watched = watch(`${node.url}/elsewhere`);
    expect(await watched.ended).toBe('NODE_INVALID_RESPONSE');
  });

  test('when no pong arrives', async () => {
    const node = await stub((socket, id) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      // Stops reading: pings stay unanswered while the TCP connection is open.
      socket.pause();
    });
    const watched = watch(node.url, { pingInterval: 50 });
    expect(await watched.ended).toBe('NODE_TIMEOUT');
    expect(watched.notifications).toEqual(['open', 'NODE_TIMEOUT']);
  });

  test('when the handshake does not finish', async () => {
    const server: Server = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const watched = watch(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, { timeout: 100 });
    closing.unshift({ close: () => new Promise((resolve) => server.close(() => resolve())) });
    expect(await watched.ended).toBe('NODE_TIMEOUT');
  });

  test('when the transport closes, and so does each later one', async () => {
    const node = await stub();
    const source = webSocket(node.url);
    const end = (): Promise<unknown> =>
      new Promise((resolve) => source.subscribe(query, { event: () => undefined, end: resolve }));
    const both = [end(), end()];
    await source.close();
    expect(await Promise.all([...both, end()])).toMatchObject([
      { code: 'NODE_UNREACHABLE' },
      { code: 'NODE_UNREACHABLE' },
      { code: 'NODE_UNREACHABLE' },
    ]);
  });
});
