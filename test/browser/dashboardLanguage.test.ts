import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../packages/devnet/src/app/world/contracts.ts';
import { some } from '../support/atRandom.ts';
import { browserNote, hasChromium } from '../support/browser.ts';
import { type DashboardTest, hasContent, startDashboard, violations } from '../support/dashboard.ts';
import { vote } from '../support/groups.ts';

const member = 'tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk';

/** A page of each kind. */
const paths = [
  '',
  '/groups',
  '/groups/1',
  '/policies/tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf',
  '/proposals',
  '/proposals/38',
  '/proposals/38/proof',
  '/gov/3',
  '/gov/6',
  `/accounts/${member}`,
  `/accounts/${member}/statement`,
  `/contracts/${contracts.points}`,
  '/tokens',
  '/tokens/fundshare',
  '/blocks',
  '/blocks/2',
  '/transactions/HASH',
  '/validators',
  '/validators/tpvaloper18drh68cvkx5htp77e2nt3ay0q80mmzk6q7cfj4',
  '/explore',
  '/explore/cosmos.bank.v1beta1.balance',
  '/status',
  '/limits',
  '/webhooks',
  '/search?q=nothing+at+all',
  '/nothing',
];

const folder = resolve('dashboard/src/language');

/** The pairs of an English and a German text in two catalogues. What a function fills in is `\0`. */
function textPairs(english: unknown, german: unknown): (readonly [string, string])[] {
  if (typeof english === 'string' && typeof german === 'string') return [[english, german]];
  if (typeof english === 'function' && typeof german === 'function') {
    // A list of names is the only argument that is no text.
    const facts = Array.from({ length: english.length }, () => (english.toString().includes('.map(') ? ['\0'] : '\0'));
    return [[english(...facts), german(...facts)]];
  }
  return Object.entries(english as object).flatMap(([name, text]) =>
    textPairs(text, (german as Record<string, unknown>)[name]),
  );
}

/** Every text of the pages in both languages. */
async function allTexts(): Promise<(readonly [string, string])[]> {
  const parts = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  const pairs = await Promise.all(
    ['.', ...parts].map(async (part) => {
      const [{ en }, { de }] = await Promise.all([import(`${folder}/${part}/en.ts`), import(`${folder}/${part}/de.ts`)]);
      return textPairs(en, de);
    }),
  );
  return pairs.flat();
}

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

  it('no page in German has an English text', async () => {
    const pairs = await allTexts();
    expect(pairs.length).toBeGreaterThan(800);
    const germanTexts = new Set(pairs.map(([, german]) => german.trim()));
    // A word in lower case may be one of the chain.
    const englishTexts = pairs.flatMap(([text]) => {
      const english = text.trim();
      if (germanTexts.has(english) || !/^[A-Z]|[a-z] [a-z]/.test(english)) return [];
      const literal = english.split('\0').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      return literal.join('').length < 12 && literal.length > 1 ? [] : [new RegExp(`^${literal.join('.+')}$`)];
    });
    const { page } = await test.open('/status');
    await page.selectOption('select[aria-label="Language"]', 'de');
    const dora = test.chain.accounts[3]!;
    const hash = await test.chain.submit(dora, vote(dora, 38n, 'NO'));
    await test.chain.devnet.commit();
    for (const path of some(paths, 6)) {
      await page.goto(`${test.relay.url}/dashboard${path.replace('HASH', hash)}`);
      await hasContent(page);
      // What a page reads after its first content has arrived as well.
      await page.waitForLoadState('networkidle');
      const shownTexts = await page.evaluate<string[]>(`(() => {
        const texts = [...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((element) =>
          ['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''));
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('script, pre, code')) texts.push(walker.currentNode.data);
        return texts.map((text) => text.trim()).filter((text) => text !== '');
      })()`);
      expect([path, shownTexts.filter((text) => englishTexts.some((english) => english.test(text)))]).toEqual([path, []]);
    }
    await page.context().close();
  });
});
