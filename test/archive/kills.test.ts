import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bytesAt, type Connection, integerAt } from '../../src/archive/database/database.ts';
import type { Fact, UncertainPlace } from '../../src/archive/facts.ts';
import { eventValues } from '../../src/archive/full/storeContents.ts';
import { schemaName } from '../../src/archive/postgres/store.ts';
import { openSqlite } from '../../src/archive/sqlite/connection.ts';
import { openGovVotesIn, openGovVotesQuery } from '../../src/archive/store/govQueries.ts';
import { type Coverage, readCoverage } from '../../src/archive/store/ranges.ts';
import { connectPostgres } from '../support/archive/databases.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { contentsAt, createDice, simulate } from '../support/archive/simulation.ts';
import { runsAll, seed } from '../support/atRandom.ts';
import { builtProgram } from '../support/builds.ts';
import { lineOf } from '../support/process.ts';

/** `KILLS=200 npx vitest run test/archive/kills.test.ts` kills more often. */
const kills = Number(process.env.KILLS ?? (runsAll ? 24 : 2));

/** The length of a chain that is not all recorded before the last kill. */
const lengthFor = (kills: number): number => 300 + 10 * kills;
const blocks = simulate(seed, lengthFor(kills));
let child: ChildProcess | undefined;
let program: string;

beforeAll(async () => {
  program = await builtProgram('killedProcess');
});
afterAll(() => {
  child?.kill('SIGKILL');
});

/** The tables with their facts that have a place, and the columns that identify a row. */
const tables = {
  group_versions: ['group', 'group_id', 'version'],
  policy_versions: ['policy', 'address', 'version'],
  proposals: ['proposal', 'id'],
  votes: ['vote', 'proposal_id', 'voter'],
  executions: ['execution', 'proposal_id', 'ord'],
  closes: ['close', 'proposal_id'],
  prunes: ['prune', 'proposal_id'],
  unexplained: ['unexplained', 'what', 'proposal_id'],
  gov_proposals: ['govProposal', 'id'],
  gov_votes: ['govVote', 'proposal_id', 'voter', 'ord'],
  gov_deposits: ['govDeposit', 'proposal_id', 'depositor', 'ord'],
  gov_steps: ['govStep', 'proposal_id', 'step', 'disagrees'],
} as const;

const orderOf = ({ at }: { readonly at: UncertainPlace }): string => (at.height === null ? '' : String(at.order));

function nameOf(fact: Fact): string {
  if (fact.kind === 'group') return `${fact.groupId} ${fact.version}`;
  if (fact.kind === 'policy') return `${fact.address} ${fact.version}`;
  if (fact.kind === 'proposal' || fact.kind === 'govProposal') return `${fact.id}`;
  if (fact.kind === 'govVote') return `${fact.proposalId} ${fact.voter} ${orderOf(fact)}`;
  if (fact.kind === 'govDeposit') return `${fact.proposalId} ${fact.depositor} ${orderOf(fact)}`;
  // The tallies of the simulation agree.
  if (fact.kind === 'govStep') return `${fact.proposalId} ${fact.step} 0`;
  if (fact.kind === 'vote') return `${fact.proposalId} ${fact.voter}`;
  if (fact.kind === 'execution') return `${fact.proposalId} ${fact.at.height === null ? '' : fact.at.order}`;
  if (fact.kind === 'unexplained') return `${fact.what} ${fact.proposalId}`;
  return `${fact.proposalId}`;
}

