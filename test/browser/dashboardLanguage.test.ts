import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserNote, hasChromium } from '../support/browser.ts';
import { type DashboardTest, hasContent, startDashboard, violations } from '../support/dashboard.ts';

let test: DashboardTest;

describe.skipIf(!hasChromium)(`the languages of the dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard();
  });

  afterAll(() => test.close());

  it('the switch in the header changes the texts and the numbers, and the browser remembers it', async () => {
    const { page, errors, requested } = await test.open('/proposals/38', { width: 390, height: 844 });
    const isGerman = (url: string): boolean => /\/assets\/de-/.test(url);
    expect(requested.filter(isGerman)).toEqual([]);
    await expect.poll(() => page.innerText('nav.sections')).toContain('Proposals');
    await page.selectOption('select[aria-label="Language"]', 'de');
    await expect.poll(() => page.innerText('nav.sections')).toContain('Anträge');
    await page.reload();
    await hasContent(page);
    await expect.poll(() => page.innerText('nav.sections')).toContain('Anträge');
    expect(requested.filter(isGerman).length).toBeGreaterThan(0);
    await expect.poll(() => page.innerText('main')).toContain('7,81 %');
    for (const text of ['Auszählung', 'Beteiligung', 'Nicht abgestimmt', 'Verlauf'])
      await expect.poll(() => page.innerText('main')).toContain(text);
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await violations(page)).toEqual([]);
    await page.selectOption('select[aria-label="Sprache"]', 'en');
    await expect.poll(() => page.innerText('main')).toContain('7.81 %');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('a browser in German begins in German', async () => {
    const context = await test.browser.newContext({ locale: 'de-AT' });
    const page = await context.newPage();
    await page.goto(`${test.relay.url}/dashboard`);
    await expect.poll(() => page.innerText('nav.sections')).toContain('Gruppen');
    await context.close();
  });

  it('a chart shows the values under the pointer', async () => {
    const { page } = await test.open('/proposals/38');
    const chart = page.locator('.chart-place', { has: page.locator('canvas') }).first();
    await chart.locator('canvas').waitFor();
    await chart.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await chart.boundingBox())!;
    await page.mouse.move(x + width * 0.7, y + height / 2);
    await expect.poll(() => chart.locator('.chart-tip').innerText()).toMatch(/\d{4}.*\n(.*\n)*No: 1.5/);
    await page.context().close();
  });
});
