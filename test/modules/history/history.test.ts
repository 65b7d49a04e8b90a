import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { createReplayNode } from '../../replay/replayNode.ts';
import { runsAll } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

interface Page {
  readonly completeFrom: string;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly edges: readonly {
    readonly cursor: string;
    readonly node: { readonly height: string; readonly amount: readonly { readonly amount: string }[] };
  }[];
}

const fields = '{ completeFrom pageInfo { hasNextPage endCursor } edges { cursor node { height amount { amount } } } }';

async function transfers(stack: Stack, args: string, height?: bigint): Promise<Page> {
  const headers = height === undefined ? {} : { 'x-cosmos-block-height': height.toString() };
  const { body } = await stack.ask(`{ transfers(${args}) ${fields} }`, {}, headers);
  expect(body.errors).toBeUndefined();
  return (body.data as { transfers: Page }).transfers;
}

/** The amounts of a page in nhash. Each transfer of these tests has a different amount. */
const amountsOf = ({ edges }: Page): number[] => edges.map(({ node }) => Number(node.amount[0]!.amount));

/** The number of calls of each method while `work` runs, except those that follow the head. */
async function callsOf(node: DevnetNode, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const calls: Record<string, number> = {};
  node.onCall = ({ method }) => {
    if (method !== 'subscribe') calls[method] = (calls[method] ?? 0) + 1;
  };
  await work();
  node.onCall = undefined;
  return calls;
}

/** Starts a server that has seen only the newest block of a chain. */
async function freshStack(chain: TestChain): Promise<Stack> {
  const stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
  return stack;
}

let chain: TestChain;
let payee: string;
let amount = 0;
/** Pays one nhash more than the last time to an account that is used for nothing else. */
async function pay(): Promise<number> {
  amount += 1;
  const [from] = chain.accounts;
  const coins = [{ denom: 'nhash', amount: `${amount}` }];
  await chain.submit(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: payee, amount: coins }));
  return amount;
}

