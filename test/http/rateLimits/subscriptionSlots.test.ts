import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { LimitName } from '../../../src/config/limits/limits.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { type Listener, overEvents, overWebSocket, transports } from '../../support/listeners.ts';
import { longPoll, startTarget, type Target } from '../attacks/setup.ts';

let target: Target | undefined;

async function start(limit: LimitName): Promise<string> {
  target = await startTarget({ server: { limits: { [limit]: 1 } } });
  return target.stack.server.url;
}

afterEach(async () => {
  await target?.isWell();
  await target?.close();
  target = undefined;
});

const stream = 'subscription { newBlock(after: 0) { height } }';
/** A subscription that completes at once, because its transaction is invalid. */
const short = 'subscription { submitTx(tx: "0x00") { stage } }';
/** A subscription that is refused when it is opened, after validation. */
const refused = 'subscription { events(query: "nope") { height } }';

/** Subscribes once a slot is free. The slot of an earlier subscription is released shortly after its end. */
async function placeFor(subscribe: () => Promise<Listener>): Promise<void> {
  await expect
    .poll(async () => {
      const listener = await subscribe().catch(() => undefined);
      if (listener === undefined) return false;
      const has = await listener.count(1).then(
        () => listener.answers[0]?.data?.newBlock?.height === '1',
        () => false,
      );
      await listener.leave();
      return has;
    }, longPoll)
    .toBe(true);
}

const endings: readonly [name: string, end: (listener: Listener) => unknown][] = [
  ['its client completes it', (listener) => listener.complete()],
  ['its client disconnects', (listener) => listener.leave()],
  ['its connection breaks', (listener) => listener.drop()],
];

describe.each<LimitName>(['subscriptions.caller', 'subscriptions.process'])('with a limit %s of one', (limit) => {
  describe.each(Object.entries(transports))('a subscription over %s', (_, subscribe) => {
    it.each(some(endings, 3))('releases its slot when %s', async (__, end) => {
      const url = await start(limit);
      const first = await subscribe(url, stream);
      await first.count(1);
      await expect(overEvents(url, stream)).rejects.toThrow('status 429');
      await end(first);
      await placeFor(() => overEvents(url, stream));
      await first.leave();
    });

    it.runIf(runsAll)('releases its slot when it is complete', async () => {
      const url = await start(limit);
      const first = await subscribe(url, short);
      expect(await first.ended).toBe('complete');
      await placeFor(() => overWebSocket(url, stream));
      await first.leave();
    });
  });

  it('a subscription that is refused, or sent by a client that accepts no stream, holds no slot', async () => {
    const url = await start(limit);
    for (const query of [refused, stream])
      await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query }),
      });
    const listener = await overWebSocket(url, refused);
    expect(await listener.ended).toBe('complete');
    await placeFor(() => overEvents(url, stream));
    await listener.leave();
  });
});

describe('with a limit socket.subscriptions of one', () => {
  it.each<[name: string, query: string, end: (socket: WebSocket) => void]>([
    ['its client completes it', stream, (socket) => socket.send(JSON.stringify({ id: 'first', type: 'complete' }))],
    ['it is complete', short, () => undefined],
    ['it is refused', refused, () => undefined],
  ])('a subscription releases its slot on the socket when %s', async (_, query, end) => {
    const url = await start('socket.subscriptions');
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const messages: { id?: string; type: string; payload?: unknown }[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    const has = (id: string, type: string): boolean => messages.some((each) => each.id === id && each.type === type);
    const subscribe = (id: string, text: string): void =>
      socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query: text } }));
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init' }));
    await once(socket, 'message');
    subscribe('first', query);
    if (query === stream) {
      await expect.poll(() => has('first', 'next'), longPoll).toBe(true);
      subscribe('second', stream);
      await expect.poll(() => has('second', 'error'), longPoll).toBe(true);
      expect(messages.at(-1)).toMatchObject({ payload: [{ extensions: { limit: 'socket.subscriptions', max: 1 } }] });
    } else await expect.poll(() => has('first', 'complete'), longPoll).toBe(true);
    end(socket);
    subscribe('third', stream);
    await expect.poll(() => has('third', 'next'), longPoll).toBe(true);
    socket.terminate();
  });
});
