import { describe, expect, it } from 'vitest';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { isChainError } from '../../../src/chain/base/errors.ts';
import type { Broadcast } from '../../../src/chain/transactions/broadcaster.ts';
import type { TxUpdate } from '../../../src/chain/transactions/resend.ts';
import { rounds, runsAll } from '../../support/atRandom.ts';
import { type BroadcasterSetup, hashOf, setUp, txCalls } from './broadcasterSetup.ts';

/** Reads all updates of a transaction. After a stage, makes this many blocks; the next update results from the last of them. */
async function track(
  { client, commit }: BroadcasterSetup,
  tx: Uint8Array,
  blocks: Partial<Record<TxUpdate['stage'], number>>,
  before: (update: TxUpdate) => Promise<void> = async () => undefined,
): Promise<TxUpdate[]> {
  const updates: TxUpdate[] = [];
  for await (const update of client.broadcaster.submit(tx)) {
    updates.push(update);
    await before(update);
    if (!update.final) await commit(blocks[update.stage] ?? 0);
  }
  return updates;
}

/** How often a node received a transaction. */
const sendings = (node: DevnetNode): number => txCalls(node).filter((method) => method === 'broadcast_tx_sync').length;

const steps = (updates: readonly TxUpdate[]): string[] =>
  updates.map(({ stage, height, attempt }) =>
    [stage, height, ...(attempt === null ? [] : [attempt.node, attempt.outcome])].join(' '),
  );

/** Two blocks after each attempt, which is how long the broadcaster waits. */
const two = { PENDING: 2, RESENT: 2, MOVED: 2 };

describe('a node that accepts every transaction and drops it', () => {
  it('is tried again after two blocks, and the next node two blocks later', async () => {
    const setup = await setUp({ nodes: 2 });
    setup.nodes[0]!.faults.dropTransactions = true;
    const tx = setup.transfer(1);
    expect(steps(await track(setup, tx, { ...two, MOVED: 1 }))).toEqual([
      'CHECKED 1 node-1 ACCEPTED',
      'PENDING 1',
      'RESENT 3 node-1 DUPLICATE',
      'MOVED 5 node-2 ACCEPTED',
      'INCLUDED 6',
    ]);
    expect(await setup.heightsOf(tx)).toEqual([6]);
  });

  it('loses within six blocks to another node for concurrent transactions, and the ledger has each once', async () => {
    const setup = await setUp({ nodes: 2, broadcaster: { commitWait: 20_000 } });
    const { client, nodes, transfer, heightsOf, commit } = setup;
    nodes[0]!.faults.dropTransactions = true;
    const txs = [0, 1, 2, 3, 4, 5, 6, 7].map((from) => transfer(from + 1, from));
    const committed = Promise.all(txs.map((tx) => client.broadcaster.commit(tx)));
    // Makes blocks two at a time, as soon as the effects of the last ones have reached their node.
    for (const reached of [
      [8, 0],
      [16, 0],
      [16, 8],
    ]) {
      await expect.poll(() => nodes.map(sendings)).toEqual(reached);
      await commit(2);
    }
    const results = await committed;
    for (const [index, { status, inclusion, attempts }] of results.entries()) {
      expect(status).toBe('COMMITTED');
      expect(inclusion!.height - attempts[0]!.height).toBeLessThanOrEqual(6n);
      expect(attempts.map(({ node }) => node)).toEqual(['node-1', 'node-1', 'node-2']);
      expect(await heightsOf(txs[index]!)).toEqual([Number(inclusion!.height)]);
    }
  });

  it('is tried twice, like every other node; then the outcome stays open', async () => {
    const setup = await setUp({ nodes: 3 });
    for (const { faults } of setup.nodes) faults.dropTransactions = true;
    const tx = setup.transfer(1);
    expect(steps(await track(setup, tx, two))).toEqual([
      'CHECKED 1 node-1 ACCEPTED',
      'PENDING 1',
      'RESENT 3 node-1 DUPLICATE',
      'MOVED 5 node-2 ACCEPTED',
      'RESENT 7 node-2 DUPLICATE',
      'MOVED 9 node-3 ACCEPTED',
      'RESENT 11 node-3 DUPLICATE',
      'UNKNOWN 13',
    ]);
    expect(setup.nodes.map(sendings)).toEqual([2, 2, 2]);
  });

  it('may delay until every node rejects the transaction, which is final', async () => {
    const setup = await setUp({ nodes: 2 });
    const { client, nodes, transfer } = setup;
    nodes[0]!.faults.dropTransactions = true;
    const tx = transfer(1);
    const updates = await track(setup, tx, two, async ({ stage }) => {
      if (stage !== 'PENDING') return;
      // Another transaction uses the sequence, and the first node drops the tracked one.
      nodes[0]!.heal();
      nodes[0]!.mempool.flush();
      nodes[1]!.mempool.check(transfer(2));
    });
    expect(updates.map(({ stage, attempt }) => [stage, attempt?.outcome].join(' ').trim())).toEqual([
      'CHECKED ACCEPTED',
      'PENDING',
      'RESENT REJECTED',
      'MOVED REJECTED',
      'RESENT REJECTED',
      'REJECTED',
    ]);
    expect(updates.at(-1)).toMatchObject({ final: true, checkTx: { code: 32, codespace: 'sdk' } });
    expect(await client.broadcaster.sync(tx)).toMatchObject({ status: 'REJECTED' });
  });

  it('and becomes unreachable is not waited for', async () => {
    const setup = await setUp({ nodes: 2 });
    setup.nodes[0]!.faults.dropTransactions = true;
    const tx = setup.transfer(1);
    const updates = await track(setup, tx, { PENDING: 2, MOVED: 1 }, async ({ stage }) => {
      if (stage === 'PENDING') await setup.nodes[0]!.stop();
    });
    expect(steps(updates)).toEqual([
      'CHECKED 1 node-1 ACCEPTED',
      'PENDING 1',
      'RESENT 3 node-1 FAILED',
      'MOVED 3 node-2 ACCEPTED',
      'INCLUDED 4',
    ]);
  });

  it('is tracked through broken sockets', async () => {
    const setup = await setUp({ nodes: 2 });
    setup.nodes[0]!.faults.dropTransactions = true;
    const tx = setup.transfer(1);
    const committing = setup.client.broadcaster.commit(tx);
    await expect.poll(() => txCalls(setup.nodes[0]!).length, { interval: 2 }).toBe(1);
    for (let block = 0; block < 6; block += 1) {
      for (const node of setup.nodes) node.closeSockets();
      await setup.commit();
      const sendings = block < 1 ? 1 : block < 3 ? 2 : 3;
      const sent = (): number =>
        setup.nodes.flatMap((node) => txCalls(node).filter((method) => method === 'broadcast_tx_sync')).length;
      await expect.poll(sent, { interval: 2 }).toBe(sendings);
    }
    expect(await committing).toMatchObject({ status: 'COMMITTED', inclusion: { confirmedBy: 2 } });
    expect(await setup.heightsOf(tx)).toHaveLength(1);
  });
});

