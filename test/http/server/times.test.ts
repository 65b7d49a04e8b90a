import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTime, timeText } from '../../../src/chain/base/time.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { post, type SentHeaders, send, type WireAnswer } from '../../support/wire.ts';

let chain: TestChain;
let stack: Stack;
let url: string;
/** Times just before and just after that of block 5. */
let before: string;
let after: string;

beforeAll(async () => {
  chain = await startChain();
  for (let count = 0; count < 8; count += 1) await chain.devnet.commit();
  stack = await startStack([chain.node.url]);
  ({ url } = stack.server);
  await stack.client.head.waitFor(8n, { milliseconds: 5_000 });
  const time = parseTime((await stack.client.block(5n)).header.time);
  [before, after] = [timeText(time - 1n), timeText(time + 1n)];
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const query = '{ head { height } groups(first: 2) { totalCount nodes { id version asOfHeight } } }';
const json = { 'content-type': 'application/json', accept: 'application/json' };

function postBody(body: object, headers: SentHeaders = {}): Promise<WireAnswer> {
  return send(`${url}/graphql`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
}

describe('a time in place of a height', () => {
  it('gives the answer at the last block that is not after it, on every surface', async () => {
    const paths = [
      '/v1/holders/nhash',
      '/cosmos/bank/v1beta1/supply',
      '/rest/cosmos/bank/v1beta1/supply',
      '/block',
      '/validators',
    ];
    for (const [time, height] of [
      [before, '4'],
      [after, '5'],
    ] as const) {
      const expected = await post(url, query, { 'x-cosmos-block-height': height });
      expect(JSON.parse(expected.body)).toMatchObject({ data: { head: { height } } });
      const answers = await Promise.all([
        post(url, query, { 'x-block-time': time }),
        postBody({ query, extensions: { blockTime: time } }),
        send(`${url}/graphql?${new URLSearchParams({ query, time })}`, { headers: json }),
      ]);
      for (const { body, headers } of answers)
        expect([body, headers['x-cosmos-block-height']]).toEqual([expected.body, height]);
      for (const path of paths) {
        const [atHeight, atTime] = await Promise.all([
          send(`${url}${path}`, { headers: { 'x-cosmos-block-height': height } }),
          send(`${url}${path}`, { headers: { 'x-block-time': time } }),
        ]);
        expect([path, atTime.status, atTime.body]).toEqual([path, 200, atHeight.body]);
        expect([path, atTime.headers['x-cosmos-block-height']]).toEqual([path, atHeight.headers['x-cosmos-block-height']]);
      }
    }
  });

  it('is named in the URL of a call to the node RPC in place of `height`', async () => {
    const [atHeight, atTime] = [
      await send(`${url}/block?height=4`),
      await send(`${url}/block?${new URLSearchParams({ time: before })}`),
    ];
    expect([atTime.status, atTime.body, atTime.headers['x-cosmos-block-height']]).toEqual([200, atHeight.body, '4']);
    const both = await send(`${url}/block?${new URLSearchParams({ time: before, height: '4' })}`);
    expect([both.status, both.body]).toEqual([400, expect.stringContaining('because a height is named')]);
    const wrong = await send(`${url}/block?time=yesterday`);
    expect([wrong.status, wrong.body]).toEqual([400, expect.stringContaining('RFC 3339')]);
  });

  it('selects blocks and parts of an operation', async () => {
    const document = `query ($time: DateTime!) {
      blockAt(time: $time) { height next { height previous { height } } previous { height } }
      at(time: $time) { height head { height } }
      first: block(height: 1) { previous { height } }
      head { next { height } }
    }`;
    const { body } = await postBody({ query: document, variables: { time: after } });
    expect(JSON.parse(body).data).toEqual({
      blockAt: { height: '5', next: { height: '6', previous: { height: '5' } }, previous: { height: '4' } },
      at: { height: '5', head: { height: '5' } },
      first: { previous: null },
      head: { next: null },
    });
  });

  it('makes a lasting answer', async () => {
    const { headers } = await send(`${url}/v1/holders/nhash`, { headers: { 'x-block-time': after } });
    expect(headers.vary).toContain('x-block-time');
    const again = await send(`${url}/v1/holders/nhash`, { headers: { 'x-block-time': after } });
    expect(again.headers['cache-status']).toContain('hit');
  });

  it('is refused beside a height, if it is no time, and where there is no block', async () => {
    const errorOf = ({ body }: WireAnswer): unknown => {
      const { code, argument, bound, latestHeight, earliestHeight } = JSON.parse(body).errors[0].extensions;
      return { code, argument, bound, latestHeight, earliestHeight };
    };
    const named = (headers: SentHeaders): Promise<WireAnswer> => post(url, query, headers);
    expect(errorOf(await named({ 'x-block-time': after, 'x-cosmos-block-height': '5' }))).toMatchObject({
      ...{ code: 'BAD_USER_INPUT', argument: 'x-block-time', bound: 'absent, because a height is named' },
    });
    expect(errorOf(await named({ 'x-block-time': 'yesterday' }))).toMatchObject({
      ...{ code: 'BAD_USER_INPUT', argument: 'x-block-time', bound: 'an RFC 3339 time in UTC, such as 2026-11-21T02:48:14Z' },
    });
    expect(errorOf(await named({ 'x-block-time': '2100-01-01T00:00:00Z' }))).toMatchObject({
      code: 'HEIGHT_NOT_YET_AVAILABLE',
      latestHeight: String(stack.client.head.current()!.height),
    });
    expect(errorOf(await named({ 'x-block-time': '2000-01-01T00:00:00Z' }))).toMatchObject({
      code: 'HEIGHT_PRUNED',
      earliestHeight: '1',
    });
    for (const args of ['', '(height: 5, time: "2026-06-30T23:59:59Z")'])
      expect(errorOf(await post(url, `{ at${args} { height } }`))).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'time' });
    const rest = await send(`${url}/v1/holders/nhash`, { headers: { 'x-block-time': 'yesterday' } });
    expect([rest.status, JSON.parse(rest.body)]).toMatchObject([400, { code: 'BAD_USER_INPUT' }]);
  });
});
