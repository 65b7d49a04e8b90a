import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserNote, hasChromium } from '../support/browser.ts';
import { type DashboardTest, narrow, startDashboard, violations } from '../support/dashboard.ts';

let test: DashboardTest;

describe.skipIf(!hasChromium)(`what is verified, in the pages of the dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard({ verifies: true });
  });

  afterAll(() => test.close());

  it('the status page has the verified head, the power that signed it, and where the trust began', async () => {
    const height = await test.chain.devnet.commit();
    const { page, errors } = await test.open('/status');
    const card = page.locator('section.card:has(h2:text-is("Verification"))');
    await expect.poll(() => card.innerText()).toMatch(new RegExp(`Verified head\\s+block ${height}, `));
    await expect.poll(() => card.innerText()).toMatch(/Trusted from\s+block \d+, /);
    const hash = (await test.stack().client.block(height)).blockId.hash;
    const content = await card.innerText();
    for (const text of [hash, '100 % of the voting power', 'believed, as a node answers them (--verify heads)'])
      expect(content).toContain(text);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
