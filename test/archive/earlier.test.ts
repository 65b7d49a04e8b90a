import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openStoredArchive, type StoredPlace } from '../../scripts/archive/storedArchive.ts';
import type { EarlierFacts, EarlierLife } from '../../src/archive/facts.ts';
import { createPostgresStore } from '../../src/archive/postgres/store.ts';
import { type Recording, startRecording } from '../../src/archive/recording/recording.ts';
import { createSqliteStore } from '../../src/archive/sqlite/store.ts';
import type { ArchiveStore } from '../../src/archive/store/archiveStore.ts';
import { createArchiveReader } from '../../src/archive/store/reader.ts';
import { ChainError } from '../../src/chain/base/errors.ts';
import { expectedRecordsOf } from '../support/archive/expectedRecords.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { createSimulatedSource } from '../support/archive/simulatedSource.ts';
import { simulate } from '../support/archive/simulation.ts';
import { runsAll, seed } from '../support/atRandom.ts';

const blocks = simulate(seed, 120);
const base = 100n;
const directory = mkdtempSync(join(tmpdir(), 'stele-earlier-'));
const stops: (() => Promise<unknown>)[] = [];
let files = 0;

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Database {
  readonly place: StoredPlace;
  open(): ArchiveStore;
}

function sqlite(): Promise<Database> {
  const path = join(directory, `${files++}.db`);
  return Promise.resolve({ place: { kind: 'file', path }, open: () => createSqliteStore({ file: path, chainId: 'test-1' }) });
}

async function postgres(): Promise<Database> {
  const url = await emptyDatabase();
  return { place: { kind: 'postgres', url }, open: () => createPostgresStore({ url, chainId: 'test-1' }) };
}

/** A close that no block has, and the executions by another account, so that they can be told apart from recorded ones. */
function invented({ proposal, status }: EarlierLife): EarlierFacts {
  const at = { height: 7n, order: -100, time: 1_234n, hash: 'AB' };
  const executions = blocks
    .slice(0, Number(base))
    .flatMap(({ facts }) => facts)
    .flatMap((fact) => (fact.kind === 'execution' && fact.proposalId === proposal.id ? [fact] : []))
    .flatMap(({ at: place, result, logs }, index, all) =>
      place.height === null ? [] : [{ executor: 'finder', result, logs, at: { ...place, order: index - all.length } }],
    );
  return { close: status === null ? null : { by: 'DECIDED', account: 'finder', at }, executions };
}

type Search = (life: EarlierLife, signal: AbortSignal) => Promise<EarlierFacts>;

function record(store: ArchiveStore, earlier: Search, from?: bigint): Recording & { readonly lines: string[] } {
  const source = { ...createSimulatedSource(blocks), earlier };
  source.moveTo(base);
  const lines: string[] = [];
  const log = { status: () => undefined, backfill: (line: string) => void lines.push(line), audit: () => undefined };
  const recording = startRecording({ store, source, from, backoff: 5, longestBackoff: 20, log });
  stops.push(recording.stop);
  return { ...recording, lines };
}

/** The proposals that the state at the base shows, newest first. */
const shown = blocks[Number(base) - 1]!.start.flatMap((fact) => (fact.kind === 'proposal' ? [fact.id] : [])).toReversed();

describe.each([
  { name: 'SQLite', create: sqlite, skips: false },
  { name: `PostgreSQL${postgresNote}`, create: postgres, skips: !hasPostgres },
])('what came before a range, in $name', ({ create, skips }) => {
  it.skipIf(skips || !runsAll)(
    'is looked for once, also over failures and restarts, and gives way to what blocks show',
    async () => {
      const database = await create();
      const asked: bigint[] = [];
      let store = database.open();
      stops.push(() => store.close());
      /** Fails once, finds two, and then does not end. */
      let failures = 0;
      const first = record(store, async (life, signal) => {
        if (asked.length === 0 && failures++ === 0) throw new ChainError('NODE_UNREACHABLE', 'no node', {});
        asked.push(life.proposal.id);
        if (asked.length <= 2) return invented(life);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      });
      await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(3);
      await first.stop();
      await store.close();
      const interrupted = asked.pop();
      store = database.open();
      const second = record(store, async (life) => {
        asked.push(life.proposal.id);
        return invented(life);
      });
      await expect.poll(() => store.coverage().ranges.length).toBe(1);
      const before = store.coverage().generation;
      await expect
        .poll(() => second.lines, { timeout: 20_000 })
        .toEqual([`found what came before the recording of ${shown.length - 2} of ${shown.length - 2} proposals`]);
      expect(asked).toContain(interrupted);
      // The one that failed is asked for after the others.
      expect(asked.toSorted()).toEqual(shown.toSorted());
      expect(store.coverage().generation).toBeGreaterThan(before);

      const read = async () => {
        const records = await createArchiveReader(store, 'GOVERNANCE').recordPage(
          {},
          { first: 1_000, reverse: false, count: false },
          base,
        );
        const closes = records.items.flatMap(({ id, close }) => (close === null || !shown.includes(id) ? [] : [close]));
        return closes.map(({ account, at }) => [account, at.height]);
      };
      const found = await read();
      expect(found.length).toBeGreaterThan(2);
      expect(new Set(found.map(String))).toEqual(new Set(['finder,7']));
      // Rows at heights that are not covered are no damage.
      const stored = await openStoredArchive(database.place, 'test-1');
      expect(await stored.rowsOutside()).toEqual(new Map());
      expect(await stored.rowsMissing()).toEqual([]);
      await stored.close();
      await second.stop();

      const third = record(store, () => expect.fail('asked again'), 1n);
      await expect.poll(() => store.coverage().ranges.map((range) => range.base), { timeout: 20_000 }).toEqual([1n]);
      const expected = expectedRecordsOf(
        [...blocks[0]!.start, ...blocks.slice(1, Number(base)).flatMap(({ facts }) => facts)],
        base,
      );
      const reader = createArchiveReader(store, 'GOVERNANCE');
      const page = await reader.recordPage({}, { first: 1_000, reverse: false, count: false }, base);
      const closeOf = new Map(expected.proposals.map((proposal) => [proposal.id, expected.record(proposal).close]));
      expect(page.items.map(({ id, close }) => [id, close])).toEqual(page.items.map(({ id }) => [id, closeOf.get(id)]));
      for (const item of page.items) expect(await reader.executions([item])).toEqual([expected.executions(item.id)]);
      const filled = await openStoredArchive(database.place, 'test-1');
      expect(await filled.rowsMissing()).toEqual([]);
      await filled.close();
      await third.stop();
    },
  );

  it.skipIf(skips)(
    'stays unknown if no node has an index of transactions, and is looked for after the next start',
    async () => {
      const store = (await create()).open();
      stops.push(() => store.close());
      const asked: bigint[] = [];
      const search: Search = async ({ proposal }) => {
        asked.push(proposal.id);
        throw new ChainError('INDEX_UNAVAILABLE', 'no index', {});
      };
      for (const count of [1, 2]) {
        const recording = record(store, search);
        const line = 'no node has an index of transactions, so the closes of proposals before the recording stay unknown';
        await expect.poll(() => recording.lines).toEqual([line]);
        expect(asked).toEqual(Array.from({ length: count }, () => shown[0]));
        expect(recording.status().state).toBe('RECORDING');
        await recording.stop();
      }
    },
  );
});
