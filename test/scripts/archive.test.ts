import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditTallies } from '../../scripts/archive/auditTallies.ts';
import { runCommand } from '../../scripts/archive/command.ts';
import { createPostgresStore, schemaName } from '../../src/archive/postgres/store.ts';
import { openSqlite } from '../../src/archive/sqlite/connection.ts';
import { createSqliteStore } from '../../src/archive/sqlite/store.ts';
import type { ArchiveStore } from '../../src/archive/store/archiveStore.ts';
import { createArchiveReader } from '../../src/archive/store/reader.ts';
import { connectPostgres } from '../support/archive/databases.ts';
import { manyProposals } from '../support/archive/manyProposals.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { hashAt } from '../support/archive/simulation.ts';
import { runsAll } from '../support/atRandom.ts';
import { builtProgram } from '../support/builds.ts';
import { csvObjects } from '../support/csv.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-command-'));
const chainId = 'test-1';
const many = { proposals: 250, votes: 3, title: (index: number) => (index === 0 ? '=1+1' : `Title ${index}`) };

interface Output {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const { STELE_ARCHIVE: _archive, STELE_DATA_DIR: _dir, ...env } = process.env;

/** Runs the command as `npm run archive` does. */
async function runProcess(...args: readonly string[]): Promise<Output> {
  const child = spawn(process.execPath, [await builtProgram('archive'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const parts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (parts.out += chunk));
  child.stderr.on('data', (chunk: Buffer) => (parts.err += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...parts };
}

/** Runs the command: in CI as a process, otherwise in this process, which takes less time. */
async function run(...args: readonly string[]): Promise<Output> {
  if (runsAll) return runProcess(...args);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [text(stdout), text(stderr)];
  const code = await runCommand(args, { env, stdout, stderr });
  for (const stream of [stdout, stderr]) stream.end();
  return { code, out: await out, err: await err };
}

/** Records two blocks, the second one with many proposals. */
async function fill(store: ArchiveStore): Promise<void> {
  await store.becomeWriter(new AbortController().signal, () => undefined);
  await store.begin({ height: 1n, hash: hashAt(1n), facts: [] });
  await store.record({ height: 2n, hash: hashAt(2n), previousHash: hashAt(1n), facts: manyProposals(2n, many) });
}

let store: ArchiveStore;
const file = join(directory, `${chainId}.db`);

beforeAll(async () => {
  store = createSqliteStore({ file, chainId });
  await fill(store);
});
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('a SQLite file that a server records into', () => {
  it('is verified: the coverage, and each tally computed again', async () => {
    const { code, out, err } = await runProcess('verify', '--data-dir', directory);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'chain test-1',
      'coverage 2 to 2',
      'proposals 250 with 750 votes; 0 unexplained',
      'tallies 250 agree, 0 differ, 0 cannot be compared',
      'governance 0 proposals with 0 votes',
      'tallies 0 agree, 0 differ, 0 cannot be compared',
      '',
    ]);
  });

  it('is exported as NDJSON and as CSV, proposals and votes', async () => {
    const [proposals, votes] = await Promise.all([
      run('export', '--format', 'ndjson', '--data-dir', directory, '--chain-id', chainId),
      run('export', '--format', 'csv', '--what', 'votes', '--data-dir', directory),
    ]);
    expect([proposals.code, proposals.err, votes.code, votes.err]).toEqual([0, '', 0, '']);
    const rows = proposals.out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { readonly id: string; readonly title: string });
    expect(rows.map(({ id }) => Number(id))).toEqual(Array.from({ length: 250 }, (_, index) => 250 - index));
    expect(rows.at(-1)).toMatchObject({ title: '=1+1', tally: { yesCount: '3' }, complete: true });
    const cast = csvObjects(votes.out);
    expect(cast).toHaveLength(750);
    expect(cast[0]).toMatchObject({
      proposalId: '250',
      voter: 'tp1voter000000',
      option: 'VOTE_OPTION_YES',
      weight: '1',
      blockHeight: '2',
    });
  });

  it('a reader that leaves ends the export', async () => {
    const child = spawn(
      process.execPath,
      [await builtProgram('archive'), 'export', '--format', 'ndjson', '--data-dir', directory],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await once(child, 'exit');
    expect(err).toBe('');
  });

  it('fails with status 1 if a tally differs, or a row lies outside of the coverage', async () => {
    const writer = openSqlite(file);
    writer.runNow("UPDATE votes SET option = 3 WHERE proposal_id = 9 AND voter = 'tp1voter000001'", []);
    const changed = await runProcess('verify', '--data-dir', directory);
    expect(changed.code).toBe(1);
    expect(changed.out).toContain(
      'differs      proposal 9: chain {"yesCount":"3","abstainCount":"0","noCount":"0","noWithVetoCount":"0"}, computed {"yesCount":"2","abstainCount":"0","noCount":"1","noWithVetoCount":"0"}',
    );
    expect(changed.out).toContain('249 agree, 1 differ');
    writer.runNow('UPDATE votes SET option = 1 WHERE proposal_id = 9', []);
    writer.runNow('UPDATE votes SET height = 7 WHERE proposal_id = 3', []);
    const outside = await run('verify', '--data-dir', directory);
    expect([outside.code, outside.out]).toEqual([
      1,
      expect.stringContaining('outside      3 rows of votes lie outside of the coverage'),
    ]);
    writer.runNow('UPDATE votes SET height = 2 WHERE proposal_id = 3', []);
    writer.close();
  });

  it('fails with status 1 if rows are missing, with their table and heights', async () => {
    const writer = openSqlite(file);
    const [lost] = writer.runNow('SELECT * FROM proposals WHERE id = 9', []);
    writer.runNow('DELETE FROM proposals WHERE id = 9', []);
    const missing = await run('verify', '--data-dir', directory);
    expect(missing.code).toBe(1);
    expect(missing.out).toContain('missing      1 of 250 rows of proposals at the heights 0 to 9999 are missing');
    const columns = Object.keys(lost!);
    const values = columns.map((column) => lost![column]!);
    writer.runNow(`INSERT INTO proposals (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`, values);
    writer.close();
    expect((await run('verify', '--data-dir', directory)).code).toBe(0);
  });

  it('fails with status 2 and its usage if its flags are wrong', async () => {
    const { code, err } = await runProcess('verify', '--format', 'csv');
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^archive: --format and --what belong to `export`\nnpm run archive -- /),
    ]);
  });

