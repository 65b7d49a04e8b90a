import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Archive, archiveOf } from '../../src/archive/setup/archive.ts';
import { openArchive } from '../../src/archive/setup/open.ts';
import { createClient } from '../../src/chain/client.ts';
import { http } from '../../src/chain/transports/http.ts';
import { asObject, textAt } from '../../src/chain/wire/json.ts';
import { readConfig } from '../../src/config/settings/config.ts';
import { createRecorder } from '../../src/modules/group/recorder/recorder.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgCreateGroupSchema } from '../../src/proto/cosmos/group/v1/tx_pb.js';
import { createHealth } from '../../src/server/observability/health.ts';
import { startArchive } from '../../src/start/starting.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../support/archive/postgres.ts';
import { runsAll } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { startStack } from '../support/stack.ts';

const group = 'cosmos.group.v1';
const longPoll = { timeout: 20_000, interval: 10 };
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A chain without groups and everything of Provenance. */
async function otherChain(): Promise<TestChain> {
  const chain = await startChain({ without: ['group', 'marker', 'metadata', 'name', 'hold', 'flatfees'] });
  stops.push(() => chain.devnet.close());
  return chain;
}

const send = ({ accounts: [from, to] }: TestChain) =>
  any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: [{ denom: 'nhash', amount: '7' }] });

/** The paths of the group module that a node was called with. */
const groupCalls = ({ node }: TestChain): readonly string[] =>
  node.counters.log
    .map(({ params }) => textAt(asObject(params ?? {}, 'params'), 'path'))
    .filter((path) => path.startsWith(`/${group}`));

/** The modules that a chain has from now on are hidden, as before the upgrade that adds them. */
function hideGroups({ node }: TestChain): void {
  node.faults.call = ({ method, params }) =>
    method === 'abci_query' && textAt(asObject(params ?? {}, 'params'), 'path').startsWith(`/${group}`)
      ? { abci: { code: 6, codespace: 'sdk', log: 'unknown query path: unknown request' } }
      : undefined;
}

function clientOf(chain: TestChain) {
  const client = createClient({ transport: http(chain.node.url) });
  stops.push(() => client.close());
  return client;
}

const noLog = { status: () => undefined, backfill: () => undefined, audit: () => undefined };

interface Line {
  readonly message: string;
  readonly detail?: string | undefined;
  readonly isTrouble: boolean;
}

/** Starts the archive as the server does, with these flags. */
async function record(chain: TestChain, ...flags: readonly string[]) {
  const client = clientOf(chain);
  const directory = mkdtempSync(join(tmpdir(), 'stele-absent-'));
  stops.push(() => rmSync(directory, { recursive: true, force: true }));
  const lines: Line[] = [];
  const config = readConfig(['--dev', '--node', chain.node.url, '--data-dir', directory, ...flags], {});
  const log = { archive: (line: Line) => void lines.push(line) };
  const archive = await startArchive(config, { client, isEmbedded: false, log });
  stops.push(() => archive?.close());
  return { client, archive: archive!, lines };
}

const recordsTo = ({ reader }: Archive) => reader.coverage().ranges.at(-1)?.to;

