import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import type { Devnet } from '../../../packages/devnet/src/devnet.ts';
import { archiveOf } from '../../../src/archive/setup/archive.ts';
import { clientAnswer, nodeAnswer, openFullArchive, startBusyChain } from '../../support/archive/fullArchive.ts';
import { runsAll } from '../../support/atRandom.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-full-'));
afterAll(() => rmSync(directory, { recursive: true }));

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

interface Statement {
  readonly sources: readonly string[];
  readonly denoms: readonly { readonly unexplained: string; readonly lines: readonly object[] }[];
}

async function startChain(): Promise<Devnet> {
  const devnet = await startBusyChain();
  stops.push(() => devnet.close());
  return devnet;
}

async function commit(devnet: Devnet, count: number): Promise<void> {
  for (let block = 0; block < count; block++) await devnet.commit();
}

/** Resolves when the archive of a server has the newest block. */
async function recorded({ client }: Stack, devnet: Devnet): Promise<void> {
  await archiveOf(client.archive())!.reader.waitFor(devnet.height, { milliseconds: 30_000 });
}

describe('a server with an archive of mode FULL', () => {
  it.runIf(runsAll)('makes the statement of what it has recorded from its index, if no node has one', async () => {
    const devnet = await startChain();
    const nodes = devnet.nodes.map(({ url }) => url);
    const records = { kind: 'directory', path: join(directory, 'statements') } as const;
    await commit(devnet, 5);
    const first = await startStack(nodes, { archive: { records } });
    await first.client.head.waitFor(devnet.height, { milliseconds: 30_000 });
    await commit(devnet, 30);
    await recorded(first, devnet);
    await first.close();
    // This one has the newest blocks in memory only.
    const stack = await startStack(nodes, { archive: { records } });
    stops.push(stack.close);
    await commit(devnet, 1);
    await recorded(stack, devnet);
    for (const node of devnet.nodes) node.faults.noIndex = true;
    const { from = 0n } = archiveOf(stack.client.archive())!.reader.coverage().indexed[0] ?? {};
    expect(from).toBeGreaterThan(2n);
    const sourcesOf = async (start: bigint, end: bigint): Promise<readonly string[]> => {
      const query = `query ($address: String!) { account(address: $address) {
        statement(from: "${start}", to: "${end}") { sources denoms { unexplained lines { kind } } } } }`;
      const { body } = await stack.ask(query, { address: createAccounts(10)[2]!.address });
      expect(body.errors).toBeUndefined();
      const { statement } = (body.data as { account: { statement: Statement } }).account;
      expect(statement.denoms.filter(({ unexplained }) => unexplained !== '0')).toEqual([]);
      expect(statement.denoms.flatMap(({ lines }) => lines).length).toBeGreaterThan(0);
      return statement.sources;
    };
    expect(await sourcesOf(from, devnet.height - 5n)).toEqual(['ARCHIVE']);
    expect(await sourcesOf(from, devnet.height)).toEqual(['ARCHIVE', 'BLOCKS']);
    expect(await sourcesOf(from - 2n, devnet.height - 5n)).toEqual(['BLOCKS']);
  });

  it.runIf(runsAll)(
    'answers searches like one without, and asks no node',
    async () => {
      const devnet = await startChain();
      const nodes = devnet.nodes.map(({ url }) => url);
      const [plain, recording] = [await startStack(nodes), await startStack(nodes, { archive: { records: true } })];
      stops.push(plain.close, recording.close);
      await commit(devnet, 30);
      const height = devnet.height.toString();
      const at = { 'x-cosmos-block-height': height };
      for (const { client } of [plain, recording]) await client.head.waitFor(devnet.height, { milliseconds: 30_000 });
      await recorded(recording, devnet);
      const [, , account] = createAccounts(10);
      const page = 'totalCount pageInfo { hasNextPage endCursor }';
      const events =
        'edges { cursor node { amount { denom amount } height transaction { hash } } } pageInfo { hasNextPage endCursor } completeFrom';
      const searches = [
        `{ transactions(query: "message.module = 'bank'", first: 3) { ${page} nodes { hash height index log } } }`,
        `{ transactions(query: "tx.height > 2", first: 5, offset: 3, reverse: true) { ${page} nodes { hash height index } } }`,
        `{ blockSearch(query: "block.height > 3", first: 4) { ${page} nodes { height hash } } }`,
        `{ transfers(account: "${account!.address}", first: 5) { ${events} } }`,
        `{ transfers(denom: "nhash", first: 5) { ${events} } }`,
        '{ marker(denom: "goldcoin") { netAssetValueHistory(first: 5) { nodes { volume price { amount denom } updatedBlockHeight } completeFrom } } }',
      ];
      for (const query of searches) {
        const [expected, answer] = [await plain.ask(query, {}, at), await recording.ask(query, {}, at)];
        expect(expected.body.errors, query).toBeUndefined();
        expect(answer.body.data, query).toEqual(expected.body.data);
      }
      const rest = `/v1/transfers/${account!.address}?height=${height}`;
      const [own, other] = await Promise.all(
        [plain, recording].map(async ({ server }) => (await fetch(server.url + rest)).text()),
      );
      expect(other).toBe(own);
      const rpc = { query: 'tx.height > 0', prove: true, per_page: '4', page: '2' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tx_search', params: rpc });
      const response = await fetch(`${recording.server.url}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect((await response.text()).includes(`"result":${await nodeAnswer(devnet, 'tx_search', rpc)}`)).toBe(true);
      const searched = recording.client.calls().filter(({ method }) => method === 'tx_search' || method === 'block_search');
      expect(searched).toEqual([]);
      expect(plain.client.calls().some(({ method }) => method === 'tx_search')).toBe(true);
    },
    60_000,
  );

  it('lists the transactions of an account by role, in both directions and with cursors', async () => {
    const devnet = await startChain();
    const stack = await startStack(
      devnet.nodes.map(({ url }) => url),
      { archive: { records: true } },
    );
    stops.push(stack.close);
    await commit(devnet, 30);
    await recorded(stack, devnet);
    interface Json {
      hash: string;
      height: string;
      index: number;
      tx_result: { events: { type: string; attributes: { key: string; value: string }[] }[] };
    }
    interface AccountPage {
      totalCount: string;
      nodes: Json[];
      pageInfo: { hasNextPage: boolean; endCursor: string };
    }
    const all: Json[] = JSON.parse(await nodeAnswer(devnet, 'tx_search', { query: 'tx.height > 0', per_page: '100' })).txs;
    const takesPart = (address: string) => (tx: Json) => JSON.stringify(tx.tx_result.events).includes(address);
    const signs = (address: string) => (tx: Json) =>
      tx.tx_result.events.some(({ attributes }) =>
        attributes.some(({ key, value }) => key === 'acc_seq' && value.startsWith(address)),
      );
    const { address } = createAccounts(10).find((one) => {
      const signed = all.filter(signs(one.address)).length;
      return signed > 0 && all.filter(takesPart(one.address)).length > signed;
    })!;
    for (const [role, test] of [
      ['ANY', takesPart(address)],
      ['SIGNER', signs(address)],
    ] as const)
      for (const reverse of [false, true]) {
        const hashes: string[] = [];
        for (let after: string | null = null, more = true; more; ) {
          const answer: { body: { data?: unknown } } = await stack.ask(
            `query ($after: String) { account(address: "${address}") { transactions(role: ${role}, first: 3, reverse: ${reverse}, after: $after) { totalCount nodes { hash } pageInfo { hasNextPage endCursor } } } }`,
            { after },
          );
          const found: AccountPage = (answer.body.data as { account: { transactions: AccountPage } }).account.transactions;
          expect(found.totalCount).toBe(String(all.filter(test).length));
          hashes.push(...found.nodes.map(({ hash }) => hash));
          [after, more] = [found.pageInfo.endCursor, found.pageInfo.hasNextPage];
        }
        const expected = all.filter(test).map(({ hash }) => hash);
        expect(hashes, `${role} ${reverse}`).toEqual(reverse ? expected : expected.toReversed());
      }
    const { body } = await stack.ask('{ archive { mode transactions } }');
    expect(body.data).toEqual({ archive: { mode: 'FULL', transactions: String(all.length) } });
  }, 60_000);
});

describe('outside of the index', () => {
  it('asks a node for searches below the index, and not for those within', async () => {
    const devnet = await startChain();
    await commit(devnet, 10);
    const full = await openFullArchive(devnet.nodes[0]!.url);
    stops.push(full.close);
    await full.archive.reader.waitFor(devnet.height, { milliseconds: 10_000 });
    await commit(devnet, 10);
    await full.indexed(12n);
    const asked = async (query: string): Promise<number> => {
      const before = full.calls('tx_search');
      const params = { query, per_page: '100' };
      expect(JSON.stringify(await full.client.call('tx_search', params))).toBe(await nodeAnswer(devnet, 'tx_search', params));
      return full.calls('tx_search') - before;
    };
    // The chain began at block 1, and recording at block 11.
    expect(await asked('tx.height >= 12')).toBe(0);
    expect(await asked('tx.height >= 11')).toBe(1);
    expect(await asked("message.module = 'bank'")).toBe(1);
    expect(await asked('tx.height >= 12 AND tx.height <= 99999')).toBe(0);
    // An index of a node keeps one of two bounds.
    expect(await asked('tx.height >= 12 AND tx.height >= 14')).toBe(1);
  }, 60_000);
});

describe('while no node can be reached', () => {
  it('refuses the searches that every node refuses, in the words of the node', async () => {
    const devnet = await startChain();
    const full = await openFullArchive(devnet.nodes[0]!.url);
    stops.push(full.close);
    await full.archive.reader.waitFor(devnet.height, { milliseconds: 10_000 });
    await commit(devnet, 5);
    const { height } = devnet;
    await full.indexed(height - 3n);
    const held = (heightTag: string) => `${heightTag} >= ${height - 3n} AND ${heightTag} <= ${height}`;
    const refused = [
      ['tx_search', { query: "tm.event='NewBlock' OR 1=1" }],
      ['tx_search', { query: `a.b='${'x'.repeat(512)}'` }],
      ['tx_search', { query: held('tx.height'), order_by: 'up' }],
      ['tx_search', { query: held('tx.height'), page: '0' }],
      ['tx_search', { query: held('tx.height'), page: '-3' }],
      ['tx_search', { query: held('tx.height'), page: '99' }],
      ['block_search', { query: 'block.height >', order_by: 'up' }],
      ['block_search', { query: held('block.height'), order_by: 'newest' }],
    ] as const;
    const words: string[] = [];
    for (const [method, params] of refused) words.push(await nodeAnswer(devnet, method, params));
    const answer = await nodeAnswer(devnet, 'tx_search', { query: held('tx.height') });
    await devnet.close();
    for (const [index, [method, params]] of refused.entries()) {
      expect(words[index]).toMatch(/^error: /);
      expect(await clientAnswer(full, method, params), JSON.stringify(params)).toBe(words[index]);
    }
    expect(await clientAnswer(full, 'tx_search', { query: held('tx.height') })).toBe(answer);
  }, 60_000);
});
