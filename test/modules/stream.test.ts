import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstOf, flatMapStream } from '../../src/modules/stream.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

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

const blocks = () => stack.client.blocks.from(0n);

it('gives what each block becomes, in order, none or several', async () => {
  for (let block = 0; block < 3; block += 1) await chain.devnet.commit();
  const stream = flatMapStream(blocks(), ({ header: { height } }) => (height % 2n === 0n ? [height, height * 10n] : []));
  const seen = await Promise.all([stream.next(), stream.next(), stream.next()]);
  expect(seen.map(({ value }) => value)).toEqual([2n, 20n, 4n]);
  await stream.return?.();
  expect(await stream.next()).toEqual({ done: true, value: undefined });
});

it('hears its end at once, though the chain stands still', async () => {
  const stream = flatMapStream(blocks(), ({ header }) => [header.height]);
  expect((await stream.next()).value).toBe(1n);
  const waiting = stream.next();
  expect(await stream.return?.()).toEqual({ done: true, value: undefined });
  expect(await waiting).toEqual({ done: true, value: undefined });
});

it('gives the first alone, or the first of the rest, and ends the rest', async () => {
  const rest = flatMapStream(blocks(), ({ header }) => [header.height]);
  const found = firstOf(Promise.resolve(77n), rest);
  expect([await found.next(), await found.next()]).toEqual([
    { done: false, value: 77n },
    { done: true, value: undefined },
  ]);
  expect(await rest.next()).toEqual({ done: true, value: undefined });

  const live = firstOf<bigint>(
    Promise.resolve(undefined),
    flatMapStream(blocks(), ({ header }) => [header.height]),
  );
  expect([await live.next(), await live.next()]).toEqual([
    { done: false, value: 1n },
    { done: true, value: undefined },
  ]);
  await expect(
    firstOf<bigint>(
      Promise.reject(new Error('no')),
      flatMapStream(blocks(), () => [1n]),
    ).next(),
  ).rejects.toThrow('no');
});
