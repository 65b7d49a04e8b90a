import { existsSync } from 'node:fs';
import { bech32 } from '@scure/base';
import pg from 'pg';
import { type Connection, type Dialect, textAt, transact } from '../../src/archive/database/database.ts';
import { writePlaces } from '../../src/archive/full/contents.ts';
import { postgresConnection, postgresOptions } from '../../src/archive/postgres/connection.ts';
import { schemaName } from '../../src/archive/postgres/store.ts';
import { openSqlite } from '../../src/archive/sqlite/connection.ts';
import { prepareSchema } from '../../src/archive/store/schema.ts';
import { never } from '../../src/archive/store/storeFacts.ts';

/** The size of an archive of a chain that is used. */
export interface LargeArchive {
  /** Number of open proposals, which have the highest ids. */
  readonly open: number;
  readonly closed: number;
  /** Votes on each proposal. */
  readonly votes: number;
}

/** The id of the first proposal of the large group, and of the proposal of a small group that the honest caller reads. */
export const firstId = 1_001;
export const smallId = 1_000;

/** The large group. The chain has a group with this id, too. */
export const largeGroup = 1;

/** Number of blocks with contents in the index. The chain must have as many. */
export const indexedBlocks = 400;

/** Members that never vote. Their addresses follow those of the voters. */
const silent = 10;

/** Proposals whose votes one statement writes. */
const portion = 100;

/** Values of the searched tag in each block. */
const valuesPerBlock = 500;

const second = 1_000_000_000n;
const begun = 1_700_000_000n * second;

/** An account of 20 bytes. Addresses ascend. */
export function memberAddress(index: number): string {
  const bytes = new Uint8Array(20);
  new DataView(bytes.buffer).setUint32(0, index);
  return bech32.encode('tp', bech32.toWords(bytes));
}

/** Where the archive is. */
export type LargePlace =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

interface Opened {
  readonly connection: Connection;
  close(): Promise<void>;
}

async function open(place: LargePlace, chainId: string): Promise<Opened> {
  if (place.kind === 'sqlite') {
    const database = openSqlite(place.file);
    return { connection: database, close: async () => database.close() };
  }
  const schema = schemaName(chainId);
  const client = new pg.Client({ ...postgresOptions(place.url, schema), statement_timeout: 0 });
  await client.connect();
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  return { connection: postgresConnection(client), close: () => client.end() };
}

/** Whether the archive has been filled whole with this size. */
export async function isFilled(place: LargePlace, chainId: string, size: LargeArchive): Promise<boolean> {
  if (place.kind === 'sqlite' && !existsSync(place.file)) return false;
  const { connection, close } = await open(place, chainId);
  try {
    const [row] = await connection.run("SELECT value FROM meta WHERE name = 'bench'", []).catch(() => []);
    return row !== undefined && textAt(row, 'value') === JSON.stringify(size);
  } finally {
    await close();
  }
}

/** Upper case hex of 64 digits, as the hash of a transaction. */
const hashSql: Readonly<Record<Dialect, (number: string) => string>> = {
  sqlite: (number) => `printf('%064X', ${number})`,
  postgres: (number) => `lpad(upper(to_hex(${number})), 64, '0')`,
};

const countTo = (from: number, to: number): string =>
  `WITH RECURSIVE n (i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`;

const tagNames = ['tx/bench.key', 'tx/bench.other', 'tx/bench.action'] as const;

/** The indexes of votes, which are made again when all rows are there. */
const voteIndexes = [
  'CREATE INDEX votes_by_place ON votes (proposal_id, time, ord, voter)',
  'CREATE INDEX votes_by_voter ON votes (voter, time, ord, proposal_id)',
  'CREATE INDEX votes_by_voter_proposal ON votes (voter, proposal_id)',
];

