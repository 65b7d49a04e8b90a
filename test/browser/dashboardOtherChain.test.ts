import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeAddress, moduleAddress } from '../../packages/devnet/src/app/runtime/address.ts';
import { devnetModules } from '../../src/config/devnetModules.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll, some } from '../support/atRandom.ts';
import { browserNote, hasChromium } from '../support/browser.ts';
import { any } from '../support/chain.ts';
import {
  type DashboardTest,
  hasContent,
  narrow,
  type OpenedPage,
  shownHeight,
  startDashboard,
  violations,
  wide,
} from '../support/dashboard.ts';

const noGroups = ['This chain has no module “group”', 'blocks', 'tokens', 'validators'];

/** Each route with the paths that are opened, and texts that they show. ADDRESS, MODULE and HASH stand for those of the chain. */
const routes: Readonly<Record<string, readonly (readonly [path: string, texts: readonly string[]])[]>> = {
  '/': [['', ['Activity', 'Newest blocks', 'node-1', 'Newest transactions', 'sends 0.25 DUSD']]],
  '/groups': [['/groups', noGroups]],
  '/groups/:id': [['/groups/1', noGroups]],
  '/policies/:address': [['/policies/ADDRESS', noGroups]],
  '/proposals': [['/proposals', ['This chain has no module “group” and no module “gov”']]],
  '/proposals/:id': [['/proposals/1', noGroups]],
  '/proposals/:id/proof': [['/proposals/1/proof', noGroups]],
  '/gov/:id': [['/gov/1', ['This chain has no module “gov”']]],
  '/accounts/:address': [
    ['/accounts/ADDRESS', ['89,999.75 DUSD', 'Balances', 'Account number', 'Transfers', 'sends 0.25 DUSD']],
    ['/accounts/MODULE', ['Account', 'Balances']],
  ],
  '/accounts/:address/statement': [
    [
      '/accounts/ADDRESS/statement',
      ['every movement of this range', 'Opening balance', '−0.25', '89,999.75', 'Closing balance'],
    ],
  ],
  '/accounts/:address/proof': [
    ['/accounts/ADDRESS/proof', ['There is no proof', 'This server does not verify blocks, so it gives no proofs.']],
  ],
  '/contracts/:address': [['/contracts/ADDRESS', ['This chain has no module “wasm”']]],
  '/tokens': [['/tokens', ['5 tokens', 'Vaulted Gold', '100 GOLD', 'Allocated gold in a vault, by the gram.', 'Hash']]],
  '/tokens/:denom': [
    ['/tokens/microusd', ['Deposit Dollar', 'DUSD', 'Holders', '0.25 DUSD', 'microusd, dollar (10^6)']],
    ['/tokens/ibc/0123456789ABCDEF', ['ibc/0123456789ABCDEF', 'Nobody holds it.']],
  ],
  '/blocks': [['/blocks', ['Proposer', 'validator-0']]],
  '/blocks/:height': [['/blocks/2', ['App hash', '1 transaction', 'sends 0.25 DUSD']]],
  '/transactions/:hash': [['/transactions/HASH', ['Succeeded', 'sends 0.25 DUSD', 'Gas']]],
  '/validators': [['/validators', ['validator-0', '100 %']]],
  '/validators/:address': [['/validators/VALIDATOR', ['validator-0', 'Bonded', 'Commission']]],
  // The token of this test may not read the types of the chain: test/browser/dashboardExplore.test.ts.
  '/explore': [['/explore', ['It does not have the scope introspect.']]],
  '/explore/:method': [['/explore/cosmos.bank.v1beta1.params', ['It does not have the scope introspect.']]],
  '/status': [['/status', ['node-1', 'Healthy', 'stele-devnetd v1.0.0', 'Not on this chain', 'block 2 to']]],
  '/limits': [['/limits', ['graphql.bytes']]],
  '/webhooks': [['/webhooks', ['Webhooks']]],
  '/search': [
    ['/search?q=nothing+at+all', ['Nothing was found', 'a transaction or a block, or a height.']],
    ['/search?q=2', ['App hash']],
    ['/search?q=gramgold', ['100 GOLD']],
    ['/search?q=ADDRESS', ['Account number']],
    ['/search?q=HASH', ['Succeeded']],
  ],
};

/** What no page of this chain says. */
const untrue =
  /cannot be read|tries again|could not be read|Provenance|\bmarker|attribute|kyc\.pb|\bon hold\b|net asset|is a member|no vote/i;

interface TxResult {
  readonly code: number;
  readonly gas_wanted: string;
  readonly events: readonly { readonly attributes: readonly { readonly key: string; readonly value: string }[] }[];
}

let test: DashboardTest;
let opened: OpenedPage;
let hash: string;
let validator: string;

const fill = (path: string): string =>
  path
    .replace('ADDRESS', test.chain.accounts[0]!.address)
    .replace('MODULE', encodeAddress(moduleAddress('fee_collector')))
    .replace('VALIDATOR', validator)
    .replace('HASH', hash);

