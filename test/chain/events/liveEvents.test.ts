import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { createHead } from '../../../src/chain/blocks/head.ts';
import { createLiveKinds, type LiveEvent, type LiveKinds, liveKinds } from '../../../src/chain/events/liveEvents.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { Transport } from '../../../src/chain/transports/transport.ts';
import { createTinyApplication } from '../../devnet/node/tinyApplication.ts';

let devnet: Devnet;
let node: DevnetNode;
let transport: Transport;
let live: LiveKinds;

beforeEach(async () => {
  devnet = await createDevnet({ application: createTinyApplication(), blockTime: 'manual' });
  node = devnet.nodes[0]!;
  transport = http(node.url);
  live = createLiveKinds({ transport, backoff: 10, head: { onBlock: () => () => undefined } });
});

afterEach(async () => {
  live.close();
  await transport.close();
  await devnet.close();
});

const queriesAsked = (): unknown[] =>
  node.counters.log.filter(({ method }) => method === 'subscribe').map(({ params }) => (params as { query: string }).query);

/** Makes a block once the node has this many subscriptions, so that every listener gets it. */
async function commitFor(subscriptions: number): Promise<bigint> {
  await expect.poll(() => node.counters.byMethod.subscribe).toBe(subscriptions);
  return devnet.commit();
}

describe('consensus events', () => {
  it('use one upstream subscription for each kind, regardless of the number of listeners', async () => {
    const heard: [number, LiveEvent][] = [];
    const stops = [1, 2, 3].map((listener) => live.listen('Vote', (event) => heard.push([listener, event])));
    live.listen('Polka', (event) => heard.push([4, event]));
    const height = String(await commitFor(2));
    await expect.poll(() => heard.length).toBe(7);
    expect(queriesAsked().toSorted()).toEqual(["tm.event='Polka'", "tm.event='Vote'"]);
    expect(live.stats()).toEqual({ running: 2, opened: 2 });
    const votes = heard.filter(([, { kind }]) => kind === 'Vote');
    expect(votes.map(([listener]) => listener)).toEqual([1, 2, 3, 1, 2, 3]);
    expect(votes[0]![1]).toMatchObject({ type: 'tendermint/event/Vote', value: { Vote: { type: 1, height } } });
    expect(heard.find(([listener]) => listener === 4)![1]).toEqual({
      kind: 'Polka',
      type: 'tendermint/event/RoundState',
      value: { height, round: 0, step: 'RoundStepPrevote' },
    });
    for (const stop of stops) stop();
  });

  it('unsubscribe with the last listener and subscribe again for the next', async () => {
    const [first, second] = [live.listen('NewRound', () => undefined), live.listen('NewRound', () => undefined)];
    await expect.poll(() => node.sockets).toBe(1);
    first();
    first();
    expect(live.stats()).toEqual({ running: 1, opened: 1 });
    second();
    expect(live.stats()).toEqual({ running: 0, opened: 1 });
    await expect.poll(() => node.sockets).toBe(0);
    const heard: LiveEvent[] = [];
    live.listen('NewRound', (event) => heard.push(event));
    await commitFor(2);
    await expect.poll(() => heard.length).toBe(1);
  });

  it('resubscribe after the node closes the subscription, until there are no listeners', async () => {
    const heard: LiveEvent[] = [];
    const stop = live.listen('Lock', (event) => heard.push(event));
    await commitFor(1);
    await expect.poll(() => heard.length).toBe(1);
    node.closeSockets();
    await commitFor(2);
    await expect.poll(() => heard.length).toBe(2);
    await node.stop();
    await expect.poll(() => live.stats().running).toBe(0);
    stop();
    const { opened } = live.stats();
    await node.start();
    live.listen('Polka', () => undefined);
    await commitFor(3);
    expect(live.stats()).toEqual({ running: 1, opened: opened + 1 });
  });

  it('resubscribe if the node is silent while blocks arrive, except for kinds that indicate problems', async () => {
    const two = await createDevnet({ application: createTinyApplication(), blockTime: 'manual', nodes: 2 });
    const [mute, other] = [two.nodes[0]!, two.nodes[1]!];
    const [here, there] = [http(mute.url), http(other.url)];
    const head = createHead({ transport: there });
    // Both get the same blocks. For the first one any silence is long enough; for the second, which waits 15 s, none here is.
    const watched = createLiveKinds({ transport: here, head, backoff: 10, silence: 0 });
    const patient = createLiveKinds({ transport: here, head, backoff: 10 });
    const commit = async (): Promise<void> => {
      await head.waitFor(await two.commit(), { milliseconds: 30_000 });
    };
    try {
      await expect.poll(() => head.stats().isSubscribed).toBe(true);
      const heard: LiveEvent[] = [];
      for (const kind of ['Vote', 'TimeoutPropose'] as const) watched.listen(kind, (event) => heard.push(event));
      patient.listen('Vote', () => undefined);
      await expect.poll(() => mute.counters.byMethod.subscribe).toBe(3);
      for (const height of [1, 2, 3, 4, 5]) {
        await commit();
        await expect.poll(() => heard.length).toBe(2 * height);
      }
      expect(watched.stats()).toEqual({ running: 2, opened: 2 });
      mute.faults.silentSockets = true;
      await expect
        .poll(async () => {
          await commit();
          return watched.stats().opened;
        })
        .toBe(3);
      expect(patient.stats()).toEqual({ running: 1, opened: 1 });
      mute.faults.silentSockets = false;
      const before = heard.length;
      await expect
        .poll(async () => {
          await commit();
          return heard.length;
        })
        .toBeGreaterThan(before);
      expect(watched.stats().running).toBe(2);
    } finally {
      watched.close();
      patient.close();
      head.close();
      await Promise.all([here.close(), there.close()]);
      await two.close();
    }
  });

  it('cover exactly the kinds that a node accepts subscriptions for', async () => {
    for (const kind of liveKinds) live.listen(kind, () => undefined);
    await expect.poll(() => node.counters.byMethod.subscribe).toBe(11);
    await expect.poll(() => live.stats()).toEqual({ running: 11, opened: 11 });
  });
});
