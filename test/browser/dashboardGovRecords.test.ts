import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveOf } from '../../src/archive/setup/archive.ts';
import { VoteOption } from '../../src/proto/cosmos/gov/v1/gov_pb.js';
import {
  MsgCancelProposalSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
  MsgVoteWeightedSchema,
} from '../../src/proto/cosmos/gov/v1/tx_pb.js';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium } from '../support/browser.ts';
import { any } from '../support/chain.ts';
import { type DashboardTest, narrow, shownHeight, startDashboard, violations, wide } from '../support/dashboard.ts';

/** The proposals of the scenario. */
const ids = { expedited: 9n, grants: 6n, commission: 5n, dropped: 8n, cancelled: 10n };

let test: DashboardTest;
/** The height before the decision of the grants, and that of the decision. */
let voted: bigint;
let decided: bigint;

const [hour, day] = [3_600, 24 * 3_600];

/** Waits until the content of a page has a text. */
const shows = (page: Page, text: string | RegExp): Promise<void> => expect.poll(() => page.innerText('main')).toMatch(text);

const card = (page: Page, title: string) => page.locator(`section.card:has(h2:text-is("${title}"))`);

const rowsOf = async (page: Page, title: string): Promise<readonly string[]> =>
  (await card(page, title).locator('tbody tr').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));

async function vote(account: number, proposalId: bigint, option: VoteOption): Promise<void> {
  const voter = test.chain.accounts[account]!;
  await test.chain.run(voter, any(MsgVoteSchema, { proposalId, voter: voter.address, option }));
}

/** Creates a block after these seconds, and waits until it is recorded. */
async function pass(seconds: number): Promise<bigint> {
  const height = await test.chain.devnet.commit({ elapse: seconds * 1_000 });
  await archiveOf(test.stack().client.archive())!.reader.waitFor(height, { milliseconds: 20_000 });
  return height;
}

