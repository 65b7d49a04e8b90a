import { afterAll, beforeAll, expect, it } from 'vitest';
import { transactionKey } from '../../../src/archive/keys.ts';
import type { RecordPageRequest } from '../../../src/archive/reader.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { createApplication } from '../../../src/devnet/app/application.ts';
import { createRandom } from '../../../src/devnet/app/runtime/random.ts';
import { createAccounts } from '../../../src/devnet/app/runtime/wallet.ts';
import { createDevnet, type Devnet } from '../../../src/devnet/devnet.ts';
import { createTraffic } from '../../roots/traffic.ts';
import { clientAnswer, type FullArchive, nodeAnswer, openFullArchive } from '../../support/archive/fullArchive.ts';
import { emptyDatabase, hasPostgres, postgresNote } from '../../support/archive/postgres.ts';
import { rounds, seed, some } from '../../support/atRandom.ts';
import { sharedGenesis } from '../../support/genesis.ts';

interface Attribute {
  readonly tag: string;
  readonly value: string;
}

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
  const application = createApplication(sharedGenesis());
  devnet = await createDevnet({
    application,
    actors: createTraffic(seed, application, 'stele-devnet'),
    blockTime: 'manual',
    genesisTime: 1_700_000_000_000_000_000n,
  });
  for (let block = 0; block < 40; block++) await devnet.commit();
  archives.push(await openFullArchive(devnet.nodes[0]!.url, { from: 1n }));
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
