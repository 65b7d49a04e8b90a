import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { type WebSocketOptions, webSocket } from '../../../src/chain/transports/webSocket.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { recording } from '../../recordings/recording.ts';
import { createStubNode, errorReply, newBlockEvent, type StubNode } from '../stubNode.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

const query = "tm.event='NewBlock'";

interface Watched {
  /** What was told, in order: `open`, the height of each event, `end` with its code. */
  readonly told: string[];
  readonly ended: Promise<string>;
  /** Resolves when `told` has grown to this many. */
  reached(count: number): Promise<void>;
  close(): void;
}

function watch(url: string, options: WebSocketOptions = {}): Watched {
  const source = webSocket(url, options);
  closing.push(source);
  const told: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const tell = (what: string): void => {
    told.push(what);
    for (const each of waiting) if (told.length >= each.count) each.resolve();
  };
  let end: (code: string) => void;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const subscription = source.subscribe(query, {
    open: () => tell('open'),
    event: (result) => tell(heightOf(result)),
    end(error) {
      const code = error === undefined ? 'closed' : String((error as Error & { code?: string }).code);
      tell(code);
      end(code);
    },
  });
  return {
    told,
    ended,
    reached: (count) => new Promise((resolve) => (told.length >= count ? resolve() : waiting.push({ count, resolve }))),
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
  test('opens, tells events in order, and ends when it is closed', async () => {
    const node = await stub();
    const watched = watch(node.url);
    await watched.reached(1);
    node.commit();
    node.commit();
    await watched.reached(3);
    watched.close();
    watched.close();
    expect(watched.told).toEqual(['open', '101', '102', 'closed']);
  });

  test('is taken too when its first event overtakes the acknowledgement', async () => {
    const node = await stub((socket, id, self) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: newBlockEvent(self, 7n) }));
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: newBlockEvent(self, 8n) }));
    });
    const watched = watch(node.url);
    await watched.reached(3);
    expect(watched.told).toEqual(['open', '7', '8']);
  });

  test('hears what a real node said until it shut down', async () => {
    const frames = recording<{ from: string; frame?: string }[]>('node-stops').filter(
      ({ from, frame }) => from === 'node' && frame !== undefined,
    );
    const node = await stub((socket) => {
      for (const { frame } of frames) socket.send(frame ?? '');
      socket.terminate();
    });
    const watched = watch(node.url);
    expect(await watched.ended).toBe('RPC_ERROR');
    expect(watched.told).toEqual(['open', '1307', 'RPC_ERROR']);
  });

  test('carries the credentials and the path of the URL', async () => {
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
      'a message over the cap',
      'NODE_INVALID_RESPONSE',
      (socket, id) => socket.send(JSON.stringify({ id, result: { query, x: 'x'.repeat(3000) } })),
    ],
    ['a close', 'NODE_UNREACHABLE', (socket) => socket.close()],
    ['a broken connection', 'NODE_UNREACHABLE', (socket) => socket.terminate()],
    ['no acknowledgement', 'NODE_TIMEOUT', () => undefined],
  ])('%s: %s, once', async (_name, code, answer) => {
    const node = await stub((socket, id) => answer(socket, id));
    const watched = watch(node.url, { maxMessageBytes: 2000, timeout: 200 });
    expect(await watched.ended).toBe(code);
    expect(watched.told.filter((what) => what === code)).toHaveLength(1);
  });

  test('refused', async () => {
    const node = await stub();
    await node.close();
    expect(await watch(node.url).ended).toBe('NODE_UNREACHABLE');
  });

  test('an HTTP status in place of the upgrade', async () => {
    const node = await stub();
    const watched = watch(`${node.url}/elsewhere`);
    expect(await watched.ended).toBe('NODE_INVALID_RESPONSE');
  });

  test('a dead connection is noticed by the ping', async () => {
    const node = await stub((socket, id) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      // Nothing is read any more: pings stay unanswered while the TCP connection stands.
      socket.pause();
    });
    const watched = watch(node.url, { pingInterval: 50 });
    expect(await watched.ended).toBe('NODE_TIMEOUT');
    expect(watched.told).toEqual(['open', 'NODE_TIMEOUT']);
  });

  test('a handshake that never ends', async () => {
    const server: Server = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const watched = watch(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, { timeout: 100 });
    closing.unshift({ close: () => new Promise((resolve) => server.close(() => resolve())) });
    expect(await watched.ended).toBe('NODE_TIMEOUT');
  });

  test('closing the transport ends every subscription, and those begun later', async () => {
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
