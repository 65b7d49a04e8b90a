import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet } from '../../../../packages/devnet/src/devnet.ts';
import { type Conversation, converse, type Message } from '../../../devnet/node/conversation.ts';
import { shapeOf } from '../../../devnet/node/shape.ts';
import { createTinyApplication, tinyTx } from '../../../devnet/node/tinyApplication.ts';
import { type Frame, readRecording } from '../../../recordings/recordings.ts';
import { some } from '../../../support/atRandom.ts';
import { type Stack, startStack } from '../../../support/stack.ts';

let devnet: Devnet;
let stack: Stack;
const open: Conversation[] = [];

beforeAll(async () => {
  devnet = await createDevnet({
    application: createTinyApplication(),
    blockTime: 'manual',
    genesisTime: 1_795_229_276_471_457_131n,
  });
  while (devnet.height < 6n) await devnet.commit();
  stack = await startStack([devnet.nodes[0]!.url]);
  await stack.client.head.waitFor(6n, { milliseconds: 30_000 });
});

beforeEach(async () => {
  await expect.poll(() => stack.client.head.stats().isSubscribed).toBe(true);
});

afterAll(async () => {
  await stack.close();
  await devnet.close();
});

afterEach(async () => {
  for (const conversation of open.splice(0)) {
    conversation.socket.close();
    await conversation.closed;
  }
  expect(stack.masked).toEqual([]);
});

async function talk(base: string): Promise<Conversation> {
  const conversation = await converse(`${stack.server.url}${base}`);
  open.push(conversation);
  return conversation;
}

const parse = (frame: string): Message => JSON.parse(frame) as Message;
const isEvent = ({ result }: Message): boolean => result?.query !== undefined;
/** The recordings truncate long frames. */
const whole = (frame: string): boolean => !frame.endsWith('…(cut)');

/** Each dialect: its conversion of a node's frame, and the conversations with different responses, with the reason. */
const dialects = {
  '/comet': { image: (frame: string) => frame, others: {} },
  '': {
    image(frame: string) {
      const { jsonrpc, id, result, error } = JSON.parse(frame) as { jsonrpc: string } & Message;
      const common = { jsonrpc, ...(id !== undefined && { id }) };
      return JSON.stringify(
        error === undefined ? { ...common, result, error: '' } : { ...common, error: error.data ?? error.message },
      );
    },
    others: {
      'bad params': 'integers may be JSON integers',
      'no params': 'a call without arguments is one with none: the latest block',
    } as Record<string, string>,
  },
} as const;

const conversations = Object.entries(readRecording('websocket')).filter(([name]) => name !== 'tx by hash');
const saidBy = (who: Frame['from'], frames: readonly Frame[]): string[] =>
  frames.flatMap(({ from, frame }) => (from === who && frame !== undefined ? [frame] : []));

const eventsIn = (frames: readonly string[]): string[] => frames.filter((frame) => whole(frame) && isEvent(parse(frame)));

function kindOf(frame: string): string {
  const { data } = parse(frame).result!;
  return `${data!.type} ${String(data!.value.step ?? '')}`;
}

/** Replays a conversation of the recording. Requests that followed events follow a block here. */
async function replay(recorded: readonly Frame[], base: string): Promise<string[]> {
  const conversation = await talk(base);
  const said = saidBy('client', recorded);
  const hasEvents = saidBy('node', recorded).some((frame) => !whole(frame) || isEvent(parse(frame)));
  const late = said.filter((frame) => hasEvents && frame.includes('"unsubscribe"'));
  for (const frame of said) if (!late.includes(frame)) conversation.send(frame);
  // Responses are in order, so a last call shows which requests got none.
  conversation.send({ id: 'last', method: 'health', params: {} });
  await conversation.next(({ id }) => id === 'last');
  if (hasEvents) {
    const { live, head } = stack.client;
    await expect.poll(() => devnet.nodes[0]!.counters.byMethod.subscribe).toBe(1 + live.stats().opened);
    await devnet.commit();
    await head.waitFor(devnet.height, { milliseconds: 30_000 });
    for (const kind of new Set(eventsIn(saidBy('node', recorded)).map(kindOf)))
      await conversation.next((message) => isEvent(message) && kindOf(JSON.stringify(message)) === kind);
  }
  for (const frame of late) conversation.send(frame);
  conversation.send({ id: 'end', method: 'health', params: {} });
  await conversation.next(({ id }) => id === 'end');
  return conversation.frames.filter((frame) => !/"id":"(last|end)"/.test(frame));
}

