import { afterEach, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../../packages/devnet/src/devnet.ts';
import type { Limits } from '../../../../src/config/limits/limits.ts';
import { type Conversation, converse } from '../../../devnet/node/conversation.ts';
import { createTinyApplication, tinyTx } from '../../../devnet/node/tinyApplication.ts';
import { runsAll } from '../../../support/atRandom.ts';
import { type Stack, startStack } from '../../../support/stack.ts';

let devnet: Devnet;
let stack: Stack;
const open: Conversation[] = [];

async function start(limits: Partial<Limits>): Promise<void> {
  devnet = await createDevnet({ application: createTinyApplication(), blockTime: 'manual' });
  await devnet.commit();
  stack = await startStack([devnet.nodes[0]!.url], { server: { limits } });
  await stack.client.head.ready();
  await expect.poll(() => stack.client.head.stats().isSubscribed).toBe(true);
}

afterEach(async () => {
  for (const { socket } of open.splice(0)) socket.terminate();
  await expect.poll(() => stack.server.nodeEvents()).toMatchObject({ subscribers: 0, queries: 0 });
  expect(stack.masked).toEqual([]);
  await stack.close();
  await devnet.close();
});

async function talk(base: string): Promise<Conversation> {
  const conversation = await converse(`${stack.server.url}${base}`);
  open.push(conversation);
  return conversation;
}

/** Subscribes. Returns the error, or undefined on success. */
async function subscribe(conversation: Conversation, query: string): Promise<unknown> {
  const id = crypto.randomUUID();
  conversation.send({ id, method: 'subscribe', params: { query } });
  const { error } = await conversation.next((message) => message.id === id && message.result?.query === undefined);
  return (error as unknown) === '' ? undefined : error;
}

describe.each(['/comet', ''])('at %s/websocket', (base) => {
  it('subscriptions.distinct: the different queries of one client are limited over all its sockets; equal queries count once', async () => {
    await start({ 'subscriptions.distinct': 2 });
    const [one, other] = [await talk(base), await talk(base)];
    expect(await subscribe(one, "tm.event='Tx'")).toBeUndefined();
    expect(await subscribe(one, "tm.event='Vote'")).toBeUndefined();
    expect(await subscribe(other, "tm.event =  'Tx'")).toBeUndefined();
    const text = 'The limit subscriptions.distinct of 2 is reached. End another subscription first.';
    const full = base === '' ? text : { code: -32005, message: 'Limit exceeded', data: text };
    expect(await subscribe(other, "tm.event='Polka'")).toEqual(full);
    one.socket.terminate();
    await expect.poll(() => subscribe(other, "tm.event='Polka'")).toBeUndefined();
    expect(await subscribe(other, "tm.event='Vote'")).toEqual(full);
  });

  it('rate.points: each query costs a point for each block; above the limit the subscription is canceled with its last height', async () => {
    await start({ 'rate.points': 1, 'rate.burst': 10 });
    const conversation = await talk(base);
    conversation.send({ id: 7, method: 'subscribe', params: { query: "tm.event='NewBlockHeader'" } });
    await conversation.received(1);
    // The call itself costs one point.
    let height = devnet.height;
    for (let block = 0; block < 12; block += 1) {
      height = await devnet.commit();
      await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    }
    const last = await conversation.next(({ error }) => error !== undefined && (error as unknown) !== '');
    const reason = JSON.stringify(last.error);
    expect(reason).toMatch(/subscription was canceled \(reason: The limit rate.points of 1 is reached\. Retry in 60 s\. All/);
    expect(conversation.frames).toHaveLength(11);
    expect(reason).toContain(`All events up to height ${height - 3n} were delivered.`);
    expect(stack.server.nodeEvents().subscribers).toBe(0);
  });
});

it('a query for a kind of event that the block lacks is neither evaluated nor charged', async () => {
  await start({ 'rate.points': 1, 'rate.burst': 10 });
  const conversation = await talk('/comet');
  await subscribe(conversation, "tm.event='Tx'");
  for (let block = 0; block < 20; block += 1) await devnet.commit();
  const tx = Buffer.from(tinyTx('carl', 0)).toString('base64');
  await stack.client.call('broadcast_tx_sync', { tx });
  await devnet.commit();
  await conversation.next(({ result }) => result?.data?.type === 'tendermint/event/Tx');
  expect(stack.server.nodeEvents().evaluations).toBe(1);
});

it.runIf(runsAll)(
  'other calls get responses while many different queries are evaluated on one block',
  {
    timeout: 180_000,
  },
  async () => {
    await start({});
    const perSocket = 5;
    const count = 300;
    for (let socket = 0; socket < count / perSocket; socket += 1) {
      const conversation = await talk('/comet');
      for (let query = 0; query < perSocket; query += 1) {
        // Each condition requires a type of event, which is searched among all events.
        const conditions = Array.from({ length: 28 }, () => 'tm EXISTS').join(' AND ');
        conversation.send({
          id: 1,
          method: 'subscribe',
          params: { query: `${conditions} AND tx.height > ${socket * 5 + query}` },
        });
      }
      await conversation.received(perSocket);
    }
    expect(stack.server.nodeEvents().queries).toBe(count);
    for (let sent = 0; sent < 200; sent += 1) {
      const tx = Buffer.from(tinyTx('carl', sent)).toString('base64');
      await stack.client.call('broadcast_tx_sync', { tx });
    }
    const before = stack.server.nodeEvents().evaluations;
    await devnet.commit();
    while (stack.server.nodeEvents().evaluations === before) await new Promise((resolve) => setImmediate(resolve));
    const honest = await stack.ask('{ head { height } }');
    const evaluated = stack.server.nodeEvents().evaluations - before;
    expect(honest.body.errors).toBeUndefined();
    expect(evaluated).toBeLessThan(count);
  },
);
