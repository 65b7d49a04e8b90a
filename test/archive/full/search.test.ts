import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../packages/devnet/src/app/runtime/random.ts';
import { createAccounts } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import type { Devnet } from '../../../packages/devnet/src/devnet.ts';
import { type SearchBounds, searchIndex } from '../../../src/archive/full/search.ts';
import { transactionKey } from '../../../src/archive/records.ts';
import { createArchiveIndex } from '../../../src/archive/setup/archiveIndex.ts';
import { archiveFile } from '../../../src/archive/setup/open.ts';
import { openSqlite, type Sqlite } from '../../../src/archive/sqlite/connection.ts';
import type { ArchiveReads } from '../../../src/archive/store/archiveStore.ts';
import { createArchiveReader, type RecordPageRequest } from '../../../src/archive/store/reader.ts';
import { type Client, createClient } from '../../../src/chain/client.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import {
  clientAnswer,
  type FullArchive,
  nodeAnswer,
  openFullArchive,
  startBusyChain,
} from '../../support/archive/fullArchive.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../../support/archive/postgres.ts';
import { rounds, seed, some } from '../../support/atRandom.ts';

interface Attribute {
  readonly tag: string;
  readonly value: string;
}

const directory = mkdtempSync(join(tmpdir(), 'stele-search-'));
let devnet: Devnet;
const archives: FullArchive[] = [];

/** The attributes of the chain: of each event, those that are indexed. */
interface Seen {
  readonly tx_search: Attribute[][];
  readonly block_search: Attribute[][];
}
const seen: Seen = { tx_search: [], block_search: [] };
const hashes: string[] = [];

beforeAll(async () => {
  devnet = await startBusyChain();
  for (let block = 0; block < 40; block++) await devnet.commit();
  archives.push(await openFullArchive(devnet.nodes[0]!.url, { from: 1n, place: { kind: 'directory', path: directory } }));
  if (hasPostgres)
    archives.push(
      await openFullArchive(devnet.nodes[0]!.url, { from: 1n, place: { kind: 'postgres', url: await emptyDatabase() } }),
    );
  for (let block = 0; block < 20; block++) await devnet.commit();
  for (const archive of archives) await archive.indexed(1n);
  for (let height = 1n; height <= devnet.height; height++) {
    interface Json {
      type: string;
      attributes: { key: string; value: string; index: boolean }[];
    }
    const results = JSON.parse(await nodeAnswer(devnet, 'block_results', { height: height.toString() }));
    const attributes = ({ type, attributes }: Json) =>
      attributes.filter(({ index }) => index).map(({ key, value }) => ({ tag: `${type}.${key}`, value }));
    seen.block_search.push(...(results.finalize_block_events ?? []).map(attributes));
    for (const { events } of results.txs_results ?? []) seen.tx_search.push(...events.map(attributes));
  }
  const all = JSON.parse(await nodeAnswer(devnet, 'tx_search', { query: 'tx.height > 0', per_page: '100' }));
  hashes.push(...all.txs.map(({ hash }: { hash: string }) => hash));
}, 60_000);

afterAll(async () => {
  for (const archive of archives) await archive.close();
  await devnet.close();
  rmSync(directory, { recursive: true });
});