/** Expects exactly the facts of the covered blocks: none is missing, none is there twice or from elsewhere. */
async function expectTrueCoverage(connection: Connection): Promise<Coverage> {
  const coverage = await readCoverage(connection);
  for (const [table, [kind, ...key]] of Object.entries(tables)) {
    const rows = await connection.run(`SELECT ${['height', ...key].join(', ')} FROM ${table} WHERE height IS NOT NULL`, []);
    const stored = rows.map((row) => `${integerAt(row, 'height')} ${key.map((column) => row[column]).join(' ')}`);
    const expected = blocks
      .filter(({ height }) => coverage.ranges.some(({ base, to }) => base < height && height <= to))
      .flatMap(({ height, facts }) => facts.filter((fact) => fact.kind === kind).map((fact) => `${height} ${nameOf(fact)}`));
    expect([table, stored.toSorted()]).toEqual([table, expected.toSorted()]);
  }
  await expectGovTallies(connection, coverage);
  await expectContents(connection, coverage);
  return coverage;
}

/**
 * Expects the powers of each covered tally of the governance module, and that the votes that were counted in it are those that the archive would count: nothing
 * is lost between two ranges.
 */
async function expectGovTallies(connection: Connection, { ranges }: Coverage): Promise<void> {
  const rows = await connection.run('SELECT height, proposal_id, address, operator, delegated FROM gov_powers', []);
  const stored = rows.map((row) => `${row.height} ${row.proposal_id} ${row.address} ${row.operator} ${row.delegated}`);
  const covered = (height: bigint) => ranges.some(({ base, to }) => base < height && height <= to);
  const tallies = blocks
    .filter(({ height }) => covered(height))
    .flatMap(({ height, facts }) =>
      facts.flatMap((fact) => (fact.kind === 'govStep' && fact.computed !== null ? [{ height, fact }] : [])),
    );
  const expected = tallies.flatMap(({ height, fact: { proposalId, powers } }) =>
    powers.map(({ address, operator, delegated }) => `${height} ${proposalId} ${address} ${operator} ${delegated}`),
  );
  expect(stored.toSorted()).toEqual(expected.toSorted());
  for (const { height, fact } of tallies) {
    const { text, values } = openGovVotesQuery(fact.proposalId, height - 1n);
    const counted = openGovVotesIn(await connection.run(text, values)).map(({ voter, options }) => [voter, options]);
    const inBlock = blocks[Number(height) - 1]!.facts.flatMap((each) =>
      each.kind === 'govVote' && each.proposalId === fact.proposalId ? [[each.voter, each.options] as const] : [],
    );
    const voters = fact.powers.flatMap(({ address, options }) => (options === null ? [] : [[address, options] as const]));
    expect(new Map([...counted.map(([voter, options]) => [voter, options] as const), ...inBlock])).toEqual(new Map(voters));
  }
}

/** Expects exactly the contents of the covered blocks, with their index. The block at the base of a range has none. */
async function expectContents(connection: Connection, { ranges, indexed, transactions }: Coverage): Promise<void> {
  const heights = ranges.flatMap(({ base, to }) =>
    Array.from({ length: Number(to - base) }, (_, index) => base + 1n + BigInt(index)),
  );
  expect(
    indexed.flatMap(({ from, to }) => Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index))),
  ).toEqual(heights);
  const all = heights.map(contentsAt);
  const read = async (query: string): Promise<readonly string[]> =>
    (await connection.run(query, [])).map((row) => Object.values(row).map(String).join(' ')).toSorted();
  expect(await read('SELECT height, transactions FROM blocks')).toEqual(
    all.map((each) => `${each.height} ${each.transactions.length}`).toSorted(),
  );
  const hashes = (await connection.run('SELECT hash FROM transactions', [])).map((row) =>
    Buffer.from(bytesAt(row, 'hash')).toString('hex').toUpperCase(),
  );
  const expected = all.flatMap((each) => each.transactions.map(({ hash }) => hash));
  expect([hashes.toSorted(), transactions]).toEqual([expected.toSorted(), BigInt(expected.length)]);
  expect(await read('SELECT t.name, v.value, v.height, v.items FROM event_values v JOIN event_tags t ON t.id = v.tag')).toEqual(
    all.flatMap((each) => eventValues(each).map(({ tag, text, items }) => `${tag} ${text} ${each.height} ${items}`)).toSorted(),
  );
}

