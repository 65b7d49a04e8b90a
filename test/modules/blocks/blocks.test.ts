import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Answer, type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  for (let height = 0; height < 49; height += 1) await chain.devnet.commit();
  stack = await startStack([chain.node.url]);
  await stack.client.head.waitFor(50n, { milliseconds: 30_000 });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

beforeEach(() => {
  chain.node.heal();
  chain.node.counters.reset();
});

const at = { 'x-cosmos-block-height': '50' };
const connection = '{ totalCount nodes { height blockSize } edges { cursor } pageInfo { hasNextPage hasPreviousPage } }';

interface Page {
  readonly totalCount: string;
  readonly nodes: readonly { readonly height: string; readonly blockSize: string }[];
  readonly edges: readonly { readonly cursor: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean };
}

function good<T>({ body }: Answer<unknown>): T {
  expect(body.errors).toBeUndefined();
  return body.data as T;
}

async function blocks(args: Record<string, unknown>): Promise<Page> {
  const document = `query($min: Int64, $max: Int64, $first: Int, $after: String, $reverse: Boolean) {
    blocks(minHeight: $min, maxHeight: $max, first: $first, after: $after, reverse: $reverse) ${connection} }`;
  return good<{ blocks: Page }>(await stack.ask(document, { first: 20, ...args }, at)).blocks;
}

const heights = ({ nodes }: Page): number[] => nodes.map(({ height }) => Number(height));
const asked = (method: string): number => chain.node.counters.log.filter((call) => call.method === method).length;

/** The heights from `from` to `to`, both included, in either direction. */
function range(from: number, to: number): number[] {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + index * step);
}

