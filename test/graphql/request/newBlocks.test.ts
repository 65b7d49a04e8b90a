import { create, toBinary } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asObject } from '../../../src/chain/wire/json.ts';
import { QueryGroupInfoRequestSchema } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import { MsgUpdateGroupMetadataSchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { fc, runsAll } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeEach(async () => {
  chain = await startChain();
  await start(60_000);
});

/** Starts the server. Requests wait this many milliseconds for roots at most. */
async function start(longestWait: number): Promise<void> {
  stack = await startStack([chain.node.url], { client: { roots: { longestWait } } });
  await stack.client.head.ready();
  await expect.poll(() => stack.client.head.stats().isSubscribed).toBe(true);
}

afterEach(async () => {
  chain.node.heal();
  await stack.close();
  await chain.devnet.close();
});

interface Reply {
  readonly cache: string | null;
  readonly height: string | null;
  readonly extensions: { readonly height: string; readonly cost?: Readonly<Record<string, number>> };
  readonly data: unknown;
}

async function ask(query: string, extensions: object = {}): Promise<Reply> {
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, extensions }),
  });
  const { headers } = response;
  return {
    ...Object(await response.json()),
    cache: headers.get('cache-status'),
    height: headers.get('x-cosmos-block-height'),
  };
}

const [carried, miss] = ['stele; hit; detail=carried', 'stele; fwd=miss'];

/** Creates a block and waits until its roots are learnt. */
async function nextBlock(): Promise<bigint> {
  const { learnt } = stack.client.roots.stats();
  const height = await chain.devnet.commit();
  await expect.poll(() => stack.client.roots.stats().learnt).toBe(learnt + 1);
  return height;
}

/** Asks until the answer is carried: the stores that it depends on are learnt from its first execution on. */
async function warm(query: string): Promise<void> {
  await ask(query);
  await nextBlock();
  await ask(query);
  await nextBlock();
}

/** Reads of the state that reached the node, without proofs. */
let reads: string[] = [];
let proofs = 0;

/** Holds back all proofs of the node, and counts its reads of the state. Returns the function that releases the proofs. */
function holdProofs(): () => void {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  [reads, proofs] = [[], 0];
  chain.node.onCall = async ({ method, params }) => {
    if (method !== 'abci_query') return;
    const { path, prove } = asObject(params, 'params');
    if (prove !== true) reads.push(String(path));
    else {
      proofs += 1;
      await released;
    }
  };
  return release;
}

/** Creates a block whose proofs are held back, and waits until the server has seen it. */
async function blockWithoutRoots(): Promise<bigint> {
  const height = await chain.devnet.commit();
  await stack.client.head.waitFor(height, { milliseconds: 30_000 });
  return height;
}

/** Asks, and resolves with the pending reply once the request waits for roots. */
async function waiting(query: string): Promise<{ readonly reply: Promise<Reply> }> {
  const settled = vi.spyOn(stack.client.roots, 'settled');
  const reply = ask(query);
  await expect.poll(() => settled.mock.results.some(({ value }) => value !== undefined)).toBe(true);
  return { reply };
}

const groups = '{ groups { nodes { id metadata } } }';

