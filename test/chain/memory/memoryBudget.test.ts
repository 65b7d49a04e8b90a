import { expect, it } from 'vitest';
import { plainBody } from '../../../src/answers/answer.ts';
import { createAnswerCache } from '../../../src/answers/answerCache.ts';
import { sizeOf } from '../../../src/chain/blocks/blockLog.ts';
import { decodeCommittedBlock } from '../../../src/chain/blocks/committedBlock.ts';
import { createEventMatcher, parseEventQuery } from '../../../src/chain/events/eventQuery.ts';
import {
  createMemoryBudget,
  createSharedCache,
  deepFrozen,
  memoryShares,
  ownBytes,
  valueBytes,
} from '../../../src/chain/memory/memoryBudget.ts';
import { readKeyText, sizeOfEntry } from '../../../src/chain/state/stateEntries.ts';
import { defaultBudget } from '../../../src/config/bounds.ts';
import type { Proposal, TallyResult, Vote } from '../../../src/modules/group/model.ts';
import { idKey } from '../../../src/modules/group/query.ts';
import type { Read } from '../../../src/reads/page.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { withoutRoots } from '../../support/answers.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { memoryOfShare, usedMemory } from '../../support/memory.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

/** Estimated bytes divided by the measured memory. `make` creates values and returns their estimated bytes. */
async function recordedPart(make: () => number | Promise<number>): Promise<number> {
  const before = await usedMemory();
  const recorded = await make();
  return recorded / ((await usedMemory()) - before);
}

it('is a quarter of the smallest of three limits, and at least 64 MiB', () => {
  const machine = 32 * gibibyte;
  expect(defaultBudget({ group: 2 * gibibyte, machine, heap: 4 * gibibyte })).toBe(gibibyte / 2);
  expect(defaultBudget({ group: 8 * gibibyte, machine, heap: 4 * gibibyte })).toBe(gibibyte);
  expect(defaultBudget({ group: 8 * gibibyte, machine: 2 * gibibyte, heap: 4 * gibibyte })).toBe(gibibyte / 2);
  // A control group without a limit has `max` (version 2) or a number near 2^63 (version 1). A system without control groups
  // returns 0.
  for (const group of [2 ** 64, 2 ** 63, 0]) expect(defaultBudget({ group, machine, heap: 4 * gibibyte })).toBe(gibibyte);
  expect(defaultBudget({ group: 128 * mebibyte, machine, heap: 4 * gibibyte })).toBe(64 * mebibyte);
  expect(defaultBudget()).toBeGreaterThanOrEqual(64 * mebibyte);
  expect(defaultBudget()).toBeLessThan(gibibyte * 1024);
});

it('is divided into shares that do not exceed it', () => {
  for (const bytes of [64 * mebibyte, 1_000_000_007, 16 * gibibyte]) {
    const budget = createMemoryBudget({ bytes });
    const sum = memoryShares.reduce((total, share) => total + budget.share(share), 0);
    // A fifth of the budget without descriptors is for garbage.
    expect(sum).toBeLessThan(bytes * 0.87);
    expect(sum).toBeGreaterThan(bytes * 0.79);
    expect(budget.share('descriptors')).toBeGreaterThanOrEqual(16 * mebibyte);
  }
});

