import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { recording } from '../../recordings/recording.ts';
import { runsAll } from '../../support/atRandom.ts';
import { type Conversation, converse, type Message } from './conversation.ts';
import { shapeOf } from './shape.ts';
import { createTinyApplication, tinyTx } from './tinyApplication.ts';

interface Frame {
  from: 'client' | 'node';
  frame?: string;
}

let devnet: Devnet;
let node: DevnetNode;
const open: Conversation[] = [];

beforeAll(async () => {
  devnet = await createDevnet({
    application: createTinyApplication(),
    blockTime: 'manual',
    genesisTime: 1_795_229_276_471_457_131n,
    socketLimits: { pingPeriod: 20, silence: 30_000, buffer: 200 },
    subscriptionLimits: { clients: 4, perClient: 5 },
  });
  node = devnet.nodes[0]!;
  while (devnet.height < 6n) await devnet.commit();
});

afterAll(() => devnet.close());

async function talk(): Promise<Conversation> {
  const conversation = await converse(node.url);
  open.push(conversation);
  return conversation;
}

/** Closes every conversation, so that the next test's clients are within the limits. */
async function hangUp(): Promise<void> {
  for (const conversation of open.splice(0)) {
    conversation.socket.close();
    await conversation.closed;
  }
}

const isEvent = ({ result }: Message) => result?.query !== undefined;

/** The recordings truncate long frames; another test compares the rest. */
const whole = (frame: string) => !frame.endsWith('…(cut)');

describe('the recorded conversations', () => {
  // One contains a transaction of the recorded chain; `events` below uses one of this chain.
  const conversations = Object.entries(recording<Record<string, Frame[]>>('websocket')).filter(
    ([name]) => name !== 'tx by hash',
  );

  it.each(conversations)('the recorded conversation %s', async (_, recorded) => {
    const conversation = await talk();
    const [said, heard] = ['client', 'node'].map((from) =>
      recorded.flatMap(({ from: who, frame }) => (who === from && frame !== undefined ? [frame] : [])),
    );
    const parse = (frame: string) => JSON.parse(frame) as Message;
    const answers = heard!.filter((frame) => !whole(frame) || !isEvent(parse(frame)));
    const events = heard!.filter((frame) => whole(frame) && isEvent(parse(frame)));
    // Requests that followed events follow the block here.
    const early = said!.filter((frame) => !frame.includes('"unsubscribe"') || events.length === 0);
    for (const frame of early) conversation.send(frame);
    // Responses are in order, so a last call shows which requests got none.
    conversation.send({ id: 'last', method: 'health', params: {} });
    await conversation.next(({ id }) => id === 'last');
    await devnet.commit();
    for (const frame of said!.filter((one) => !early.includes(one))) conversation.send(frame);
    conversation.send({ id: 'end', method: 'health', params: {} });
    await conversation.next(({ id }) => id === 'end');

    const own = conversation.frames.filter((frame) => !/"id":"(last|end)"/.test(frame));
    const ownAnswers = own.filter((frame) => !isEvent(parse(frame)));
    for (const [index, frame] of answers.filter(whole).entries()) {
      if (frame.includes('"error"')) expect(ownAnswers[index]).toBe(frame);
      else expect(shapeOf(JSON.parse(ownAnswers[index]!))).toEqual(shapeOf(parse(frame)));
    }
    const kinds = (frames: string[]) => {
      const kindOf = ({ result }: Message) => `${result!.data!.type} ${String(result!.data!.value.step ?? '')}`;
      return frames.map((frame) => kindOf(parse(frame)));
    };
    const ownEvents = own.filter((frame) => isEvent(parse(frame)));
    if (events.length > 0) expect(new Set(kinds(ownEvents))).toEqual(new Set(kinds(events)));
    const shapesByKind = new Map(events.map((frame) => [kinds([frame])[0], shapeOf(parse(frame).result!.data)]));
    for (const frame of ownEvents) expect(shapeOf(parse(frame).result!.data)).toEqual(shapesByKind.get(kinds([frame])[0]!));
    await hangUp();
  });

  it('a query is parsed before it is looked up, even without subscriptions', async () => {
    const conversation = await talk();
    conversation.send({ id: 1, method: 'unsubscribe', params: { query: '' } });
    expect((await conversation.next(({ id }) => id === 1)).error?.data).toBe('failed to parse query: offset 0: EOF');
    await hangUp();
  });

  it('the order of the events of a block', async () => {
    const conversation = await talk();
    conversation.send({ id: 1, method: 'subscribe', params: { query: 'tm.event EXISTS' } });
    await conversation.received(1);
    await devnet.commit();
    const frames = recording<Record<string, Frame[]>>('websocket')['any event']!.flatMap(({ from, frame }) =>
      from === 'node' && frame?.includes('"query"') ? [frame] : [],
    );
    const kindOf = (frame: string) =>
      ['"type":"tendermint/event/(\\w+)"', '"step":"(\\w+)"'].map((pattern) => new RegExp(pattern).exec(frame)?.[1]).join(' ');
    const ofOneBlock = frames.slice(0, frames.findIndex((frame) => kindOf(frame).includes('NewHeight')) + 1).map(kindOf);
    expect(ofOneBlock.length).toBeGreaterThan(10);
    const own = await conversation.received(1 + ofOneBlock.length);
    expect(own.slice(1).map(kindOf)).toEqual(ofOneBlock);
    await hangUp();
  });
});