describe('a chain of many blocks', () => {
  const blocks = 1_020n;
  let stack: Stack;

  beforeAll(async () => {
    chain = await startChain({ bare: true });
    payee = chain.accounts[9]!.address;
    await pay();
    for (let height = chain.devnet.height; height < blocks - 4n; height += 1n) await chain.devnet.commit();
    await pay();
    for (let height = chain.devnet.height; height < blocks; height += 1n) await chain.devnet.commit();
  }, 180_000);
  beforeEach(async () => {
    stack = await freshStack(chain);
  });
  afterEach(async () => {
    chain.node.heal();
    chain.node.onCall = undefined;
    await stack.close();
  });
  afterAll(() => chain.devnet.close());

  it.runIf(runsAll)(
    'without an index a page reads 1,000 blocks with two calls each and reports it; the next page continues there',
    async () => {
      chain.node.faults.noIndex = true;
      let first: Page | undefined;
      const calls = await callsOf(chain.node, async () => {
        first = await transfers(stack, `account: "${payee}"`);
      });
      expect(first).toMatchObject({ completeFrom: `${blocks - 999n}`, pageInfo: { hasNextPage: true } });
      expect(amountsOf(first!)).toEqual([2]);
      expect(calls).toMatchObject({ status: 1, tx_search: 1 });
      expect(calls.block_search).toBeUndefined();
      // The newest block arrived through the subscription, or is read.
      for (const method of ['block', 'block_results']) {
        expect(calls[method]).toBeGreaterThanOrEqual(999);
        expect(calls[method]).toBeLessThanOrEqual(1000);
      }
      const after = first!.pageInfo.endCursor;
      const second = await transfers(stack, `account: "${payee}", after: "${after}"`);
      expect(second).toMatchObject({ completeFrom: '1', pageInfo: { hasNextPage: false } });
      expect(amountsOf(second)).toEqual([1]);
    },
    180_000,
  );

  it.runIf(runsAll)(
    'without an index a statement has at most 1,000 blocks, and says that it was read from blocks',
    async () => {
      chain.node.faults.noIndex = true;
      const ask = async (from: bigint, to = blocks) => {
        const query = `{ account(address: "${payee}") { statement(from: "${from}", to: "${to}") { sources completeFrom denoms { closing unexplained } } } }`;
        const { body } = await stack.ask(query, {}, { 'x-cosmos-block-height': String(blocks) });
        return { error: body.errors?.[0]?.extensions?.code, ...(body.data as { account: { statement: object } }).account };
      };
      const calls = await callsOf(chain.node, async () => {
        expect(await ask(1n)).toEqual({ error: 'INDEX_UNAVAILABLE', statement: null });
      });
      expect(calls.block).toBeUndefined();
      const expected = { sources: ['BLOCKS'], completeFrom: `${blocks - 999n}` };
      expect(await ask(blocks - 1_000n)).toMatchObject({ statement: { ...expected, denoms: [{ unexplained: '0' }] } });
      chain.node.heal();
      expect(await ask(1n)).toMatchObject({ statement: { sources: ['NODE_INDEX', 'BLOCKS'], completeFrom: '2' } });
      expect(await ask(5n, 5n)).toMatchObject({ statement: { sources: [] } });
    },
    180_000,
  );

  it.runIf(runsAll)(
    'a page without a match within its limits has an end cursor',
    async () => {
      chain.node.faults.noIndex = true;
      const unused = chain.accounts[8]!.address;
      const first = await transfers(stack, `account: "${unused}"`);
      expect(first).toMatchObject({ completeFrom: `${blocks - 999n}`, edges: [], pageInfo: { hasNextPage: true } });
      const last = await transfers(stack, `account: "${unused}", after: "${first.pageInfo.endCursor}"`);
      expect(last).toEqual({ completeFrom: '1', edges: [], pageInfo: { hasNextPage: false, endCursor: null } });
    },
    180_000,
  );

  it('with an index a page takes one search of transactions and one of blocks for each direction, for a chain of any length', async () => {
    let page: Page | undefined;
    const calls = await callsOf(chain.node, async () => {
      page = await transfers(stack, `account: "${payee}"`);
    });
    expect(page).toMatchObject({ completeFrom: '1', pageInfo: { hasNextPage: false } });
    expect(amountsOf(page!)).toEqual([2, 1]);
    // One more search tests for an index. The two newest blocks are read, unless one arrived through the subscription.
    const { block = 0, block_results = 0, ...others } = calls;
    expect(others).toEqual({ status: 1, tx_search: 3, block_search: 2 });
    expect(Math.max(block, block_results)).toBeLessThanOrEqual(2);
  });

  it('a page of one direction, or of kinds without block events, takes fewer searches', async () => {
    const ask = (more: string) => () => transfers(stack, `account: "${payee}", ${more}`);
    expect(await callsOf(chain.node, ask('direction: IN'))).toMatchObject({ tx_search: 2, block_search: 1 });
    const sends = await callsOf(chain.node, ask('direction: IN, kinds: [SEND]'));
    expect(sends.tx_search).toBe(2);
    expect(sends.block_search).toBeUndefined();
  });

  it('blocks in memory take no calls', async () => {
    chain.node.faults.noIndex = true;
    await transfers(stack, `account: "${payee}", first: 1`);
    const document = `{ transfers(account: "${payee}", first: 1) { nodes { height time transaction { hash block { hash } } } } }`;
    // The page above stopped when it was full.
    const calls = await callsOf(chain.node, () => stack.ask(document));
    const { block = 0, block_results = 0 } = calls;
    expect([block, block_results]).toEqual([0, 0]);
  });
});

