import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createPostgresStore } from '../../src/archive/postgres/store.ts';
import type { ProofSubject } from '../../src/archive/proofs.ts';
import { type Recording, startRecording } from '../../src/archive/recording/recording.ts';
import { createSqliteStore } from '../../src/archive/sqlite/store.ts';
import type { ArchiveStore } from '../../src/archive/store/archiveStore.ts';
import { type ArchiveReader, createArchiveReader } from '../../src/archive/store/reader.ts';
import { ChainError } from '../../src/chain/base/errors.ts';
import type { JsonObject } from '../../src/chain/wire/json.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { createSimulatedSource } from '../support/archive/simulatedSource.ts';
import { simulate } from '../support/archive/simulation.ts';
import { seed, takeTurns } from '../support/atRandom.ts';

const blocks = simulate(seed, 120);
const newest = 120n;
const base = 60n;
const directory = mkdtempSync(join(tmpdir(), 'stele-proofs-'));
const stops: (() => Promise<unknown>)[] = [];
let files = 0;

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

type Open = () => ArchiveStore;

function sqlite(): Promise<Open> {
  const file = join(directory, `${files++}.db`);
  return Promise.resolve(() => createSqliteStore({ file, chainId: 'test-1' }));
}

async function postgres(): Promise<Open> {
  const url = await emptyDatabase();
  return () => createPostgresStore({ url, chainId: 'test-1' });
}

/** The heights of the submission and of the close of each closed proposal above `above`, by the facts of the blocks. */
function closes(above: bigint): ReadonlyMap<bigint, { readonly submitted: bigint | undefined; readonly closed: bigint }> {
  const submitted = new Map<bigint, bigint>();
  const closed = new Map<bigint, bigint>();
  for (const fact of blocks.flatMap(({ facts }) => facts)) {
    if (fact.kind === 'proposal' && fact.submitted !== null) submitted.set(fact.id, fact.submitted.height);
    if (fact.kind === 'close' && fact.at.height !== null && fact.at.height > above) closed.set(fact.proposalId, fact.at.height);
  }
  return new Map([...closed].map(([id, height]) => [id, { submitted: submitted.get(id), closed: height }]));
}

/** The proposals of which a proof is kept, with its height: those that existed before the block of their close. */
function provable(above: bigint): ReadonlyMap<bigint, bigint> {
  const heights = [...closes(above)].filter(([, { submitted, closed }]) => submitted !== closed);
  return new Map(heights.map(([id, { closed }]) => [id, closed - 1n]));
}

/** A bundle that names its subject. Every fortieth height has other validators. Text that compresses badly, and characters outside of ASCII. */
const bundleOf = ({ proposalId, height, groupPolicyAddress, groupId }: ProofSubject): JsonObject => ({
  version: 1,
  height: `${height}`,
  stores: {
    group: { proof: 'AA==', tree: Buffer.from(`${proposalId} ${groupPolicyAddress} ${groupId} ü`).toString('base64') },
  },
  validators: [{ address: 'AB', power: `${height / 40n}` }],
});

type ProveOne = (subject: ProofSubject, signal: AbortSignal) => Promise<JsonObject>;

interface Run extends Recording {
  readonly subjects: ProofSubject[];
  readonly lines: string[];
}

function record(store: ArchiveStore, prove: ProveOne | undefined, from?: bigint): Run & { moveTo(height: bigint): void } {
  const source = createSimulatedSource(blocks);
  source.moveTo(base);
  const subjects: ProofSubject[] = [];
  const lines: string[] = [];
  const log = { status: () => undefined, backfill: (line: string) => void lines.push(line), audit: () => undefined };
  const recording = startRecording({
    store,
    source: {
      ...source,
      prove:
        prove &&
        ((subject, signal) => {
          subjects.push(subject);
          return prove(subject, signal);
        }),
    },
    from,
    log,
    backoff: 1,
    longestBackoff: 1,
  });
  stops.push(() => store.close());
  stops.push(() => recording.stop());
  return { ...recording, subjects, lines, moveTo: source.moveTo };
}

/** The proofs of all records, by the id of the proposal. */
async function proofs(reader: ArchiveReader, asOf = newest): Promise<ReadonlyMap<bigint, JsonObject>> {
  const { items } = await reader.recordPage({}, { first: 1_000, reverse: true, count: false }, asOf);
  const kept = await reader.proofs(items);
  return new Map(
    items.flatMap(({ id }, index) => (kept[index] == null ? [] : [[id, { ...kept[index] } as unknown as JsonObject]])),
  );
}

const expected = (heights: ReadonlyMap<bigint, bigint>) =>
  [...heights].map(([id, height]) => [id, height]).toSorted((one, other) => Number(one[0]! - other[0]!));

const heightsOf = (kept: ReadonlyMap<bigint, JsonObject>) =>
  [...kept].map(([id, { height }]) => [id, height]).toSorted((one, other) => Number((one[0] as bigint) - (other[0] as bigint)));

