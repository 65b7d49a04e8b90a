import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveOf } from '../../src/archive/setup/archive.ts';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium } from '../support/browser.ts';
import { type DashboardTest, hasContent, narrow, shownHeight, startDashboard, violations, wide } from '../support/dashboard.ts';
import { createGroup, submitProposal, type TestGroup, vote } from '../support/groups.ts';

let test: DashboardTest;
let group: TestGroup;
let id: bigint;
/** The height after the first vote, and that of the execution, which deletes the proposal. */
let voted: bigint;
let deleted: bigint;

/** Waits until the content of a page has a text. */
const shows = (page: Page, text: string | RegExp): Promise<void> => expect.poll(() => page.innerText('main')).toMatch(text);

const open = (path: string): ReturnType<DashboardTest['open']> => test.open(path);

describe.skipIf(!hasChromium || !runsAll)(`records in the pages of the dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard();
    const { chain } = test;
    const [alice, bob, carol] = chain.accounts;
    group = await createGroup(chain, [
      [alice!, '1'],
      [bob!, '1'],
      [carol!, '2.5'],
    ]);
    id = await submitProposal(chain, group, alice!);
    await chain.run(alice!, vote(alice!, id));
    voted = chain.devnet.height;
    await chain.run(bob!, vote(bob!, id, 'YES', true));
    deleted = chain.devnet.height;
    const height = await chain.devnet.commit();
    await archiveOf(test.stack().client.archive())!.reader.waitFor(height, { milliseconds: 20_000 });
  });

  afterAll(() => test.close());

  it('a proposal that the chain has deleted, opened by its URL, shows its tally, voters, executions and timeline from the record', async () => {
    const { page, errors } = await open(`/proposals/${id}`);
    await shows(page, `deleted by the chain in block ${deleted}, shown from the record`);
    const content = await page.innerText('main');
    for (const text of ['Accepted and executed.', 'yes weight of at least 2', '44.44 %', 'Executions', 'Tally over time'])
      expect(content).toContain(text);
    const rows = (name: string): Promise<string[]> => page.locator(`table:has-text("${name}") tbody tr`).allInnerTexts();
    expect([await rows('Voter'), await rows('Member')].map(({ length }) => length)).toEqual([2, 1]);
    const timeline = (await page.locator('.timeline li').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(timeline).toEqual(
      ['Submitted by', 'voted Yes', 'voted Yes', 'Decided by', 'Executed by', 'Deleted by the chain'].map((text) =>
        expect.stringContaining(text),
      ),
    );
    await page.locator('.uplot').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    await page.setViewportSize(wide);
    // Each event names its transaction.
    await page.locator('.timeline li', { hasText: 'Executed' }).locator('a[href*="/transactions/"]').click();
    await shows(page, 'votes yes on');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('the board, the group, the account and the status show what is recorded', async () => {
    const { page } = await open(`/policies/${group.policy}`);
    const card = page.locator(`[data-record="${id}"]`);
    await card.waitFor();
    expect(await card.innerText()).toContain('Executed');
    await page.click('.chip:has-text("Rejected")');
    await shows(page, 'The archive has no such proposal.');
    await page.goto(`${test.relay.url}/dashboard/groups/${group.id}`);
    await expect
      .poll(() => page.locator('table:has-text("Voted on closed") tbody tr').allInnerTexts())
      .toEqual([expect.stringMatching('[01] of 1'), expect.stringMatching('[01] of 1'), expect.stringMatching('[01] of 1')]);
    expect(await violations(page)).toEqual([]);
    await page.goto(`${test.relay.url}/dashboard/accounts/${test.chain.accounts[2]!.address}`);
    const missed = page.locator('section.card:has(h2:text-is("Votes missed"))');
    await missed.locator(`a[href$="/proposals/${id}"]`).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${test.relay.url}/dashboard/accounts/${test.chain.accounts[1]!.address}`);
    const cast = page.locator('section.card:has(h2:text-is("Votes cast"))');
    await cast.locator(`a[href$="/proposals/${id}"]`).waitFor();
    await page.goto(`${test.relay.url}/dashboard/search?q=${id}`);
    // The only result is opened.
    await shows(page, 'shown from the record');
    await page.goto(`${test.relay.url}/dashboard/status`);
    await shows(page, new RegExp(`block 2 to ${test.chain.devnet.height}`));
    await page.context().close();
  });

  it('the time machine shows the governance of a height whose state no node has any more, from the archive', async () => {
    const { chain } = test;
    chain.node.prune(chain.devnet.height, { blocks: true });
    const { page } = await open(`/proposals/${id}?at=${voted}`);
    await shows(page, /Yes\s+1 of 2 required/i);
    expect(await page.locator('.timeline li').count()).toBe(3);
    for (const path of [`/policies/${group.policy}`, `/groups/${group.id}`]) {
      await page.goto(`${test.relay.url}/dashboard${path}?at=${voted}`);
      const card = page.locator(`[data-record="${id}"]`);
      await card.waitFor();
      expect([await shownHeight(page), await card.innerText()]).toEqual([Number(voted), expect.stringContaining('Open')]);
      await shows(page, 'The nodes have deleted what is older');
    }
    await page.context().close();
  });

  it('the tally over time begins with the votes before the first recorded block', async () => {
    const { chain } = test;
    const [alice, bob] = chain.accounts;
    const later = await submitProposal(chain, group, alice!);
    await chain.run(alice!, vote(alice!, later));
    await test.restart();
    const { page } = await open(`/proposals/${later}`);
    await chain.run(bob!, vote(bob!, later, 'YES', true));
    await shows(page, 'shown from the record');
    await page.locator('[role=img][aria-label="The tally after each of 2 votes"] .uplot').waitFor();
    await page.context().close();
  });

  it('a server without an archive says so on each of these pages', async () => {
    await test.restart({ records: false });
    const sentence = 'This server runs without an archive, so it shows only what the chain still has.';
    const { page } = await open(`/proposals/${id}`);
    const member = test.chain.accounts[1]!.address;
    for (const path of [
      `/proposals/${id}`,
      `/policies/${group.policy}`,
      `/groups/${group.id}`,
      `/accounts/${member}`,
      '/status',
    ]) {
      await page.goto(`${test.relay.url}/dashboard${path}`);
      await hasContent(page);
      await shows(page, sentence);
    }
    await page.context().close();
  });
});
