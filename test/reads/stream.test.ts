import { afterEach, beforeEach, expect, it } from 'vitest';
import { blockStream } from '../../src/reads/stream.ts';
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

const done = { done: true, value: undefined };
const blocks = () => stack.client.blocks.from(0n);
const heights = () => blockStream({ blocks: blocks(), step: ({ header: { height } }) => ({ events: [height] }) });

it('returns the events of each block, in order, none or several', async () => {
  for (let block = 0; block < 3; block += 1) await chain.devnet.commit();
  const stream = blockStream({
    blocks: blocks(),
    step: ({ header: { height } }) => ({ events: height % 2n === 0n ? [height, height * 10n] : [] }),
  });
  const seen = await Promise.all([stream.next(), stream.next(), stream.next()]);
  expect(seen.map(({ value }) => value)).toEqual([2n, 20n, 4n]);
  await stream.return?.();
  expect(await stream.next()).toEqual(done);
});

it('returns each block when read block by block, also blocks without events', async () => {
  await chain.devnet.commit();
  const stream = blockStream({
    blocks: blocks(),
    first: async () => ({ height: 0n, events: ['now'], isPresent: true }),
    step: async ({ header: { height } }) => ({ events: height === 2n ? ['two'] : [] }),
  });
  expect((await stream.nextBlock()).value).toEqual({ height: 0n, events: ['now'], isPresent: true });
  expect((await stream.nextBlock()).value).toEqual({ height: 1n, events: [] });
  expect((await stream.nextBlock()).value).toEqual({ height: 2n, events: ['two'] });
  await stream.return?.();
});

it('returns the initial events once, without waiting for a block', async () => {
  const now = { height: 1n, events: ['now'], isPresent: true };
  const stream = blockStream({ blocks: blocks(), first: async () => now, step: () => ({ events: ['block'] }) });
  expect(await stream.present()).toEqual(now);
  expect(await stream.present()).toBeUndefined();
  expect((await stream.nextBlock()).value).toEqual({ height: 1n, events: ['block'] });
  await stream.return?.();
  const without = heights();
  expect(await without.present()).toBeUndefined();
  expect((await without.nextBlock()).value).toEqual({ height: 1n, events: [1n] });
  await without.return?.();
  const failing = blockStream({
    blocks: blocks(),
    first: () => Promise.reject(new Error('none')),
    step: () => ({ events: [] }),
  });
  await expect(failing.present()).rejects.toThrow('none');
  expect(await failing.nextBlock()).toEqual(done);
});

it('ends at once, even if no block arrives or a step is pending', async () => {
  const stream = heights();
  expect((await stream.next()).value).toBe(1n);
  const waiting = stream.next();
  expect(await stream.return?.()).toEqual(done);
  expect(await waiting).toEqual(done);

  const stuck = blockStream({ blocks: blocks(), step: () => new Promise<never>(() => {}) });
  const forever = stuck.next();
  await stuck.return?.();
  expect(await forever).toEqual(done);
});

it('ends after its last step and delivers the events of that step', async () => {
  await chain.devnet.commit();
  const source = blocks();
  const stream = blockStream({
    blocks: source,
    step: ({ header: { height } }) => ({ events: [height, -height], last: height === 2n }),
  });
  const seen: bigint[] = [];
  for await (const event of stream) seen.push(event);
  expect(seen).toEqual([1n, -1n, 2n, -2n]);
  expect(await source.next()).toEqual(done);
});

it('starts with the initial events, and ends there if they are the last', async () => {
  const source = blocks();
  const found = blockStream({
    blocks: source,
    first: async () => ({ height: 1n, events: [77n], last: true }),
    step: ({ header }) => ({ events: [header.height] }),
  });
  expect([await found.next(), await found.next()]).toEqual([{ done: false, value: 77n }, done]);
  expect(await source.next()).toEqual(done);
});

it('fails with the error of a step or of `first`, and closes the iterator of blocks', async () => {
  const source = blocks();
  const stream = blockStream({
    blocks: source,
    step: () => {
      throw new Error('no');
    },
  });
  await expect(stream.next()).rejects.toThrow('no');
  expect(await stream.next()).toEqual(done);
  expect(await source.next()).toEqual(done);
  const unbegun = blockStream({
    blocks: blocks(),
    first: () => Promise.reject(new Error('none')),
    step: () => ({ events: [] }),
  });
  await expect(unbegun.nextBlock()).rejects.toThrow('none');
});
