import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserNote, hasChromium, openBrowser, openPage } from '../support/browser.ts';
import { builtDashboard } from '../support/builds.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { hasContent, violations, wide } from '../support/dashboard.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

describe.skipIf(!hasChromium)(`the look of the dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    chain = await startChain();
    stack = await startStack([chain.node.url], {
      server: {
        dashboard: await builtDashboard(),
        playgroundToken: async () => 'open',
        dashboardLook: {
          ...{ name: 'Harbor Board', colours: { light: '#0b5d3b', dark: '#7fe0b0' }, start: '/groups/1' },
          ...{ off: ['home', 'blocks'], ancestors: [] },
        },
      },
    });
  });

  afterAll(async () => {
    await stack.close();
    await chain.devnet.close();
  });

  it('has the name, the colours in both themes, the first page, and no pages that are off', async () => {
    const browser = await openBrowser();
    const { page, errors } = await openPage(browser, wide);
    const url = stack.server.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${url}/dashboard`);
    await page.waitForURL('**/groups/1');
    await hasContent(page);
    expect(await page.innerText('.brand')).toBe('Harbor Board');
    await expect.poll(() => page.title()).toBe('Assembly · Harbor Board');
    expect(await page.innerText('nav.sections')).toMatch(/^Groups/);
    expect(await page.innerText('nav.sections')).not.toContain('Blocks');
    const linkColour = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.querySelector('.card a')!).getPropertyValue('--accent'));
    expect(await linkColour()).toBe('#0b5d3b');
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await linkColour()).toBe('#7fe0b0');
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await page.goto(`${url}/dashboard/transactions/${'0'.repeat(64)}`);
    await page.waitForSelector('text="This page is off"');
    expect(errors).toEqual([]);
    await browser.close();
  });
});
