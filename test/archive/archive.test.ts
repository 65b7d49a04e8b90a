import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Fact, Recorder } from '../../src/archive/facts.ts';
import type { Archive } from '../../src/archive/setup/archive.ts';
import { archiveFileName, openArchive } from '../../src/archive/setup/open.ts';
import { createClient } from '../../src/chain/client.ts';
import { http } from '../../src/chain/transports/http.ts';
import { createHealth } from '../../src/server/observability/health.ts';
import { nothingEarlier } from '../support/archive/simulatedSource.ts';
import { runsAll } from '../support/atRandom.ts';
import { startChain } from '../support/chain.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** Records a proposal for each block, with the height as its id and its title from the pins. */
function heightRecorder(failures: { count: number }): Recorder {
  return {
    earlier: nothingEarlier,
    proofRequests: () => [],
    absent: async () => [],
    async block({ header }, before, now, recorded) {
      if (failures.count > 0) {
        failures.count -= 1;
        // A height that no node has: an error of a node.
        await now.client.call('block', { height: '999999' });
      }
      const open = await recorded.open(header.height);
      const previous = await recorded.proposal(header.height - 1n);
      const time = BigInt(Date.parse(header.time)) * 1_000_000n;
      return [
        {
          kind: 'proposal',
          id: header.height,
          groupPolicyAddress: 'policy',
          groupId: 1n,
          groupVersion: 1n,
          groupPolicyVersion: 1n,
          title: `${before.height} ${now.height} ${open.length} ${previous?.proposal.id ?? 'none'}`,
          summary: '',
          metadata: '',
          messages: [],
          proposers: [],
          submitTime: time,
          votingPeriodEnd: time,
          submitted: { height: header.height, order: 0, time, hash: null },
        },
      ] satisfies readonly Fact[];
    },
    start: async () => [],
  };
}

async function over(place: Parameters<typeof openArchive>[0]['place'], failures = { count: 0 }) {
  const chain = await startChain({ bare: true });
  stops.push(() => chain.devnet.close());
  const client = createClient({ transport: http(chain.devnet.nodes[0]!.url) });
  stops.push(() => client.close());
  for (let block = 0; block < 5; block++) await chain.devnet.commit();
  const statuses: string[] = [];
  const archive: Archive = openArchive({
    client,
    recorder: heightRecorder(failures),
    place,
    mode: 'GOVERNANCE',
    from: 1n,
    log: { status: ({ state }) => void statuses.push(state), backfill: () => undefined, audit: () => undefined },
  });
  stops.push(() => archive.close());
  return { chain, client, archive, statuses };
}

const titles = async ({ reader }: Archive, asOf: bigint) =>
  (await reader.recordPage({}, { first: 100, reverse: true, count: false }, asOf)).items.map(
    ({ id, title }) => `${id}: ${title}`,
  );

it('records the blocks of a chain with pins of the previous and of the own height, and what it recorded before', async () => {
  const { chain, client, archive } = await over({ kind: 'temporary' });
  const { height } = await client.head.ready();
  expect(archive.reader.holding(height)).toBe('LATER');
  await archive.reader.waitFor(height, { milliseconds: 30_000 });
  const next = await chain.devnet.commit().then(() => height + 1n);
  await archive.reader.waitFor(next, { milliseconds: 30_000 });
  await expect.poll(() => archive.reader.coverage().ranges.map(({ base, to }) => [base, to])).toEqual([[1n, next]]);
  expect((await titles(archive, next)).slice(0, 3)).toEqual(['2: 1 2 0 none', '3: 2 3 1 2', '4: 3 4 2 3']);
  // The blocks that followed the newest one did not know of older ones yet.
  expect((await titles(archive, next)).at(-1)).toBe(`${next}: ${height} ${next} 0 none`);
  expect(await titles(archive, 3n)).toHaveLength(2);
  expect(createHealth({ client, archive }).readiness().archive).toBeUndefined();
  expect(archive.recording.lag()).toBe(0n);
  expect(await archive.reader.stats()).toMatchObject({ mode: 'GOVERNANCE', storage: 'MEMORY', proposals: next - 1n });
});

it.runIf(runsAll)(
  'keeps a file for the chain in the data directory, and tries a block again after an error of a node',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'stele-data-'));
    stops.push(() => rmSync(directory, { recursive: true }));
    const failures = { count: 2 };
    const { client, archive, statuses } = await over({ kind: 'directory', path: join(directory, 'new') }, failures);
    const { height, chainId } = await client.head.ready();
    await expect.poll(() => archive.reader.coverage().ranges.map(({ base, to }) => [base, to])).toEqual([[1n, height]]);
    expect([failures.count, statuses]).toEqual([0, ['RECORDING']]);
    expect(existsSync(join(directory, 'new', `${chainId}.db`))).toBe(true);
    expect((await archive.reader.stats()).sizeBytes).toBeGreaterThan(4096n);
  },
);

it('shows in the probe why nothing is recorded', async () => {
  // A file is no directory.
  const path = join(process.execPath, 'archive');
  const { client, archive, statuses } = await over({ kind: 'directory', path });
  await expect
    .poll(() => createHealth({ client, archive }).readiness())
    .toMatchObject({
      failed: [],
      archive: 'ARCHIVE_DATABASE',
    });
  expect(statuses).toEqual(['PAUSED']);
  expect(archive.recording.status().message).toBe(`the directory ${path} cannot be created`);
});

it('names the file after the chain, never another directory', () => {
  expect(['pio-mainnet-1', '../../etc/x', '.', 'a/b', ''].map(archiveFileName)).toEqual([
    'pio-mainnet-1.db',
    '_._.._etc_x.db',
    '_.db',
    'a_b.db',
    '.db',
  ]);
});