async function fillGroups(connection: Connection, size: LargeArchive): Promise<void> {
  const total = size.votes + silent;
  await connection.run('CREATE TEMPORARY TABLE bench_members (position BIGINT NOT NULL, address TEXT NOT NULL)', []);
  for (let index = 0; index < total; index += 1) {
    const address = memberAddress(index);
    await connection.run('INSERT INTO bench_members (position, address) VALUES (?, ?)', [BigInt(index), address]);
  }
  await connection.run(
    "INSERT INTO members (member_set, address, weight, metadata) SELECT 'large', address, CASE WHEN position % 3 = 0 THEN '1.5' ELSE '1' END, '' FROM bench_members",
    [],
  );
  await connection.run(
    "INSERT INTO members (member_set, address, weight, metadata) SELECT 'small', address, '1', '' FROM bench_members WHERE position < 3",
    [],
  );
  for (const [id, set, weight] of [
    [largeGroup, 'large', String(total)],
    [largeGroup + 1_000, 'small', '3'],
  ] as const) {
    const common = [2n, 2n, 0n, begun, null, 'created', memberAddress(0)] as const;
    await connection.run(
      'INSERT INTO group_versions (group_id, version, seen, height, ord, time, hash, change, account, admin, metadata, total_weight, member_set) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      [BigInt(id), ...common, memberAddress(0), '', weight, set],
    );
    const policy = JSON.stringify(['/cosmos.group.v1.ThresholdDecisionPolicy', Buffer.alloc(24).toString('base64')]);
    await connection.run(
      'INSERT INTO policy_versions (address, version, seen, height, ord, time, hash, change, account, group_id, admin, metadata, policy) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      [memberAddress(9_000_000 + id), ...common, BigInt(id), memberAddress(0), '', policy],
    );
  }
}

async function fillProposals(connection: Connection, { open: opened, closed, votes }: LargeArchive): Promise<void> {
  const hash = hashSql[connection.dialect];
  const last = firstId + closed + opened - 1;
  const messages = JSON.stringify([JSON.stringify(['/cosmos.bank.v1beta1.MsgSend', Buffer.alloc(120).toString('base64')])]);
  const proposers = JSON.stringify([memberAddress(0)]);
  const end = '4102444800000000000';
  const summary = 'Pays what the minutes of the meeting say, from the account of the group.';
  const proposal = (from: number, to: number, group: number, closedAt: bigint) =>
    connection.run(
      `INSERT INTO proposals (id, seen, height, ord, time, hash, policy_address, group_id, group_version, policy_version, title, summary, metadata, messages, proposers, submit_time, voting_end, closed)
       ${countTo(from, to)} SELECT i, 3, 3, i, CAST(? AS BIGINT) + i, ${hash('i')}, ?, CAST(? AS BIGINT), 1, 1, 'Pay invoice ' || i, CAST(? AS TEXT), '', CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) + i, CAST(? AS TEXT), CAST(? AS BIGINT) FROM n`,
      [begun, memberAddress(9_000_000 + group), BigInt(group), summary, messages, proposers, begun, end, closedAt],
    );
  await proposal(smallId, smallId, largeGroup + 1_000, never);
  if (closed > 0) await proposal(firstId, firstId + closed - 1, largeGroup, 5n);
  await proposal(firstId + closed, last, largeGroup, never);
  await connection.run('INSERT INTO proposers (address, proposal_id) SELECT ?, id FROM proposals', [memberAddress(0)]);
  await connection.run(
    "INSERT INTO message_types (type, proposal_id) SELECT '/cosmos.bank.v1beta1.MsgSend', id FROM proposals",
    [],
  );
  const sum = (rest: number): string => {
    const positions = Array.from({ length: votes }, (_, index) => index).filter((index) => index % 4 === rest);
    return String(positions.reduce((total, index) => total + (index % 3 === 0 ? 1.5 : 1), 0));
  };
  const tally = JSON.stringify([0, 1, 2, 3].map(sum));
  await connection.run(
    `INSERT INTO closes (proposal_id, seen, height, ord, time, hash, closing, account, status, tally, group_version, policy_version, total_weight, computed, disagrees)
     SELECT id, 5, 5, id, CAST(? AS BIGINT), hash, 'DECIDED', NULL, CASE WHEN id % 10 = 0 THEN 3 ELSE 2 END, CAST(? AS TEXT), 1, 1, CAST(? AS TEXT), CAST(? AS TEXT), 0 FROM proposals WHERE closed = 5`,
    [begun + 3n * 60n * second, tally, String(votes + silent), tally],
  );
  await connection.run(
    `INSERT INTO executions (proposal_id, seen, height, ord, time, hash, executor, result, logs)
     SELECT proposal_id, 5, 5, ord, time, hash, CAST(? AS TEXT), CASE WHEN proposal_id % 100 = 1 THEN 3 ELSE 2 END, '' FROM closes WHERE status = 2`,
    [memberAddress(0)],
  );
  await connection.run(
    `INSERT INTO outcomes (outcome, proposal_id, group_id, policy_address) SELECT o.outcome, p.id, p.group_id, p.policy_address FROM (
       SELECT proposal_id, status AS outcome FROM closes UNION SELECT proposal_id, 100 + result FROM executions) o JOIN proposals p ON p.id = o.proposal_id`,
    [],
  );
}

