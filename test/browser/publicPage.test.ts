import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrustedDocuments } from '../../src/graphql/documents/requestParams.ts';
import { admitAnonymous } from '../../src/server/auth/auth.ts';
import { createAuth } from '../../src/start/authSetup.ts';
import { readDashboardDocuments } from '../../src/surfaces/pages/pages.ts';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium, openBrowser, openPage } from '../support/browser.ts';
import { builtDashboard } from '../support/builds.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { wide } from '../support/dashboard.ts';
import { createGroup, submitProposal, vote } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 3600 } as const;

let chain: TestChain;
let browser: Browser;
let site: Server;
let siteUrl: string;
let stack: Stack;

describe.skipIf(!hasChromium)(`a server with --public read, in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    chain = await startChain();
    const [one, two] = chain.accounts;
    const group = await createGroup(chain, [
      [one!, '1'],
      [two!, '1'],
    ]);
    const id = await submitProposal(chain, group, one!, { title: 'A new <b>roof</b>' });
    await chain.run(one!, vote(one!, id));
    const { auth } = await createAuth(config, { address: () => '', report: console.error });
    const dashboard = await builtDashboard();
    // The pages get no token: everything is read without one.
    stack = await startStack([chain.node.url], {
      server: {
        auth: admitAnonymous(auth, ['read']),
        dashboard,
        trustedDocuments: createTrustedDocuments(await readDashboardDocuments(dashboard)),
      },
    });
    browser = await openBrowser();
    const page = readFileSync('examples/publicPage/index.html');
    site = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page)).listen(
      0,
      '127.0.0.1',
    );
    await once(site, 'listening');
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  });

  afterAll(async () => {
    await browser.close();
    site.close();
    site.closeAllConnections();
    expect(stack.masked).toEqual([]);
    await stack.close();
    await chain.devnet.close();
  });

  it('a static page of one file, from another origin, lists the open proposals with their tallies', async () => {
    const { page, requested, errors } = await openPage(browser, { width: 800, height: 600 });
    await page.goto(`${siteUrl}?server=${stack.server.url}`);
    await page.waitForSelector('tbody tr');
    const rows = await page.$$eval('tbody tr', (all) =>
      all.map((row) => [...row.children].map(({ textContent }) => textContent)),
    );
    const own = rows.filter(([title]) => title?.endsWith('A new <b>roof</b>'));
    expect(own).toEqual([[expect.stringMatching(/^\d+ A new/), expect.stringMatching(/^\d+$/), '1', '0', '0']]);
    expect(await page.innerText('#state')).toBe(`${rows.length} open at block ${stack.client.head.current()?.height}.`);
    expect(requested.filter((url) => !url.startsWith(siteUrl) && !url.startsWith('data:'))).toEqual([
      `${stack.server.url}/graphql`,
    ]);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('the dashboard reads and stays live without a login, and keeps nothing in the tab', async () => {
    const { page, errors } = await openPage(browser, wide);
    await page.goto(`${stack.server.url}/dashboard/groups/1`);
    await page.waitForSelector('h1:has-text("Assembly")');
    const height = await chain.devnet.commit();
    await page.waitForSelector(`text=/\\b${height}\\b/`);
    expect(await page.evaluate('Object.keys(sessionStorage).filter((key) => key === "stele.token")')).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it.runIf(runsAll)('the playground runs a query, and the reference a request, without a token', async () => {
    const { page } = await openPage(browser, wide);
    const query = encodeURIComponent('{ head { height } }');
    await page.goto(`${stack.server.url}/graphql?query=${query}`);
    await page.click('button[aria-label^="Execute"]');
    await page.waitForSelector('.result-window :text("height")');
    const answers: [string, number][] = [];
    page.on('response', (response) => answers.push([new URL(response.url()).pathname, response.status()]));
    await page.goto(`${stack.server.url}/docs#/Node RPC/get_status`);
    await page.evaluate("fetch('/status').then((response) => response.status)");
    expect(answers.filter(([path]) => path === '/status')).toEqual([['/status', 200]]);
    await page.context().close();
  });
});
