import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifyBundle } from '../../packages/verify/src/answer/index.ts';
import { ProofError } from '../../packages/verify/src/index.ts';
import { runCommand } from '../../scripts/archive/command.ts';
import { bytesAt } from '../../src/archive/database/database.ts';
import { packed, unpacked } from '../../src/archive/full/contents.ts';
import { archiveFile } from '../../src/archive/setup/open.ts';
import { openSqlite } from '../../src/archive/sqlite/connection.ts';
import { createLightClient } from '../../src/chain/lightClient/lightClient.ts';
import { some } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { createGroup, exec, submitProposal, type TestGroup, vote, weigh, withdraw } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

const soon = { milliseconds: 20_000 };
const directory = mkdtempSync(join(tmpdir(), 'stele-kept-proofs-'));
const { STELE_ARCHIVE: _archive, STELE_DATA_DIR: _dir, ...env } = process.env;

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
/** Proposals by how they end. */
const ids = { executed: 0n, last: 0n, ended: 0n, withdrawn: 0n, open: 0n, atOnce: 0n };

interface Proof {
  readonly height: string;
  readonly bundle: object;
}

beforeAll(async () => {
  // In the past, so that a block half a minute later is not ahead of the clock.
  const genesisTime = BigInt(Date.now() - 3_600_000) * 1_000_000n;
  chain = await startChain({ bare: true, genesisTime, cosigners: () => [{ seed: 'b', power: 900_000_000n }] });
  const [one, two, three] = chain.accounts as [never, never, never];
  group = await createGroup(chain, [
    [one, '1'],
    [two, '2.5'],
    [three, '1'],
  ]);
  stack = await startStack(
    [chain.node.url],
    { upstream: { light: createLightClient({}) } },
    { archive: { records: { kind: 'directory', path: directory } } },
  );
  ids.executed = await submitProposal(chain, group, one, { title: 'Executed: ü, 1' });
  await chain.run(one, vote(one, ids.executed));
  await chain.run(two, vote(two, ids.executed, 'ABSTAIN'));
  await chain.run(three, vote(three, ids.executed));
  await chain.run(one, exec(one, ids.executed));
  // The last vote is in the block of the close.
  ids.last = await submitProposal(chain, group, two);
  await chain.run(one, vote(one, ids.last, 'NO'));
  await chain.run(two, vote(two, ids.last, 'YES', true));
  ids.withdrawn = await submitProposal(chain, group, three);
  await chain.run(two, vote(two, ids.withdrawn, 'NO_WITH_VETO'));
  await chain.run(three, withdraw(three, ids.withdrawn));
  ids.ended = await submitProposal(chain, group, one);
  await chain.run(three, vote(three, ids.ended));
  await chain.devnet.commit({ elapse: 30_000 });
  await chain.devnet.commit();
  ids.atOnce = await submitProposal(chain, group, two, { exec: true });
  // The group changes in the block of a later close.
  ids.open = await submitProposal(chain, group, one);
  await chain.run(one, weigh(one, group, [[three, '7']]));
  await stack.client.head.waitFor(await chain.devnet.commit(), soon);
  const closedIds = [ids.executed, ids.last, ids.withdrawn, ids.ended];
  await vi.waitFor(async () => {
    for (const id of closedIds) expect(await proofOf(id)).not.toBeNull();
  }, 20_000);
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Answer {
  readonly data: {
    readonly proposalRecord: { readonly closed: { readonly height: string } | null; readonly proof: Proof | null };
  };
}

async function recordOf(id: bigint, height?: bigint): Promise<Answer['data']['proposalRecord']> {
  const headers = height === undefined ? undefined : { 'x-cosmos-block-height': `${height}` };
  const query = 'query P($id: ID!) { proposalRecord(id: $id) { closed { height } proof { height bundle } } }';
  const { body } = await stack.ask(query, { id: `${id}` }, headers);
  const { data } = body as unknown as Answer;
  expect((body as { errors?: unknown }).errors).toBeUndefined();
  return data.proposalRecord;
}

const proofOf = async (id: bigint): Promise<Proof | null> => (await recordOf(id)).proof;

async function run(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly lines: readonly string[]; readonly err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [text(stdout), text(stderr)];
  const code = await runCommand([...args, '--data-dir', directory], { env, stdout, stderr });
  for (const stream of [stdout, stderr]) stream.end();
  return { code, lines: (await out).trim().split('\n'), err: await err };
}

/** Changes the database while `work` runs, and restores it. */
async function changed<T>(change: string, restore: string, work: () => Promise<T>): Promise<T> {
  const connection = openSqlite(archiveFile(directory, chain.devnet.chainId));
  try {
    await connection.run(change, []);
    return await work();
  } finally {
    await connection.run(restore, []);
    connection.close();
  }
}

const falseLines = (lines: readonly string[]) => lines.filter((line) => line.startsWith('false'));

describe('proofs of closed proposals', () => {
  it('are in their records: of the state before the close, signed by the validators', async () => {
    for (const id of [ids.executed, ids.last, ids.withdrawn, ids.ended]) {
      const { closed, proof } = await recordOf(id);
      expect(BigInt(proof!.height)).toBe(BigInt(closed!.height) - 1n);
      const { height, signedPower, totalPower, context } = await verifyBundle(proof!.bundle, { chainId: chain.devnet.chainId });
      expect([height, signedPower, totalPower, context.prefix]).toEqual([
        BigInt(proof!.height),
        totalPower,
        1_900_000_000n,
        'tp',
      ]);
    }
  });

  it('are null while votes are taken, before the close, and if the proposal existed at no height', async () => {
    expect((await recordOf(ids.open)).proof).toBeNull();
    expect((await recordOf(ids.atOnce)).closed).not.toBeNull();
    expect((await recordOf(ids.atOnce)).proof).toBeNull();
    const { closed } = await recordOf(ids.executed);
    const height = BigInt(closed!.height);
    expect((await recordOf(ids.executed, height - 1n)).proof).toBeNull();
    expect((await recordOf(ids.executed, height)).proof).not.toBeNull();
  });

  it('are verified offline by the command, which says what it verified', async () => {
    const calls = chain.node.counters.calls;
    const { code, lines, err } = await run('verify', '--proofs');
    expect([code, err]).toEqual([0, '']);
    const last = lines.slice(-3).map((line) => line.replace(/ +/g, ' '));
    expect(last[0]).toBe('proofs 4 verify, 0 are false; 1 closed proposals have none');
    expect(last[1]).toBe('proven 6 votes, none left out, and 12 members; 1 votes of the last blocks are in no state');
    expect(last[2]).toMatch(/^signed by validators [0-9A-F]{64}: 4 proofs, blocks \d+ to \d+$/);
    expect(chain.node.counters.calls).toBe(calls);
    expect((await run('verify')).lines.some((line) => line.startsWith('proofs'))).toBe(false);
  });

  it.each(
    some(
      [
        [
          'an option',
          'UPDATE votes SET option = 3 WHERE option = 2',
          'UPDATE votes SET option = 2 WHERE option = 3 AND proposal_id = :executed',
          'a recorded vote is not in the state',
        ],
        [
          'a title',
          "UPDATE proposals SET title = 'Other' WHERE id = :executed",
          "UPDATE proposals SET title = 'Executed: ü, 1' WHERE id = :executed",
          'another one than the recorded one',
        ],
        [
          'a weight',
          "UPDATE members SET weight = '3' WHERE weight = '2.5'",
          "UPDATE members SET weight = '2.5' WHERE weight = '3'",
          'the proven members are others',
        ],
        [
          'an added vote',
          'INSERT INTO votes SELECT :withdrawn, voter, seen, height, ord, time, hash, option, metadata, origin FROM votes WHERE proposal_id = :ended',
          'DELETE FROM votes WHERE proposal_id = :withdrawn AND option = 1',
          'a recorded vote came after the close',
        ],
        [
          'the height of a proof',
          'UPDATE proofs SET height = height - 1 WHERE proposal_id = :executed',
          'UPDATE proofs SET height = height + 1 WHERE proposal_id = :executed',
          'the proof is of height',
        ],
        [
          'the proof of another proposal',
          'UPDATE proofs SET proposal_id = -proposal_id WHERE proposal_id = :executed',
          'UPDATE proofs SET proposal_id = -proposal_id WHERE proposal_id < 0',
          undefined,
        ],
      ],
      3,
    ),
  )('contradict a database with %s changed', async (_, change, restore, reason) => {
    const named = (statement: string) => statement.replace(/:(\w+)/g, (_match, name: keyof typeof ids) => `${ids[name]}`);
    const { code, lines } = await changed(named(change), named(restore), () => run('verify', '--proofs'));
    if (reason === undefined) {
      expect(lines.join('\n')).toMatch(/3 verify, 0 are false; 2 closed proposals have none/);
      return;
    }
    expect(code).toBe(1);
    expect(falseLines(lines).length).toBeGreaterThan(0);
    expect(falseLines(lines).join('\n')).toContain(reason);
    expect((await run('verify', '--proofs')).code).toBe(0);
  });

  it('are refused by the command if one character of them is changed', async () => {
    const connection = openSqlite(archiveFile(directory, chain.devnet.chainId));
    try {
      const [row] = await connection.run(`SELECT content FROM proofs WHERE proposal_id = ${ids.executed}`, []);
      const content = bytesAt(row!, 'content');
      const json = unpacked(content);
      const write = (bytes: Uint8Array) =>
        connection.run('UPDATE proofs SET content = ? WHERE proposal_id = ?', [bytes, ids.executed]);
      const { stores, header } = JSON.parse(json) as {
        stores: { group: { tree: string; proof: string } };
        header: { app_hash: string };
      };
      for (const part of [stores.group.tree, stores.group.proof, header.app_hash]) {
        const place = json.indexOf(part) + Math.floor(part.length / 2);
        await write(packed(json.slice(0, place) + (json[place] === 'A' ? 'B' : 'A') + json.slice(place + 1)));
        const { code, lines } = await run('verify', '--proofs');
        expect(code).toBe(1);
        expect(falseLines(lines)).toHaveLength(1);
        expect(falseLines(lines)[0]).toContain(`proof of proposal ${ids.executed}`);
      }
      await write(content);
      expect((await run('verify', '--proofs')).code).toBe(0);
    } finally {
      connection.close();
    }
  });

  it('are exported, each in a form that verifies by itself', async () => {
    const { lines } = await run('export', '--format', 'ndjson', '--what', 'proofs');
    const rows = lines.map(
      (line) => JSON.parse(line) as { readonly proposalId: string; readonly height: string; readonly bundle: Proof['bundle'] },
    );
    expect(rows.map(({ proposalId }) => BigInt(proposalId))).toEqual(
      [ids.ended, ids.withdrawn, ids.last, ids.executed].toSorted((a, b) => Number(b - a)),
    );
    for (const { height, bundle } of rows) expect((await verifyBundle(bundle)).height).toBe(BigInt(height));
    await expect(verifyBundle({ ...rows[0]!.bundle, height: '2' })).rejects.toBeInstanceOf(ProofError);
    const csv = await run('export', '--format', 'csv', '--what', 'proofs');
    expect(csv.lines[0]!.trim()).toBe('proposalId,height,bundle');
    expect((await run('export', '--format', 'csv', '--proofs')).err).toContain('--proofs belongs to `verify`');
  });
});