async function fillVotes(connection: Connection, size: LargeArchive, note: (done: number) => void): Promise<void> {
  const last = firstId + size.closed + size.open - 1;
  const hash = hashSql[connection.dialect];
  const columns = 'proposal_id, voter, seen, height, ord, time, hash, option, metadata, origin';
  const one = (where: string) =>
    `INSERT INTO votes (${columns}) SELECT p.id, m.address, 4, 4, m.position, CAST(? AS BIGINT) + m.position, ${hash('p.id * 100000 + m.position')}, 1 + m.position % 4, '', 'MESSAGE'
      FROM proposals p CROSS JOIN bench_members m WHERE ${where} ORDER BY p.id, m.address`;
  const time = begun + 60n * second;
  await connection.run(one(`p.id = ${smallId} AND m.position < 3`), [time]);
  for (let from = firstId; from <= last; from += portion) {
    const to = Math.min(last, from + portion - 1);
    await transact(connection, () =>
      connection.run(one(`p.id BETWEEN ${from} AND ${to} AND m.position < ${size.votes}`), [time]),
    );
    note(to - firstId + 1);
  }
}

/** Values of events in every block, so that a search with several conditions reads as many rows as it may. */
async function fillIndex(connection: Connection): Promise<void> {
  for (const [index, name] of tagNames.entries())
    await connection.run('INSERT INTO event_tags (id, name) VALUES (?, ?)', [BigInt(1_000 + index), name]);
  const places = writePlaces(Array.from({ length: 3 }, (_, event) => ({ item: 0, event })));
  const rows = (tag: number, value: string, count: number) =>
    connection.run(
      `INSERT INTO event_values (tag, value, height, items, places)
       ${countTo(1, indexedBlocks * count)} SELECT ${tag}, ${value}, 1 + i / ${count}, 1, ? FROM n WHERE i / ${count} < ${indexedBlocks}`,
      [places],
    );
  await rows(1_000, `'key' || (i % ${valuesPerBlock})`, valuesPerBlock);
  await rows(1_001, `'other' || (i % ${valuesPerBlock})`, valuesPerBlock);
  await rows(1_002, "'send'", 1);
}

/** Fills an empty archive with rows as the recorder writes them. */
export async function fillLarge(
  place: LargePlace,
  chainId: string,
  size: LargeArchive,
  log: (line: string) => void,
): Promise<void> {
  const { connection, close } = await open(place, chainId);
  const start = performance.now();
  const seconds = (): string => ((performance.now() - start) / 1_000).toFixed(0);
  await transact(connection, () => prepareSchema(connection, chainId));
  if (connection.dialect === 'sqlite') await connection.run('PRAGMA cache_size = -400000', []);
  for (const name of ['votes_by_place', 'votes_by_voter', 'votes_by_voter_proposal'])
    await connection.run(`DROP INDEX ${name}`, []);
  await transact(connection, async () => {
    await fillGroups(connection, size);
    await fillProposals(connection, size);
    await fillIndex(connection);
  });
  const total = size.closed + size.open;
  let noted = 0;
  await fillVotes(connection, size, (done) => {
    if (done - noted < total / 10) return;
    noted = done;
    log(`  ${done} of ${total} proposals after ${seconds()} s`);
  });
  for (const index of voteIndexes) {
    await connection.run(index, []);
    log(`  an index of the votes after ${seconds()} s`);
  }
  await connection.run("INSERT INTO meta (name, value) VALUES ('bench', ?)", [JSON.stringify(size)]);
  if (connection.dialect === 'postgres') await connection.run('VACUUM ANALYZE', []);
  else await connection.run('PRAGMA wal_checkpoint(TRUNCATE)', []);
  await close();
}

/** Makes the archive cover the blocks 1 to `newest.height` of a chain, and no others. `base` is the hash of block 1. */
export async function coverChain(
  place: LargePlace,
  chainId: string,
  base: string,
  newest: { readonly height: bigint; readonly hash: string },
): Promise<void> {
  const { connection, close } = await open(place, chainId);
  await transact(connection, async () => {
    for (const table of ['ranges', 'checkpoints', 'indexed_ranges', 'present'])
      await connection.run(`DELETE FROM ${table}`, []);
    await connection.run('INSERT INTO ranges (base, until, base_hash, until_hash) VALUES (1, ?, ?, ?)', [
      newest.height,
      base,
      newest.hash,
    ]);
    await connection.run('DELETE FROM blocks WHERE height > ?', [newest.height]);
    await connection.run('DELETE FROM transactions', []);
    await connection.run('DELETE FROM event_values WHERE tag NOT IN (1000, 1001, 1002) OR height > ?', [newest.height]);
    await connection.run('INSERT INTO indexed_ranges (base, until, transactions) VALUES (1, ?, 0)', [newest.height]);
  });
  await close();
}
