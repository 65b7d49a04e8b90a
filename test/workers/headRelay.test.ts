import { afterEach, expect, test } from 'vitest';
import { createHead, type Head, type HeadOptions } from '../../src/chain/blocks/head.ts';
import { http } from '../../src/chain/transports/http.ts';
import type { JsonValue } from '../../src/chain/wire/json.ts';
import { createHeadRelay } from '../../src/start/primary.ts';
import { createLinkedTransport, type PrimaryLink } from '../../src/start/worker.ts';
import type { Operations, ToWorker } from '../../src/start/workerMessages.ts';
import { createStubNode, newBlockEvent, type StubNode } from '../chain/stubNode.ts';

const closing: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

/** No status is called at an interval, and no silence is noticed. */
const options: Partial<HeadOptions> = { pollInterval: 60_000, silence: 60_000, backoff: 5 };

/** The heads of a primary and of a worker, without a process between them. */
async function start(): Promise<{
  node: StubNode;
  primary: Head;
  relay: ReturnType<typeof createHeadRelay>;
  startWorker: () => Head;
}> {
  const node = await createStubNode();
  const transport = http(node.url);
  const primary = createHead({ transport, ...options });
  const listeners = new Map<string, ((message: never) => void)[]>();
  const send = (message: ToWorker): void => {
    const received = structuredClone(message);
    for (const listener of listeners.get(message.kind) ?? []) Reflect.apply(listener, undefined, [received]);
  };
  const relay = createHeadRelay(primary, send);
  const link: PrimaryLink = {
    ask: (_, args) => Reflect.apply(ask, undefined, [args]),
    on(kind, listener) {
      listeners.set(kind, [...(listeners.get(kind) ?? []), listener]);
      return () => undefined;
    },
    tell: () => undefined,
    isOpen: () => true,
  };
  const ask = ({ method, params }: Operations['call']['args']): Promise<JsonValue> =>
    transport.call(method, params, { decode: (result) => result });
  closing.push(node, transport, primary, { close: relay.stop });
  await primary.ready();
  await expect.poll(() => primary.stats().isSubscribed, { interval: 5 }).toBe(true);
  relay.checkSubscription();
  return {
    ...{ node, primary, relay },
    startWorker() {
      const linked = createLinkedTransport(link);
      send(relay.state());
      const head = createHead({ transport: linked, ...options });
      closing.push(head);
      return head;
    },
  };
}

test('a worker that starts between two blocks has the newest one, and gets the next with its content', async () => {
  const { node, primary, startWorker } = await start();
  node.commit();
  await primary.waitFor(101n, { milliseconds: 10_000 });
  const worker = startWorker();
  expect((await worker.ready()).height).toBe(101n);
  node.commit();
  expect((await worker.waitFor(102n, { milliseconds: 10_000 })).block).toBeDefined();
  expect(worker.stats()).toMatchObject({ isSubscribed: true, subscriptions: 1 });
});

test('workers get a block that the primary has read from status while subscribed, then its content', async () => {
  const { node, primary, startWorker } = await start();
  const worker = startWorker();
  await worker.ready();
  // The worker calls status as it starts and once it is subscribed, the primary likewise.
  await expect.poll(() => node.calls('status').length, { interval: 5 }).toBe(4);
  let confirm: (() => void) | undefined;
  node.onSubscribe = (socket, id) => {
    confirm = () => {
      node.subscribers.add(socket);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    };
    return true;
  };
  for (const socket of node.subscribers) socket.terminate();
  await expect.poll(() => confirm, { interval: 5 }).toBeDefined();
  await expect.poll(() => node.calls('status').length, { interval: 5 }).toBe(5);
  node.commit();
  confirm!();
  await primary.waitFor(101n, { milliseconds: 10_000 });
  expect(worker.current()).toMatchObject({ height: 101n, block: undefined });
  expect(node.calls('status')).toHaveLength(6);
  for (const socket of node.subscribers)
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: newBlockEvent(node, 101n) }));
  await expect.poll(() => worker.current()?.block, { interval: 5 }).toBeDefined();
});
