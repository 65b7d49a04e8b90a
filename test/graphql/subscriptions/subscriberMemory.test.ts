import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { collectGarbage, usedMemory } from '../../support/memory.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;
const sockets: Socket[] = [];

const subscription = 'subscription { newBlock { height hash time } }';
const liveQuery = 'query @live { groups(first: 1) { nodes { id } } }';

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n });
  stack = await startStack([chain.node.url], { server: { limits: { 'rate.concurrent': 1_000 } } });
  await stack.client.head.ready();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await stack.close();
  await chain.devnet.close();
});

/** Connects without a client library, because the client is in the same process and its memory counts too. */
async function open(first: string): Promise<Socket> {
  const { hostname, port } = new URL(stack.server.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.write(first);
  await once(socket, 'data');
  return socket;
}

/** A text frame of a client, masked with zeros. */
function frame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length > 125 ? [0x81, 0xfe, length >> 8, length & 0xff] : [0x81, 0x80 | length];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), Buffer.from(text)]);
}

async function overWebSocket(query: string): Promise<void> {
  const key = randomBytes(16).toString('base64');
  const socket = await open(
    `GET /graphql HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
  );
  socket.write(frame('{"type":"connection_init"}'));
  await once(socket, 'data');
  socket.write(frame(JSON.stringify({ id: randomBytes(16).toString('hex'), type: 'subscribe', payload: { query } })));
}

async function overEvents(query: string): Promise<void> {
  await open(`GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n`);
}

/** The number of subscribers and of listeners of live queries. */
function listening(): number {
  const { subscribers, live } = stack.server.subscriptions();
  return subscribers + live.listeners;
}

/** Adds subscribers, a few at a time. Returns the memory in use once all of them receive events. */
async function add(subscribe: () => Promise<void>, count: number): Promise<number> {
  const total = listening() + count;
  for (let added = 0; added < count; added += 25) await Promise.all(Array.from({ length: 25 }, subscribe));
  await expect.poll(listening, { interval: 2 }).toBe(total);
  // Finished requests keep objects until the next turns of the event loop.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

const subscribers = [
  ['subscriber over server-sent events', overEvents, subscription, 14],
  ['subscriber over WebSocket', overWebSocket, subscription, 11],
  ['listener of a live query over WebSocket', overWebSocket, liveQuery, 11],
] as const;

it.runIf(runsAll).each(subscribers)(
  'a %s takes little memory, with its client in the same process',
  {
    timeout: 120_000,
  },
  async (_, open, query, most) => {
    const subscribe = (): Promise<void> => open(query);
    await add(subscribe, 100);
    const before = await add(subscribe, 100);
    const after = await add(subscribe, 200);
    expect((after - before) / 200 / 1_000).toBeLessThan(most);
  },
);

it.runIf(runsAll)('a subscription that waits for a block keeps nothing of what it read for the last one', async () => {
  const { client } = stack;
  const { at } = client;
  const states: { readonly height: bigint; readonly state: WeakRef<object> }[] = [];
  Object.assign(client, {
    at(...args: Parameters<typeof at>) {
      const state = at(...args);
      states.push({ height: state.height, state: new WeakRef(state) });
      return state;
    },
  });
  await add(() => overWebSocket('subscription { newBlock { height proposer { votingPower } } }'), 25);
  const before = client.head.current()!.height;
  for (let block = 1n; block <= 3n; block += 1n) {
    await chain.devnet.commit();
    await expect.poll(() => stack.server.subscriptions().executions, { interval: 2 }).toBe(Number(block));
  }
  await expect.poll(() => stack.server.subscriptions().cachedHeights, { interval: 2 }).toBe(3);
  await usedMemory();
  const ofEvents = states.filter(({ height }) => height > before);
  expect(ofEvents).toHaveLength(3);
  expect(ofEvents.filter(({ state }) => state.deref() !== undefined)).toEqual([]);
});