/** Random searches: one to three conditions that often meet in one event, a window of heights, an order and a page. */
function randomSearches(count: number): readonly { method: 'tx_search' | 'block_search'; params: JsonObject }[] {
  const random = createRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
  const quoted = ({ tag, value }: Attribute): string | undefined => (value.includes("'") ? undefined : `${tag} = '${value}'`);
  const condition = (attribute: Attribute): string => {
    const { tag, value } = attribute;
    const kind = random.below(10);
    if (kind === 0) return `${tag} EXISTS`;
    if (kind === 1) return `${tag} CONTAINS '${value.replaceAll("'", '').slice(1, 1 + random.below(8))}'`;
    if (kind === 2 && /^\d+$/.test(value)) return `${tag} >= ${value.slice(0, 15)}`;
    return quoted(attribute) ?? `${tag} EXISTS`;
  };
  return Array.from({ length: count }, () => {
    const method = random.below(4) === 0 ? 'block_search' : 'tx_search';
    const event = pick(seen[method].filter((attributes) => attributes.length > 0));
    const conditions = Array.from({ length: random.below(4) }, () =>
      condition(random.below(6) === 0 ? pick(pick(seen[method].filter(({ length }) => length > 0))) : pick(event)),
    );
    const heightTag = method === 'tx_search' ? 'tx.height' : 'block.height';
    const low = random.below(50);
    const windows = [
      `${heightTag} > ${low}`,
      `${heightTag} >= ${low + 1} AND ${heightTag} <= ${low + 9}`,
      `${heightTag} = ${low + 1}`,
    ];
    if (conditions.length === 0 || random.below(2) === 0) conditions.push(pick(windows));
    if (method === 'tx_search' && random.below(20) === 0) conditions.push(`tx.hash = '${pick(hashes)}'`);
    const params: JsonObject = {
      query: [...new Set(conditions)].join(' AND '),
      page: String(pick([1, 1, 1, 2, 3])),
      per_page: String(pick([1, 5, 30, 100])),
      ...(random.below(2) === 0 && { order_by: pick(['asc', 'desc']) }),
      ...(method === 'tx_search' && { prove: random.below(4) === 0 }),
    };
    return { method, params };
  });
}

it(`answers random searches as the index of the node does, without asking it${postgresNote}`, async () => {
  const searches = randomSearches(rounds(200));
  let found = 0;
  let errors = 0;
  for (const { method, params } of searches) {
    const expected = await nodeAnswer(devnet, method, params);
    if (expected.startsWith('error')) errors += 1;
    else if (!expected.includes('"total_count":"0"')) found += 1;
    for (const archive of archives) {
      const before = archive.calls('tx_search', 'block_search');
      expect(await clientAnswer(archive, method, params), `${method} ${JSON.stringify(params)}`).toBe(expected);
      expect(archive.calls('tx_search', 'block_search') - before, `${JSON.stringify(params)}`).toBe(0);
    }
  }
  expect(found).toBeGreaterThan(searches.length * 0.3);
  expect(errors).toBeGreaterThan(searches.length / 40);
}, 60_000);

