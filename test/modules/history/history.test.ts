import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DevnetNode } from '../../../src/devnet/node/node.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { createReplayNode } from '../../replay/replayNode.ts';
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

/** The amounts of a page in nhash: each transfer of these tests has its own. */
const amountsOf = ({ edges }: Page): number[] => edges.map(({ node }) => Number(node.amount[0]!.amount));

/** How often each method is called while `work` runs, but for the head's own watching. */
async function callsOf(node: DevnetNode, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const calls: Record<string, number> = {};
  node.onCall = ({ method }) => {
    if (method !== 'subscribe') calls[method] = (calls[method] ?? 0) + 1;
  };
  await work();
  node.onCall = undefined;
  return calls;
}

/** Starts a server that has seen nothing of a chain but its newest block. */
async function freshStack(chain: TestChain): Promise<Stack> {
  const stack = await startStack([chain.node.url]);
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 5000 });
  return stack;
}

let chain: TestChain;
let payee: string;
let amount = 0;
/** Pays one more nhash than the last time; the payee is one who does nothing else. */
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
  }, 60_000);
  beforeEach(async () => {
    stack = await freshStack(chain);
  });
  afterEach(async () => {
    chain.node.heal();
    chain.node.onCall = undefined;
    await stack.close();
  });
  afterAll(() => chain.devnet.close());

  it('without an index a page looks through 1,000 blocks, two calls each, says so, and the next goes on there', async () => {
    chain.node.faults.noIndex = true;
    let first: Page | undefined;
    const calls = await callsOf(chain.node, async () => {
      first = await transfers(stack, `account: "${payee}"`);
    });
    expect(first).toMatchObject({ completeFrom: `${blocks - 999n}`, pageInfo: { hasNextPage: true } });
    expect(amountsOf(first!)).toEqual([2]);
    expect(calls).toMatchObject({ status: 1, tx_search: 1 });
    expect(calls.block_search).toBeUndefined();
    // The newest block came by the subscription, or is read.
    for (const method of ['block', 'block_results']) {
      expect(calls[method]).toBeGreaterThanOrEqual(999);
      expect(calls[method]).toBeLessThanOrEqual(1000);
    }
    const after = first!.pageInfo.endCursor;
    const second = await transfers(stack, `account: "${payee}", after: "${after}"`);
    expect(second).toMatchObject({ completeFrom: '1', pageInfo: { hasNextPage: false } });
    expect(amountsOf(second)).toEqual([1]);
  }, 60_000);

  it('a page that finds nothing within its bounds has a cursor all the same', async () => {
    chain.node.faults.noIndex = true;
    const nobody = chain.accounts[8]!.address;
    const first = await transfers(stack, `account: "${nobody}"`);
    expect(first).toMatchObject({ completeFrom: `${blocks - 999n}`, edges: [], pageInfo: { hasNextPage: true } });
    const last = await transfers(stack, `account: "${nobody}", after: "${first.pageInfo.endCursor}"`);
    expect(last).toEqual({ completeFrom: '1', edges: [], pageInfo: { hasNextPage: false, endCursor: null } });
  }, 60_000);

  it('by the index it costs a search for each side, of transactions and of blocks, however long the chain is', async () => {
    let page: Page | undefined;
    const calls = await callsOf(chain.node, async () => {
      page = await transfers(stack, `account: "${payee}"`);
    });
    expect(page).toMatchObject({ completeFrom: '1', pageInfo: { hasNextPage: false } });
    expect(amountsOf(page!)).toEqual([2, 1]);
    // One search more tells whether there is an index. The two newest blocks are read, unless the subscription brought one.
    const { block = 0, block_results = 0, ...others } = calls;
    expect(others).toEqual({ status: 1, tx_search: 3, block_search: 2 });
    expect(Math.max(block, block_results)).toBeLessThanOrEqual(2);
  });

  it('of one side, and of kinds that no block is of, it costs the fewer', async () => {
    const ask = (more: string) => () => transfers(stack, `account: "${payee}", ${more}`);
    expect(await callsOf(chain.node, ask('direction: IN'))).toMatchObject({ tx_search: 2, block_search: 1 });
    const sends = await callsOf(chain.node, ask('direction: IN, kinds: [SEND]'));
    expect(sends.tx_search).toBe(2);
    expect(sends.block_search).toBeUndefined();
  });

  it('what is in memory costs nothing', async () => {
    chain.node.faults.noIndex = true;
    await transfers(stack, `account: "${payee}", first: 1`);
    const document = `{ transfers(account: "${payee}", first: 1) { nodes { height time transaction { hash block { hash } } } } }`;
    // The page above stopped where it was full.
    const calls = await callsOf(chain.node, () => stack.ask(document));
    const { block = 0, block_results = 0 } = calls;
    expect([block, block_results]).toEqual([0, 0]);
  });
});

