import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { createLocalStore } from '../../src/shared/localStore.ts';
import { openRedisStore } from '../../src/shared/redisStore.ts';
import type { SharedStore } from '../../src/shared/sharedStore.ts';
import { askAt, rootsKnown, type SourcedAnswer } from '../roots/heights.ts';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { createGroup, submitProposal, type TestGroup, vote } from '../support/groups.ts';
import { hasRedis, redisNote, startRedis } from '../support/redis.ts';
import { type Stack, startStack } from '../support/stack.ts';

const count = 6;

let chain: TestChain;
let stack: Stack;
let voters: readonly WalletAccount[];
const boards: { readonly group: TestGroup; readonly proposal: bigint }[] = [];

/** What one board shows. */
const query = (policy: string): string =>
  `{ proposalsByGroupPolicy(address: "${policy}", first: 20, reverse: true) { totalCount nodes {
       id title status executorResult votingPeriodEnd proposers { address } tally { yesCount noCount abstainCount }
       votes(first: 20) { nodes { option submitTime voter { address } } }
       groupPolicy { address group { id totalWeight members(first: 20) { nodes { weight account { address } } } } }
       messages { type value json } } } }`;

beforeAll(async () => {
  chain = await startChain();
  voters = chain.accounts.slice(0, 6);
  for (let made = 0; made < count; made += 1) {
    const group = await createGroup(
      chain,
      voters.map((account) => [account, '1'] as const),
      { threshold: '6', votingSeconds: 100_000 },
    );
    boards.push({ group, proposal: await submitProposal(chain, group, voters[0]!) });
  }
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
}, 60_000);

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Asks for all boards at the newest height, which the server has seen. */
const askAll = (of: Stack): Promise<readonly SourcedAnswer[]> =>
  Promise.all(boards.map(({ group }) => askAt(of, query(group.policy))));

/** Waits until the ranges of what was read are proven. */
async function followed({ client }: Stack): Promise<void> {
  while ((client.roots.keptReads()?.pending ?? 0) > 0) await new Promise((resolve) => setImmediate(resolve));
}

/** Makes a block with a vote of an account on a board, and another block in which its fee moves. Returns what was asked of all servers after each. */
async function cast(voter: number, board: number, servers: readonly Stack[] = [stack]) {
  await chain.submit(voters[voter]!, vote(voters[voter]!, boards[board]!.proposal));
  const rounds: { readonly answers: readonly SourcedAnswer[]; readonly calls: number }[] = [];
  for (let block = 0; block < 2; block += 1) {
    chain.node.counters.reset();
    const height = await chain.devnet.commit();
    const asked = servers.map(async (server) => {
      await server.client.head.waitFor(height, { milliseconds: 30_000 });
      await rootsKnown(server, height);
      const answers = await askAll(server);
      await followed(server);
      return answers;
    });
    const answers = (await Promise.all(asked)).flat();
    rounds.push({ answers, calls: chain.node.counters.calls });
  }
  return rounds;
}

/** Starts a server that shares what it reads. */
const start = (server: { shared?: SharedStore }): Promise<Stack> =>
  startStack([chain.node.url], { server, client: { roots: { longestWait: 30_000 } } });

/** The proofs and reads of the last of several votes on a board, and its answers, without the calls for roots that each server makes. */
async function votes(servers: readonly Stack[], voter: number) {
  const proofs = (): number => servers.reduce((sum, { client }) => sum + (client.roots.keptReads()?.proofs ?? 0), 0);
  const roots = (): number => servers.reduce((sum, { client }) => sum + client.roots.stats().requests, 0);
  for (const { client } of servers) await client.head.ready();
  for (const server of servers) await askAll(server);
  await cast(voter, 1, servers);
  await cast(voter, 3, servers);
  const before = { proofs: proofs(), roots: roots() };
  const [first] = await cast(voter, 5, servers);
  if (process.env.STELE_PRINT !== undefined) console.log(servers.length, 'servers', before, proofs(), roots(), first!.calls);
  return { proofs: proofs() - before.proofs, calls: first!.calls, answers: first!.answers };
}