describe('a search that needs more than its bounds', () => {
  const enough: SearchBounds = { rows: 1_000_000, blocks: 1_000_000 };
  const action = 'message.action';
  let connection: Sqlite;
  let client: Client;
  let calls = 0;
  let bounds = enough;
  const reads = (): ArchiveReads => ({
    storage: 'SQLITE',
    coverage: archives[0]!.archive.reader.coverage,
    onCoverage: () => () => undefined,
    read: connection.run,
    scan: connection.run,
    search: (search) => searchIndex(({ text, values }) => connection.run(text, values), search, bounds),
    sizeBytes: async () => 0n,
  });

  beforeAll(() => {
    connection = openSqlite(archiveFile(directory, 'stele-devnet'), { isReader: true });
    const transport = http(devnet.nodes[0]!.url);
    client = createClient({
      transport: {
        ...transport,
        call(method, params, options) {
          if (method === 'tx_search') calls += 1;
          return transport.call(method, params, options);
        },
      },
    });
    const { reader, recording } = archives[0]!.archive;
    client.searchWith(createArchiveIndex({ client, store: reads(), reader, recording }));
  });
  beforeEach(async () => {
    calls = 0;
    bounds = enough;
    await client.head.ready();
  });
  afterEach(() => devnet.nodes[0]!.heal());
  afterAll(async () => {
    await client.close();
    connection.close();
  });

  const count = async (from: string): Promise<number> =>
    Number((await connection.run(`SELECT count(*) AS n FROM ${from}`, []))[0]!.n);

  it.each([
    {
      name: 'rows',
      query: `${action} EXISTS`,
      needed: () => count(`event_values v JOIN event_tags t ON t.id = v.tag WHERE t.name = 'tx/${action}'`),
    },
    { name: 'blocks', query: 'tx.height > 0', needed: () => count('blocks WHERE transactions > 0') },
  ])(
    'of $name is answered by a node, or fails with INDEX_UNAVAILABLE if no node has an index',
    async ({ name, query, needed }) => {
      const most = await needed();
      const expected = JSON.parse(await nodeAnswer(devnet, 'tx_search', { query }));
      expect(most).toBeGreaterThan(10);
      bounds = { ...enough, [name]: most };
      expect(await client.call('tx_search', { query })).toEqual(expected);
      expect(calls).toBe(0);
      bounds = { ...enough, [name]: most - 1 };
      expect(await client.call('tx_search', { query })).toEqual(expected);
      expect(calls).toBe(1);
      devnet.nodes[0]!.faults.noIndex = true;
      await expect(client.call('tx_search', { query })).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE' });
    },
  );

  it('for the transactions of an account is an error, not an empty list', async () => {
    const reader = createArchiveReader(reads(), 'FULL');
    const account = { address: createAccounts(10)[2]!.address, role: 'ANY' } as const;
    const page = { first: 5, reverse: false, count: true };
    const found = await reader.accountTransactions(account, page, devnet.height);
    expect(found!.total).toBeGreaterThan(1n);
    bounds = { ...enough, blocks: 1 };
    await expect(reader.accountTransactions(account, page, devnet.height)).rejects.toMatchObject({
      name: 'ArchiveUnavailable',
    });
  });
});

it(`lists the transactions of accounts page by page, in both directions and by role${postgresNote}`, async () => {
  interface Json {
    readonly hash: string;
    readonly height: string;
    readonly index: number;
    readonly tx_result: { readonly events: readonly { readonly attributes: readonly { key: string; value: string }[] }[] };
  }
  const asOf = devnet.height - 2n;
  const every: Json[] = [];
  for (let page = 1; every.length < hashes.length || page === 1; page++) {
    const params = { query: `tx.height <= ${asOf}`, per_page: '100', page: String(page), order_by: 'asc' };
    const { txs, total_count } = JSON.parse(await nodeAnswer(devnet, 'tx_search', params));
    every.push(...txs);
    if (every.length >= Number(total_count)) break;
  }
  const addresses = some(createAccounts(10), 3).map(({ address }) => address);
  const signs = (address: string, tx: Json): boolean =>
    tx.tx_result.events.some(({ attributes }) => attributes.some(({ value }) => value.startsWith(`${address}/`)));
  const takesPart = (address: string, tx: Json): boolean => JSON.stringify(tx.tx_result.events).includes(address);
  let compared = 0;
  for (const address of addresses)
    for (const [role, test] of [['ANY', takesPart] as const, ['SIGNER', signs] as const])
      for (const reverse of [false, true]) {
        const ascending = every.filter((tx) => test(address, tx)).map(({ hash }) => hash);
        compared += ascending.length;
        for (const { archive } of archives) {
          const found: string[] = [];
          let after: RecordPageRequest['after'];
          for (;;) {
            const request = { first: 4, reverse, count: true, ...(after && { after }) };
            const page = await archive.reader.accountTransactions({ address, role }, request, asOf);
            expect(page!.total).toBe(BigInt(ascending.length));
            const items = page!.items as unknown as Json[];
            found.push(...items.map(({ hash }) => hash));
            const last = items.at(-1);
            if (!page!.hasNext || last === undefined) break;
            after = { key: transactionKey({ height: BigInt(last.height), index: last.index }), place: undefined };
          }
          expect(found, `${address} ${role}`).toEqual(reverse ? ascending : ascending.toReversed());
        }
      }
  expect(compared).toBeGreaterThan(3 * addresses.length);
}, 60_000);
