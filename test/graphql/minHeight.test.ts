import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../support/chain.ts';
import { overWebSocket } from '../support/listeners.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { postWritten, sendWritten } from '../support/wire.ts';

let chain: TestChain;
let stack: Stack;

beforeEach(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
});

afterEach(async () => {
  await stack.close();
  await chain.devnet.close();
});

const question = '{ head { height } }';

const withExtension = (minHeight: unknown): Promise<unknown> =>
  postWritten(stack.server.url, JSON.stringify({ query: question, extensions: { minHeight } }));

describe('a minimum height', () => {
  it('is awaited, given as header or as extension', async () => {
    const next = (chain.devnet.height + 1n).toString();
    const waiting = [
      stack.ask(question, {}, { 'x-min-height': next }).then(({ body }) => body),
      withExtension(next),
      withExtension(Number(next)),
    ];
    // The waiting requests are not answered at the current height.
    expect((await stack.ask(question)).height).toBe(chain.devnet.height.toString());
    await chain.devnet.commit();
    for (const body of await Promise.all(waiting))
      expect(body).toMatchObject({ data: { head: { height: next } }, extensions: { height: next } });
  });

  it('that is already reached is ignored, and x-cosmos-block-height still selects the height', async () => {
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    const answer = await stack.ask(question, {}, { 'x-min-height': '1', 'x-cosmos-block-height': '1' });
    expect(answer.body.data).toEqual({ head: { height: '1' } });
  });

  it('is not required for the answer to contain its height, even if the client accepts streams', async () => {
    const accept = 'application/json, text/event-stream';
    const answer = await stack.ask(question, {}, { accept });
    expect(answer.height).toBe(chain.devnet.height.toString());
    expect(answer.body).toMatchObject({ data: { head: { height: answer.height } }, extensions: { height: answer.height } });
  });

  it('that is not reached fails with HEIGHT_NOT_YET_AVAILABLE and the latest height', async () => {
    const impatient = await startStack([chain.node.url], { server: { limits: { 'request.freshness': 50 } } });
    await impatient.client.head.ready();
    const answer = await impatient.ask(question, {}, { 'x-min-height': '99' });
    await impatient.close();
    expect(answer.body.data).toEqual({ head: null });
    expect(answer.body.errors?.[0]?.extensions).toEqual({
      code: 'HEIGHT_NOT_YET_AVAILABLE',
      height: '99',
      latestHeight: chain.devnet.height.toString(),
    });
  });

  it('that is a deeply nested list is rejected, over HTTP and WebSocket', async () => {
    const nested = `${'['.repeat(60)}${']'.repeat(60)}`;
    const request = `{"query":"${question}","extensions":{"minHeight":${nested}}}`;
    const refused = [{ extensions: { code: 'BAD_USER_INPUT', argument: 'x-min-height' } }];
    for (const send of [postWritten, sendWritten])
      expect(await send(stack.server.url, request)).toMatchObject({ data: { head: null }, errors: refused });
    expect(stack.masked).toEqual([]);
  });

  it.each(['-1', '1.5', 'next', ''])('of %j is rejected', async (text) => {
    expect(await withExtension(text)).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', argument: 'x-min-height' } }],
    });
  });
});

describe('a height in `extensions`', () => {
  const blocks = 'subscription { newBlock { height } }';

  beforeEach(async () => {
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
  });

  it.each(['1', 1])('of %j is the height of the answer, over HTTP and WebSocket', async (height) => {
    const request = JSON.stringify({ query: question, extensions: { height } });
    for (const send of [postWritten, sendWritten])
      expect(await send(stack.server.url, request)).toEqual({ data: { head: { height: '1' } }, extensions: { height: '1' } });
  });

  it('of 0 is the newest height', async () => {
    const request = JSON.stringify({ query: question, extensions: { height: '0' } });
    const height = chain.devnet.height.toString();
    for (const send of [postWritten, sendWritten])
      expect(await send(stack.server.url, request)).toMatchObject({ extensions: { height } });
  });

  it('is where a subscription without `after` begins', async () => {
    const listener = await overWebSocket(stack.server.url, blocks, {}, undefined, { height: '1' });
    await listener.count(1);
    expect(listener.answers).toEqual([
      {
        data: { newBlock: { height: '2' } },
        extensions: { height: '2', index: 0, count: 1, chain: stack.client.head.fingerprint() },
      },
    ]);
    await listener.leave();
  });

  it('that is malformed or above the newest block is refused, over HTTP and WebSocket', async () => {
    for (const [height, code] of [
      [[['1']], 'BAD_USER_INPUT'],
      ['-1', 'BAD_USER_INPUT'],
      ['99', 'HEIGHT_NOT_YET_AVAILABLE'],
    ] as const) {
      const request = JSON.stringify({ query: question, extensions: { height } });
      for (const send of [postWritten, sendWritten])
        expect(await send(stack.server.url, request)).toMatchObject({ errors: [{ extensions: { code } }] });
      for (const query of [blocks, `query @live ${question}`])
        expect(await sendWritten(stack.server.url, JSON.stringify({ query, extensions: { height } }))).toMatchObject({
          errors: [{ extensions: { code } }],
        });
    }
    expect(stack.masked).toEqual([]);
  });
});