it('evicts the least recently used value of a share, and nothing of another share', () => {
  const budget = memoryOfShare('answers', 30_000);
  const one = budget.cache<string>('answers', 'one', () => 5_000);
  const other = budget.cache<string>('answers', 'other', () => 5_000);
  const apart = budget.cache<string>('state', 'apart', () => 5_000);
  apart.set('a', 'kept');
  one.set('a', 'first');
  one.set('b', 'second');
  expect(one.get('a')).toBe('first');
  for (const key of ['c', 'd', 'e', 'f']) other.set(key, key);
  expect([one.get('a'), one.get('b'), apart.get('a')]).toEqual(['first', undefined, 'kept']);
  expect(other.get('f')).toBe('f');
  const [first, second, third] = budget.stats();
  expect(first).toMatchObject({ share: 'answers', cache: 'one', entries: 1, hits: 2, misses: 1, evictions: 1 });
  expect(second).toMatchObject({ share: 'answers', cache: 'other', entries: 4, hits: 1, misses: 0, evictions: 0 });
  expect(first!.bytes + second!.bytes).toBeLessThanOrEqual(budget.share('answers'));
  expect(third).toMatchObject({ share: 'state', cache: 'apart', entries: 1 });

  one.set('a', 'again');
  expect(budget.stats()[0]).toMatchObject({ entries: 1, bytes: first!.bytes });
  other.clear();
  expect(budget.stats()[1]).toMatchObject({ entries: 0, bytes: 0 });
  expect([one.get('a'), apart.get('a')]).toEqual(['again', 'kept']);
});

it('does not store a value larger than a quarter of its share, and drops the previous one', () => {
  const cache = createSharedCache(40_000).add<number>((size) => size);
  cache.set('a', 100);
  cache.set('b', 100);
  cache.set('a', 10_000);
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 100]);
});

it('counts two bytes for each character of a key that is not Latin-1', () => {
  const cache = createSharedCache(mebibyte).add<number>(() => 0);
  cache.set('é'.repeat(1_000), 1);
  const latin = cache.counts().bytes;
  cache.set('我'.repeat(1_000), 1);
  expect(cache.counts().bytes).toBe(2 * latin + 1_000);
});

it('distinguishes requests whose keys are hashed', () => {
  const key = (path: string, request: string): string =>
    readKeyText({ chain: 'c', height: 1n, path, request: Buffer.from(request) });
  const long = 'x'.repeat(5_000);
  const keys = [key('/p', long), key('/q', long), key('/p', `${long}y`), key(`/p${long}`, ''), key('/p', '')];
  expect(new Set(keys).size).toBe(5);
  for (const each of keys) expect(each.length).toBeLessThan(200);
});

it.each(some([20, 400, 8_000], 3))(
  'estimates the memory of state of %i bytes, even if a response is a slice of a large buffer',
  async (size) => {
    const cache = createSharedCache(gibibyte).add(sizeOfEntry);
    const part = await recordedPart(async () => {
      for (let id = 0; id < 10_000; id += 1) {
        const request = Buffer.from(`tp1${id.toString().padStart(38, '0')}`);
        const answer = Buffer.alloc(2 * size + 8_192).subarray(size, 2 * size);
        const text = readKeyText({
          chain: 'pio-mainnet-1',
          height: 20_000_000n,
          path: '/cosmos.bank.v1beta1.Query/Balance',
          request,
        });
        cache.set(text, { answer: ownBytes(answer), decoded: undefined });
      }
      return cache.counts().bytes;
    });
    // Above 1 because the allocator's overhead for small buffers appears in neither number of the process.
    expect(part).toBeGreaterThan(0.9);
    expect(part).toBeLessThan(2);
  },
);

const decodedValues: readonly (readonly [string, typeof votesOf | typeof proposalsOf])[] = [
  ['votes', votesOf],
  ['proposals', proposalsOf],
];

it.each(some(decodedValues, 2))('estimates the memory of decoded %s', async (_, valuesOf) => {
  const cache = createSharedCache(gibibyte).add(sizeOfEntry);
  const part = await recordedPart(async () => {
    for (let id = 0; id < 6_000; id += 1) {
      const key = { chain: 'pio-mainnet-1', height: 20_000_000n, path: '/cosmos.group.v1.Query/P', request: idKey(BigInt(id)) };
      const answer = ownBytes(new Uint8Array(1_000));
      const value = deepFrozen(valuesOf(id, answer));
      cache.set(readKeyText(key), { answer, decoded: { by: cache, value, size: valueBytes(value) } });
    }
    return cache.counts().bytes;
  });
  expect(cache.counts().entries).toBe(6_000);
  expect(part).toBeGreaterThan(0.9);
  expect(part).toBeLessThan(2);
});

