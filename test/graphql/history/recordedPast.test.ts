import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { archiveOf } from '../../../src/archive/setup/archive.ts';
import type { ArchivePlace } from '../../../src/archive/setup/open.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../../support/archive/postgres.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describeGroup, type TestGroup } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { executeEverywhere, pagesOf, stepsOf } from './histories.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-recorded-past-'));
const places: readonly (readonly [string, boolean, () => Promise<ArchivePlace>])[] = [
  ['a SQLite file', true, async () => ({ kind: 'directory', path: directory })],
  [`PostgreSQL${postgresNote}`, hasPostgres && runsAll, async () => ({ kind: 'postgres', url: await emptyDatabase() })],
];

/** Calls to the node that read a root or a header. */
function countReads({ node }: TestChain): { readonly reads: string[]; stop(): void } {
  const reads: string[] = [];
  node.onCall = ({ method, params }) => {
    const isRoot = method === 'abci_query' && JSON.stringify(params).includes('"/store/');
    if (isRoot || ['header', 'block', 'blockchain', 'commit'].includes(method))
      reads.push(`${method} ${JSON.stringify(params)}`);
  };
  return {
    reads,
    stop() {
      node.onCall = undefined;
    },
  };
}

describe.each(places.filter(([, runs]) => runs))('the past that was recorded in %s', (_, __, placeOf) => {
  let chain: TestChain;
  let group: TestGroup;
  let place: ArchivePlace;
  let stack: Stack;
  let from: bigint;
  let to: bigint;
  const query = () => `{ group(id: "${group.id}") { metadata asOfHeight } markers(first: 3) { nodes { denom } } }`;

  /** Starts the server, and resolves when it records. */
  async function start(): Promise<Stack> {
    const started = await startStack([chain.node.url], { archive: { records: place } });
    const { recording } = archiveOf(started.client.archive())!;
    await vi.waitFor(() => expect(recording.status().state).toBe('RECORDING'), { timeout: 30_000 });
    return started;
  }

  /** Resolves when the roots of these stores are kept up to a height. */
  async function kept(height: bigint): Promise<void> {
    const { past } = archiveOf(stack.client.archive())!;
    for (const store of ['group', 'marker', 'upgrade'])
      await vi.waitFor(async () => expect((await past.runs(store, from, height)).through).toBe(height), { timeout: 30_000 });
  }

  beforeAll(async () => {
    place = await placeOf();
    chain = await startChain({ bare: true, genesisTime: 1_700_000_000_000_000_000n, keepHeights: 0 });
    group = await createGroup(chain, [[chain.accounts[0]!, '1']]);
    await chain.devnet.commit();
    stack = await start();
    from = chain.devnet.height;
    for (let step = 0; step < 8; step += 1) {
      for (let block = 0; block < step; block += 1) await chain.devnet.commit();
      await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, `step ${step}`));
    }
    to = chain.devnet.height - 1n;
    await kept(to);
  });
  afterAll(async () => {
    await stack.close();
    await chain.devnet.close();
    rmSync(directory, { recursive: true, force: true });
    expect(stack.masked).toEqual([]);
  });

  it.runIf(runsAll)(
    'costs a history no root of a node and no time, also after a restart; so does an older past that a history has proven',
    async () => {
      const expected = await executeEverywhere(stack, query(), {}, from, to);
      expect(expected.length).toBe(8);
      const history = async (low: bigint, high: bigint) => {
        const pages = await pagesOf(stack, query(), {}, { from: String(low), to: String(high) });
        return { steps: stepsOf(pages), executions: pages.reduce((sum, { executions }) => sum + executions, 0) };
      };
      const recorded = await history(from, to);
      expect(recorded.steps).toEqual(expected);
      expect(recorded.executions).toBeLessThanOrEqual(expected.length);
      expect(stack.client.pastRoots.requests()).toBe(0);
      // The blocks before the recording.
      const older = await history(2n, from);
      expect(stack.client.pastRoots.requests()).toBeGreaterThan(0);

      await stack.close();
      stack = await start();
      const { reads, stop } = countReads(chain);
      expect((await history(from, to)).steps).toEqual(expected);
      for (const { height, time } of expected) {
        const { body } = await stack.ask('query ($time: DateTime!) { at(time: $time) { height } }', { time });
        expect(body).toMatchObject({ data: { at: { height } } });
      }
      expect(reads).toEqual([]);
      expect((await history(2n, from)).steps).toEqual(older.steps);
      expect(stack.client.pastRoots.requests()).toBe(0);
      stop();
    },
  );
});
