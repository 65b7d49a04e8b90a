import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuth } from '../../src/start/authSetup.ts';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium, openBrowser, openPage, type Relay, startRelay } from '../support/browser.ts';
import { builtDashboard } from '../support/builds.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { createGroup, describeGroup } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 844 };

let chain: TestChain;
let stack: Stack;
let relay: Relay;
let browser: Browser;
/** Statuses and surfaces of the requests to the servers. */
const log: { readonly surface: string; readonly status: number | undefined }[] = [];

/** Starts a server with keys of its own, as each start of the server has. Its tokens are issued for `localhost` alone. */
async function startServer(): Promise<{ readonly stack: Stack; readonly token: string }> {
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 } as const;
  const { auth, issuer, devnetToken } = await createAuth(config, {
    address: () => 'http://localhost:4000',
    report: (error) => expect.fail(String(error)),
  });
  const started = await startStack([chain.node.url], {
    server: {
      auth,
      issuer,
      playgroundToken: devnetToken,
      dashboard: await builtDashboard(),
      log: { request: ({ surface, status }) => void log.push({ surface, status }), dropped: () => 0 },
    },
  });
  return { stack: started, token: await devnetToken!() };
}

/** The text of the response of the playground. */
const responseOf = (page: Page): Promise<string> =>
  page.evaluate(
    () => (document.querySelector('.result-window') as HTMLElement | null)?.innerText.replaceAll('\u200b', '') ?? '',
  );

async function openPlayground(page: Page): Promise<void> {
  page.setDefaultTimeout(10_000);
  await page.goto(`${relay.url}/graphql`);
  await page.waitForSelector('.graphiql-query-editor .CodeMirror-line:has-text("{")');
}

const run = (page: Page): Promise<void> => page.click('.graphiql-execute-button');

/** Whether anything is cut off or needs scrolling to the side. */
const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

