import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopeAddresses } from '../../../packages/devnet/src/app/world/scopes.ts';
import { tokens } from '../../../packages/devnet/src/app/world/tokens.ts';
import type { RequestLine } from '../../../src/server/observability/requestLog.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeTransfersAndPrices } from '../../support/transfersAndPrices.ts';
import { ask } from './request.ts';

let chain: TestChain;
let address: string;

beforeAll(async () => {
  chain = await startChain();
  address = chain.accounts[0]!.address;
  await makeTransfersAndPrices(chain);
});
afterAll(() => chain.devnet.close());

const lines: RequestLine[] = [];
const log = { request: (line: RequestLine) => void lines.push(line), dropped: () => 0 };

/** A server with empty caches. */
async function withFresh(run: (stack: Stack) => Promise<void>): Promise<void> {
  const stack = await startStack([chain.node.url], { server: { log } });
  try {
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    await run(stack);
    expect(stack.masked).toEqual([]);
  } finally {
    await stack.close();
  }
}

/** The queries that the node received, with repetitions. */
function reads(): string[] {
  return chain.node.counters.log
    .filter(({ method }) => method !== 'status' || !chain.node.counters.log.some((call) => call.method === 'tx_search'))
    .map(({ method, params }) => `${method} ${JSON.stringify(params)}`)
    .sort();
}

/**
 * The cacheable ones among them. Searches can change, and rejected reads, such as metadata of a scope's denom, are repeated.
 */
const kept = (): string[] => reads().filter((read) => !/^tx_search|^block_search|6e66742f73636f706531/.test(read));

const display = 'display { amount denom symbol exponent }';
const price = `updatedBlockHeight pricePerUnit pricePerDisplayUnit { amount denom symbol exponent }`;
const value = `value { amount denom ${display} netAssetValue { ${price} price { denom } } }`;
const page = 'pageInfo { endCursor hasNextPage }';
const coin = `denom amount ${display}`;
const transferFields = `{ completeFrom ${page} nodes { kind height time sender { address } recipient { address } administrator { address } amount { ${coin} } transaction { hash } message { type } } }`;
const valueFields = `${price} volume source price { ${coin} } updatedBlock { time }`;

/** Aggregates, with the equivalent GraphQL queries. */
const same = () =>
  ({
    accounts: [`accounts/${address}`, `account(address: "${address}") { kind names { nodes { name } ${page} } accountData }`],
    balances: [
      `balances/${address}?pagination.pageSize=3`,
      `account(address: "${address}") {
        balances(first: 3) { nodes { ${coin} ${value.replace(' price { denom }', '')} } ${page} }
        spendableBalances(first: 3) { nodes { denom amount } } holds { denom amount } }`,
    ],
    'balances of the default page': [
      `balances/${address}`,
      `account(address: "${address}") {
        balances { nodes { ${coin} ${value.replace(' price { denom }', '')} } ${page} }
        spendableBalances { nodes { denom amount } } holds { denom amount } }`,
    ],
    metadata: [
      `metadata/${tokens.gold}`,
      `denomMetadata(denom: "${tokens.gold}") { name denomUnits { denom } }
       supplyOf(denom: "${tokens.gold}") { ${coin} ${value.replace(' price { denom }', '')} }
       marker(denom: "${tokens.gold}") { status account { address } manager { address } supply { amount }
         accessControl { permissions account { address } } }`,
    ],
    scopes: [
      `scopes/${scopeAddresses[0]}`,
      `scope(id: "${scopeAddresses[0]}") { id specification { name } owners { role account { address } } dataAccess { address }
         valueOwner { address } netAssetValues { ${price} price { ${coin} } } }`,
    ],
    transfers: [
      `transfers?address=${address}&denom=nhash&pagination.pageSize=2`,
      `transfers(account: "${address}", denom: "nhash", first: 2) ${transferFields}`,
    ],
    'transfers of an account': [
      `transfers/${address}?direction=OUT&pagination.pageSize=4`,
      `account(address: "${address}") { transfers(direction: OUT, first: 4) ${transferFields} }`,
    ],
    netAssetValues: [`netAssetValues/${tokens.gold}`, `marker(denom: "${tokens.gold}") { netAssetValues { ${valueFields} } }`],
    'netAssetValues of a scope, as they were set': [
      `netAssetValues/${scopeAddresses[0]}?history=true&pagination.pageSize=3`,
      `scope(id: "${scopeAddresses[0]}") { netAssetValueHistory(first: 3) { completeFrom ${page} nodes { ${valueFields} transaction { hash } } } }`,
    ],
    holders: [
      `holders/${tokens.gold}?pagination.pageSize=5`,
      `supplyOf(denom: "${tokens.gold}") { ${coin} ${value.replace(' price { denom }', '')} }
       holders(denom: "${tokens.gold}", first: 5) { ${page} nodes { supplyPercent account { address }
         balance { ${coin} value { amount ${display} } } } }`,
    ],
  }) as const;

const names = [
  'accounts',
  'balances',
  'balances of the default page',
  'metadata',
  'scopes',
  'transfers',
  'transfers of an account',
  'netAssetValues',
  'netAssetValues of a scope, as they were set',
  'holders',
] as const;

describe.each(names)('%s', (name) => {
  it('costs the same as in GraphQL', async () => {
    const [path, document] = same()[name];
    await withFresh(async (stack) => {
      lines.length = 0;
      expect((await stack.ask(`{ head { height time } ${document} }`)).body.errors).toBeUndefined();
      expect((await ask(stack, path)).status).toBe(200);
      expect(lines.map(({ surface }) => surface)).toEqual(['graphql', 'aggregates']);
      expect(lines[1]!.cost).toBe(lines[0]!.cost);
    });
  });

  it.runIf(runsAll)('makes the same reads as GraphQL, and shares them', async () => {
    const [path, document] = same()[name];
    let alone: readonly string[] = [];
    await withFresh(async (stack) => {
      chain.node.counters.reset();
      await ask(stack, path);
      alone = reads();
      expect(alone.length).toBeGreaterThan(0);
      expect(new Set(alone).size).toBe(alone.length);
    });
    await withFresh(async (stack) => {
      chain.node.counters.reset();
      expect((await stack.ask(`{ head { height time } ${document} }`)).body.errors).toBeUndefined();
      expect(reads()).toEqual(expect.arrayContaining([...alone]));
      const before = kept();
      await ask(stack, path);
      expect(kept()).toEqual(before);
    });
  });
});