describe('events', () => {
  it('NewBlock and Tx have the recorded shape, and the data of block and block_results', async () => {
    const conversation = await talk();
    for (const [id, kind] of ['NewBlock', 'Tx', 'NewBlockEvents'].entries()) {
      conversation.send({ id, method: 'subscribe', params: { query: `tm.event='${kind}'` } });
    }
    await conversation.received(3);
    const send = async (...txs: Uint8Array[]) => {
      const before = conversation.frames.length;
      for (const tx of txs)
        conversation.send({ id: 'tx', method: 'broadcast_tx_sync', params: { tx: Buffer.from(tx).toString('base64') } });
      await conversation.received(before + txs.length);
      return await devnet.commit();
    };
    await send(tinyTx('dora', 0));
    await conversation.received(3 + 1 + 3);
    const alone = conversation.frames.map((frame) => JSON.parse(frame) as Message).filter(isEvent);
    const recorded = recording<Frame[]>('live-events')
      .concat(recording<Frame[]>('live-newblock'))
      .flatMap(({ from, frame }) => (from === 'node' && frame ? [JSON.parse(frame) as Message] : []))
      .filter(isEvent);
    for (const { result } of alone) {
      const alike = recorded.filter((one) => one.result!.data!.type === result!.data!.type);
      expect(alike.map((one) => JSON.stringify(shapeOf(one.result!.data)))).toContain(JSON.stringify(shapeOf(result!.data)));
      expect(Object.keys(result!)).toEqual(['query', 'data', 'events']);
    }

    const txs = [tinyTx('dora', 1), tinyTx('bad', 0)];
    const height = await send(...txs);
    const messages = (await conversation.received(7 + 2 + 4))
      .slice(7)
      .map((frame) => JSON.parse(frame) as Message)
      .filter(isEvent);
    expect(messages.map(({ id }) => id)).toEqual([0, 2, 1, 1]);
    const [block, , good, bad] = messages.map(({ result }) => result!);
    const call = async (method: string) => {
      const answer = await fetch(`${node.url}/${method}?height=${height}`);
      return ((await answer.json()) as { result: Record<string, unknown> }).result;
    };
    const results = (await call('block_results')) as Record<string, never>;
    expect(block!.data!.value).toEqual({
      ...(await call('block')),
      result_finalize_block: {
        events: results.finalize_block_events,
        tx_results: results.txs_results,
        validator_updates: [],
        consensus_param_updates: results.consensus_param_updates,
        app_hash: results.app_hash,
      },
    });
    // Zero members are omitted: the index of the first transaction, and the code of a success.
    expect(good!.data!.value).toMatchObject({
      TxResult: { height: String(height), tx: Buffer.from(txs[0]!).toString('base64') },
    });
    expect(Object.keys((good!.data!.value as { TxResult: object }).TxResult)).toEqual(['height', 'tx', 'result']);
    expect(Object.keys((good!.data!.value as { TxResult: { result: object } }).TxResult.result)).toEqual([
      'data',
      'gas_wanted',
      'gas_used',
      'events',
    ]);
    expect(bad!.data!.value).toMatchObject({ TxResult: { index: 1, result: { code: 5, codespace: 'sdk' } } });
    expect(good!.events).toMatchObject({
      'tm.event': ['Tx'],
      'tx.height': [String(height)],
      'message.action': ['/test.MsgNote'],
    });
    await hangUp();
  });

  it('stop after unsubscribing, continue for others, and can precede the acknowledgement', async () => {
    const conversation = await talk();
    const query = "tm.event='NewBlockHeader'";
    conversation.send({ id: 1, method: 'subscribe', params: { query } });
    conversation.send({ id: 2, method: 'subscribe', params: { query: "tm.event='NewBlockEvents'" } });
    await conversation.received(2);
    conversation.send({ id: 3, method: 'unsubscribe', params: { query: "tm.event  = 'NewBlockHeader'" } });
    await conversation.received(3);
    await devnet.commit();
    expect(JSON.parse((await conversation.received(4))[3]!)).toMatchObject({ id: 2 });

    node.faults.lateAck = true;
    conversation.send({ id: 4, method: 'subscribe', params: { query } });
    conversation.send({ id: 5, method: 'health', params: {} });
    await conversation.next(({ id }) => id === 5);
    node.faults.lateAck = false;
    await devnet.commit();
    const late = (await conversation.received(8))
      .slice(5)
      .map((frame) => JSON.parse(frame) as Message)
      .filter(({ id }) => id === 4);
    expect(late.map((message) => isEvent(message))).toEqual([true, false]);
    await hangUp();
  });
});