describe.each(Object.entries(dialects))('the recorded conversations at %s/websocket', (base, { image, others }) => {
  it('there are 34, and the exceptions are among them', () => {
    expect(conversations.length + 1).toBe(34);
    for (const name of Object.keys(others)) expect(conversations.map(([known]) => known)).toContain(name);
  });

  it.each(
    some(
      conversations.filter(([name]) => !Object.hasOwn(others, name)),
      3,
    ),
  )('%s', async (_, recorded) => {
    const own = await replay(recorded, base);
    const heard = saidBy('node', recorded);
    const answers = heard.filter((frame) => !whole(frame) || !isEvent(parse(frame)));
    const ownAnswers = own.filter((frame) => !isEvent(parse(frame)));
    expect(ownAnswers).toHaveLength(answers.length);
    for (const [index, frame] of answers.entries()) {
      if (!whole(frame)) continue;
      const wanted = image(frame);
      const { result, error } = parse(frame);
      if (error !== undefined || JSON.stringify(result) === '{}') expect(ownAnswers[index]).toBe(wanted);
      else {
        expect(Object.keys(JSON.parse(ownAnswers[index]!))).toEqual(Object.keys(JSON.parse(wanted)));
        expect(parse(ownAnswers[index]!).id).toBe(parse(frame).id);
        if (base === '/comet') expect(shapeOf(parse(ownAnswers[index]!))).toEqual(shapeOf(parse(frame)));
      }
    }
    const [events, ownEvents] = [eventsIn(heard), eventsIn(own)];
    if (events.length > 0) expect(new Set(ownEvents.map(kindOf))).toEqual(new Set(events.map(kindOf)));
    else expect(ownEvents).toEqual([]);
    for (const frame of ownEvents) {
      const alike = events.find((one) => kindOf(one) === kindOf(frame))!;
      const shape = (text: string) => ({ ...(shapeOf(JSON.parse(text)) as object), result: shapeOf(parse(text).result!.data) });
      expect(shape(frame)).toEqual(shape(image(alike)));
      expect([parse(frame).id, parse(frame).result!.query]).toEqual([parse(alike).id, parse(alike).result!.query]);
    }
  });

  it('tx by hash', async () => {
    const [request] = saidBy('client', readRecording('websocket')['tx by hash']!);
    const tx = tinyTx(base === '' ? 'documented' : 'comet', 0);
    const hash = createHash('sha256').update(tx).digest('hex').toUpperCase();
    const conversation = await talk(base);
    conversation.send(request!.replace(/[0-9A-F]{64}/, hash));
    await conversation.received(1);
    for (const sent of [tx, tinyTx('other', base.length)])
      await stack.client.call('broadcast_tx_sync', { tx: Buffer.from(sent).toString('base64') });
    const height = await devnet.commit();
    await devnet.commit();
    await stack.client.head.waitFor(devnet.height, { milliseconds: 30_000 });
    conversation.send({ id: 'end', method: 'health', params: {} });
    await conversation.next(({ id }) => id === 'end');
    expect(conversation.frames).toHaveLength(3);
    const { id, result } = parse(conversation.frames[1]!);
    expect([id, result!.query]).toEqual([21, `tm.event='Tx' AND tx.hash='${hash}'`]);
    expect(result!.data).toMatchObject({
      type: 'tendermint/event/Tx',
      value: { TxResult: { height: String(height), tx: Buffer.from(tx).toString('base64') } },
    });
    expect(result!.events).toMatchObject({ 'tm.event': ['Tx'], 'tx.hash': [hash], 'tx.height': [String(height)] });
  });
});