describe('a page of the recorded chain with few matches', () => {
  it.runIf(runsAll)('makes at most 12 searches and reads at most the results of 200 blocks and three blocks', async () => {
    await using node = await createReplayNode({ head: 195n });
    const stack = await startStack([node.url]);
    await stack.client.head.ready({ milliseconds: 5000 });
    // A search for `hash` also finds `nhash`: 233 transactions and 109 blocks without a match.
    let page = await transfers(stack, 'denom: "hash", first: 5');
    const first = node.calls.filter(({ method }) => /search|block/.test(method));
    expect(page).toMatchObject({ edges: [], completeFrom: '1', pageInfo: { hasNextPage: true } });
    expect(first.filter(({ method }) => method.endsWith('search')).length).toBeLessThanOrEqual(13);
    expect(first.filter(({ method }) => method === 'block_results').length).toBeLessThanOrEqual(203);
    let pages = 1;
    for (; page.pageInfo.hasNextPage; pages += 1) {
      node.reset();
      page = await transfers(stack, `denom: "hash", first: 5, after: "${page.pageInfo.endCursor}"`);
      expect(page.edges).toEqual([]);
      expect(node.calls.filter(({ method }) => method.endsWith('search')).length).toBeLessThanOrEqual(13);
    }
    expect(pages).toBeGreaterThan(1);
    expect(pages).toBeLessThan(20);
    await stack.close();
  });
});