describe('a node that reports a commit that did not happen', () => {
  it('in its NewBlock event, block and index is ignored in favour of another: the true block is awaited', async () => {
    const setup = await setUp({ nodes: 2 });
    const { client, nodes, transfer, commit, heightsOf } = setup;
    nodes[0]!.faults.pretendCommits = true;
    const tx = transfer(1);
    const updates = await track(setup, tx, { PENDING: 1, RESENT: 2, MOVED: 1 }, async ({ stage }) => {
      if (stage !== 'PENDING') return;
      await commit();
      expect(client.blocks.transaction(hashOf(tx))?.block.header.height).toBe(2n);
      expect(await client.broadcaster.sync(tx)).toMatchObject({ status: 'ACCEPTED', duplicate: true, inclusion: null });
    });
    expect(steps(updates)).toEqual([
      'CHECKED 1 node-1 ACCEPTED',
      'PENDING 1',
      'RESENT 3 node-1 DUPLICATE',
      'MOVED 5 node-2 ACCEPTED',
      'INCLUDED 6',
    ]);
    expect(updates.at(-1)!.inclusion).toMatchObject({ height: 6n, confirmedBy: 2 });
    expect(await heightsOf(tx)).toEqual([6]);
    expect(await heightsOf(tx, { node: nodes[0]! })).toEqual([2, 6]);
  });

  it('makes a commit late and unconfirmed if no other node accepts the transaction', async () => {
    const { client, nodes, transfer, commit } = await setUp({ nodes: 3, broadcaster: { commitWait: 500, grace: 200 } });
    nodes[0]!.faults.pretendCommits = true;
    for (const { faults } of nodes.slice(1)) faults.dropTransactions = true;
    const tx = transfer(1);
    const committing = client.broadcaster.commit(tx).catch((error: unknown) => error);
    await expect.poll(() => txCalls(nodes[0]!).length, { interval: 2 }).toBe(1);
    await commit();
    expect(client.blocks.transaction(hashOf(tx))).toBeDefined();
    expect(await committing).toMatchObject({ code: 'COMMIT_TIMEOUT', facts: { hash: hashOf(tx), checkTx: { code: 0 } } });
  });

  it.runIf(runsAll)('is one of one if it is alone, and of three the others are counted', async () => {
    const alone = await setUp();
    alone.nodes[0]!.faults.pretendCommits = true;
    const fake = track(alone, alone.transfer(1), { PENDING: 1 });
    expect((await fake).at(-1)!.inclusion).toMatchObject({ confirmedBy: 1 });

    const many = await setUp({ nodes: 3 });
    expect((await track(many, many.transfer(1), { PENDING: 1 })).at(-1)!.inclusion).toMatchObject({ confirmedBy: 3 });
    many.nodes[2]!.freeze();
    expect((await track(many, many.transfer(2), { PENDING: 1 })).at(-1)!.inclusion).toMatchObject({ confirmedBy: 2 });
    await many.nodes[1]!.stop();
    expect((await track(many, many.transfer(3), { PENDING: 1 })).at(-1)!.inclusion).toMatchObject({ confirmedBy: 1 });
  });
});