describe.skipIf(!hasChromium)(`the dashboard over a chain without groups and markers, in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard({ without: devnetModules.filter((name) => name !== 'staking') });
    const [from, to] = test.chain.accounts;
    const coins = { amount: [{ denom: 'microusd', amount: '250000' }] };
    hash = await test.chain.submit(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, ...coins }));
    await test.chain.devnet.commit();
    await test.chain.devnet.commit();
    const set = (await (await fetch(`${test.chain.node.url}/validators`)).json()) as {
      result: { validators: { address: string }[] };
    };
    validator = set.result.validators[0]!.address;
    opened = await test.open('');
  });

  afterAll(() => test.close());

  it('the paths below are those of all routes', () => {
    const source = readFileSync('dashboard/src/routes.ts', 'utf8');
    const paths = [...source.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path);
    expect(paths.toSorted()).toEqual(Object.keys(routes).toSorted());
  });

  it.each(some(Object.entries(routes), 12))(
    '%s: shows what the chain has, and says nothing of what it does not have',
    async (_, paths) => {
      const { page, errors } = opened;
      for (const [path, texts] of paths) {
        await page.setViewportSize(wide);
        await page.goto(`${test.relay.url}/dashboard${fill(path)}`);
        await hasContent(page);
        for (const text of texts)
          await expect.poll(async () => (await page.innerText('body')).toLowerCase()).toContain(text.toLowerCase());
        expect(await page.innerText('body')).not.toMatch(untrue);
        expect(await page.innerText('nav.sections')).not.toContain('Groups');
        if (!path.startsWith('/explore')) expect(await shownHeight(page)).toBe(Number(test.chain.devnet.height));
        if (runsAll) expect(await violations(page)).toEqual([]);
        await page.setViewportSize(narrow);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
      }
      expect(errors).toEqual([]);
    },
  );

  it('wrong addresses of pages say so', async () => {
    const { page, errors } = opened;
    for (const [path, text] of [
      ['/nothing', 'This page does not exist'],
      ['/proposals/%E0%A4%A', 'This page does not exist'],
      ['/tokens/%zz', 'This page does not exist'],
      ['/groups/abc', '“abc” is not a number.'],
      ['/accounts/nonsense', '“nonsense” is not valid here. It must be a bech32 address.'],
    ]) {
      await page.goto(`${test.relay.url}/dashboard${path}`);
      await page.waitForSelector(`.notice:has-text("${text}")`);
      expect(await page.innerText('body')).not.toMatch(untrue);
    }
    expect(errors).toEqual([]);
  });

  it('a page whose module is absent says so without another attempt, also if the page could not read which modules there are', async () => {
    const page = await opened.page.context().newPage();
    await page.routeWebSocket('**/graphql', (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        const { id, payload } = JSON.parse(String(message)) as {
          readonly id: string;
          readonly payload?: { readonly query?: string };
        };
        if (!payload?.query?.includes('query Modules')) return server.send(message);
        const error = { message: 'refused', extensions: { code: 'FORBIDDEN' } };
        socket.send(JSON.stringify({ id, type: 'error', payload: [error] }));
      });
    });
    await page.goto(`${test.relay.url}/dashboard/groups`);
    await page.waitForSelector('.notice:has-text("It has no module cosmos.group.v1.")');
    expect(await page.innerText('main')).not.toMatch(/cannot be read|tries again/);
    await page.close();
  });

  it('the home page shows a new block, and a page that is open reads nothing that the chain does not have', async () => {
    const { page } = opened;
    for (const path of some(['', '/groups', '/tokens', '/tokens/gramgold', '/accounts/ADDRESS', '/search?q=3'], 3)) {
      await page.goto(`${test.relay.url}/dashboard${fill(path)}`);
      await hasContent(page);
      test.chain.node.counters.reset();
      for (let block = 0; block < 3; block++) {
        const height = await test.chain.devnet.commit();
        await expect.poll(() => shownHeight(page)).toBe(Number(height));
      }
      const queried = test.chain.node.counters.log.map(({ params }) => JSON.stringify(params));
      expect([path, queried.filter((one) => /cosmos\.(group|authz|feegrant)|provenance/.test(one))]).toEqual([path, []]);
    }
  });

  it('an account of the visitor sends coins: the page shows the fee by the rule of the chain, and follows the transaction to its block', async () => {
    const [from, to] = [test.chain.accounts[8]!, test.chain.accounts[0]!];
    const { page, errors } = await test.open(`/accounts/${from.address}`);
    await page.fill('#send-recipient', to.address);
    await page.selectOption('[aria-label=Unit]', 'nhash');
    await page.fill('#send-amount', '2.5');
    expect(await page.innerText('#send-amount-reading')).toMatch(/^2\.5 HASH = 2,500,000,000 nhash\. The account holds /);
    await page.click('.act-form button:has-text("Send")');
    await page.waitForSelector('.progress:is([data-stage=CHECKED], [data-stage=PENDING])');
    const height = await test.chain.devnet.commit();
    await page.waitForSelector('.progress[data-kind=done]');
    expect(await page.innerText('.progress')).toContain(`In block ${height}.`);

    const response = await fetch(`${test.chain.node.url}/block_results?height=${height}`);
    const { txs_results: results } = ((await response.json()) as { result: { txs_results: TxResult[] } }).result;
    const gas = BigInt(results[0]!.gas_wanted);
    const fee = (gas + 39n) / 40n;
    const paid = results[0]!.events.flatMap(({ attributes }) => attributes).find(({ key }) => key === 'fee')?.value;
    expect([results.length, results[0]!.code, paid]).toEqual([1, 0, `${fee}nhash`]);
    expect(await page.getAttribute('.progress .amount', 'title')).toBe(`${fee.toLocaleString('en-US')} nhash`);
    if (runsAll) expect(await violations(page)).toEqual([]);
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
