import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopeAddresses } from '../../../packages/devnet/src/app/world/scopes.ts';
import { tokens } from '../../../packages/devnet/src/app/world/tokens.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeTransfersAndPrices } from '../../support/transfersAndPrices.ts';
import { ask } from './request.ts';

let chain: TestChain;
let stack: Stack;
let address: string;

beforeAll(async () => {
  chain = await startChain();
  address = chain.accounts[0]!.address;
  const height = await makeTransfersAndPrices(chain);
  stack = await startStack([chain.node.url]);
  await stack.client.head.waitFor(height, { milliseconds: 30_000 });
});
afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
});

type Item = Readonly<Record<string, unknown>>;
interface Pagination {
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

async function page(path: string): Promise<{ readonly items: readonly Item[]; readonly pagination: Pagination }> {
  const { status, body } = await ask(stack, path);
  expect(status).toBe(200);
  return body as never;
}

const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** A GraphQL connection, and the aggregate with the same list. */
const lists = () =>
  ({
    balances: [`balances/${address}`, `account(address: "${address}") { list: balances(ARGS) FIELDS }`, 'denom'],
    holders: [`holders/${tokens.gold}`, `list: holders(denom: "${tokens.gold}", ARGS) FIELDS`, 'account { address }'],
    transfers: [`transfers/${address}`, `account(address: "${address}") { list: transfers(ARGS) FIELDS }`, 'height'],
    'transfers of a denom': [
      `transfers?denom=${tokens.dollar}&kinds=OTHER,MULTI_SEND`,
      `list: transfers(denom: "${tokens.dollar}", kinds: [MULTI_SEND, OTHER], ARGS) FIELDS`,
      'height',
    ],
    'a history of net asset values': [
      `netAssetValues/${scopeAddresses[0]}?history=true&priceDenom=usd`,
      `scope(id: "${scopeAddresses[0]}") { list: netAssetValueHistory(priceDenom: "usd", ARGS) FIELDS }`,
      'volume',
    ],
  }) as const;
const names = ['balances', 'holders', 'transfers', 'transfers of a denom', 'a history of net asset values'] as const;

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: unknown }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Reads a page of a GraphQL list, which can be a field of an object. */
async function connection(document: string, args: string, fields: string): Promise<Connection> {
  const text = `{ ${document.replace('ARGS', args).replace('FIELDS', `{ edges { cursor node { ${fields} } } pageInfo { hasNextPage endCursor } }`)} }`;
  const { body } = await stack.ask(text);
  expect(body.errors).toBeUndefined();
  const [top] = Object.values(body.data as Record<string, unknown>);
  return ('edges' in (top as object) ? top : (top as { list: unknown }).list) as Connection;
}

describe.each(names)('the pages of %s', (name) => {
  it('form the complete list, with each item once', async () => {
    const [path] = lists()[name];
    const whole = (await page(withQuery(path, 'pagination.pageSize=100'))).items;
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = withQuery(path, `pagination.pageSize=2${cursor === '' ? '' : `&pagination.cursor=${cursor}`}`);
      const read = await page(query);
      expect(read.pagination.hasMore).toBe(read.pagination.nextCursor !== null);
      expect(read.items.length).toBeLessThanOrEqual(2);
      items.push(...read.items);
      cursor = read.pagination.nextCursor;
    }
    expect(items).toEqual(whole);
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length);
  });

  it.runIf(runsAll)('share their cursors with GraphQL, in both directions', async () => {
    const [path, document, fields] = lists()[name];
    const first = await connection(document, 'first: 1', fields);
    expect(first.edges).toHaveLength(1);
    const single = await page(withQuery(path, 'pagination.pageSize=1'));
    expect(single.pagination.nextCursor).toBe(first.pageInfo.hasNextPage ? first.pageInfo.endCursor : null);
    // After a GraphQL cursor come the same items as in GraphQL.
    const rest = await page(withQuery(path, `pagination.cursor=${first.edges[0]!.cursor}`));
    const graphRest = await connection(document, `after: "${first.edges[0]!.cursor}"`, fields);
    expect(rest.items).toHaveLength(graphRest.edges.length);
    expect(rest.pagination.nextCursor).toBe(graphRest.pageInfo.hasNextPage ? graphRest.pageInfo.endCursor : null);
  });

  it('reject a cursor of another list, and invalid cursors', async () => {
    const [path] = lists()[name];
    const { nextCursor } = (await page(`holders/${tokens.share}?pagination.pageSize=1`)).pagination;
    for (const [cursor, message] of [
      [nextCursor!, '`pagination.cursor` is a cursor of another list.'],
      ['nonsense', '`pagination.cursor` is not a cursor of this server.'],
      ['A'.repeat(1025), '`pagination.cursor` is not a cursor of this server.'],
      ['', '`pagination.cursor` is not a cursor of this server.'],
    ] as const) {
      const { status, body } = await ask(stack, withQuery(path, `pagination.cursor=${cursor}`));
      expect([status, body]).toEqual([400, { code: 'BAD_CURSOR', message, field: 'pagination.cursor' }]);
    }
  });

  it.each(['0', '101', '-1', '1e1', '', '5x', '99999999999999999999'])('reject a size of %j', async (size) => {
    const [path] = lists()[name];
    const { status, body } = await ask(stack, withQuery(path, `pagination.pageSize=${size}`));
    expect(status).toBe(400);
    const bound = 'from 1 to 100';
    expect(body).toMatchObject({ code: 'BAD_USER_INPUT', field: 'pagination.pageSize', value: size, bound });
  });
});

describe('a page', () => {
  it('has 20 items by default, and at most the limit', async () => {
    expect((await page(`holders/${tokens.gold}`)).items).toHaveLength(20);
    const other = await startStack([chain.node.url], { server: { limits: { 'page.size.max': 30 } } });
    try {
      await other.client.head.ready({ milliseconds: 5000 });
      const { status, body } = await ask(other, `holders/${tokens.gold}?pagination.pageSize=31`);
      expect([status, body.bound]).toEqual([400, 'from 1 to 30']);
    } finally {
      await other.close();
    }
  });

  it('with a forged position is rejected', async () => {
    const cursor = Buffer.from(`transfers/${address}///\n\nabcd`).toString('base64url');
    const { status, body } = await ask(stack, `transfers/${address}?pagination.cursor=${cursor}`);
    expect([status, body.code, body.field]).toEqual([400, 'BAD_CURSOR', 'pagination.cursor']);
  });
});

describe('a history of net asset values', () => {
  it('contains prices, times and transactions, newest first', async () => {
    const { items } = await page(`netAssetValues/${tokens.gold}?history=true`);
    expect(items).toMatchObject([
      {
        price: { denom: tokens.dollar, amount: '98000000', display: { amount: '98', symbol: 'DUSD' } },
        pricePerUnit: '98000000',
      },
      {
        price: { denom: 'usd', amount: '98000', display: { amount: '98', symbol: 'USD' } },
        pricePerDisplayUnit: { amount: '98000' },
      },
    ]);
    for (const { source, transactionHash, updatedBlockHeight, updatedBlockTime } of items) {
      expect(source).not.toBeNull();
      const { body } = await stack.ask(`{ transaction(hash: "${transactionHash}") { height block { time } } }`);
      expect(body.data).toEqual({ transaction: { height: updatedBlockHeight, block: { time: updatedBlockTime } } });
    }
  });
});