  it.each([
    [[], 'the command must be `verify` or `export`'],
    [['export', '--format', 'xml'], '--format must be `ndjson` or `csv`'],
    [['verify', '--archive', 'postgres://u:secret@h/d'], '--archive postgres://… needs --chain-id or --network'],
    [['verify', '--data-dir', '/nowhere'], 'there is no archive in /nowhere'],
    [['verify', '--data-dir', directory, '--chain-id', 'other-1'], `there is no archive at ${join(directory, 'other-1.db')}`],
  ] as const)('%j fails with status 2: %s', async (args, message) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`archive: ${message}`);
    expect(err).not.toContain('secret');
  });
});

describe.skipIf(!hasPostgres || !runsAll)(`a PostgreSQL database that a server records into${postgresNote}`, () => {
  it('is verified and exported', async () => {
    // A URL needs a host; the directory of the socket overrides it.
    const url = (await emptyDatabase()).replace('@/', '@localhost/');
    const writer = createPostgresStore({ url, chainId });
    await fill(writer);
    try {
      const place = ['--archive', url, '--chain-id', chainId];
      const verified = await run('verify', ...place);
      expect([verified.code, verified.err]).toEqual([0, '']);
      expect(verified.out).toContain('250 agree, 0 differ, 0 cannot be compared');
      const { code, out } = await run('export', '--format', 'csv', ...place);
      expect([code, csvObjects(out).length, csvObjects(out).at(-1)!.title]).toEqual([0, 250, "'=1+1"]);
      const [connection, end] = await connectPostgres(url, schemaName(chainId));
      await connection.run("UPDATE closes SET tally = replace(tally, '3', '4') WHERE proposal_id = 5", []);
      await end();
      expect((await run('verify', ...place)).code).toBe(1);
      const [again, close] = await connectPostgres(url, schemaName(chainId));
      await again.run("DELETE FROM votes WHERE proposal_id = 7 AND voter = 'tp1voter000001'", []);
      await close();
      expect((await run('verify', ...place)).out).toContain(
        'missing      1 of 750 rows of votes at the heights 0 to 9999 are missing',
      );
      const other = await run('verify', '--archive', url, '--chain-id', 'other-1');
      expect([other.code, other.err]).toEqual([2, expect.stringContaining('there is no archive of the chain other-1')]);
    } finally {
      await writer.close();
    }
  });
});

it.runIf(runsAll)('the audit counts a proposal whose members are not known as not comparable', async () => {
  const other = createSqliteStore({ file: join(directory, 'unknown.db'), chainId });
  try {
    await other.becomeWriter(new AbortController().signal, () => undefined);
    await other.begin({ height: 1n, hash: hashAt(1n), facts: [] });
    const facts = manyProposals(2n, { proposals: 4, votes: 2 });
    const hidden = facts.map((fact) => (fact.kind === 'close' && fact.proposalId === 2n ? { ...fact, computed: null } : fact));
    await other.record({ height: 2n, hash: hashAt(2n), previousHash: hashAt(1n), facts: hidden });
    const differ: bigint[] = [];
    const found = await auditTallies(createArchiveReader(other, 'GOVERNANCE'), 2n, ({ id }) => differ.push(id));
    expect([found, differ]).toEqual([{ proposals: 4n, votes: 8n, agree: 3n, differ: 0n, notComparable: 1n }, []]);
  } finally {
    await other.close();
  }
});
