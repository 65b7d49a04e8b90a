import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createPostgresStore } from '../../src/archive/postgres/store.ts';
import { type ProposalRecordFilter, recordKey } from '../../src/archive/records.ts';
import { createSqliteStore } from '../../src/archive/sqlite/store.ts';
import type { ArchiveReads, ArchiveStore } from '../../src/archive/store/archiveStore.ts';
import { type ArchiveReader, createArchiveReader, type RecordPageRequest } from '../../src/archive/store/reader.ts';
import { textKinds } from '../../src/archive/store/texts.ts';
import { searchedWords } from '../../src/reads/words.ts';
import { hasPostgres, postgresNote, startPostgres } from '../../test/support/archive/postgres.ts';
import { accountOf, hashOf, historyOf, policyOf, shape, timeAt } from './history.ts';

/** A read of the archive. */
type ReadOf = (reader: ArchiveReader, round: number, asOf: bigint) => Promise<unknown>;

/** What a read took: the most queries, and times in ms. */
interface Taken {
  readonly queries: number;
  readonly median: number;
  readonly longest: number;
}

const first = (count: number): RecordPageRequest => ({ first: count, reverse: false, count: false });

function part(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}

/** Writes a history into an empty archive. */
async function fill(store: ArchiveStore, proposals: number): Promise<void> {
  await store.becomeWriter(new AbortController().signal, () => undefined);
  await store.begin({ height: 1n, hash: hashOf(1n), facts: [] });
  for (const block of historyOf(proposals)) await store.record(block);
}

/** A record with all its votes and its electorate, a hundred of each. It is another proposal in each round. */
const wholeRecord =
  (proposals: number): ReadOf =>
  async (reader, round, asOf) => {
    const full = Math.ceil(proposals / shape.fullEvery);
    const id = BigInt(((round * 7_919) % full) * shape.fullEvery + 1);
    const records = (await reader.records([id], asOf)).filter((record) => record !== null);
    const [[votes], [electorate]] = await Promise.all([
      reader.votes(records, first(100)),
      reader.electorate(records, first(100)),
    ]);
    if (votes?.items.length !== 100 || electorate?.items.length !== 100) throw new Error(`record ${id} is not whole`);
  };

/** A page of records with their votes, electorates and executions. */
const pageOfRecords =
  (proposals: number): ReadOf =>
  async (reader, round, asOf) => {
    const after = { key: recordKey({ id: BigInt(proposals - ((round * 7_919) % (proposals / 2))) }), place: undefined };
    const { items } = await reader.recordPage({}, { ...first(20), after }, asOf);
    await Promise.all([reader.votes(items, first(20)), reader.electorate(items, first(20)), reader.executions(items)]);
    if (items.length !== 20) throw new Error('the page is not whole');
  };

/** Filters by name. The first group has two of five proposals, and one of a thousand proposals is rejected. */
function filtersFor(proposals: number): Readonly<Record<string, ProposalRecordFilter>> {
  const [status, none] = [[3], [5]];
  const middle = BigInt(2 + Math.floor(proposals / shape.proposalsPerBlock / 2));
  const times = { submittedFrom: timeAt(middle), submittedTo: timeAt(middle + 1n) };
  return {
    'no filter': {},
    'status accepted': { status: [2] },
    'status rejected': { status },
    'status open': { status: [1] },
    'a status of none': { status: none },
    'result failure': { executorResult: [3] },
    'result not run': { executorResult: [1] },
    group: { groupId: 1n },
    'group, rejected': { groupId: 1n, status },
    'group, a status of none': { groupId: 1n, status: none },
    'group, failure': { groupId: 1n, executorResult: [3] },
    policy: { groupPolicyAddress: policyOf(0) },
    'policy, rejected': { groupPolicyAddress: policyOf(0), status },
    voter: { voter: accountOf(1) },
    'voter, rejected': { voter: accountOf(1), status },
    'voter, a status of none': { voter: accountOf(1), status: none },
    'voter, another group': { voter: accountOf(1), groupId: 900n },
    proposer: { proposer: accountOf(5) },
    'missed by': { missedBy: accountOf(1) },
    'missed by, rejected': { missedBy: accountOf(1), status },
    'message type': { messageType: '/cosmos.bank.v1beta1.MsgSend' },
    'message type, rejected': { messageType: '/cosmos.bank.v1beta1.MsgSend', status },
    time: times,
    'time, rejected': { ...times, status },
    'time, a status of none': { ...times, status: none },
    'time, voter': { ...times, voter: accountOf(1) },
  };
}