describe.each([
  { name: 'SQLite', database: sqlite, skips: false },
  { name: `PostgreSQL${postgresNote}`, database: postgres, skips: !hasPostgres },
])('proofs of closed proposals in $name', ({ database, skips }) => {
  const turn = hasPostgres ? takeTurns([sqlite, postgres], database) : () => !skips;

  it.runIf(turn())(
    'are kept as each proposal is closed, of the state before the close, and are read with the record',
    async () => {
      const store = (await database())();
      const recording = record(store, async (subject) => bundleOf(subject));
      const reader = createArchiveReader(store, 'GOVERNANCE');
      await reader.waitFor(base, { milliseconds: 20_000 });
      const { generation } = store.coverage();
      recording.moveTo(newest);
      const wanted = provable(base);
      expect(wanted.size).toBeGreaterThan(5);
      await expect.poll(async () => heightsOf(await proofs(reader)), { timeout: 20_000 }).toEqual(expected(wanted));
      for (const [id, { bundle }] of await proofs(reader)) {
        const subject = recording.subjects.find(({ proposalId }) => proposalId === id)!;
        expect(bundle).toEqual(bundleOf(subject));
        expect(subject.groupPolicyAddress).not.toBe('');
      }
      // Answers that were kept without the proof are not used any more.
      expect(store.coverage().generation).toBeGreaterThan(generation);
      // Each was read once. Proposals that existed at no height were not tried.
      expect(recording.subjects.length).toBe(wanted.size);
      expect(closes(base).size).toBeGreaterThan(wanted.size);
      // Sets of validators are stored once.
      const [row] = await store.read('SELECT count(*) AS n FROM proof_validators', []);
      expect(row!.n).toBe(BigInt(new Set([...wanted.values()].map((height) => height / 40n)).size));
    },
  );

  it.runIf(turn())('are not in a record before its close', async () => {
    const store = (await database())();
    const recording = record(store, async (subject) => bundleOf(subject));
    const reader = createArchiveReader(store, 'GOVERNANCE');
    await reader.waitFor(base, { milliseconds: 20_000 });
    recording.moveTo(newest);
    await expect.poll(async () => (await proofs(reader)).size, { timeout: 20_000 }).toBe(provable(base).size);
    const [id, height] = [...provable(base)].at(-1)!;
    const [before, after] = await Promise.all([height, height + 1n].map(async (asOf) => (await proofs(reader, asOf)).has(id)));
    expect([before, after]).toEqual([false, true]);
  });

  it.runIf(turn())('are tried again after errors of nodes, and by the next start', async () => {
    const open = await database();
    let failures = 0;
    // One is refused for good, and each other one fails twice.
    const refusedId = [...provable(base).keys()][1]!;
    const tries = new Map<bigint, number>();
    const first = open();
    const recording = record(first, async (subject) => {
      const count = (tries.get(subject.proposalId) ?? 0) + 1;
      tries.set(subject.proposalId, count);
      if (subject.proposalId === refusedId) throw new ChainError('PROOF_UNAVAILABLE', 'no', { reason: 'NO_PROOFS' });
      if (count > 2) return bundleOf(subject);
      failures += 1;
      throw new ChainError('NODE_UNREACHABLE', 'no node responds', {});
    });
    const reader = createArchiveReader(first, 'GOVERNANCE');
    await reader.waitFor(base, { milliseconds: 20_000 });
    recording.moveTo(newest);
    const wanted = new Map([...provable(base)].filter(([id]) => id !== refusedId));
    await expect.poll(async () => heightsOf(await proofs(reader)), { timeout: 20_000 }).toEqual(expected(wanted));
    expect(failures).toBe(2 * wanted.size);
    expect(recording.status().state).toBe('RECORDING');
    await recording.stop();
    await first.close();
    const second = open();
    const again = record(second, async (subject) => bundleOf(subject));
    again.moveTo(newest);
    const other = createArchiveReader(second, 'GOVERNANCE');
    await expect.poll(async () => (await proofs(other)).has(refusedId), { timeout: 20_000 }).toBe(true);
    expect(again.subjects.map(({ proposalId }) => proposalId)).toEqual([refusedId]);
  });

  it.runIf(turn())(
    'of older closes are kept where nodes have the state, the latest first, down to the first height that no node has',
    async () => {
      const open = await database();
      const first = open();
      const without = record(first, undefined, 2n);
      const reader = createArchiveReader(first, 'GOVERNANCE');
      await reader.waitFor(base, { milliseconds: 20_000 });
      without.moveTo(newest);
      await expect.poll(() => first.coverage().ranges.map(({ base: from, to }) => [from, to])).toEqual([[1n, newest]]);
      expect((await proofs(reader)).size).toBe(0);
      await without.stop();
      await first.close();
      const second = open();
      const oldest = 80n;
      const again = record(second, async (subject) => {
        if (subject.height < oldest) throw new ChainError('PROOF_UNAVAILABLE', 'gone', { reason: 'PRUNED' });
        return bundleOf(subject);
      });
      again.moveTo(newest);
      const all = provable(1n);
      const wanted = new Map([...all].filter(([, height]) => height >= oldest));
      expect(all.size).toBeGreaterThan(wanted.size + 3);
      const other = createArchiveReader(second, 'GOVERNANCE');
      await expect.poll(async () => heightsOf(await proofs(other)), { timeout: 20_000 }).toEqual(expected(wanted));
      await expect.poll(() => again.lines.some((line) => line.includes('no node proves'))).toBe(true);
      // One call shows that earlier states are gone; the fill-in of older blocks looks once more.
      expect(again.subjects.filter(({ height }) => height < oldest).length).toBeLessThanOrEqual(2);
      const heights = again.subjects.map(({ height }) => height).slice(0, wanted.size);
      expect(heights).toEqual(heights.toSorted((one, next) => Number(next - one)));
    },
  );
});