describe('limits', () => {
  it('rejects one client too many', async () => {
    for (let count = 0; count < 4; count++) {
      const conversation = await talk();
      conversation.send({ id: 1, method: 'subscribe', params: { query: "tm.event='Tx'" } });
      expect(await conversation.received(1)).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}']);
    }
    const fifth = await talk();
    fifth.send({ id: 1, method: 'subscribe', params: { query: "tm.event='Tx'" } });
    expect((await fifth.next(() => true)).error).toEqual({
      code: -32603,
      message: 'Internal error',
      data: 'max_subscription_clients 4 reached',
    });
    const answer = await fetch(`${node.url}/broadcast_tx_commit?tx="erin:0:x"`);
    expect(await answer.json()).toMatchObject({ error: { data: 'max_subscription_clients 4 reached' } });
    await hangUp();
  });

  it.runIf(runsAll)('cancels the subscription of a client that does not read, and keeps it registered', async () => {
    const small = await createDevnet({
      application: createTinyApplication(),
      blockTime: 'manual',
      socketLimits: { pingPeriod: 27_000, silence: 30_000, buffer: 20 },
    });
    const slow = small.nodes[0]!;
    const conversation = await converse(slow.url);
    const query = 'tm.event EXISTS';
    conversation.send({ id: 1, method: 'subscribe', params: { query } });
    await conversation.received(1);
    conversation.socket.pause();
    // About 3 MB for each block, which fills the buffers of the operating system quickly.
    const note = 'x'.repeat(500_000);
    for (let sequence = 0; sequence < 8; sequence++) {
      const tx = Buffer.from(tinyTx('fred', sequence, note)).toString('base64');
      await fetch(slow.url, { method: 'POST', body: JSON.stringify({ id: 1, method: 'broadcast_tx_sync', params: { tx } }) });
      await small.commit();
    }
    for (let blocks = 0; blocks < 4; blocks++) await small.commit();
    conversation.socket.resume();
    const { id, error } = await conversation.next(({ error: failure }) => failure !== undefined);
    expect({ id, error }).toEqual({
      id: 1,
      error: {
        code: -32000,
        message: 'Server error',
        data: 'subscription was canceled (reason: internal subscription event buffer is out of capacity)',
      },
    });
    conversation.send({ id: 2, method: 'subscribe', params: { query } });
    expect((await conversation.next(({ id: answered }) => answered === 2)).error?.data).toBe('already subscribed');
    conversation.send({ id: 3, method: 'unsubscribe', params: { query } });
    conversation.send({ id: 4, method: 'subscribe', params: { query } });
    expect((await conversation.next(({ id: answered }) => answered === 4)).result).toEqual({});
    await small.close();
  });

  it('closes a socket whose frame is too large, and pings the others', async () => {
    const conversation = await talk();
    await new Promise((resolve) => conversation.socket.once('ping', resolve));
    conversation.send('x'.repeat(1_000_001));
    expect(await conversation.closed).toBe(1009);
    await hangUp();
  });

  it('cancels subscriptions when it exits', async () => {
    const conversation = await talk();
    conversation.send({ id: 7, method: 'subscribe', params: { query: "tm.event='NewBlock'" } });
    await conversation.received(1);
    await node.stop();
    expect(await conversation.closed).toBe(1006);
    const last = recording<Frame[]>('node-stops').findLast(({ frame }) => frame !== undefined)!.frame!;
    expect(conversation.frames.at(-1)).toBe(last.replace('"id":1', '"id":7'));
    await devnet.commit();
    await node.start();
    expect(node.height).toBe(devnet.height);
    expect((await fetch(`${node.url}/health`)).status).toBe(200);
    open.length = 0;
  });
});
