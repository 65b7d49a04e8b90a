import { afterEach, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../../packages/devnet/src/devnet.ts';
import type { Limits } from '../../../../src/config/limits/limits.ts';
import { type Conversation, converse, type Message } from '../../../devnet/node/conversation.ts';
import { createTinyApplication, tinyTx } from '../../../devnet/node/tinyApplication.ts';
import { rounds, runsAll, takeTurns } from '../../../support/atRandom.ts';
import { type Stack, startStack } from '../../../support/stack.ts';

let devnet: Devnet;
let stack: Stack;

async function start(limits: Partial<Limits> = {}): Promise<void> {
  devnet = await createDevnet({ application: createTinyApplication(), blockTime: 'manual' });
  await devnet.commit();
  stack = await startStack([devnet.nodes[0]!.url], { server: { limits } });
  await stack.client.head.ready();
  await expect.poll(() => stack.client.head.stats().isSubscribed).toBe(true);
}

/** After each attack, the next honest client is served, and no error was masked. */
afterEach(async () => {
  const honest = await talk('/comet');
  await subscribe(honest, "tm.event='NewBlock'");
  const height = await devnet.commit();
  await honest.next(({ result }) => JSON.stringify(result?.data?.value.block ?? {}).includes(`"height":"${height}"`));
  honest.socket.close();
  expect(await honest.closed).toBe(1005);
  await expect.poll(() => stack.server.nodeEvents().subscribers).toBe(0);
  expect(stack.masked).toEqual([]);
  await stack.close();
  await devnet.close();
});

const talk = (base: string, options = {}): Promise<Conversation> => converse(`${stack.server.url}${base}`, options);

/** The error text of a socket's response in either dialect. undefined on success. */
async function ask(conversation: Conversation, method: string, params: unknown): Promise<string | undefined> {
  const id = crypto.randomUUID();
  conversation.send({ id, method, params });
  const { error } = await conversation.next((message) => message.id === id && message.result?.query === undefined);
  if (typeof error === 'string') return error === '' ? undefined : error;
  return error?.data ?? error?.message;
}

const subscribe = (conversation: Conversation, query: string): Promise<string | undefined> =>
  ask(conversation, 'subscribe', { query });

const bases = ['/comet', ''] as const;

describe.each(bases)('at %s/websocket', (base) => {
  const turn = takeTurns(bases, base);
  const queries: [query: string, refused: string | RegExp | undefined][] = [
    ["tm.event='NewBlock' OR 1=1", 'failed to parse query: offset 20: got tag, want 6'],
    ["'NewBlock' AND tx.height>0", 'failed to parse query: offset 0: got string, wanted tag'],
    ["tm.event=''NewBlock' AND tx.height>0'", 'failed to parse query: offset 11: got tag, want 6'],
    ["tm.event='NewBlock", 'failed to parse query: offset 9: EOF'],
    ['tx.time = DATE 2026-02-30', /^failed to parse query: offset 10: invalid DATE value: /],
    ['tx.height = -5', 'failed to parse query: offset 12: invalid input - at offset 13'],
    [`a.b='${'x'.repeat(507)}'`, 'maximum query length exceeded'],
    ["tm.event='NewBlock' AND a.b EXISTS", undefined],
    [`a.b='${'x'.repeat(506)}'`, undefined],
  ];
  it.runIf(runsAll).each(queries.filter(turn))('T25: %s', async (query, refused) => {
    await start();
    const conversation = await talk(base);
    const said = await subscribe(conversation, query);
    if (refused instanceof RegExp) expect(said).toMatch(refused);
    else expect(said).toBe(refused);
    expect(stack.server.nodeEvents().subscribers).toBe(refused === undefined ? 1 : 0);
    const { height } = stack.client.head.current()!;
    await devnet.commit();
    await stack.client.head.waitFor(height + 1n, { milliseconds: 30_000 });
    expect(await ask(conversation, 'health', {})).toBeUndefined();
    expect(conversation.frames).toHaveLength(2);
    conversation.socket.close();
  });

  it.runIf(turn())('T26: a duplicate query, an unknown query, and a sixth subscription', async () => {
    await start();
    const conversation = await talk(base);
    expect(await subscribe(conversation, "tm.event='Tx'")).toBeUndefined();
    expect(await subscribe(conversation, "tm.event   =   'Tx'")).toBe('already subscribed');
    expect(await ask(conversation, 'unsubscribe', { query: "tm.event='Vote'" })).toBe('subscription not found');
    for (let height = 1; height < 5; height += 1) expect(await subscribe(conversation, `tx.height=${height}`)).toBeUndefined();
    expect(await subscribe(conversation, 'tx.height=5')).toBe('max_subscriptions_per_client 5 reached');
    expect(await subscribe(conversation, "tm.event='Tx'")).toBe('max_subscriptions_per_client 5 reached');
    expect(await ask(conversation, 'unsubscribe', { query: "tm.event = 'Tx'" })).toBeUndefined();
    expect(await subscribe(conversation, "tm.event='Tx'")).toBeUndefined();
    expect(await ask(conversation, 'unsubscribe_all', {})).toBeUndefined();
    expect(await ask(conversation, 'unsubscribe_all', {})).toBe('subscription not found');
    expect(stack.server.nodeEvents()).toMatchObject({ subscribers: 0, queries: 0 });
    conversation.socket.close();
  });

  it.runIf(runsAll)('T26: subscribe does not exist over HTTP', async () => {
    await start();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: { query: "tm.event='Tx'" } });
    const answer = (await (await fetch(`${stack.server.url}${base || '/'}`, { method: 'POST', body })).json()) as Message;
    if (base === '') expect(answer).toEqual({ jsonrpc: '2.0', id: 1, error: 'Method not found' });
    else expect(answer).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } });
    const uri = await fetch(`${stack.server.url}${base}/subscribe?query="tm.event='Tx'"`);
    expect(uri.status).toBe(404);
  });

  it.runIf(turn())('T47: an idle client is closed, and so is one that does not respond to pings', async () => {
    await start({ 'rpc.idle': 100, 'socket.ping': 50 });
    const idle = await talk(base);
    expect(await idle.closed).toBe(1000);
    const deaf = await talk(base, { autoPong: false });
    await subscribe(deaf, "tm.event='Tx'");
    expect(await deaf.closed).toBe(1006);
    const busy = await talk(base);
    await subscribe(busy, "tm.event='Tx'");
    let pings = 0;
    busy.socket.on('ping', () => (pings += 1));
    await expect.poll(() => pings).toBeGreaterThan(4);
    expect(busy.socket.readyState).toBe(busy.socket.OPEN);
    busy.socket.close();
  });

  it.runIf(turn())('an idle client stays connected longer than a GraphQL client, as on a node', async () => {
    await start({ 'socket.idle': 50, 'socket.ping': 50 });
    const idle = await talk(base);
    let pings = 0;
    idle.socket.on('ping', () => (pings += 1));
    await expect.poll(() => pings).toBeGreaterThan(4);
    expect(await ask(idle, 'health', {})).toBeUndefined();
    idle.socket.close();
  });

  it.runIf(runsAll && turn())('T47: a slow client gets an error and is closed; others miss nothing', async () => {
    await start({ 'subscription.events': 8 });
    const [slow, quick] = [await talk(base), await talk(base)];
    for (const conversation of [slow, quick]) {
      conversation.send({ id: 7, method: 'subscribe', params: { query: "tm.event='NewBlock'" } });
      await conversation.received(1);
    }
    slow.socket.pause();
    // About 0.7 MB for each block, which fills the buffers of the operating system quickly.
    let sequence = 0;
    for (let sent = 1; stack.server.nodeEvents().subscribers > 1; sent += 1) {
      const tx = Buffer.from(tinyTx('fred', sequence++, 'x'.repeat(500_000))).toString('base64');
      await stack.client.call('broadcast_tx_sync', { tx });
      await devnet.commit();
      await quick.received(1 + sent);
      expect(sent).toBeLessThan(100);
    }
    slow.socket.resume();
    const last = await slow.next(({ error }) => error !== undefined && (error as unknown) !== '');
    const reason = 'subscription was canceled (reason: slow client)';
    expect(last).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: base === '' ? reason : { code: -32000, message: 'Server error', data: reason },
    });
    expect(await slow.closed).toBe(1008);
    expect(stack.server.nodeEvents().tooSlow).toBe(1);
    // Earlier messages are complete and in order.
    const heights = (frames: readonly string[]): string[] =>
      frames.slice(1).flatMap((frame) => /"height":"(\d+)"/.exec(frame)?.[1] ?? []);
    const own = heights(slow.frames.slice(0, -1));
    expect(own.length).toBeGreaterThan(0);
    expect(own).toEqual(heights(quick.frames).slice(0, own.length));
    quick.socket.close();
  });

  it.runIf(runsAll)('after the response to unsubscribe, no waiting event of the subscription is sent', async () => {
    await start({ 'subscription.bytes': 64 * 1024 * 1024 });
    const [slow, quick] = [await talk(base), await talk(base)];
    for (const conversation of [slow, quick]) await subscribe(conversation, "tm.event='NewBlock'");
    slow.socket.pause();
    for (let block = 0; block < 12; block += 1) {
      const tx = Buffer.from(tinyTx('fred', block, 'x'.repeat(500_000))).toString('base64');
      await stack.client.call('broadcast_tx_sync', { tx });
      await devnet.commit();
      await quick.received(2 + block);
    }
    slow.send({ id: 'enough', method: 'unsubscribe', params: { query: "tm.event='NewBlock'" } });
    await expect.poll(() => stack.server.nodeEvents().subscribers).toBe(1);
    slow.socket.resume();
    expect(await ask(slow, 'health', {})).toBeUndefined();
    const ids = slow.frames.map((frame) => (JSON.parse(frame) as Message).id);
    expect(ids.indexOf('enough')).toBe(ids.length - 2);
    expect(ids.length).toBeLessThan(12);
    for (const { socket } of [slow, quick]) socket.close();
  });

  it.runIf(turn())('T47: a client that never reads is disconnected', async () => {
    await start({ 'socket.ping': 100 });
    const conversation = await talk(base);
    await subscribe(conversation, "tm.event='Tx'");
    conversation.socket.pause();
    await expect.poll(() => stack.server.nodeEvents().subscribers).toBe(0);
    conversation.socket.resume();
    expect(await conversation.closed).toBe(1006);
  });

  it.runIf(turn())(
    'T48: of 10,000 subscriptions on one socket five are accepted, and each rejection gets a response in order',
    async () => {
      const count = rounds(10_000);
      await start({ 'rpc.burst': count, 'rpc.messages': 100 });
      const conversation = await talk(base);
      for (let id = 0; id < count; id += 1)
        conversation.send({ id, method: 'subscribe', params: { query: `tm.event='Tx' AND tx.height=${id}` } });
      const frames = await conversation.received(count);
      expect(frames.map((frame) => (JSON.parse(frame) as Message).id)).toEqual(Array.from({ length: count }, (_, id) => id));
      expect(frames.filter((frame) => frame.includes('max_subscriptions_per_client 5 reached'))).toHaveLength(count - 5);
      expect(stack.server.nodeEvents()).toMatchObject({ subscribers: 5, queries: 5 });
      for (let more = 0; more < 200; more += 1) conversation.send({ id: 'more', method: 'health', params: {} });
      expect(await conversation.closed).toBe(1008);
    },
  );

  it.runIf(turn())('a frame that is too large closes the socket, and so do too many sockets of one client', async () => {
    await start({ 'rpc.message': 1_000, 'socket.connections': 2 });
    const [first, second] = [await talk(base), await talk(base)];
    const third = await talk(base);
    expect(await third.closed).toBe(1008);
    first.send('x'.repeat(1_001));
    expect(await first.closed).toBe(1009);
    const fourth = await talk(base);
    expect(await ask(fourth, 'health', {})).toBeUndefined();
    for (const { socket, closed } of [second, fourth]) {
      socket.close();
      await closed;
    }
  });

  it.runIf(turn())('subscriptions count toward the limits of the client and of the process until they end', async () => {
    await start({ 'subscriptions.caller': 2 });
    const [one, other] = [await talk(base), await talk(base)];
    expect(await subscribe(one, "tm.event='Tx'")).toBeUndefined();
    expect(await subscribe(other, "tm.event='Tx'")).toBeUndefined();
    expect(await subscribe(other, "tm.event='Vote'")).toBe('max_subscription_clients 2 reached');
    await ask(other, 'unsubscribe', { query: "tm.event='Tx'" });
    expect(await subscribe(other, "tm.event='Vote'")).toBeUndefined();
    one.socket.terminate();
    await expect.poll(() => subscribe(other, "tm.event='Polka'")).toBeUndefined();
    other.socket.close();
    await other.closed;
  });

  it.runIf(turn())('a broadcast counts like one over HTTP', async () => {
    await start({ 'rate.broadcasts': 1 });
    const conversation = await talk(base);
    const send = (): Promise<string | undefined> =>
      ask(conversation, 'broadcast_tx_sync', { tx: Buffer.from(tinyTx('carl', 0)).toString('base64') });
    expect((await send()) ?? '').not.toMatch(/rate\.broadcasts/);
    expect(await send()).toMatch(/^The limit rate.broadcasts of 1 is reached\. Retry in \d+ s/);
    expect(await ask(conversation, 'health', {})).toBeUndefined();
    conversation.socket.close();
  });
});
