import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReplayNode, type ReplayNode } from '../replay/replayNode.ts';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium, openBrowser, openPage } from '../support/browser.ts';
import { builtDashboard } from '../support/builds.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { hasContent, narrow, shownHeight, violations, wide } from '../support/dashboard.ts';
import { createGroup, describeGroup, type TestGroup } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { boolField, messageIn, upgradeNode } from '../support/upgrade.ts';

let chain: TestChain;
let stack: Stack;
let browser: Browser;
let group: TestGroup;
let page: Page;
let errors: readonly string[];

/** Starts a server with the dashboard, whose pages have a token with every scope. */
const start = async (url: string): Promise<Stack> =>
  startStack([url], {
    server: { dashboard: await builtDashboard(), playgroundToken: async () => 'open', typed: 'all' },
    client: { learnsRoots: false },
    upstream: { timeout: 2_000, probeInterval: 20 },
  });

/** The URL of a page of a server. */
const urlOf = ({ server }: Stack, path: string): string =>
  `${server.url.replace('127.0.0.1', 'localhost')}/dashboard/explore${path}`;

const open = async (path: string): Promise<void> => {
  await page.goto(urlOf(stack, path));
  await hasContent(page);
};

/** The arguments in the URL of the page. */
const argsIn = (of: Page): unknown => JSON.parse(new URL(of.url()).searchParams.get('args') ?? 'null');

const args = (value: object): string => new URLSearchParams({ args: JSON.stringify(value) }).toString();