describe('blocks', () => {
  it('are listed newest first, all or a range, with one read for every 20', async () => {
    const page = await blocks({ first: 45 });
    expect(heights(page)).toEqual(range(50, 6));
    expect(page.totalCount).toBe('50');
    expect(page.nodes.every(({ blockSize }) => Number(blockSize) > 0)).toBe(true);
    expect(asked('blockchain')).toBe(3);
    expect(asked('block')).toBe(0);
    const part = await blocks({ min: '10', max: '12' });
    expect(heights(part)).toEqual([12, 11, 10]);
    expect([part.totalCount, part.pageInfo.hasNextPage]).toEqual(['3', false]);
  });

  it.runIf(runsAll)('can be paged to the end from any item, in both directions', async () => {
    for (const reverse of [false, true]) {
      const all = await blocks({ min: '5', max: '30', first: 26, reverse });
      expect(heights(all)).toEqual(reverse ? range(5, 30) : range(30, 5));
      for (const [place, { cursor }] of all.edges.entries()) {
        const page = await blocks({ min: '5', max: '30', first: 3, reverse, after: cursor });
        expect(heights(page)).toEqual(heights(all).slice(place + 1, place + 4));
        expect(page.pageInfo.hasNextPage).toBe(place + 4 < 26);
      }
    }
  });

  it('reject a cursor of another list and invalid heights before calling a node', async () => {
    const { edges } = await blocks({ first: 1 });
    chain.node.counters.reset();
    const refusals = [
      ['blocks(minHeight: 2, after: $after)', 'BAD_CURSOR'],
      ['blocks(after: $after, reverse: true)', 'BAD_CURSOR'],
      ['blocks(minHeight: 9, maxHeight: 8)', 'BAD_USER_INPUT'],
      ['blocks(maxHeight: 51)', 'HEIGHT_NOT_YET_AVAILABLE'],
      ['blocks(minHeight: 0)', 'BAD_USER_INPUT'],
    ];
    for (const [field = '', code] of refusals) {
      const variables = field.includes('$after') ? '($after: String)' : '';
      const { body } = await stack.ask(`query${variables} { ${field} { totalCount } }`, { after: edges[0]?.cursor }, at);
      expect(body.errors?.[0]?.extensions.code, field).toBe(code);
    }
    expect(asked('blockchain')).toBe(0);
  });

  it('by hash equal those by height, and are null above the height of the operation', async () => {
    const { block } = good<{ block: { hash: string } }>(await stack.ask('{ block(height: 40) { hash } }', {}, at));
    const document = 'query($hash: Hex!) { blockByHash(hash: $hash) { height hash } headerByHash(hash: $hash) { height } }';
    const { hash } = block;
    expect(good(await stack.ask(document, { hash: `0x${hash.toLowerCase()}` }, at))).toEqual({
      blockByHash: { height: '40', hash },
      headerByHash: { height: '40' },
    });
    const below = await stack.ask(document, { hash }, { 'x-cosmos-block-height': '39' });
    expect(good(below)).toEqual({ blockByHash: null, headerByHash: null });
  });

  it('read data that several fields need only once', async () => {
    const data = good<{ blocks: { nodes: { proposer: { votingPowerPercent: string } }[] } }>(
      await stack.ask(
        `{ blocks(minHeight: 10, maxHeight: 11) { nodes {
          proposer { votingPower votingPowerPercent publicKey { value } proposerPriority }
          validators { totalCount nodes { votingPower } }
          lastCommit { signatures { validator { votingPower } } } evidence { type } results { appHash height } commit { canonical }
        } } }`,
        {},
        at,
      ),
    );
    expect(data.blocks.nodes.map(({ proposer }) => proposer.votingPowerPercent)).toEqual(['100', '100']);
    // The validator sets of 9 (which signed the last commit of 10), 10 and 11.
    expect(asked('validators')).toBe(3);
    expect([asked('block'), asked('block_results'), asked('commit'), asked('blockchain')]).toEqual([2, 2, 2, 1]);
  });

  it('one failing branch does not affect the others', async () => {
    chain.node.faults.call = ({ method }) =>
      method === 'block_results' ? { rpc: { code: -32603, message: 'Internal error', data: 'no such thing' } } : undefined;
    const { body } = await stack.ask(
      '{ block(height: 20) { height results { appHash } consensusParams { block { maxGas } } } }',
      {},
      at,
    );
    expect(body.data).toMatchObject({ block: { height: '20', results: null, consensusParams: { block: {} } } });
    expect(body.errors).toHaveLength(1);
    expect(body.errors?.[0]).toMatchObject({ path: ['block', 'results'], extensions: { code: 'RPC_ERROR' } });
    expect(body.errors?.[0]?.message).toContain('no such thing');
  });

  it('are rejected if the node returns another height', async () => {
    chain.node.faults.forge = (_call, result) => JSON.parse(JSON.stringify(result).replaceAll('"20"', '"21"'));
    for (const field of [
      'validators(height: 20) { totalCount }',
      'consensusParams(height: 20) { block { maxGas } }',
      'blockResults(height: 20) { height }',
      'header(height: 20) { height }',
      'commit(height: 20) { canonical }',
    ]) {
      const { body } = await stack.ask(`{ ${field} }`, {}, at);
      expect(body.errors?.[0]?.extensions.code, field).toBe('NODE_INVALID_RESPONSE');
    }
  });

  it('stay at the height of the operation while the chain advances', async () => {
    const before = good(
      await stack.ask(
        '{ head { height } commit { header { height } } validators { totalCount } blocks(first: 1) { nodes { height } totalCount } }',
        {},
        at,
      ),
    );
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    const after = good(
      await stack.ask(
        '{ head { height } commit { header { height } } validators { totalCount } blocks(first: 1) { nodes { height } totalCount } }',
        {},
        at,
      ),
    );
    expect(after).toEqual(before);
    expect(before).toMatchObject({ head: { height: '50' }, blocks: { nodes: [{ height: '50' }], totalCount: '50' } });
  });
});

describe('a validator', () => {
  it('is null if the chain does not have it; text that is not an address is rejected', async () => {
    const document =
      'query($address: String!) { validator(address: $address) { address votingPower votingPowerPercent publicKey { type } } }';
    expect(good(await stack.ask(document, { address: `0x${'ab'.repeat(20)}` }, at))).toEqual({ validator: null });
    const { body } = await stack.ask(document, { address: 'tp1abc' }, at);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'address' });
  });
});
