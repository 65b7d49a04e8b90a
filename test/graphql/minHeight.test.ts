import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../support/chain.ts';
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
  it('is waited for, by header and by extension', async () => {
    const next = (chain.devnet.height + 1n).toString();
    const waiting = [
      stack.ask(question, {}, { 'x-min-height': next }).then(({ body }) => body),
      withExtension(next),
      withExtension(Number(next)),
    ];
    // None of them is answered from the block before, which is all there is until now.
    expect((await stack.ask(question)).height).toBe(chain.devnet.height.toString());
    await chain.devnet.commit();
    for (const body of await Promise.all(waiting))
      expect(body).toMatchObject({ data: { head: { height: next } }, extensions: { height: next } });
  });

  it('that is there already costs nothing, and a named height is still the one that is read', async () => {
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 5000 });
    const answer = await stack.ask(question, {}, { 'x-min-height': '1', 'x-cosmos-block-height': '1' });
    expect(answer.body.data).toEqual({ head: { height: '1' } });
  });

  it('and every other: the answer carries its height, for a client that takes streams too', async () => {
    const accept = 'application/json, text/event-stream';
    const answer = await stack.ask(question, {}, { accept });
    expect(answer.height).toBe(chain.devnet.height.toString());
    expect(answer.body).toMatchObject({ data: { head: { height: answer.height } }, extensions: { height: answer.height } });
  });

  it('that does not come is told with the height that there is', async () => {
    const answer = await stack.ask(question, {}, { 'x-min-height': '99' });
    expect(answer.body.data).toEqual({ head: null });
    expect(answer.body.errors?.[0]?.extensions).toEqual({
      code: 'HEIGHT_NOT_YET_AVAILABLE',
      height: '99',
      latestHeight: chain.devnet.height.toString(),
    });
  });

  it('that is lists within one another is refused, over HTTP and over WebSocket', async () => {
    const nested = `${'['.repeat(60)}${']'.repeat(60)}`;
    const request = `{"query":"${question}","extensions":{"minHeight":${nested}}}`;
    const refused = [{ extensions: { code: 'BAD_USER_INPUT', argument: 'x-min-height' } }];
    for (const send of [postWritten, sendWritten])
      expect(await send(stack.server.url, request)).toMatchObject({ data: { head: null }, errors: refused });
    expect(stack.masked).toEqual([]);
  });

  it.each(['-1', '1.5', 'next', ''])('%j is refused', async (text) => {
    expect(await withExtension(text)).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', argument: 'x-min-height' } }],
    });
  });
});