describe.skipIf(!hasChromium)(`pages in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    chain = await startChain();
    [{ stack }, browser] = await Promise.all([startServer(), openBrowser()]);
    relay = await startRelay(stack.server.url);
  });

  afterAll(async () => {
    await browser.close();
    await relay.close();
    await stack.close();
    await chain.devnet.close();
  });

  // One page for these three, because Chromium compiles the megabytes of the editor for each.
  describe('a playground that is open', () => {
    let page: Page;
    let requested: string[];
    let errors: string[];

    beforeAll(async () => {
      ({ page, requested, errors } = await openPage(browser, wide));
      await openPlayground(page);
    });

    afterAll(() => page.context().close());

    it('has its own name and icon, and loads nothing from another host', async () => {
      expect([await page.title(), await page.innerText('.graphiql-logo')]).toEqual(['Stele', 'Stele']);
      expect(await page.$eval('link[rel=icon]', (link) => link.getAttribute('href'))).toBe('/dashboard/icon.svg');
      const drawing = await (await fetch(`${relay.url}/dashboard/icon.svg`)).text();
      expect(drawing).toContain(await page.$eval('.graphiql-logo path', (path) => path.getAttribute('d')!));
      await run(page);
      await expect.poll(() => responseOf(page)).toContain('stele-devnet');
      const foreign = requested.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${relay.url}/`));
      expect([foreign, errors]).toEqual([[], []]);
    });

    it('sends an unknown token once, and its own token after a refusal', async () => {
      log.length = 0;
      const statuses = await page.evaluate(async () => {
        const ask = async (): Promise<number> => {
          const headers = { authorization: 'Bearer of.another.server', 'content-type': 'application/json' };
          const body = JSON.stringify({ query: '{ head { height } }' });
          return (await fetch('/graphql', { method: 'POST', headers, body })).status;
        };
        return [await ask(), await ask()];
      });
      expect(statuses).toEqual([200, 200]);
      expect(log.filter(({ status }) => status === 401)).toHaveLength(1);
    });

    it('runs its subscription', async () => {
      await page.click('.graphiql-tab-button:has-text("Blocks")');
      // GraphiQL reads the document of a tab a moment after it shows it.
      await page.waitForFunction(() => {
        const { tabs = [], activeTabIndex = 0 } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
        const editor = document.querySelector('.graphiql-query-editor .CodeMirror-lines');
        return tabs[activeTabIndex]?.operationName === 'Blocks' && editor?.textContent?.includes('newBlock');
      });
      await run(page);
      // What the page shows instead, if it shows an error.
      await expect
        .poll(async () => [stack.server.subscriptions().subscribers, await responseOf(page)], { timeout: 25_000 })
        .toEqual([1, '']);
      const height = await chain.devnet.commit();
      await expect.poll(() => responseOf(page)).toContain(`"${height}"`);
    });
  });

  it.runIf(runsAll)(
    'the playground opens an example that is picked in a tab of its own, with its variables, and runs it',
    async () => {
      const { page, requested, errors } = await openPage(browser, wide);
      await openPlayground(page);
      const tabs = (): Promise<string[]> => page.locator('.graphiql-tab-button').allInnerTexts();
      const before = await tabs();
      const examples = page.locator('#stele-examples');
      expect(await examples.locator('option').allInnerTexts()).toContain('The proposals of a policy');
      await examples.selectOption('ByAccount');
      // GraphiQL names a tab after its operation as soon as it has read the document.
      const opened = expect.stringMatching(/^(The groups and votes of an account|ByAccount)$/);
      // The page is loaded again, and has no tabs for a moment.
      await expect.poll(() => tabs().catch(() => [])).toEqual([...before, opened]);
      await page.waitForSelector('.graphiql-query-editor .CodeMirror-line:has-text("groupsByMember")');
      await run(page);
      await expect.poll(() => responseOf(page)).toContain('"groupsByMember"');
      // The variable of the example is an account of the embedded chain.
      expect(await responseOf(page)).toContain('"votesByVoter"');
      expect(await page.locator('.stele-bar a').getAttribute('href')).toBe('/dashboard');
      const foreign = requested.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${relay.url}/`));
      expect([foreign, errors]).toEqual([[], []]);
      await page.context().close();
    },
  );

  it.runIf(runsAll)('the playground opens the operation that a link has', async () => {
    const { page } = await openPage(browser, wide);
    const search = new URLSearchParams({
      query: 'query Linked($id: ID!) { proposal(id: $id) { title } }',
      variables: '{"id":"38"}',
    });
    await page.goto(`${relay.url}/graphql?${search}`);
    await page.waitForSelector('.graphiql-query-editor .CodeMirror-line:has-text("Linked")');
    await run(page);
    await expect.poll(() => responseOf(page)).toContain('Amend article 9');
    await page.context().close();
  });

  it('the playground runs a live query through its stream, and shows the newest result', async () => {
    const { page } = await openPage(browser, wide);
    await page.goto(`${relay.url}/livez`);
    const account = chain.accounts[0]!;
    const { id, policy } = await createGroup(chain, [[account, '1']]);
    const query = `query Groups @live { group(id: ${id}) { metadata } }`;
    const tab = {
      id: 'a',
      title: 'Groups',
      query,
      variables: null,
      headers: null,
      operationName: 'Groups',
      response: null,
      hash: null,
    };
    await page.evaluate(
      ([tabState, query]) => {
        localStorage.setItem('graphiql:tabState', tabState!);
        localStorage.setItem('graphiql:query', query!);
      },
      [JSON.stringify({ tabs: [tab], activeTabIndex: 0 }), query],
    );
    await openPlayground(page);
    await run(page);
    await expect.poll(() => stack.server.subscriptions().live.listeners).toBe(1);
    await expect.poll(() => responseOf(page)).toContain('"metadata"');
    for (const text of ['first-change', 'second-change']) {
      await chain.run(account, describeGroup(account, { id, policy }, text));
      await expect.poll(() => responseOf(page)).toContain(text);
    }
    expect(await responseOf(page)).not.toContain('first-change');
    // The editor has no complaint about the directive, which it finds in the schema.
    expect(await page.$$('.CodeMirror-lint-mark-error')).toEqual([]);
    await page.click('.graphiql-execute-button');
    await expect.poll(() => stack.server.subscriptions().live.listeners).toBe(0);
    await page.context().close();
  });

  it.runIf(runsAll)(
    'the playground of a server that gives pages no token asks for one, uses the one that is entered, and says when it is refused',
    async () => {
      const config = {
        kind: 'embedded',
        audience: undefined,
        clientsFile: undefined,
        keysFile: undefined,
        lifetime: 600,
      } as const;
      const { auth, issuer, devnetToken } = await createAuth(config, {
        address: () => 'http://localhost:4000',
        report: (error) => expect.fail(String(error)),
      });
      const plain = await startStack([chain.node.url], { server: { auth, issuer, dashboard: await builtDashboard() } });
      const { page, errors } = await openPage(browser, narrow);
      page.setDefaultTimeout(10_000);
      await page.goto(`${plain.server.url.replace('127.0.0.1', 'localhost')}/graphql`);
      // GraphiQL reads the schema when it starts.
      await page.waitForSelector('.stele-token[data-state=needed]:has-text("This server needs a token. Enter one here.")');
      expect(await overflows(page)).toBe(false);
      await page.fill('[aria-label="Access token"]', (await devnetToken?.()) ?? '');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.stele-token:has-text("Your token is used.")');
      await page.waitForSelector('.graphiql-query-editor .CodeMirror-line:has-text("{")');
      await run(page);
      await expect.poll(() => responseOf(page)).toContain('stele-devnet');
      await page.click('text=Forget it');
      await page.waitForSelector('.stele-token[data-state=needed]');
      await page.fill('[aria-label="Access token"]', 'of.another.server');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.stele-token[data-state=refused]:has-text("The server does not accept this token.")');
      expect(errors).toEqual([]);
      await page.context().close();
      await plain.close();
    },
  );

  it.runIf(runsAll)('the playground fits a screen of 390 px', async () => {
    const { page } = await openPage(browser, narrow);
    await openPlayground(page);
    await run(page);
    await expect.poll(() => responseOf(page)).toContain('stele-devnet');
    expect(await overflows(page)).toBe(false);
    for (const part of ['.graphiql-query-editor', '.graphiql-response', '.graphiql-execute-button', '.graphiql-sidebar']) {
      const { x, y, width, height } = (await (await page.$(part))!.boundingBox())!;
      const fits = x >= 0 && y >= 0 && x + width <= narrow.width && y + height <= narrow.height;
      expect([part, fits, width > 300 || part.includes('button')]).toEqual([part, true, true]);
      expect(height).toBeGreaterThan(30);
    }
    await page.click('[aria-label="Show Documentation Explorer"]');
    await expect.poll(async () => (await (await page.$('.graphiql-plugin'))!.boundingBox())!.width).toBeGreaterThan(300);
    await page.context().close();
  });

  it.runIf(runsAll)(
    'the playground replaces the token of an old tab, and gets a new one after a restart of the server and each minute',
    async () => {
      const old = await startServer();
      await old.stack.close();
      const { page } = await openPage(browser, wide);
      await page.clock.install();
      await page.goto(`${relay.url}/livez`);
      const query = '{ head { height chainId } }';
      const headers = JSON.stringify({ Authorization: `Bearer ${old.token}`, 'x-mine': '1' });
      const tab = { id: 'a', title: 'old', query, variables: null, headers, operationName: null, response: null, hash: null };
      await page.evaluate(
        ([tabState, headers, query]) => {
          for (const [name, value] of Object.entries({ tabState, headers, query }))
            localStorage.setItem(`graphiql:${name}`, value!);
        },
        [JSON.stringify({ tabs: [tab], activeTabIndex: 0 }), headers, query],
      );
      await page.goto(`${relay.url}/graphql`);
      await page.waitForSelector('.graphiql-query-editor .CodeMirror-line:has-text("{")');
      const stored = await page.evaluate(() => JSON.stringify(localStorage));
      expect([stored.includes('eyJ'), stored.includes('x-mine')]).toEqual([false, true]);
      log.length = 0;
      await run(page);
      await expect.poll(() => responseOf(page)).toContain('stele-devnet');
      expect(log.filter(({ status }) => status === 401)).toEqual([]);

      const restarted = await startServer();
      relay.switchTo(restarted.stack.server.url);
      await stack.close();
      stack = restarted.stack;
      const { height } = await stack.client.head.ready();
      const next = await chain.devnet.commit();
      expect(next).toBeGreaterThan(height);
      await stack.client.head.waitFor(next, { milliseconds: 30_000 });
      log.length = 0;
      await run(page);
      await expect.poll(() => responseOf(page)).toContain(`"${next}"`);
      expect(log.filter(({ status }) => status === 401)).toHaveLength(1);

      await page.clock.fastForward(61_000);
      log.length = 0;
      await run(page);
      await expect
        .poll(() => log.map(({ surface, status }) => `${surface} ${status}`))
        .toEqual(['playground 200', 'graphql 200']);
      await page.context().close();
    },
  );
});
