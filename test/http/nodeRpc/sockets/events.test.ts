import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/chain/wire/json.ts';
import { type Conversation, converse } from '../../../devnet/node/conversation.ts';
import { type Frame, readRecording } from '../../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../../replay/replayNode.ts';
import { runsAll, some, takeTurns } from '../../../support/atRandom.ts';
import { type Stack, startStack } from '../../../support/stack.ts';

let node: ReplayNode;
let stack: Stack;

beforeEach(async () => {
  node = await createReplayNode({ head: 16n });
  stack = await startStack([node.url]);
  await stack.client.head.ready();
  await node.subscribed();
});

afterEach(async () => {
  await stack.close();
  await node.close();
  expect([node.unrecorded, stack.masked]).toEqual([[], []]);
});

interface Spoken {
  readonly id: number;
  readonly result?: { readonly query?: string; readonly data?: { readonly type: string }; readonly events?: object };
  readonly error?: unknown;
}

const saidBy = (who: Frame['from'], frames: readonly Frame[]): string[] =>
  frames.flatMap(({ from, frame }) => (from === who && frame !== undefined ? [frame] : []));

/** Converts a message to that of a node. Checks and removes the additions of the documented dialect. */
function read(frame: string, base: string): Spoken {
  const { error, ...message } = JSON.parse(frame) as Spoken;
  expect(error).toBe(base === '' ? '' : undefined);
  return message;
}

async function talk(base: string, said: readonly string[]): Promise<Conversation> {
  const conversation = await converse(`${stack.server.url}${base}`);
  for (const frame of said) conversation.send(frame);
  await conversation.received(said.length);
  return conversation;
}

const bases = ['/comet', ''];

describe.each(bases)('at %s/websocket', (base) => {
  const turn = takeTurns(bases, base);

  it.runIf(turn()).each(['live-events', 'live-newblock'] as const)('every frame of %s is sent, in order', async (file) => {
    const recorded = readRecording(file);
    const said = saidBy('client', recorded);
    const conversation = await talk(base, said);
    for (let height = 17n; height <= 190n; height += 1n) node.emitNewBlock(height);
    const heard = saidBy('node', recorded).map((frame) => JSON.parse(frame) as Spoken);
    const frames = await conversation.received(heard.length);
    const own = frames.map((frame) => read(frame, base));
    expect(own).toHaveLength(heard.length);
    for (const id of heard.slice(0, said.length).map((message) => message.id)) {
      const of = (messages: readonly Spoken[]): Spoken[] => messages.filter((message) => message.id === id);
      expect(of(own)).toEqual(of(heard));
    }
    // Byte for byte, except for the order of the event tags.
    if (base === '/comet') {
      const bare = (text: string): string => text.slice(0, text.lastIndexOf(',"events":{'));
      const texts = saidBy('node', recorded).map(bare);
      expect(frames.map(bare).toSorted()).toEqual(texts.toSorted());
    }
    expect(node.calls.filter(({ method }) => !['status', 'abci_info'].includes(method))).toEqual([]);
  });

  const liveKinds = Object.entries(readRecording('websocket')).filter(
    ([name, frames]) =>
      name.startsWith('tm.event=') &&
      !name.includes('NewBlock') &&
      saidBy('node', frames).some((frame) => frame.includes('"query"')),
  );

  it('the recordings contain seven kinds of events that no block contains', () => {
    expect(liveKinds).toHaveLength(7);
  });

  it.each(some(liveKinds, 3))(
    'every frame of %s is sent to all subscribers, from one upstream subscription',
    async (query, recorded) => {
      const said = saidBy('client', recorded);
      const conversations = [await talk(base, said), await talk(base, said)];
      await node.subscribed(query);
      const heard = saidBy('node', recorded).map((frame) => JSON.parse(frame) as Spoken);
      const events = heard.filter(({ result }) => result?.query !== undefined);
      expect(events.length).toBeGreaterThan(1);
      for (const { result } of events) node.emit(query, result as JsonObject);
      for (const conversation of conversations) {
        const frames = await conversation.received(heard.length);
        expect(frames.map((frame) => read(frame, base))).toEqual(heard);
      }
      expect(stack.client.live.stats()).toEqual({ running: 1, opened: 1 });
    },
  );
});

describe('the reads of a client that received a block', () => {
  it.runIf(runsAll)('find the block: the head is never behind the sent events', async () => {
    const conversation = await talk('/comet', saidBy('client', readRecording('live-newblock')));
    for (let height = 17n; height <= 60n; height += 1n) {
      node.emitNewBlock(height);
      await conversation.next(({ result }) => JSON.stringify(result?.data?.value.block ?? {}).includes(`"height":"${height}"`));
      conversation.send({ id: `block ${height}`, method: 'block', params: { height: String(height) } });
      const answer = await conversation.next(({ id }) => id === `block ${height}`);
      expect(answer.error).toBeUndefined();
    }
  });
});