describe('a page of the recorded chain that has to look through much', () => {
  it('asks no more than it may: 12 searches and the results of 200 blocks, and three blocks', async () => {
    await using node = await createReplayNode({ head: 195n });
    const stack = await startStack([node.url]);
    await stack.client.head.ready({ milliseconds: 5000 });
    // The index finds every `nhash` where `hash` is asked for: 233 transactions and 109 blocks, none of them meant.
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

describe('a page of a chain that moves', () => {
  let stack: Stack;

  beforeEach(async () => {
    amount = 0;
    chain = await startChain({ bare: true });
    payee = chain.accounts[9]!.address;
    // 1; 2 and 3; nothing; 4, 5 and 6; nothing for a while; 7.
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

  it('goes on exactly behind its cursor, within a block too, by the index or by blocks or by both in turn', async () => {
    for (const first of [1, 2, 3]) {
      const found: number[] = [];
      let after = '';
      for (let turn = 0; ; turn += 1) {
        chain.node.faults.noIndex = turn % 2 === 1;
        // Nothing is remembered from page to page.
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
  });

  it('goes on behind any of its items, also when the chain has grown before it', async () => {
    const { edges } = await transfers(stack, asked(''));
    await pay();
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 5000 });
    for (const [place, { cursor }] of edges.entries()) {
      const rest = await transfers(stack, asked(`, after: "${cursor}"`));
      expect(amountsOf(rest)).toEqual([6, 5, 4, 3, 2, 1].slice(place));
    }
    expect(amountsOf(await transfers(stack, asked(', first: 2')))).toEqual([8, 7]);
  });

  it('does not mix heights: what a block brings while it is read is not of it', async () => {
    let committed = false;
    chain.node.onCall = async ({ method }) => {
      if (method !== 'tx_search' || committed) return;
      committed = true;
      await pay();
      const height = await chain.devnet.commit();
      await stack.client.head.waitFor(height, { milliseconds: 5000 });
    };
    const page = await transfers(stack, asked(''));
    chain.node.onCall = undefined;
    expect(committed).toBe(true);
    expect(amountsOf(page)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(amountsOf(await transfers(stack, asked(''), 4n))).toEqual([3, 2, 1]);
  });

  it('has what the newest blocks hold though the index is behind them', async () => {
    chain.node.faults.forge = ({ method }, result) => (method === 'tx_search' ? { txs: [], total_count: '0' } : result);
    expect(amountsOf(await transfers(stack, asked('')))).toEqual([7]);
  });

  it('ends at the oldest block that the node has, and says so; below it, the height is pruned', async () => {
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

  it('one that fails is an error of its own, and takes nothing else of the answer with it', async () => {
    chain.node.faults.call = ({ method }) =>
      method === 'block_search' ? { rpc: { code: -32603, message: 'Internal error', data: 'out of order' } } : undefined;
    const { body } = await stack.ask(`{ head { height } transfers(${asked('')}) { nodes { height } } }`);
    expect(body.errors).toMatchObject([{ path: ['transfers'], extensions: { code: 'RPC_ERROR' } }]);
    expect(body.data).toMatchObject({ head: { height: `${chain.devnet.height}` }, transfers: null });
    // An index of transactions alone is as none.
    chain.node.faults.call = ({ method }) =>
      method === 'block_search'
        ? { rpc: { code: -32603, message: 'Internal error', data: 'block indexing is disabled' } }
        : undefined;
    expect(amountsOf(await transfers(stack, asked('')))).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it('refuses what makes no sense before it asks', async () => {
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

  it('reads nothing that is not selected', async () => {
    const calls = await callsOf(chain.node, async () => {
      const { body } = await stack.ask(`{ transfers(${asked('')}) { totalCount } }`);
      expect(body).toMatchObject({ data: { transfers: { totalCount: null } } });
    });
    expect(calls).toEqual({});
  });
});