const isChanged = ({ source }: SourcedAnswer): boolean => source !== 'carried';

describe('a vote', () => {
  it.runIf(runsAll)(
    'executes the board that shows its proposal, and no other, once the boards were executed twice',
    async () => {
      await askAll(stack);
      await cast(0, 0);
      await cast(1, 0);
      for (const board of [2, 4]) {
        const [first] = await cast(2, board);
        const sources = first!.answers.map(({ source }) => source);
        expect(sources).toEqual(boards.map((_, index) => (index === board ? 'made' : 'carried')));
        if (process.env.STELE_PRINT !== undefined) console.log(first!.calls, stack.client.roots.keptReads());
        expect(first!.calls).toBeLessThanOrEqual(25);
        const fresh = await startStack([chain.node.url]);
        await fresh.client.head.ready();
        const [[, second]] = [await cast(3, board)];
        const read = await askAll(fresh);
        expect(second!.answers.map(({ data }) => data)).toEqual(read.map(({ data }) => data));
        await fresh.close();
      }
    },
    60_000,
  );

  it.runIf(runsAll)(
    'costs three servers on one store the calls of one: one reads a proof, the others verify it',
    async () => {
      const local = createLocalStore({ maxBytes: 50_000_000, maxValue: 256 * 1024 });
      const single = [await start({})];
      const one = await votes(single, 4);
      const three = await Promise.all(['a', 'b', 'c'].map((name) => start({ shared: local.of(name) })));
      const all = await votes(three, 5);
      expect(one.answers.filter(isChanged)).toHaveLength(1);
      expect(all.answers.filter(isChanged)).toHaveLength(3);
      expect(new Set(all.answers.map(({ data }) => data)).size).toBe(count);
      expect(one.proofs).toBeGreaterThan(2);
      // Each for itself would be three times as many.
      expect(all.proofs).toBeLessThan(2 * one.proofs);
      for (const server of [...single, ...three]) await server.close();
    },
    60_000,
  );

  it.skipIf(!hasRedis)(
    `costs three servers that share a Redis server as few proofs${redisNote}`,
    async () => {
      const redis = await startRedis();
      const options = { url: redis.url, chainId: () => 'boards', maxValue: 256 * 1024 };
      const nothing = (): void => undefined;
      // The machine of the test may be busy.
      const open = () => openRedisStore({ ...options, wait: 30_000, claimTime: 30_000, onLost: nothing, onBack: nothing });
      const stores = await Promise.all([open(), open(), open()]);
      for (const store of stores) await expect.poll(() => store.isUsable()).toBe(true);
      const servers = await Promise.all(
        stores.map((shared) =>
          startStack([chain.node.url], {
            server: { shared, limits: { 'shared.wait': 30_000 } },
            client: { roots: { longestWait: 30_000 } },
          }),
        ),
      );
      const all = await votes(servers, 0);
      expect(all.answers.filter(isChanged)).toHaveLength(3);
      expect(all.proofs).toBeGreaterThan(2);
      // Each for itself reads five or more.
      expect(all.proofs).toBeLessThan(10);
      for (const server of servers) await server.close();
      for (const store of stores) await store.close();
      await redis.close();
    },
    60_000,
  );

  it('is read, not walked, under one operation with two reads', async () => {
    const small = await startStack([chain.node.url], { client: { roots: { longestWait: 30_000 } } });
    await small.client.head.ready();
    const query = `{ proposal(id: "${boards[0]!.proposal}") { status votes(first: 20) { nodes { option voter { address } } } } }`;
    await askAt(small, query);
    for (const board of [1, 2, 3, 4, 5]) {
      await chain.submit(voters[1]!, vote(voters[1]!, boards[board]!.proposal));
      const height = await chain.devnet.commit();
      await small.client.head.waitFor(height, { milliseconds: 30_000 });
      await rootsKnown(small, height);
      expect((await askAt(small, query)).source).toBe('made');
      await followed(small);
    }
    expect(small.client.roots.keptReads()).toMatchObject({ reads: 0, proofs: 0 });
    await small.close();
  }, 60_000);
});
