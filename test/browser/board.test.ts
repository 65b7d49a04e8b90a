import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuth } from '../../src/start/authSetup.ts';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium, openBrowser, openPage, type Relay, startRelay } from '../support/browser.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { vote } from '../support/groups.ts';
import { lineOf } from '../support/process.ts';
import { type Stack, startStack } from '../support/stack.ts';

const directory = new URL('../../examples/board/', import.meta.url);
const screenshot = fileURLToPath(new URL('../../docs/images/tutorial.png', import.meta.url));
const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 844 };

let chain: TestChain;
let stack: Stack;
let token: string;
let relay: Relay;
let browser: Browser;
/** Where the page is served. */
let url: string;
/** What to end after the tests. */
const closers: (() => unknown)[] = [];

/** Starts a server with keys of its own and the client `devnet`, as each start of Stele over the embedded chain. */
async function startServer(): Promise<void> {
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 } as const;
  const { auth, issuer, devnetToken } = await createAuth(config, {
    address: () => 'http://localhost:4000',
    report: (error) => expect.fail(String(error)),
  });
  stack = await startStack([chain.node.url], { server: { auth, issuer } });
  token = await devnetToken!();
}

/** Builds the client package. Then generates the types of the page, checks them and builds it, as the tutorial does. */
async function build(): Promise<void> {
  for (const workspace of ['@stele/client', 'stele-example-board'])
    await promisify(execFile)('npm', ['run', '--silent', 'build', '--workspace', workspace]).catch(({ stdout, stderr }) => {
      throw new Error(`${stdout}${stderr}`);
    });
}

/** Serves the build with the proxy of vite.config.ts. Vite reports each broken connection on stderr, and a test breaks some. */
async function startPreview(): Promise<void> {
  const vite = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url));
  const env = { ...process.env, STELE_URL: relay.url, NO_COLOR: '1', FORCE_COLOR: undefined };
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const preview = spawn(process.execPath, [vite, 'preview', '--port', '0'], { cwd: directory, env, stdio: [...stdio] });
  closers.push(() => preview.kill());
  url = (await lineOf(preview, /http:\/\/localhost:\d+/))[0];
}

/** A proposal and the members who have not voted on it. */
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
  const cells = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent!.trim())));
  return Object.fromEntries(cells.map(([option, weight]) => [option, Number(weight)]));
}

/** The same numbers after a vote of this weight for yes. An option without weight has none. */
function withYes({ yes = 0, 'not voted': open = 0, ...others }: Record<string, number>, weight: number) {
  return { ...others, yes: yes + weight, ...(open > weight && { 'not voted': open - weight }) };
}

/** Waits until the page has subscribed and shows the height of a new block. */
async function followsBlocks(page: Page): Promise<void> {
  await expect.poll(() => stack.server.subscriptions()).toMatchObject({ subscribers: 1, live: { listeners: 1 } });
  await chain.devnet.commit();
  await expect.poll(() => page.innerText('output')).toBe(`Block ${chain.devnet.height}`);
}

async function openBoard(viewport = wide) {
  const opened = await openPage(browser, viewport);
  /** The `after` of each `Blocks` that the page has sent. */
  const afters: (string | undefined)[] = [];
  opened.page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const message = JSON.parse(String(payload));
      if (message.payload?.query?.includes('subscription Blocks')) afters.push(message.payload.variables.after);
    }),
  );
  await opened.page.goto(url);
  await opened.page.waitForSelector('article');
  return { ...opened, afters };
}

describe.skipIf(!hasChromium || !runsAll)(`the board of docs/tutorial.md in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    chain = await startChain();
    closers.push(() => chain.devnet.close());
    [browser] = await Promise.all([openBrowser(), startServer(), build()]);
    relay = await startRelay(stack.server.url);
    closers.push(
      () => stack.close(),
      () => relay.close(),
      () => browser.close(),
    );
    await startPreview();
  });

  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
  });

  it('shows the groups, and the newest proposals of the chosen one with tallies and votes', async () => {
    const { page, requested, errors } = await openBoard();
    const groups = ['Assembly', 'Treasury council', 'Grants committee', 'Operations desk'];
    expect(await page.locator('nav button').allInnerTexts()).toEqual(groups);
    expect(await page.locator('article').count()).toBe(12);
    const { id, weight } = await openProposal();
    expect((await weightsOf(page, id))['not voted']).toBeGreaterThanOrEqual(weight);
    await page.click('summary >> nth=0');
    expect(await page.locator('details[open] li').count()).toBeGreaterThan(0);
    await page.click('text=Treasury council');
    await page.waitForSelector('article small:has-text("Treasury")');
    const foreign = requested.filter((each) => !each.startsWith('data:') && new URL(each).origin !== url);
    expect([foreign, errors]).toEqual([[], []]);
    await page.context().close();
  });

  it('shows each new height, and counts a vote when its block is committed', async () => {
    const { page } = await openBoard();
    await followsBlocks(page);
    const { id, voter, weight } = await openProposal();
    const before = await weightsOf(page, id);
    await chain.run(voter, vote(voter, BigInt(id)));
    await expect.poll(() => weightsOf(page, id)).toEqual(withYes(before, weight));
    await expect.poll(() => page.innerText('output')).toBe(`Block ${chain.devnet.height}`);
    await page.context().close();
  });

  it('gets a new token after a restart of Stele, and resumes at the height that it has reached', async () => {
    const { page, afters } = await openBoard();
    await followsBlocks(page);
    const { id, voter, weight } = await openProposal();
    const before = await weightsOf(page, id);
    const reached = String(chain.devnet.height);
    await stack.close();
    await chain.run(voter, vote(voter, BigInt(id)));
    await startServer();
    relay.switchTo(stack.server.url);
    // The page waits some seconds before it connects again.
    await expect.poll(() => weightsOf(page, id), { timeout: 60_000 }).toEqual(withYes(before, weight));
    // Each stream waits for itself.
    await expect.poll(() => [afters[0], afters.at(-1)], { timeout: 60_000 }).toEqual([undefined, reached]);
    await page.click('text=Grants committee');
    await page.waitForSelector('article small:has-text("Grants")');
    await page.context().close();
  });

  it('fits a screen of 390 px', async () => {
    const { page } = await openBoard(narrow);
    await page.click('summary >> nth=0');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    await page.context().close();
  });

  if (process.env.SCREENSHOTS !== undefined) {
    it('takes the screenshot of docs/tutorial.md', async () => {
      const { page } = await openBoard();
      await followsBlocks(page);
      await page.screenshot({ path: screenshot });
      await page.context().close();
    });
  }
});