/** A text that shares no memory with another. */
const ownText = (text: string): string => Buffer.from(text).toString();

function votesOf(id: number): Read<Vote> {
  const items = Array.from({ length: 10 }, (_, index) => ({
    proposalId: BigInt(id),
    voter: ownText(`tp1${index}`.padEnd(41, 'q')),
    option: 'VOTE_OPTION_YES' as const,
    metadata: '',
    submitTime: 1_790_000_000_000_000_000n + BigInt(id),
  }));
  return { items, more: false, total: 10n };
}

function proposalsOf(id: number, response: Uint8Array): Read<Proposal> {
  const tally = (): TallyResult => ({ yesCount: ownText('12'), abstainCount: '0', noCount: '0', noWithVetoCount: '0' });
  const items = Array.from({ length: 5 }, (_, index) => ({
    id: BigInt(id + index),
    groupPolicyAddress: ownText(`tp1${index}`.padEnd(61, 'q')),
    metadata: ownText(`ipfs://${id}`),
    proposers: [ownText(`tp1${index}`.padEnd(41, 'q'))],
    submitTime: 1_790_000_000_000_000_000n + BigInt(id),
    groupVersion: 1n + BigInt(id),
    groupPolicyVersion: 1n + BigInt(id),
    status: 'PROPOSAL_STATUS_SUBMITTED' as const,
    finalTallyResult: tally(),
    votingPeriodEnd: 1_790_000_000_000_000_000n + BigInt(id),
    executorResult: 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN' as const,
    messages: [{ type: ownText('/cosmos.bank.v1beta1.MsgSend'), value: response.subarray(index, index + 100) }],
    title: ownText(`Proposal ${id}`),
    summary: ownText(`Summary of ${id}`),
  }));
  return { items, more: false, total: undefined };
}

it.runIf(runsAll).each([100, 4_000])('estimates the memory of responses of %i bytes to long requests', async (size) => {
  const memory = createMemoryBudget({ bytes: 4 * gibibyte });
  const cache = createAnswerCache(withoutRoots(memory), 'graphql');
  const key = {
    chain: 'c',
    scopes: ['read'],
    method: 'POST',
    url: '/graphql',
    accept: '*/*',
    contentType: 'application/json',
  };
  const part = await recordedPart(async () => {
    for (let height = 1n; height <= 10_000n; height += 1n) {
      const headers = ['content-type', 'application/json; charset=utf-8', 'content-length', String(size)];
      const answer = { status: 200, operation: undefined, headers, body: plainBody(Buffer.from('x'.repeat(size))) };
      await cache.answer({ ...key, height, body: Buffer.alloc(10_000) }, { onLeave: () => undefined }, async () => ({
        answer,
        keep: true,
        carried: undefined,
      }));
    }
    return memory.stats()[0]!.bytes;
  });
  expect(part).toBeGreaterThan(0.9);
  expect(part).toBeLessThan(2);
});

it.runIf(runsAll)('estimates the memory of blocks, including their flattened events', async () => {
  const texts = readRecording('chain').map((row) => JSON.stringify(row));
  const matcher = createEventMatcher();
  const conditions = parseEventQuery("tm.event='Tx'");
  const kept: unknown[] = [];
  const part = await recordedPart(() => {
    let recorded = 0;
    for (let round = 0; round < 5; round += 1) {
      for (const text of texts) {
        const row: ReturnType<typeof readRecording<'chain'>>[number] = JSON.parse(text);
        const block = decodeCommittedBlock(row.block, row.block_results);
        matcher.match(conditions, block);
        kept.push(block);
        recorded += sizeOf(block);
      }
    }
    return recorded;
  });
  expect(kept).toHaveLength(5 * texts.length);
  expect(part).toBeGreaterThan(0.8);
  expect(part).toBeLessThan(1.6);
});