/** Kills the recording of an archive again and again, and checks after each kill. Then lets it end. */
async function killAndCheck(place: string, kills: number, connect: () => Promise<readonly [Connection, () => Promise<void>]>) {
  const dice = createDice(seed);
  const length = lengthFor(kills);
  const start = (): ChildProcess => {
    const started = spawn(process.execPath, [program, place, String(seed), String(length)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = started;
    return started;
  };
  const check = async (): Promise<Coverage> => {
    const [connection, close] = await connect();
    try {
      // One snapshot: a running writer commits whole blocks, and a reader never sees half of one.
      await connection.run(connection.dialect === 'sqlite' ? 'BEGIN' : 'BEGIN ISOLATION LEVEL REPEATABLE READ', []);
      return await expectTrueCoverage(connection);
    } finally {
      await close();
    }
  };
  let recorded = 0n;
  let inTime = 0;
  for (let kill = 0; kill < kills; kill++) {
    const running = start();
    // Some are killed while they start, but not the one that makes the tables.
    if (kill === 0 || dice.chance(0.8)) await lineOf(running, /^RECORDING$/);
    await sleep(dice.roll(80));
    running.kill('SIGKILL');
    await once(running, 'exit');
    const { ranges } = await check();
    const now = ranges.reduce((sum, { base, to }) => sum + (to - base), 0n);
    expect(now).toBeGreaterThanOrEqual(recorded);
    recorded = now;
    inTime += now < BigInt(length - 1) ? 1 : 0;
  }
  // Most kills met a process that had blocks to record.
  expect(inTime).toBeGreaterThanOrEqual(kills / 2);
  const last = start();
  await expect
    .poll(async () => (await check()).ranges.map(({ base, to }) => [base, to]), {
      interval: 200,
      timeout: 120_000 + kills * 2_000,
    })
    .toEqual([[1n, BigInt(length)]]);
  last.kill('SIGKILL');
  await once(last, 'exit');
}

describe('an archive in SQLite whose process is killed while it records and fills in', () => {
  it.runIf(runsAll)('has no gap and no duplicate, and its coverage is true', { timeout: 180_000 + kills * 5_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'stele-kills-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const file = join(directory, 'killed.db');
    await killAndCheck(file, kills, async () => {
      const connection = openSqlite(file, { isReader: true });
      return [connection, async () => connection.close()];
    });
  });
});

describe.skipIf(!hasPostgres)(
  `an archive in PostgreSQL whose process is killed while it records and fills in${postgresNote}`,
  () => {
    it.runIf(runsAll)(
      'has no gap and no duplicate, and its coverage is true',
      { timeout: 180_000 + kills * 5_000 },
      async () => {
        const url = await emptyDatabase();
        await killAndCheck(url, Math.ceil(kills / 4), () => connectPostgres(url, schemaName('test-1')));
      },
    );

    it.runIf(runsAll)('is written by another server within ten seconds after the writer was killed', async () => {
      const url = await emptyDatabase();
      const run = (): ChildProcess =>
        spawn(process.execPath, [program, url, String(seed), '300'], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
      const [writer, other] = [run(), run()];
      try {
        const states = [writer, other].map((started) => lineOf(started, /^(RECORDING|STANDBY)$/));
        const [first, second] = (await Promise.all(states)).map(([state]) => state);
        expect([first, second].toSorted()).toEqual(['RECORDING', 'STANDBY']);
        const [dying, waiting] = first === 'RECORDING' ? [writer, other] : [other, writer];
        const killedAt = performance.now();
        dying.kill('SIGKILL');
        await lineOf(waiting, /^RECORDING$/);
        expect(performance.now() - killedAt).toBeLessThan(10_000);
      } finally {
        writer.kill('SIGKILL');
        other.kill('SIGKILL');
      }
    });
  },
);
