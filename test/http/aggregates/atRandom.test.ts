import { afterAll, beforeAll, expect, it } from 'vitest';
import { scopeAddresses } from '../../../packages/devnet/src/app/world/scopes.ts';
import { anyText, fc, rounds } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { ask } from './request.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready({ milliseconds: 5000 });
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const [scope = ''] = scopeAddresses;
const address = 'tp16klf3cny45skpulz4kazm9dx9fd44usmuglaar';
const routes = ['accounts', 'balances', 'metadata', 'scopes', 'transfers', 'netAssetValues', 'holders', 'x'];
const parameters = [
  ...['pagination.cursor', 'pagination.pageSize', 'priceDenom', 'denom', 'address', 'direction', 'kinds', 'history'],
  ...['constructor', '__proto__', 'limit'],
];

/** Values of parameters: valid ones, almost valid ones, and random text. */
const value = fc.oneof(
  fc.constantFrom(address, scope, `nft/${scope}`, 'nhash', 'usd', '5', 'true', 'IN', 'SEND,FEE', '', '..', '%00', '%zz'),
  anyText(40).map((text) => encodeURIComponent(text)),
  fc.base64String({ maxLength: 40 }).map(encodeURIComponent),
  fc.bigInt().map(String),
);
const query = fc.option(fc.array(fc.tuple(fc.constantFrom(...parameters), value), { maxLength: 4 }), { nil: [], freq: 1 });
const height = fc.option(fc.oneof(fc.constantFrom('1', '0', '-1', '9'.repeat(19)), fc.base64String()), {
  nil: undefined,
  freq: 1,
});

it('every request gets a response that matches its schema, and never an internal error', async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), value, query, height, async (route, inPath, pairs, at) => {
      const text = pairs.map(([name, given]) => `${name}=${given}`).join('&');
      const headers: Record<string, string> = at === undefined ? {} : { 'x-cosmos-block-height': at };
      const { status } = await ask(stack, `${route}/${inPath}?${text}`, headers);
      seen.add(status);
      expect([200, 400, 404]).toContain(status);
    }),
    // Random requests are almost never valid.
    { numRuns: rounds(600), examples: [['holders', 'nhash', [], undefined]] },
  );
  expect(stack.masked).toEqual([]);
  expect([...seen].toSorted()).toEqual([200, 400, 404]);
}, 180_000);
