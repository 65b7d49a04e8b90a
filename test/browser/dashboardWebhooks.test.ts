import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium } from '../support/browser.ts';
import { type DashboardTest, narrow, startDashboard, violations, wide } from '../support/dashboard.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let test: DashboardTest;
let receiver: Receiver;
let status = 204;

const shows = (page: Page, text: string | RegExp): Promise<void> => expect.poll(() => page.innerText('main')).toMatch(text);

/** What a page shows after one more block. */
async function onceCommitted(shown: () => Promise<string>): Promise<string> {
  await test.chain.devnet.commit();
  return shown();
}

describe.skipIf(!hasChromium || !runsAll)(`webhooks in the pages of the dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    receiver = await startReceiver(() => status);
    test = await startDashboard({ webhooks: true });
  });

  afterAll(async () => {
    await test.close();
    await receiver.close();
  });

  it('are created, tested, paused and deleted, and show their deliveries and how far they are', async () => {
    const { page, errors } = await test.open('/webhooks');
    await shows(page, 'You have no webhook.');
    await page.fill('#webhook-url', 'http://10.0.0.1/');
    await page.click('button:text-is("Create the webhook")');
    await shows(page, 'a URL of a public address');
    await page.fill('#webhook-url', `${receiver.url}/page`);
    await page.fill('#webhook-description', 'Blocks for the page');
    await page.fill('#webhook-document', 'subscription { newBlock { height } }');
    await page.click('button:text-is("Create the webhook")');
    await shows(page, /whpk_[\w+/=]{44}/);
    const card = page.locator('section.card.webhook');
    const facts = async (): Promise<string> => (await card.locator('.facts').innerText()).replaceAll(/\s+/g, ' ');
    await expect.poll(facts).toContain('none yet');
    for (let block = 0; block < 3; block += 1) await test.chain.devnet.commit();
    await expect.poll(() => onceCommitted(facts)).toMatch(/Events delivered ([3-9]|\d\d)/i);
    // The page reads at each block, and the deliveries of a block end after it.
    await expect.poll(() => onceCommitted(facts), { interval: 1_000 }).toMatch(/Behind [01] blocks?/i);
    await expect.poll(() => card.locator('tbody tr').count()).toBeGreaterThanOrEqual(3);
    expect(await card.locator('tbody tr').first().innerText()).toContain('Status 204');
    await card.locator('button:text-is("Send a test")').click();
    await expect.poll(() => card.innerText()).toMatch(/Test: Status 204, in \d+ ms\./);
    expect(receiver.received.at(-1)!.body.test).toBe(true);

    status = 500;
    await expect.poll(() => onceCommitted(() => card.innerText())).toContain('Trying again');
    await expect.poll(() => card.locator('tbody tr').first().innerText()).toContain('Status 500');
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    await page.setViewportSize(wide);

    await card.locator('button:text-is("Pause")').click();
    await expect.poll(() => card.innerText()).toContain('Nothing is lost');
    await expect.poll(() => card.locator('.card-head').innerText()).toContain('Paused');
    await card.locator('button:text-is("Continue")').waitFor();
    await card.locator('button:text-is("Delete")').click();
    await card.locator('button:text-is("Delete it for good")').click();
    await shows(page, 'You have no webhook.');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('need a scope of the token, and a server that delivers them', async () => {
    await test.restart({ webhooks: true, scopes: ['read'] });
    const { page } = await test.open('/webhooks');
    await shows(page, 'Your token has no webhooks');
    await page.context().close();
    await test.restart({ scopes: ['read', 'webhooks'] });
    const other = await test.open('/');
    await other.page.click('.footer a:text-is("Webhooks")');
    await shows(other.page, 'This server delivers no webhooks');
    expect(await violations(other.page)).toEqual([]);
    await other.page.context().close();
  });
});
