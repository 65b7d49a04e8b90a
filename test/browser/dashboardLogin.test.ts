import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { algorithms } from '../../src/config/settings/settings.ts';
import { addPublicClient } from '../../src/server/issuer/clients.ts';
import { createAuth } from '../../src/start/authSetup.ts';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium, openBrowser, openPage, type Relay, startRelay } from '../support/browser.ts';
import { builtDashboard } from '../support/builds.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { hasContent, violations, wide } from '../support/dashboard.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openIdProvider.ts';
import { type Stack, startStack } from '../support/stack.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-login-'));
const audience = 'https://stele.example.org';

let chain: TestChain;
let browser: Browser;
let relay: Relay;
let provider: OpenIdProvider;
let stack: Stack;

describe.skipIf(!hasChromium)(
  `tokens of the dashboard on a server that is not for development, in Chromium${browserNote}`,
  () => {
    beforeAll(async () => {
      chain = await startChain();
      [browser, relay] = await Promise.all([openBrowser(), startRelay('http://localhost:1')]);
      provider = await startOpenIdProvider({ clientId: 'board', redirectUri: `${relay.url}/dashboard/login`, audience });
      const outside = {
        kind: 'outside',
        issuer: provider.url,
        audience,
        jwksUrl: undefined,
        algorithms,
        strictType: true,
      } as const;
      const { auth } = await createAuth(outside, { address: () => '', report: console.error });
      stack = await startStack([chain.node.url], {
        server: {
          auth,
          dashboard: await builtDashboard(),
          dashboardLogin: {
            kind: 'openid',
            issuer: provider.url,
            clientId: 'board',
            scope: 'openid read',
            parameters: { audience },
          },
        },
      });
      relay.switchTo(stack.server.url);
    });

    afterAll(async () => {
      await browser.close();
      await relay.close();
      await provider.close();
      await stack.close();
      await chain.devnet.close();
      rmSync(directory, { recursive: true });
    });

    it('a visitor logs in at the OpenID provider and is back at the page, with no code in the address and no data before', async () => {
      const { page, requested, errors } = await openPage(browser, wide);
      const response = await page.goto(`${relay.url}/dashboard/groups/1?at=1`);
      expect(response?.headers()['content-security-policy']).toContain(`connect-src 'self' ${provider.url};`);
      const button = page.locator('button:text-is("Log in")');
      await button.waitFor();
      expect([await page.innerText('h1'), (await page.content()).includes('Assembly')]).toEqual([
        'This server needs a token',
        false,
      ]);
      expect(requested.filter((url) => url.endsWith('/graphql'))).toEqual([]);
      expect(await violations(page)).toEqual([]);
      await button.click();
      await page.waitForSelector('h1:has-text("Assembly")');
      expect(page.url()).toBe(`${relay.url}/dashboard/groups/1?at=1`);
      const [login] = requested.filter((url) => url.startsWith(`${provider.url}/authorize`));
      expect(Object.fromEntries(new URL(login!).searchParams)).toMatchObject({ scope: 'openid read', audience });
      expect(provider.redeemed).toMatchObject([{ code_verifier: expect.stringMatching(/^[\w-]{43}$/) }]);
      // What is left in the tab is the token, and how far its pages are scrolled.
      expect(await page.evaluate('Object.keys(sessionStorage).sort()')).toEqual(['stele.scroll', 'stele.token']);
      const others = requested.filter((url) => !url.startsWith(`${relay.url}/`) && !url.startsWith(`${provider.url}/`));
      expect([others, errors]).toEqual([[], []]);
      await page.context().close();
    });

    it.runIf(runsAll)('a response that belongs to no login of the tab is refused, and the page says so', async () => {
      const { page } = await openPage(browser, wide);
      const before = provider.redeemed.length;
      await page.goto(`${relay.url}/dashboard/login?code=stolen&state=other`);
      await page.waitForSelector('[role=alert]:has-text("This is not the login that was begun here.")');
      expect([page.url(), provider.redeemed.length]).toEqual([`${relay.url}/dashboard`, before]);
      await page.context().close();
    });

    it.runIf(runsAll)(
      'the public client of the embedded issuer gives the pages of its origin a token, and those of another origin none',
      async () => {
        const clientsFile = join(directory, 'clients.json');
        const { id: clientId } = await addPublicClient(clientsFile, 'dashboard', { scopes: ['read'], origins: [relay.url] });
        const config = { kind: 'embedded', audience, clientsFile, keysFile: undefined, lifetime: 3600 } as const;
        const { auth, issuer } = await createAuth(config, { address: () => '', report: console.error });
        const own = await startStack([chain.node.url], {
          server: { auth, issuer, dashboard: await builtDashboard(), dashboardLogin: { kind: 'client', clientId } },
        });
        relay.switchTo(own.server.url);
        const { page, errors } = await openPage(browser, wide);
        await page.goto(`${relay.url}/dashboard/groups/1`);
        await page.waitForSelector('h1:has-text("Assembly")');
        expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
        await page.goto(`${own.server.url}/dashboard/groups/1`);
        await hasContent(page);
        expect([await page.innerText('h1'), await page.locator('button:text-is("Log in")').count()]).toEqual([
          'This server needs a token',
          0,
        ]);
        expect(errors).toEqual([]);
        await page.context().close();
        relay.switchTo(stack.server.url);
        await own.close();
      },
    );
  },
);