describe('a page of a chain that advances', () => {
  let stack: Stack;

  beforeEach(async () => {
    amount = 0;
    chain = await startChain({ bare: true });
    payee = chain.accounts[9]!.address;
    // Blocks with transfers 1; 2 and 3; none; 4, 5 and 6; none in several blocks; 7.
    for (const count of [1, 2, 0, 3, 0, 0, 0, 0, 1]) {
      for (let each = 0; each < count; each += 1) await pay();
      await chain.devnet.commit();
    }
    stack = await freshStack(chain);
  });
  afterEach(async () => {
    await stack.close();
    await chain.devnet.close();
  });

  const asked = (more: string): string => `account: "${payee}"${more}`;

  it.runIf(runsAll)(
    'continues exactly after its cursor, also within a block, by the index, by blocks, or by both alternately',
    async () => {
      for (const first of [1, 2, 3]) {
        const found: number[] = [];
        let after = '';
        for (let turn = 0; ; turn += 1) {
          chain.node.faults.noIndex = turn % 2 === 1;
          // Use a new server for each page, so that nothing is cached.
          const fresh = await freshStack(chain);
          const page = await transfers(fresh, asked(`, first: ${first}${after}`));
          await fresh.close();
          found.push(...amountsOf(page));
          expect(page.edges.length).toBeLessThanOrEqual(first);
          if (!page.pageInfo.hasNextPage) break;
          after = `, after: "${page.pageInfo.endCursor}"`;
        }
        expect(found).toEqual([7, 6, 5, 4, 3, 2, 1]);
      }
    },
  );

  it.runIf(runsAll)('continues after any of its items, also if the chain has grown since', async () => {
    const { edges } = await transfers(stack, asked(''));
    await pay();
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    for (const [place, { cursor }] of edges.entries()) {
      const rest = await transfers(stack, asked(`, after: "${cursor}"`));
      expect(amountsOf(rest)).toEqual([6, 5, 4, 3, 2, 1].slice(place));
    }
    expect(amountsOf(await transfers(stack, asked(', first: 2')))).toEqual([8, 7]);
  });

  it('contains no event of a block that is committed while the page is read', async () => {
    let committed = false;
    chain.node.onCall = async ({ method }) => {
      if (method !== 'tx_search' || committed) return;
      committed = true;
      await pay();
      const height = await chain.devnet.commit();
      await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    };
    const page = await transfers(stack, asked(''));
    chain.node.onCall = undefined;
    expect(committed).toBe(true);
    expect(amountsOf(page)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(amountsOf(await transfers(stack, asked(''), 4n))).toEqual([3, 2, 1]);
  });

  it('contains the events of the newest blocks even if the index lags behind them', async () => {
    chain.node.faults.forge = ({ method }, result) => (method === 'tx_search' ? { txs: [], total_count: '0' } : result);
    expect(amountsOf(await transfers(stack, asked('')))).toEqual([7]);
  });

  it.runIf(runsAll)('ends at the oldest block of the node and reports it; below it, the height is pruned', async () => {
    chain.node.prune(4n, { blocks: true });
    for (const noIndex of [false, true]) {
      chain.node.faults.noIndex = noIndex;
      const fresh = await freshStack(chain);
      const page = await transfers(fresh, asked(''));
      expect(page).toMatchObject({ completeFrom: '4', pageInfo: { hasNextPage: false } });
      expect(amountsOf(page)).toEqual([7, 6, 5, 4]);
      const document = `{ transfers(${asked('')}) { nodes { height } } }`;
      const { body } = await fresh.ask(document, {}, { 'x-cosmos-block-height': '3' });
      expect(body.errors).toMatchObject([
        { path: ['transfers'], extensions: { code: 'HEIGHT_PRUNED', height: '3', earliestHeight: '4' } },
      ]);
      await fresh.close();
    }
  });

  it('a page that fails does not affect the rest of the response', async () => {
    chain.node.faults.call = ({ method }) =>
      method === 'block_search' ? { rpc: { code: -32603, message: 'Internal error', data: 'out of order' } } : undefined;
    const { body } = await stack.ask(`{ head { height } transfers(${asked('')}) { nodes { height } } }`);
    expect(body.errors).toMatchObject([{ path: ['transfers'], extensions: { code: 'RPC_ERROR' } }]);
    expect(body.data).toMatchObject({ head: { height: `${chain.devnet.height}` }, transfers: null });
    // An index of transactions without blocks does not count as an index.
    chain.node.faults.call = ({ method }) =>
      method === 'block_search'
        ? { rpc: { code: -32603, message: 'Internal error', data: 'block indexing is disabled' } }
        : undefined;
    expect(amountsOf(await transfers(stack, asked('')))).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it('rejects invalid arguments before it calls a node', async () => {
    const refused = async (args: string): Promise<unknown> => {
      const { body } = await stack.ask(`{ transfers(${args}) { nodes { height } } }`);
      return body.errors?.map(({ extensions: { code, argument } }) => [code, argument]);
    };
    const calls = await callsOf(chain.node, async () => {
      expect(await refused('first: 1')).toEqual([['BAD_USER_INPUT', 'account']]);
      expect(await refused('denom: "nhash", direction: IN')).toEqual([['BAD_USER_INPUT', 'direction']]);
      expect(await refused('account: "nobody"')).toEqual([['BAD_USER_INPUT', 'account']]);
      expect(await refused('denom: "x\'y"')).toEqual([['BAD_USER_INPUT', 'denom']]);
      expect(await refused(asked(', first: 101'))).toEqual([['BAD_USER_INPUT', 'first']]);
      expect(await refused(asked(', after: "AAAA"'))).toEqual([['BAD_CURSOR', 'after']]);
      const list = `transfers/${payee}///`;
      const short = Buffer.from(`${list}\n\n00`).toString('base64url');
      expect(await refused(asked(`, after: "${short}"`))).toEqual([['BAD_CURSOR', 'after']]);
      const other = Buffer.from(`transfers/${payee}/nhash//\n\n${'00'.repeat(16)}`).toString('base64url');
      expect(await refused(asked(`, after: "${other}"`))).toEqual([['BAD_CURSOR', 'after']]);
    });
    expect(calls).toEqual({});
  });

  it('reads only what is selected', async () => {
    const calls = await callsOf(chain.node, async () => {
      const { body } = await stack.ask(`{ transfers(${asked('')}) { totalCount } }`);
      expect(body).toMatchObject({ data: { transfers: { totalCount: null } } });
    });
    expect(calls).toEqual({});
  });
});