describe.skipIf(!hasChromium || !runsAll)(`records of x/gov in the pages of the dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard();
    const { chain } = test;
    const [alice, , , , , , , , , meadow] = chain.accounts;
    const options = [
      { option: VoteOption.YES, weight: '0.7' },
      { option: VoteOption.NO, weight: '0.3' },
    ];
    await chain.run(meadow!, any(MsgVoteWeightedSchema, { proposalId: ids.grants, voter: meadow!.address, options }));
    // It replaces a vote of the genesis.
    await vote(0, ids.grants, VoteOption.YES);
    await vote(0, ids.expedited, VoteOption.NO);
    const submission = {
      title: 'A mistake',
      summary: 'It is cancelled.',
      proposer: alice!.address,
      metadata: 'ipfs://x',
      messages: [],
    };
    const initialDeposit = [{ denom: 'nhash', amount: '1000000000000' }];
    await chain.run(alice!, any(MsgSubmitProposalSchema, { ...submission, initialDeposit }));
    await vote(3, ids.cancelled, VoteOption.ABSTAIN);
    await chain.run(alice!, any(MsgCancelProposalSchema, { proposalId: ids.cancelled, proposer: alice!.address }));
    await pass(700);
    // The expedited proposal becomes a regular one.
    await pass(18 * hour);
    await vote(0, ids.expedited, VoteOption.YES);
    voted = await pass(1);
    decided = await pass(day);
    await pass(2 * day);
  });

  afterAll(() => test.close());

  /** Opens a page, and checks it in light, dark and at 380 px. */
  async function check(path: string, texts: readonly (string | RegExp)[]): Promise<Page> {
    const { page, errors } = await test.open(path);
    for (const text of texts) await shows(page, text);
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    await page.setViewportSize(wide);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(errors).toEqual([]);
    return page;
  }

  it('a decided proposal shows who voted how with which power, its decision and who missed it', async () => {
    const page = await check(`/gov/${ids.grants}`, [
      'Votes cast',
      /Votes with their power, deposits and the decision are from the archive of this server, which has recorded the blocks \d+ to \d+/,
      'Outside of these blocks: its submission; the first votes, which have no time and no transaction.',
    ]);
    expect(await card(page, 'Decision').innerText()).toMatch(
      new RegExp(`in block ${decided}[\\s\\S]*returned to the depositors[\\s\\S]*Agrees`),
    );
    const rows = await rowsOf(page, 'Votes cast');
    expect(rows).toHaveLength(6);
    expect(rows[0]).toMatch(/Delegator Yes 290,000/);
    expect(rows[1]).toMatch(/Validator meadow Yes 70 % No 30 % 596,000 196,000 from delegators/);
    expect(rows.at(-1)).toMatch(/No Replaced/);
    expect(await rowsOf(page, 'Validators that did not vote')).toEqual([
      expect.stringContaining('validator-0'),
      expect.stringContaining('quarry'),
    ]);
    // One block earlier, the chain still has the votes, and nothing of the decision is shown.
    await page.click('text=the proposal one block earlier');
    await shows(page, 'Would pass now');
    expect(await shownHeight(page)).toBe(Number(decided - 1n));
    expect(await card(page, 'Decision').count()).toBe(0);
    await expect.poll(() => rowsOf(page, 'Votes')).toHaveLength(5);
    await expect.poll(() => rowsOf(page, 'Votes cast')).toHaveLength(6);
    expect((await rowsOf(page, 'Votes cast'))[0]).toContain('not counted yet');
    await page.context().close();
  });

  it('an expedited proposal that became a regular one shows the votes of both voting periods', async () => {
    const page = await check(`/gov/${ids.expedited}`, ['Voting periods', 'Votes cast']);
    expect(await rowsOf(page, 'Voting periods')).toEqual([
      expect.stringMatching(/^1, expedited .*Agrees/),
      expect.stringMatching(/^2, regular .*open/),
    ]);
    const rows = await rowsOf(page, 'Votes cast');
    expect(rows.map((row) => [/Yes|No/.exec(row)?.[0], /not counted yet| 290,000|Replaced/.exec(row)?.[0].trim()])).toEqual([
      ['Yes', 'not counted yet'],
      ['No', '290,000'],
      ['Yes', undefined],
    ]);
    await page.context().close();
  });

  it('a proposal that the chain has deleted is shown from the record, also before its end', async () => {
    const cancelled = await check(`/gov/${ids.cancelled}`, ['A mistake', 'deleted by the chain, shown from the record']);
    expect(await card(cancelled, 'End').innerText()).toMatch(/Cancelled[\s\S]*By[\s\S]*a part was burnt/);
    expect(await rowsOf(cancelled, 'Votes cast')).toEqual([expect.stringMatching(/Abstain never counted/)]);
    await cancelled.click('text=the proposal one block earlier');
    await shows(cancelled, 'Would fail now');
    await cancelled.context().close();
    const dropped = await check(`/gov/${ids.dropped}`, ['Translate the documentation', 'Deposit not reached']);
    expect(await card(dropped, 'End').innerText()).toMatch(/Deleted by the chain[\s\S]*returned to the depositors/);
    expect(await rowsOf(dropped, 'Deposits')).toEqual([expect.stringContaining('300 HASH')]);
    // The search finds it.
    await dropped.goto(`${test.relay.url}/dashboard/search?q=${ids.dropped}`);
    await shows(dropped, 'Governance proposal');
    await dropped.goto(`${test.relay.url}/dashboard/gov/99`);
    await shows(dropped, 'The archive has no record of it at this block.');
    await dropped.context().close();
  });

  it('a validator shows what it has missed, and an account every vote that it has cast', async () => {
    const page = await check(`/gov/${ids.grants}`, ['Validators that did not vote']);
    await card(page, 'Validators that did not vote').locator('a:text-is("quarry")').click();
    await shows(page, 'Proposals missed');
    const path = new URL(page.url()).pathname.replace('/dashboard', '');
    await page.context().close();
    const validator = await check(path, ['Proposals missed', /Voted\s+1 of 3 proposals \(33.33 %\)/]);
    expect(await rowsOf(validator, 'Proposals missed')).toEqual([
      expect.stringContaining('#7'),
      expect.stringContaining(`#${ids.grants}`),
    ]);
    await validator.context().close();
    const account = await check(`/accounts/${test.chain.accounts[0]!.address}`, ['Votes cast in the governance of the chain']);
    expect((await rowsOf(account, 'Votes cast in the governance of the chain')).length).toBeGreaterThan(3);
    await account.context().close();
  });

  it('a height whose state no node has any more is shown from the archive', async () => {
    test.chain.node.prune(test.chain.devnet.height, { blocks: true });
    const { page, errors } = await test.open(`/gov/${ids.cancelled}?at=${voted}`);
    await shows(page, 'deleted by the chain, shown from the record');
    await page.goto(`${test.relay.url}/dashboard/gov/${ids.grants}?at=${voted}`);
    await shows(page, 'the tally of then is not known');
    expect(await page.innerText('main')).not.toContain('deleted by the chain');
    expect(await rowsOf(page, 'Votes cast')).toHaveLength(6);
    expect(await shownHeight(page)).toBe(Number(voted));
    await page.goto(`${test.relay.url}/dashboard/gov/${ids.grants}?at=${decided}`);
    await expect.poll(() => card(page, 'Decision').innerText()).toContain('Agrees');
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