/** Pseudo-random numbers in [0, 1) from a seed (a linear congruential generator with the constants of the C standard). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x8000_0000;
  };
}

describe('a node that is killed during a broadcast', () => {
  const trials = rounds(100);
  const chains = 4;

  type When = 'before it description the others' | 'after it description the others' | 'after the commit';

  interface Trial {
    readonly seed: number;
    readonly how: 'sync' | 'commit' | 'submit';
    readonly when: When;
  }

  function trialOf(seed: number): Trial {
    const random = createRandom(seed);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
    return {
      seed,
      how: pick(['sync', 'commit', 'submit']),
      when: pick(['before it description the others', 'after it description the others', 'after the commit']),
    };
  }

  /** Kills the node of the next broadcast after it has accepted the transaction and before it responds. */
  function killNext({ nodes, chain }: BroadcasterSetup, when: When): { readonly over: () => Promise<void> } {
    let killed: Promise<void> | undefined;
    let revive: () => Promise<void> = async () => undefined;
    for (const node of nodes) {
      node.faults.withholdTransactions = when === 'before it description the others';
      node.faults.forge = ({ method }, result) => {
        if (method !== 'broadcast_tx_sync' || killed !== undefined) return result;
        if (when === 'after the commit') void chain.devnet.commit();
        for (const { faults } of nodes) faults.withholdTransactions = false;
        killed = node.stop();
        revive = node.start;
        return result;
      };
    }
    return {
      async over() {
        await killed;
        await revive();
        for (const node of nodes) node.faults.forge = undefined;
      },
    };
  }

  async function run(setup: BroadcasterSetup, { how, when, seed }: Trial): Promise<void> {
    const { client, chain, transfer, heightsOf } = setup;
    const tx = transfer(seed + 1, seed % 8);
    const after = chain.devnet.height;
    const kill = killNext(setup, when);
    const begun = performance.now();
    const outcome = await send(setup, how, tx).catch((error: unknown) => error);
    const took = performance.now() - begun;
    await kill.over();
    // By then a block contains every accepted transaction.
    await client.head.waitFor(chain.devnet.height + 3n, { milliseconds: 30_000 });
    const heights = await heightsOf(tx, { after });
    const description = `seed ${seed}: ${how}, killed ${when}: ${JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}, in blocks ${heights}`;
    expect(took, description).toBeLessThan(5_000);
    expect(heights, description).toHaveLength(1);
    expect(isChainError(outcome) && outcome.code !== 'COMMIT_TIMEOUT', description).toBe(false);
    const { status, inclusion, attempts } = outcome as Broadcast;
    expect(['ACCEPTED', 'COMMITTED'], description).toContain(status);
    if (inclusion !== null) expect(Number(inclusion.height), description).toBe(heights[0]);
    expect(attempts.length, description).toBeLessThanOrEqual(4);
  }

  async function send({ client: { broadcaster } }: BroadcasterSetup, how: Trial['how'], tx: Uint8Array): Promise<unknown> {
    if (how !== 'submit') return broadcaster[how](tx);
    const updates: TxUpdate[] = [];
    for await (const update of broadcaster.submit(tx)) updates.push(update);
    const { stage, inclusion } = updates.at(-1)!;
    const attempts = updates.flatMap(({ attempt }) => attempt ?? []);
    return { status: stage === 'INCLUDED' ? 'COMMITTED' : stage, inclusion, attempts };
  }

  it.runIf(runsAll)(
    `${trials} times: every call ends, the ledger has each transaction once, and no committed one is reported as failed`,
    {
      timeout: 120_000,
    },
    async () => {
      await Promise.all(
        Array.from({ length: chains }, async (_, lane) => {
          const setup = await setUp({ nodes: 2, blockTime: 50, broadcaster: { commitWait: 3_000, grace: 1_000 } });
          for (let seed = lane; seed < trials; seed += chains) await run(setup, trialOf(seed));
        }),
      );
    },
  );
});