/** A reader of a store that counts its queries. */
function counted(store: ArchiveStore): { readonly reader: ArchiveReader; readonly queries: () => number } {
  let queries = 0;
  const counting =
    (run: ArchiveReads['read']): ArchiveReads['read'] =>
    (text, values) => {
      queries += 1;
      return run(text, values);
    };
  const reads: ArchiveReads = { ...store, read: counting(store.read), scan: counting(store.scan) };
  return { reader: createArchiveReader(reads, 'GOVERNANCE'), queries: () => queries };
}

async function take(store: ArchiveStore, rounds: number, read: ReadOf): Promise<Taken> {
  const { reader, queries } = counted(store);
  const asOf = store.coverage().ranges.at(-1)?.to ?? 0n;
  const times: number[] = [];
  let most = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = queries();
    const begun = performance.now();
    await read(reader, round, asOf);
    times.push(performance.now() - begun);
    most = Math.max(most, queries() - before);
  }
  return { queries: most, median: part(times, 0.5), longest: part(times, 1) };
}

const line = (name: string, { queries, median, longest }: Taken): string =>
  `  ${name.padEnd(44)}${String(queries).padStart(2)} queries${median.toFixed(2).padStart(10)} ms${longest.toFixed(1).padStart(10)} ms at most`;

/** Collects the statistics of the tables of a PostgreSQL database, as the server itself does within some minutes. */
async function analyze(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
}

async function measure(
  name: string,
  store: ArchiveStore,
  proposals: number,
  settle: () => Promise<void> = async () => undefined,
): Promise<void> {
  const begun = performance.now();
  await fill(store, proposals);
  await settle();
  const seconds = (performance.now() - begun) / 1_000;
  const megabytes = Number(await store.sizeBytes()) / 1e6;
  console.log(
    `\n${name}: ${proposals} proposals stored in ${seconds.toFixed(0)} s (${(proposals / seconds).toFixed(0)} a second), ${megabytes.toFixed(0)} MB`,
  );
  const whole = wholeRecord(proposals);
  await take(store, 50, whole);
  console.log(line('a record with 100 votes and 100 electors', await take(store, 300, whole)));
  console.log(line('a page of 20 with their parts', await take(store, 100, pageOfRecords(proposals))));
  console.log('  Pages of 20 by filter, forwards and backwards:');
  for (const [filter, conditions] of Object.entries(filtersFor(proposals))) {
    const takenIn = (reverse: boolean): Promise<Taken> =>
      take(store, 10, (reader, _, asOf) => reader.recordPage(conditions, { ...first(20), reverse }, asOf));
    const [one, other] = [await takenIn(false), await takenIn(true)];
    const both = {
      queries: Math.max(one.queries, other.queries),
      median: Math.max(one.median, other.median),
      longest: Math.max(one.longest, other.longest),
    };
    console.log(line(filter, both));
  }
  console.log('  First 20 of a search by words:');
  for (const text of ['pay', 'p', 'invoice pay', 'proposal 9', 'minutes meeting', 'm g', 'nothing at all']) {
    const words = searchedWords(text);
    console.log(
      line(
        text,
        await take(store, 50, (reader, _, asOf) =>
          reader.texts({ words, kinds: textKinds }, { limit: 20, after: undefined }, asOf),
        ),
      ),
    );
  }
  await store.close();
}

/** Measures reads of an archive with this many proposals, in both databases. */
export async function reads(proposals: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-bench-'));
  await measure('SQLite', createSqliteStore({ file: join(directory, 'archive.db'), chainId: 'bench' }), proposals);
  rmSync(directory, { recursive: true });
  if (!hasPostgres) {
    console.log(`\nPostgreSQL${postgresNote}`);
    return;
  }
  const server = await startPostgres();
  const url = await server.database();
  await measure('PostgreSQL', createPostgresStore({ url, chainId: 'bench' }), proposals, () => analyze(url));
  await server.close();
}
