import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import type { RequestLine } from '../../src/server/observability/requestLog.ts';
import { ask, askAt } from '../http/aggregates/request.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { commitKnown, stateReads } from './knownRoots.ts';

let chain: TestChain;
let stack: Stack;
const lines: RequestLine[] = [];
const log = { request: (line: RequestLine) => void lines.push(line), dropped: () => 0 };

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { server: { log } });
  await stack.client.head.ready();
});

afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
});

beforeEach(async () => {
  await commitKnown(chain, stack);
});

/** An account without a token that the chain has no metadata of: a refused read is not carried. */
const balances = (): string => `balances/${chain.accounts[7]!.address}`;

it('a response is carried to a height with the same roots: without a read, for one point, with height and time of the request', async () => {
  // The stores that it reads are learnt from the next block on.
  await ask(stack, balances());
  await commitKnown(chain, stack);
  const first = await ask(stack, balances());
  const before = stack.client.head.current()!;
  await commitKnown(chain, stack);
  const { height, time } = stack.client.head.current()!;
  chain.node.counters.reset();
  lines.length = 0;
  const carried = await ask(stack, balances());
  expect(carried.headers.get('cache-status')).toBe('stele; hit; detail=carried');
  expect(carried.headers.get('x-cosmos-block-height')).toBe(String(height));
  expect(carried.body).toEqual({ ...first.body, blockHeight: String(height), blockTime: time });
  expect(stateReads(chain)).toEqual([]);
  await expect.poll(() => lines.map(({ cost }) => cost)).toEqual([1]);
  expect(before.time).not.toBe(time);
  // The old height has its own time.
  expect((await askAt(stack, before.height, balances())).body).toEqual(first.body);

  const fresh = await startStack([chain.node.url]);
  await fresh.client.head.waitFor(height, { milliseconds: 30_000 });
  expect(carried.body).toEqual((await ask(fresh, balances())).body);
  await fresh.close();
});

it('a response is executed again after a change', async () => {
  const before = JSON.stringify((await ask(stack, balances())).body);
  const [sender, recipient] = [chain.accounts[0], chain.accounts[7]];
  const amount = [{ denom: 'nhash', amount: '7' }];
  await chain.run(sender!, any(MsgSendSchema, { fromAddress: sender!.address, toAddress: recipient!.address, amount }));
  await commitKnown(chain, stack);
  const changed = await ask(stack, balances());
  expect(changed.headers.get('cache-status')).toBe('stele; fwd=miss');
  expect([before, JSON.stringify(changed.body)].map((text) => text.includes('1000000000000007'))).toEqual([false, true]);
  expect(changed.body.blockHeight).toBe(String(chain.devnet.height));
});

it('an error is not carried', async () => {
  for (let block = 0; block < 2; block += 1) {
    await commitKnown(chain, stack);
    chain.node.counters.reset();
    const { status, headers } = await ask(stack, 'metadata/nothing');
    expect([status, headers.get('cache-status')]).toEqual([404, null]);
  }
});