describe.skipIf(!hasChromium)(`the pages that explore methods in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    [chain, browser] = await Promise.all([startChain(), openBrowser()]);
    stack = await start(chain.node.url);
    const [admin] = chain.accounts;
    group = await createGroup(chain, [[admin!, '1']]);
    await chain.run(admin!, describeGroup(admin!, group, 'The first name'));
    ({ page, errors } = await openPage(browser, wide));
    page.setDefaultTimeout(10_000);
  });

  afterAll(async () => {
    await browser.close();
    await stack.close();
    await chain.devnet.close();
  });

  it('the list of methods is searched by words, opens the first one with Enter, and has no accessibility violation', async () => {
    await open('');
    await page.waitForSelector('h2:has-text("cosmos.bank.v1beta1")');
    expect(await violations(page)).toEqual([]);
    await page.fill('[aria-label="Search a method"]', 'bank supplyof');
    await page.waitForSelector('output:has-text("1 method in 1 module")');
    await page.press('[aria-label="Search a method"]', 'Enter');
    await page.waitForURL('**/explore/cosmos.bank.v1beta1.supplyOf');
    await page.goBack();
    await page.waitForSelector('output:has-text("1 method in 1 module")');
    await page.fill('[aria-label="Search a method"]', 'no such thing');
    await page.waitForSelector('text=No method has “no such thing” in its name.');
  });

  it('a form is filled in by keyboard, its result is a table that is turned, and a reload shows the same', async () => {
    await open('/cosmos.group.v1.groupMembers');
    await page.focus('text=groupId');
    await page.getByLabel('groupId').fill('1');
    await page.getByLabel('first', { exact: true }).fill('5');
    await page.keyboard.press('Enter');
    await page.waitForSelector('table tbody tr:nth-child(5)');
    expect(argsIn(page)).toEqual({ groupId: '1', first: 5 });
    const addresses = (): Promise<string[]> =>
      page
        .locator('td .address a')
        .evaluateAll((links) => links.map((link) => /tp1\w+/.exec(link.getAttribute('href') ?? '')?.[0] ?? ''));
    const first = await addresses();
    expect(first).toHaveLength(5);
    expect(await shownHeight(page)).toBe(Number(chain.devnet.height));
    expect(await violations(page)).toEqual([]);
    await page.click('text=Next page');
    await expect.poll(addresses).not.toEqual(first);
    const second = await addresses();
    expect(second.some((address) => first.includes(address))).toBe(false);
    await page.reload();
    await page.waitForSelector('table');
    expect(await addresses()).toEqual(second);
    expect(await page.getByLabel('groupId').inputValue()).toBe('1');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    await page.setViewportSize(wide);
    await page.locator('td .address a').first().click();
    await page.waitForURL(`**/accounts/${second[0]}`);
    await page.goBack();
    await expect.poll(addresses).toEqual(second);
    await page.goBack();
    await expect.poll(addresses).toEqual(first);
  });

  it('a result follows the chain, and is shown at an earlier block with the same arguments', async () => {
    const [admin] = chain.accounts;
    const before = chain.devnet.height;
    await open(`/cosmos.group.v1.groupInfo?${args({ groupId: group.id.toString() })}`);
    await page.waitForSelector('dd:has-text("The first name")');
    await chain.run(admin!, describeGroup(admin!, group, 'The second name'));
    await page.waitForSelector('dd:has-text("The second name")');
    expect(await shownHeight(page)).toBe(Number(chain.devnet.height));
    await page.click('text=Time machine');
    await page.fill('[aria-label="Exact height"]', before.toString());
    await page.keyboard.press('Enter');
    await page.waitForSelector('dd:has-text("The first name")');
    expect([await shownHeight(page), argsIn(page)]).toEqual([Number(before), { groupId: group.id.toString() }]);
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    await page.setViewportSize(wide);
    await page.click('summary:has-text("GraphQL document")');
    const text = await page.innerText('pre.code');
    expect(text).toContain(`at(height: ${before})`);
    const href = (await page.getAttribute('a:has-text("Open in the playground")', 'href'))!;
    const search = new URL(href, stack.server.url).searchParams;
    const { body } = await stack.ask(search.get('query')!, JSON.parse(search.get('variables')!));
    expect(body.errors).toBeUndefined();
    expect(JSON.stringify(body.data)).toContain('The first name');
    await page.click('text=Back to now');
    await page.waitForSelector('dd:has-text("The second name")');
  });

  it.runIf(runsAll)('the result is copied as JSON, with the amounts of the chain', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(`/cosmos.bank.v1beta1.supplyOf?${args({ denom: 'nhash' })}`);
    await page.waitForSelector('.amount:has-text("HASH")');
    await page.click('text=Copy as JSON');
    await page.waitForSelector('button:has-text("Copied")');
    const { amount } = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    expect(amount).toEqual({ denom: 'nhash', amount: expect.stringMatching(/^\d{16,}$/) });
  });

  it.runIf(runsAll)('decoded messages without words are shown by their fields, and fit a narrow screen', async () => {
    await open(`/provenance.marker.v1.marker?${args({ id: 'nhash' })}`);
    await page.waitForSelector('.any dt:has-text("baseAccount"), .any summary:has-text("baseAccount")');
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize(wide);
  });

  it.runIf(runsAll)('what the form, the chain and the schema refuse is said in words', async () => {
    await open('/cosmos.group.v1.groupInfo');
    await page.getByLabel('groupId').fill('one');
    await page.click('button:has-text("Run")');
    await page.waitForSelector('.field:has-text("groupId") .failed:has-text("Write a whole number without separators.")');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))).toBe('true');
    expect(argsIn(page)).toBeNull();
    await open(`/cosmos.bank.v1beta1.balance?${args({ address: 'x', denom: 'nhash' })}`);
    const refusal = await page.innerText('.failure-box');
    expect(refusal).toContain('The chain refused the request.');
    expect(refusal).toContain('decoding bech32 failed');
    expect(refusal).toContain('ABCI_QUERY_FAILED');
    await open('/cosmos.group.v1.groupMembers?after=zz&args={"groupId":"1"}');
    await page.waitForSelector('.failure-box:has-text("names a place in a list that does not exist")');
    await open('/cosmos.group.v1.groupInfo?args={');
    await page.waitForSelector('.failure-box:has-text("arguments that are not JSON")');
    await open('/cosmos.group.v1.nothing');
    await page.waitForSelector('.notice:has-text("The chain has no such method")');
    await open(`/cosmos.group.v1.groupInfo?at=999999&${args({ groupId: '1' })}`);
    await page.waitForSelector('text=This block does not exist yet');
    expect(errors).toEqual([]);
  });

  // The last test of this chain: its descriptors differ from here on.
  it('after an upgrade the page reads the schema again, and shows the result with its new fields', async () => {
    await open('/cosmos.bank.v1beta1.params');
    await page.waitForSelector('dt:has-text("defaultSendEnabled")');
    upgradeNode(chain.node, 'v1.30.0', (set) => {
      const params = messageIn(set, 'cosmos/bank/v1beta1/bank.proto', 'Params');
      params.field = params.field.filter(({ name }) => name !== 'default_send_enabled');
      params.field.push(boolField('new_flag', 'newFlag', 99));
    });
    // The server notices the version some blocks later.
    const hasNewField = async (): Promise<boolean> => {
      await chain.devnet.commit();
      return page.isVisible('dt:has-text("newFlag")');
    };
    await expect.poll(hasNewField, { interval: 100, timeout: 20_000 }).toBe(true);
    expect(await page.locator('dt:has-text("defaultSendEnabled")').count()).toBe(0);
    expect(errors).toEqual([]);
  }, 30_000);
});

describe.skipIf(!hasChromium)(`the methods of a recorded chain in Chromium${browserNote}`, () => {
  let node: ReplayNode;
  let recorded: Stack;

  beforeAll(async () => {
    [node, browser] = await Promise.all([createReplayNode(), openBrowser()]);
    recorded = await start(node.url);
    ({ page, errors } = await openPage(browser, wide));
    page.setDefaultTimeout(10_000);
  });

  afterAll(async () => {
    await browser.close();
    await recorded.close();
    await node.close();
  });

  it('nested messages and lists are entered in groups of fields, sent as they are, and read back from the URL', async () => {
    await page.goto(urlOf(recorded, '/provenance.exchange.v1.orderFeeCalc?at=566'));
    await hasContent(page);
    await page.click('button:has-text("Set askOrder")');
    await page.getByLabel('marketId', { exact: true }).fill('3');
    await page.getByLabel('allowPartial').check();
    await page.click('button:has-text("Set assets")');
    await page.getByLabel('denom', { exact: true }).fill('apple');
    await page.getByLabel('amount', { exact: true }).fill('12345678901234567890');
    expect(await violations(page)).toEqual([]);
    const request = page.waitForRequest((each) => (each.postData() ?? '').includes('query OrderFeeCalc'));
    await page.click('button:has-text("Run")');
    const { variables, extensions } = JSON.parse((await request).postData()!);
    const askOrder = { marketId: '3', assets: { denom: 'apple', amount: '12345678901234567890' }, allowPartial: true };
    expect([variables, extensions.height]).toEqual([{ askOrder }, '566']);
    await page.reload();
    await page.waitForSelector('legend:has-text("askOrder")');
    expect(await page.getByLabel('amount', { exact: true }).inputValue()).toBe('12345678901234567890');
    await page.getByRole('button', { name: 'Remove askOrder' }).click();
    await page.waitForSelector('button:has-text("Set askOrder")');
    expect(errors).toEqual([]);
  });

  it.runIf(runsAll)('a method of the node itself is read once over HTTP, and says that it has no height', async () => {
    const sent: string[] = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
    await page.goto(urlOf(recorded, '/cosmos.base.tendermint.v1beta1.getNodeInfo'));
    await page.waitForSelector('.badge:has-text("Not read at a height")');
    await page.waitForSelector('h2:has-text("defaultNodeInfo")');
    expect([sent.filter((frame) => frame.includes('getNodeInfo')), errors]).toEqual([[], []]);
  });
});