describe('requests that arrive before the roots of a new block are known', () => {
  it('wait for the roots and are answered from memory', async () => {
    await warm(groups);
    expect((await ask(groups)).cache).toBe(carried);
    const release = holdProofs();
    const height = await blockWithoutRoots();
    const { reply } = await waiting(groups);
    release();
    expect(await reply).toMatchObject({ cache: carried, height: height.toString(), extensions: { height: height.toString() } });
    expect(reads).toEqual([]);
  });

  it('are executed with the reads in memory if their answers cannot be carried', async () => {
    const { address } = chain.accounts[0]!;
    const question = `{ head { hash } groups { nodes { metadata } } account(address: "${address}") { names { nodes { name } } } }`;
    await warm(question);
    const release = holdProofs();
    await blockWithoutRoots();
    const { reply } = await waiting(question);
    release();
    expect((await reply).cache).toBe(miss);
    expect(reads).toEqual([]);
  });

  it('get the answer of the new block if the roots have changed', async () => {
    await warm(groups);
    const [, admin] = chain.accounts;
    const update = any(MsgUpdateGroupMetadataSchema, { admin: admin!.address, groupId: 2n, metadata: 'renamed' });
    await chain.submit(admin!, update);
    const release = holdProofs();
    const height = await blockWithoutRoots();
    const { reply } = await waiting(groups);
    release();
    const { cache, data, extensions } = await reply;
    expect([cache, extensions.height]).toEqual([miss, height.toString()]);
    expect(JSON.stringify(data)).toContain('renamed');
  });

  it('read by height if the roots take too long, and then do not wait again', async () => {
    await stack.close();
    await start(20);
    await warm(groups);
    const release = holdProofs();
    const height = await blockWithoutRoots();
    const { cache, extensions } = await ask(groups);
    expect([cache, extensions.height]).toEqual([miss, height.toString()]);
    expect(reads.length).toBeGreaterThan(0);
    expect(stack.client.roots.settled(height)).toBeUndefined();
    // Requests do not wait at a block after one whose roots took too long, and wait again when a node returns proofs in time.
    const { learnt } = stack.client.roots.stats();
    expect(stack.client.roots.settled(await blockWithoutRoots())).toBeUndefined();
    release();
    await expect.poll(() => stack.client.roots.stats().learnt).toBe(learnt + 2);
    const waitsAgain = async (): Promise<boolean> => {
      await nextBlock();
      const letGo = holdProofs();
      const settled = stack.client.roots.settled(await blockWithoutRoots());
      letGo();
      await settled;
      return settled !== undefined;
    };
    await expect.poll(waitsAgain, { timeout: 10_000 }).toBe(true);
  });

  it('do not delay reads outside of operations, such as those for an event', async () => {
    const release = holdProofs();
    const height = await blockWithoutRoots();
    await expect.poll(() => proofs).toBeGreaterThan(0);
    const request = toBinary(QueryGroupInfoRequestSchema, create(QueryGroupInfoRequestSchema, { groupId: 1n }));
    const settled = vi.spyOn(stack.client.roots, 'settled');
    const response = stack.client.at(height).query('/cosmos.group.v1.Query/GroupInfo', request);
    await expect.poll(() => reads).toContain('/cosmos.group.v1.Query/GroupInfo');
    expect(settled).not.toHaveBeenCalled();
    release();
    await response;
  });
});

it.runIf(runsAll)('at random, every answer is that of its height, whenever blocks, roots and requests arrive', async () => {
  const uncached = await startStack([chain.node.url], { client: { learnsRoots: false } });
  const [, admin] = chain.accounts;
  const questions = [groups, '{ group(id: 2) { metadata version } }', '{ head { height } groups { nodes { metadata } } }'];
  const step = fc.oneof(
    fc.constant('block' as const),
    fc.constant('update' as const),
    fc.constant('hold' as const),
    fc.constant('release' as const),
    fc.constantFrom(...questions).map((question) => ({ question })),
  );
  let updates = 0;
  let release = (): void => undefined;
  async function play(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> {
    const replies: { readonly question: string; readonly least: bigint; readonly reply: Promise<Reply> }[] = [];
    for (const next of steps) {
      if (typeof next === 'object') {
        replies.push({ ...next, least: stack.client.head.current()!.height, reply: ask(next.question) });
      } else if (next === 'hold') {
        release();
        release = holdProofs();
      } else if (next === 'release') release();
      else {
        updates += 1;
        const message = any(MsgUpdateGroupMetadataSchema, { admin: admin!.address, groupId: 2n, metadata: `name ${updates}` });
        if (next === 'update') await chain.submit(admin!, message);
        await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
      }
    }
    release();
    for (const { question, least, reply } of replies) {
      const { data, height } = await reply;
      expect(BigInt(height!)).toBeGreaterThanOrEqual(least);
      const right = await uncached.ask(question, {}, { 'x-cosmos-block-height': height! });
      expect(data).toEqual(right.body.data);
    }
  }
  await uncached.client.head.ready();
  try {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), play), { numRuns: 40 });
    // Some answers were carried, and some were not.
    expect(stack.client.roots.stats().learnt).toBeGreaterThan(5);
  } finally {
    release();
    await uncached.close();
  }
});

it('a carried answer has the cost of its own request: one point', async () => {
  const cost = { cost: true };
  const first = await ask(groups, cost);
  expect(first.extensions.cost!.requested).toBeGreaterThan(1);
  await nextBlock();
  await ask(groups, cost);
  await nextBlock();
  const again = await ask(groups, cost);
  expect(again.cache).toBe(carried);
  expect(again.extensions.cost).toMatchObject({ requested: 1, computing: 0, max: first.extensions.cost!.max });
  expect(again.data).toEqual(first.data);
});
