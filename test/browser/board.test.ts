import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuth } from '../../src/http/auth/authSetup.ts';
import { browserNote, hasChromium, openPage, type Relay, startBrowser, startRelay } from '../support/browser.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { vote } from '../support/groups.ts';
import { lineOf } from '../support/process.ts';
import { type Stack, startStack } from '../support/stack.ts';

const directory = new URL('../../examples/board/', import.meta.url);
const wide = { width: 1280, height: 800 };

let chain: TestChain;
let stack: Stack;
let token: string;
let relay: Relay;
let browser: Browser;
let preview: ChildProcess;
/** Where the page is served. */
let url: string;

/** Starts a server with keys of its own and the client `devnet`, as each start of Stele over the embedded chain. */
async function startServer(): Promise<void> {
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 } as const;
  const { auth, issuer, devnetToken } = await createAuth(config, {
    address: () => 'http://localhost:4000',
    report: (error) => expect.fail(String(error)),
  });
  stack = await startStack([chain.node.url], { auth, issuer });
  token = await devnetToken!();
}

/** Serves the build with the proxy of vite.config.ts. Vite reports each broken connection on stderr, and a test breaks some. */
async function startPreview(): Promise<void> {
  const env = { ...process.env, STELE_URL: relay.url, NO_COLOR: '1', FORCE_COLOR: undefined };
  const vite = new URL('../../node_modules/vite/bin/vite.js', import.meta.url).pathname;
  preview = spawn(process.execPath, [vite, 'preview', '--port', '0'], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  [, url] = (await lineOf(preview, /(http:\/\/localhost:\d+)/)) as unknown as [string, string];
}

/** Members who have not voted on a proposal. */
interface Pending {
  readonly id: string;
  readonly pendingVoters: {
    readonly nodes: readonly { readonly weight: string; readonly account: { readonly address: string } }[];
  };
}

/** An open proposal of the first group, an account that has not voted on it, and the weight of its vote. */
async function openProposal() {
  const query = `{ groups(first: 1) { nodes { proposals(first: 12, reverse: true, status: [PROPOSAL_STATUS_SUBMITTED]) {
    nodes { id pendingVoters { nodes { weight account { address } } } }
  } } } }`;
  const { body } = await stack.ask(query, {}, { authorization: `Bearer ${token}` });
  const { groups } = body.data as { groups: { nodes: { proposals: { nodes: Pending[] } }[] } };
  for (const { id, pendingVoters } of groups.nodes[0]!.proposals.nodes)
    for (const { weight, account } of pendingVoters.nodes) {
      const voter = chain.accounts.find(({ address }) => address === account.address);
      if (voter !== undefined) return { id, voter, weight: Number(weight) };
    }
  throw new Error('every account has voted on every open proposal');
}

/** The numbers below the bar of a proposal, by option. */
async function weightsOf(page: Page, id: string): Promise<Record<string, number>> {
  const rows = page.locator('article', { hasText: `#${id} ·` }).locator('dl div');
  return rows
    .evaluateAll((all) =>
      Object.fromEntries(all.map((row) => [...row.children].map((child) => child.textContent?.trim() ?? ''))),
    )
    .then((texts) => Object.fromEntries(Object.entries(texts).map(([option, weight]) => [option, Number(weight)])));
}

/** What they become when a vote of this weight for yes is counted. */
function withYes(weights: Record<string, number>, weight: number): Record<string, number> {
  const left = (weights['not voted'] ?? 0) - weight;
  const { 'not voted': _, ...voted } = weights;
  return { ...voted, yes: (weights.yes ?? 0) + weight, ...(left > 0 && { 'not voted': left }) };
}

async function openBoard(viewport = wide) {
  const opened = await openPage(browser, viewport);
  await opened.page.goto(url);
  await opened.page.waitForSelector('article');
  return opened;
}

describe.skipIf(!hasChromium)(`the board of docs/tutorial.md in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    const build = promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: directory });
    chain = await startChain();
    await startServer();
    [relay, browser] = await Promise.all([startRelay(stack.server.url), startBrowser()]);
    await build;
    await startPreview();
  });

  afterAll(async () => {
    await browser.close();
    preview.kill();
    await once(preview, 'exit');
    await relay.close();
    await stack.close();
    await chain.devnet.close();
  });

  it('shows the groups, and the newest proposals of the chosen one with tallies and votes', async () => {
    const { page, requested, errors } = await openBoard();
    const groups = ['Assembly', 'Treasury council', 'Grants committee', 'Operations desk'];
    expect(await page.locator('nav button').allInnerTexts()).toEqual(groups);
    expect(await page.locator('article').count()).toBe(12);
    expect(Number((await weightsOf(page, (await openProposal()).id))['not voted'])).toBeGreaterThan(0);
    await page.click('summary >> nth=0');
    expect(await page.locator('details[open] li').count()).toBeGreaterThan(0);
    await page.click('text=Treasury council');
    await page.waitForSelector('article small:has-text("Treasury")');
    expect(requested.filter((each) => !each.startsWith('data:') && new URL(each).origin !== url)).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('shows each new height, and counts a vote when its block is made', async () => {
    const { page } = await openBoard();
    const { id, voter, weight } = await openProposal();
    const before = await weightsOf(page, id);
    await expect.poll(() => stack.server.subscriptions().members).toBe(2);
    await chain.run(voter, vote(voter, BigInt(id)));
    await expect.poll(() => page.innerText('output')).toBe(`Block ${chain.devnet.height}`);
    await expect.poll(() => weightsOf(page, id)).toEqual(withYes(before, weight));
    await page.context().close();
  });

  it('receives after a restart of Stele what it has missed, with a new token', async () => {
    const { page } = await openPage(browser, wide);
    await page.clock.install();
    await page.goto(url);
    await page.waitForSelector('article');
    const { id, voter, weight } = await openProposal();
    const before = await weightsOf(page, id);
    await expect.poll(() => stack.server.subscriptions().members).toBe(2);
    await chain.devnet.commit();
    await expect.poll(() => page.innerText('output')).toBe(`Block ${chain.devnet.height}`);
    await stack.close();
    await chain.run(voter, vote(voter, BigInt(id)));
    await startServer();
    relay.switchTo(stack.server.url);
    await chain.devnet.commit();
    await expect
      .poll(async () => {
        // The page waits some seconds before it connects again.
        await page.clock.fastForward(5_000);
        return weightsOf(page, id);
      })
      .toEqual(withYes(before, weight));
    await page.click('text=Grants committee');
    await page.waitForSelector('article small:has-text("Grants")');
    await page.context().close();
  });

  it('fits a screen of 390 px', async () => {
    const { page } = await openBoard({ width: 390, height: 844 });
    await page.click('summary >> nth=0');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.context().close();
  });

  it.runIf(process.env.SCREENSHOTS !== undefined)('is the screenshot of docs/tutorial.md', async () => {
    const { page } = await openBoard({ width: 1280, height: 800 });
    await expect.poll(() => stack.server.subscriptions().members).toBe(2);
    await chain.devnet.commit();
    await expect.poll(() => page.innerText('output')).toBe(`Block ${chain.devnet.height}`);
    await page.screenshot({ path: new URL('../../docs/images/tutorial.png', import.meta.url).pathname });
    await page.context().close();
  });
});