describe('the archive of a chain without x/group', () => {
  it.each([
    ['governance', 'GOVERNANCE', null],
    ['full', 'FULL', 1n],
  ] as const)(
    'records blocks in SQLite, and says in the log and the probe what it leaves out: %s',
    async (flag, mode, transactions) => {
      const chain = await otherChain();
      await chain.devnet.commit();
      const { client, archive, lines } = await record(chain, '--archive', flag);
      await expect.poll(() => archive.recording.status().state, longPoll).toBe('RECORDING');
      await chain.run(chain.accounts[0]!, send(chain));
      await expect.poll(() => recordsTo(archive), longPoll).toBe(chain.devnet.height);
      expect(await archive.reader.stats()).toMatchObject({ mode, storage: 'SQLITE', proposals: 0n, votes: 0n, transactions });
      expect(lines).toEqual([
        {
          message: 'archive records',
          isTrouble: false,
          detail: 'nothing of cosmos.group.v1: the chain does not have the module',
        },
      ]);
      const { readiness } = createHealth({ client, archive });
      expect(readiness()).toEqual({ failed: [], chain: 'moving', archive: undefined, notRecorded: [group], roots: 'NO_TABLE' });
    },
  );

  it.skipIf(!hasPostgres)(`records blocks in PostgreSQL${postgresNote}`, async () => {
    const chain = await otherChain();
    await chain.devnet.commit();
    const archive = openArchive({
      client: clientOf(chain),
      recorder: createRecorder(),
      place: { kind: 'postgres', url: await emptyDatabase() },
      mode: 'FULL',
      from: undefined,
      log: noLog,
    });
    stops.push(() => archive.close());
    await expect.poll(() => archive.recording.status().state, longPoll).toBe('RECORDING');
    await chain.run(chain.accounts[0]!, send(chain));
    await expect.poll(() => recordsTo(archive), longPoll).toBe(chain.devnet.height);
    expect(await archive.reader.stats()).toMatchObject({ storage: 'POSTGRES', proposals: 0n, transactions: 1n });
    expect(archive.recording.status()).toMatchObject({ state: 'RECORDING', absent: [group] });
  });

  it.runIf(runsAll)(
    'answers with empty records, and with the transactions and transfers of mode full, also at a height',
    async () => {
      const chain = await otherChain();
      await chain.devnet.commit();
      const stack = await startStack([chain.node.url], { archive: { records: true } });
      stops.push(stack.close);
      const [from] = chain.accounts;
      const before = chain.devnet.height;
      await chain.run(from!, send(chain));
      await expect.poll(() => stack.client.head.current()?.height, longPoll).toBe(chain.devnet.height);
      // The block is recorded after it has become the head.
      const { reader } = archiveOf(stack.client.archive())!;
      await expect.poll(async () => (await reader.stats()).transactions, longPoll).toBe(1n);
      const document = `query ($a: String!, $h: Int64!) {
      archive { mode notRecorded proposals transactions }
      proposalRecords { totalCount nodes { id } }
      proposalRecord(id: 1) { id }
      account(address: $a) { voteRecords { totalCount } transactions(role: SIGNER) { nodes { code transfers { amount { amount } } } } }
      at(height: $h) { proposalRecords { totalCount } account(address: $a) { transactions(role: SIGNER) { nodes { code } } } }
    }`;
      const { body } = await stack.ask(document, { a: from!.address, h: String(before) });
      expect(body.errors).toBeUndefined();
      expect(body.data).toEqual({
        archive: { mode: 'FULL', notRecorded: [group], proposals: '0', transactions: '1' },
        proposalRecords: { totalCount: '0', nodes: [] },
        proposalRecord: null,
        // The fee is a transfer too.
        account: {
          voteRecords: { totalCount: '0' },
          transactions: {
            nodes: [{ code: 0, transfers: [{ amount: [{ amount: '1000000000' }] }, { amount: [{ amount: '7' }] }] }],
          },
        },
        at: { proposalRecords: { totalCount: '0' }, account: { transactions: { nodes: [] } } },
      });
      const response = await fetch(`${stack.server.url}/v1/proposals`);
      expect(await response.json()).toMatchObject({ items: [] });
      expect(stack.masked).toEqual([]);
    },
  );

  it.runIf(runsAll)('reads nothing of the module after the start', async () => {
    const chain = await otherChain();
    await chain.devnet.commit();
    const { archive } = await record(chain, '--archive', 'full');
    await expect.poll(() => archive.recording.status().state, longPoll).toBe('RECORDING');
    const calls = groupCalls(chain).length;
    expect(calls).toBeLessThanOrEqual(2);
    for (let block = 0; block < 5; block += 1) await chain.run(chain.accounts[0]!, send(chain));
    await expect.poll(() => recordsTo(archive), longPoll).toBe(chain.devnet.height);
    expect(groupCalls(chain)).toHaveLength(calls);
  });
});

describe('an upgrade that adds x/group', () => {
  it('is recorded from there on', async () => {
    const chain = await startChain();
    stops.push(() => chain.devnet.close());
    hideGroups(chain);
    const { archive, client, lines } = await record(chain, '--archive', 'governance');
    await expect.poll(() => archive.recording.status(), longPoll).toMatchObject({ state: 'RECORDING', absent: [group] });
    // The node starts again with the application that has the module.
    await chain.node.stop();
    chain.node.faults.call = undefined;
    await chain.node.start();
    await expect.poll(() => client.head.stats().subscriptions, longPoll).toBeGreaterThan(1);
    const [admin] = chain.accounts;
    const members = [{ address: admin!.address, weight: '1', metadata: '' }];
    await chain.run(admin!, any(MsgCreateGroupSchema, { admin: admin!.address, metadata: 'new', members }));
    await expect.poll(() => recordsTo(archive), longPoll).toBe(chain.devnet.height);
    await expect.poll(() => archive.recording.status().absent, longPoll).toEqual([]);
    expect(createHealth({ client, archive }).readiness().notRecorded).toBeUndefined();
    expect(lines.map(({ message, detail }) => [message, detail])).toEqual([
      ['archive records', 'nothing of cosmos.group.v1: the chain does not have the module'],
      ['archive records', undefined],
    ]);
  });
});

it.runIf(runsAll)('an error of the module other than its absence is tried again', async () => {
  const chain = await startChain();
  stops.push(() => chain.devnet.close());
  let failures = 0;
  chain.node.faults.call = ({ method, params }) => {
    const isGroups = method === 'abci_query' && textAt(asObject(params ?? {}, 'params'), 'path') === `/${group}.Query/Groups`;
    return isGroups && failures++ < 2 ? { abci: { code: 6, codespace: 'sdk', log: 'busy: unknown request' } } : undefined;
  };
  const archive = openArchive({
    client: clientOf(chain),
    recorder: createRecorder(),
    place: { kind: 'temporary' },
    mode: 'GOVERNANCE',
    from: undefined,
    log: noLog,
  });
  stops.push(() => archive.close());
  await expect.poll(() => archive.recording.status(), longPoll).toMatchObject({ state: 'RECORDING', absent: [] });
  expect(failures).toBeGreaterThanOrEqual(3);
});
