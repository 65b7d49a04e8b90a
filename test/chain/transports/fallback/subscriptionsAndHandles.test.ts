import { afterEach, describe, expect, test } from 'vitest';
import { blockHash } from '../../stubNode.ts';
import { asIs, code, createFallbackSetup, echo, misbehaving } from './fallbackSetup.ts';

const { nodes, over, close } = createFallbackSetup();
afterEach(close);

describe('subscriptions', () => {
  test('to a node with another block than the majority end at its next event, which is not delivered', async () => {
    const three = await nodes({}, {}, {});
    const [liar] = three;
    const transport = over(three, { probeInterval: 0 });
    /** The height of each event's block, which the transport decodes once for itself and its subscriber. */
    const events: (bigint | undefined)[] = [];
    let opened: () => void = () => undefined;
    const isOpen = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const ended = new Promise<Error | undefined>((resolve) => {
      const event = (_: unknown, block?: { readonly height: bigint }): unknown => events.push(block?.height);
      transport.subscribe("tm.event='NewBlock'", { open: opened, event, end: resolve });
    });
    await isOpen;
    expect(three.map((node) => node.subscriptions)).toEqual([1, 0, 0]);
    liar!.commit();
    await expect.poll(() => events).toEqual([BigInt(liar!.height)]);
    const own = blockHash(liar!.height);
    liar!.misbehave = ({ calls }, response) => {
      const [call] = calls;
      if (call?.method !== 'status') return false;
      const sync = {
        latest_block_hash: `${own.slice(0, -1)}F`,
        latest_block_height: '100',
        latest_block_time: '2026-11-21T00:00:00Z',
        earliest_block_height: '1',
        catching_up: false,
      };
      const result = { node_info: { network: 'testing', other: { tx_index: 'on' } }, sync_info: sync };
      response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
      return true;
    };
    await expect.poll(() => transport.nodes()[0]).toMatchObject({ health: 'EJECTED', lastErrorCode: 'NODE_INCONSISTENT' });
    liar!.commit();
    expect(await ended).toMatchObject({ code: 'NODE_INCONSISTENT' });
    expect(events).toHaveLength(1);
  });

  test('go to the healthiest node, and a retry goes to another', async () => {
    const three = await nodes({ height: 10n }, {}, {});
    const transport = over(three);
    const subscribe = (): Promise<() => void> =>
      new Promise((resolve) => {
        const subscription = transport.subscribe("tm.event='NewBlock'", {
          open: () => resolve(() => subscription.close()),
          event: () => undefined,
          end: () => undefined,
        });
      });
    (await subscribe())();
    expect(three.map((node) => node.subscriptions)).toEqual([0, 1, 0]);
    (await subscribe())();
    expect(three.map((node) => node.subscriptions)).toEqual([0, 1, 1]);
  });

  test('update the height of their node, and end when it changes its chain', async () => {
    const [node] = await nodes({});
    const transport = over([node!]);
    let opened: () => void = () => undefined;
    const open = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const ended = new Promise<Error | undefined>((resolve) => {
      transport.subscribe("tm.event='NewBlock'", { open: opened, event: () => undefined, end: resolve });
    });
    await open;
    node!.commit();
    await expect.poll(() => transport.nodes()[0]!.height).toBe(101n);
    node!.chainId = 'other';
    node!.commit();
    expect(await ended).toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
    expect(transport.nodes()[0]!.health).toBe('WRONG_CHAIN');
  });

  test('end when the transport closes before the first node has responded', async () => {
    const [node] = await nodes({});
    const transport = over([node!]);
    const ends: (Error | undefined)[] = [];
    transport.subscribe('x', { event: () => undefined, end: (error) => ends.push(error) }).close();
    await echo(transport);
    expect(ends).toEqual([undefined]);
    expect(node!.subscriptions).toBe(0);
  });
});

describe('the handles of single nodes', () => {
  test('are ordered by fitness, exclude nodes of another chain, and call only their own node', async () => {
    const [first, lagging, other, good] = await nodes(
      { height: 100n },
      { height: 90n },
      { chainId: 'other' },
      { height: 100n },
    );
    const transport = over([first!, lagging!, other!, good!], { chainId: first!.chainId });
    const handles = await transport.handles();
    expect(handles.map(({ alias }) => alias)).toEqual(['node-1', 'node-4', 'node-2']);
    for (const stub of [first!, lagging!, good!]) stub.methods.echo = ({ n }) => `${n} of ${stub.port}`;
    const answers = handles.map((handle) => handle.call('echo', { n: '1' }, { decode: asIs }));
    expect(await Promise.all(answers)).toEqual([first!, good!, lagging!].map(({ port }) => `1 of ${port}`));
  });

  test('return an error as it is, try no other node, and count it', async () => {
    const [first, second] = await nodes({}, {});
    const transport = over([first!, second!], { probeInterval: 60_000 });
    const [handle] = await transport.handles();
    misbehaving((response) => response.destroy())(first!);
    for (let failure = 1; failure <= 4; failure += 1) {
      expect(await code(handle!.call('broadcast_tx_sync', { tx: '' }, { decode: asIs }))).toBe('NODE_UNREACHABLE');
      expect(transport.nodes()[0]).toMatchObject({ consecutiveFailures: failure, lastErrorCode: 'NODE_UNREACHABLE' });
    }
    expect(second!.calls('broadcast_tx_sync')).toEqual([]);
    expect(await code(handle!.call('broadcast_tx_sync', { tx: '' }, { decode: asIs }))).toBe('NODE_UNREACHABLE');
    expect(transport.nodes()[0]).toMatchObject({ health: 'EJECTED' });
    // An ejected node is still available for calls that go to each node, in the last place.
    expect((await transport.handles()).map(({ alias }) => alias)).toEqual(['node-2', 'node-1']);
    first!.misbehave = undefined;
    expect(await handle!.call('echo', { n: '1' }, { decode: asIs })).toEqual({ n: '1' });
    expect(transport.nodes()[0]).toMatchObject({ consecutiveFailures: 0 });
  });

  test('of a node that never responded report that nothing was sent', async () => {
    const [first, second] = await nodes({}, {});
    await first!.close();
    const transport = over([first!, second!]);
    const handle = (await transport.handles()).find(({ alias }) => alias === 'node-1');
    const failure = handle!.call('broadcast_tx_sync', { tx: '' }, { decode: asIs });
    await expect(failure).rejects.toMatchObject({ code: 'NODE_UNREACHABLE', facts: { sent: false } });
    await transport.close();
    expect(await code(handle!.call('echo', {}, { decode: asIs }))).toBe('NODE_UNREACHABLE');
  });
});
