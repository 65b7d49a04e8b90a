import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgDelegateSchema } from '../../src/proto/cosmos/staking/v1beta1/tx_pb.js';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium } from '../support/browser.ts';
import { any } from '../support/chain.ts';
import { type DashboardTest, hasContent, narrow, startDashboard, violations } from '../support/dashboard.ts';
import { createGroup, describeGroup, submitProposal, type TestGroup, vote } from '../support/groups.ts';

let test: DashboardTest;
let group: TestGroup;
let id: bigint;
/** The heights at which the proposal was submitted, and after each vote. */
let submitted: bigint;
let voted: bigint[];

const card = (page: Page) => page.locator('section.card:has(h2:text-is("How it changed"))');

/** The entries of the timeline, without their times. */
async function entries(page: Page): Promise<string[]> {
  await card(page).locator('.changes[aria-busy=false]').waitFor();
  const texts = await card(page).locator('.timeline li').allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').replace(/[A-Z][a-z]{2} \d+, \d{4}, .*? · /, ''));
}

const operator = 'tpvaloper18drh68cvkx5htp77e2nt3ay0q80mmzk6q7cfj4';

describe.skipIf(!hasChromium)(`how things changed, in the pages of the dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard();
    const { chain } = test;
    const [alice, bob, carol] = chain.accounts;
    group = await createGroup(chain, [
      [alice!, '1'],
      [bob!, '1.5'],
      [carol!, '10'],
    ]);
    id = await submitProposal(chain, group, alice!);
    submitted = chain.devnet.height;
    await chain.run(alice!, vote(alice!, id));
    voted = [chain.devnet.height];
    await chain.devnet.commit();
    await chain.run(bob!, vote(bob!, id, 'NO'));
    voted.push(chain.devnet.height);
    await chain.run(alice!, describeGroup(alice!, group, 'The renamed group'));
    await chain.devnet.commit();
  });

  afterAll(() => test.close());

  it('a proposal: each block that changed it, newest first, read when a visitor asks for it', async () => {
    const { page, errors, requested } = await test.open(`/proposals/${id}`);
    const reads: string[] = [];
    page.on('request', (request) => {
      if (request.postData()?.includes('ProposalChanges')) reads.push(request.url());
    });
    await card(page).waitFor();
    expect(reads).toEqual([]);
    await card(page).locator('text="Last hour"').click();
    const genesis = 'The oldest block that can be read: it did not exist. block 1';
    const created = `Status: Open Execution: Not executed Yes: 0 Abstain: 0 No: 0 No with veto: 0 block ${submitted}`;
    const all = [`No: 0 → 1.5 block ${voted[1]}`, `Yes: 0 → 1 block ${voted[0]}`, created, genesis];
    expect(await entries(page)).toEqual(all);
    // The first start is before the chain.
    expect(reads).toHaveLength(2);
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    // A block opens the page as it was, whose history ends there.
    await card(page).locator(`a:text-is("block ${voted[0]}")`).click();
    await page.waitForURL(`**/proposals/${id}?at=${voted[0]}`);
    await hasContent(page);
    await card(page).locator('text="Last hour"').click();
    await expect.poll(() => entries(page)).toEqual(all.slice(1));
    expect(requested.length).toBeGreaterThan(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('a group, an account and a validator have theirs', async () => {
    const { chain } = test;
    const { page, errors } = await test.open(`/groups/${group.id}`);
    await card(page).locator('text="Last day"').click();
    expect((await entries(page))[0]).toMatch(/^Name: .* → The renamed group block \d+$/);

    const staker = chain.accounts[5]!;
    const amount = { denom: 'nhash', amount: '2000000000' };
    await chain.run(staker, any(MsgDelegateSchema, { delegatorAddress: staker.address, validatorAddress: operator, amount }));
    const height = await chain.devnet.commit();
    await page.goto(`${test.relay.url}/dashboard/accounts/${staker.address}`);
    await card(page).locator('text="Last day"').click();
    expect((await entries(page))[0]).toMatch(new RegExp(`^Balance in HASH: [\\d,.]+ → [\\d,.]+ block ${height - 1n}$`));

    await page.goto(`${test.relay.url}/dashboard/validators/${operator}`);
    await card(page).locator('text="Last day"').click();
    expect((await entries(page))[0]).toMatch(/^Stake: [\d,.]+ HASH → [\d,.]+ HASH block \d+$/);
    expect(await violations(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('a history that the server refuses says why, and one in which nothing changed says that', async () => {
    const { page } = await test.open('/proposals/38');
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('ProposalChanges')) return route.fallback();
      const extensions = { code: 'HISTORY_DEPENDS_ON_HEIGHT', field: 'proposal', height: '1' };
      await route.fulfill({ json: { errors: [{ message: 'no', extensions }] } });
    });
    await card(page).locator('text="Last day"').click();
    await card(page).locator('[role=note]:has-text("changes in every block")').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await card(page).locator('text="Last week"').click();
    await card(page).locator('text="Nothing changed in this time."').waitFor();
    await page.context().close();
  });

  it.runIf(runsAll)('stops after 30 results, and goes on when it is told to', async () => {
    const { chain } = test;
    const [sender, receiver] = [chain.accounts[6]!, chain.accounts[7]!];
    const coins = [{ denom: 'nhash', amount: '1' }];
    for (let index = 0; index < 33; index++)
      await chain.run(sender, any(MsgSendSchema, { fromAddress: sender.address, toAddress: receiver.address, amount: coins }));
    const { page } = await test.open(`/accounts/${receiver.address}`);
    await card(page).locator('text="Last day"').click();
    await card(page).locator('text="Go on"').waitFor();
    expect(await entries(page)).toHaveLength(30);
    await card(page).locator('text="Go on"').click();
    await expect.poll(() => entries(page).then(({ length }) => length)).toBeGreaterThan(33);
    await page.context().close();
  });
});
