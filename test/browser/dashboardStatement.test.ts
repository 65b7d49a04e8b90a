import { text as textOf } from 'node:stream/consumers';
import { toBech32 } from '@cosmjs/encoding';
import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presetRange, readPlace } from '../../dashboard/src/pages/statement/ranges.ts';
import { balanceSteps } from '../../dashboard/src/pages/statement/steps.ts';
import { browserNote, hasChromium } from '../support/browser.ts';
import { parseCsv } from '../support/csv.ts';
import { type DashboardTest, narrow, startDashboard, violations } from '../support/dashboard.ts';
import { createGroup, describeGroup, submitProposal, vote } from '../support/groups.ts';
import { makeTransfersAndPrices } from '../support/transfersAndPrices.ts';

let test: DashboardTest;
/** An account whose balances changed, and one that has nothing. */
let mover: string;
const nobody = toBech32('tp', new Uint8Array(20).fill(7));

/** Waits until the content of a page has a text. */
const shows = (page: Page, text: string | RegExp): Promise<void> => expect.poll(() => page.innerText('main')).toMatch(text);

const rowsOf = async (page: Page, unit: string): Promise<string[][]> => {
  const rows = await page.locator(`table:has(caption:text-is("Statement in ${unit}")) tbody tr`).all();
  const cells = (row: Locator): Promise<string[]> => row.locator('td:nth-child(n + 3):nth-child(-n + 5)').allInnerTexts();
  return Promise.all(rows.map(async (row) => (await cells(row)).map((cell) => cell.replaceAll(/\s+/g, ' ').trim())));
};

/** Answers the next statement of a page with an error, as the server would. */
async function refuseNext(page: Page, code: string, facts: object = {}): Promise<void> {
  let isDone = false;
  const answer = async (route: Route): Promise<void> => {
    if (isDone || !route.request().postData()?.includes('AccountStatement')) return route.fallback();
    isDone = true;
    const error = { message: code, path: ['account', 'statement'], extensions: { code, ...facts } };
    await route.fulfill({ json: { data: { account: { address: mover, statement: null } }, errors: [error] } });
  };
  await page.route('**/graphql', answer);
}

describe('the ranges of a statement', () => {
  it('begin and end with months in UTC, also over the end of a year', () => {
    const now = Date.parse('2027-01-15T23:30:00Z');
    expect(presetRange('month', now)).toEqual({ from: '2027-01-01T00:00:00Z' });
    expect(presetRange('last-month', now)).toEqual({ from: '2026-12-01T00:00:00Z', to: '2027-01-01T00:00:00Z' });
    expect(presetRange('quarter', Date.parse('2026-06-30T12:00:00Z'))).toEqual({ from: '2026-04-01T00:00:00Z' });
    expect(presetRange('year', now)).toEqual({ from: '2027-01-01T00:00:00Z' });
  });

  it('are entered as blocks and days; a day as an end belongs to the range', () => {
    expect(readPlace(' 1,200 ', 'from')).toBe('1200');
    expect(readPlace('2026-06-30', 'from')).toBe('2026-06-30T00:00:00Z');
    expect(readPlace('2026-12-31', 'to')).toBe('2027-01-01T00:00:00Z');
    expect(readPlace('2026-06-30T10:00:00.5Z', 'to')).toBe('2026-06-30T10:00:00.5Z');
    for (const text of ['', '0', '-1', 'yesterday', '2026-02-31', '2026-6-3', '2026-06-30T10:00:00', '1e3'])
      expect([text, readPlace(text, 'from')]).toEqual([text, undefined]);
  });
});

describe('the chart of a balance', () => {
  const [fromTime, toTime] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'];
  const [start, end, middle] = [fromTime, toTime, '2026-01-01T00:00:30Z'].map((time) => Date.parse(time)) as [
    number,
    number,
    number,
  ];
  const display = { amount: '0', denom: 'hash', symbol: 'HASH', exponent: 2 };
  const line = (amount: string, balance: string, time: string | null) => ({
    ...{ kind: 'SEND' as const, amount, balance, time, height: '5', counterparty: null, transaction: null },
  });
  const place = { fromTime, toTime, from: '1', completeFrom: '2' };

  it('has one step for each block, in display units', () => {
    const lines = ['300', '200'].map((balance) => line('1', balance, '2026-01-01T00:00:30Z'));
    expect(balanceSteps(place, { denom: 'nhash', display, opening: '100', closing: '200', unexplained: '0', lines })).toEqual({
      times: [start, middle, end],
      values: [1, 2, 2],
    });
  });

  it('does not know the balance where something is not explained: before the first known movement, or after the last', () => {
    const [movement, rest] = [line('100', '200', '2026-01-01T00:00:30Z'), line('50', '250', null)];
    const denom = { denom: 'nhash', display, opening: '100', closing: '250', unexplained: '50', lines: [movement, rest] };
    expect(balanceSteps(place, denom)).toEqual({
      ...{ times: [start, middle, middle + 1, end], values: [1, 2, null, 2.5] },
      gap: { from: middle, to: end },
    });
    expect(balanceSteps({ ...place, completeFrom: '4' }, denom)).toEqual({
      ...{ times: [start, start + 1, middle, end], values: [1, null, 2.5, 2.5] },
      gap: { from: start, to: middle },
    });
  });
});

describe.skipIf(!hasChromium)(`the statement of an account in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard();
    mover = test.chain.accounts[1]!.address;
    await makeTransfersAndPrices(test.chain);
  });

  afterAll(() => test.close());

  it('shows every change between the balances at both ends, with its coverage, and fits 380 px', async () => {
    const { page, errors } = await test.open(`/accounts/${mover}`);
    await page.click('text="Statement"');
    // The month began before the chain.
    await shows(page, 'The oldest block that can be read is 1');
    expect(await page.getAttribute('.chip:has-text("This month")', 'aria-pressed')).toBe('true');
    await shows(page, 'every movement of this range');
    await shows(page, 'blocks, one by one');
    await shows(page, /has recorded the blocks 2 to \d+/);
    const rows = await rowsOf(page, 'HASH');
    const balance = (index: number): number => Number(rows[index]![2]!.replaceAll(',', ''));
    expect(rows[0]![0]).toBe('Opening balance');
    expect(rows[1]!.slice(0, 2)).toEqual([expect.stringMatching(/^Transfer from (tp1|pb$)/), '+1.5']);
    expect(balance(1) - balance(0)).toBeCloseTo(1.5, 9);
    expect(rows.slice(2, -1).map(([what]) => what)).toEqual(Array(4).fill('Fee to fee_collector'));
    expect(rows.at(-1)![0]).toBe('Closing balance');
    expect((await rowsOf(page, 'DUSD'))[1]).toEqual(['Transfer with several parties', '−3', expect.any(String)]);
    await page.locator('.uplot').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    // A long name beside an amount does not push it out of sight.
    const address = (await page.locator('table .address a[href*="/accounts/"]').first().getAttribute('href'))!
      .split('/')
      .at(-1)!;
    const names = JSON.stringify({ [address]: 'The board: strategy, budget, appointment' });
    await page.evaluate((text) => localStorage.setItem('stele.names', text), names);
    await page.reload();
    await shows(page, 'The board: strategy');
    const cut = (): Promise<number> =>
      page.locator('.table-box').evaluateAll((boxes) => boxes.filter((box) => box.scrollWidth > box.clientWidth).length);
    await expect.poll(cut).toBe(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('saves the lines as CSV, and reads up to a new block when it is asked to', async () => {
    const { page, errors } = await test.open(`/accounts/${mover}/statement?from=1`);
    const csv = page.locator('button[aria-label="Statement: save as CSV"]');
    await csv.waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), csv.click()]);
    const [names, ...lines] = parseCsv(await textOf(await download.createReadStream()));
    expect(names!.slice(0, 3)).toEqual(['denom', 'blockHeight', 'blockTime']);
    expect(download.suggestedFilename()).toBe(`statement-${mover}-1-${test.chain.devnet.height}.csv`);
    const shown = [...(await rowsOf(page, 'DUSD')), ...(await rowsOf(page, 'HASH'))];
    expect(lines).toHaveLength(shown.length - 4);
    expect(await page.locator('text="Up to now"').count()).toBe(0);
    const height = await test.chain.devnet.commit();
    await page.click('text="Up to now"');
    await shows(page, new RegExp(`Up to\\s+block ${height},`));
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('saves whole lists of the chain as CSV and NDJSON, whose cells a spreadsheet does not execute', async () => {
    const [admin, member] = test.chain.accounts;
    const group = await createGroup(test.chain, [
      [admin!, '1'],
      [member!, '2'],
    ]);
    const formula = '=HYPERLINK("https://evil.example","all, of it")';
    await test.chain.run(admin!, describeGroup(admin!, group, formula));
    const { page, errors } = await test.open('/groups');
    // So that the list has several pages.
    await page.route('**/graphql', async (route) => {
      const body = route.request().postData() ?? '';
      if (!body.includes('GroupsFile')) return route.fallback();
      await route.fallback({ postData: body.replace('"variables":{', '"variables":{"first":2,') });
    });
    const reads: string[] = [];
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (body.includes('GroupsFile')) reads.push(body);
    });
    const save = async (format: string): Promise<string> => {
      const button = page.locator(`button[aria-label="Groups: save as ${format}"]`);
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      expect(download.suggestedFilename()).toMatch(new RegExp(`^groups-\\d+\\.${format.toLowerCase()}$`));
      return textOf(await download.createReadStream());
    };
    const [names, ...lines] = parseCsv(await save('CSV'));
    expect(names).toEqual(['id', 'metadata', 'admin.address', 'totalWeight', 'version', 'createdAt']);
    expect(lines.find(([id]) => id === String(group.id))?.slice(1, 4)).toEqual([`'${formula}`, admin!.address, '3']);
    expect(reads.length).toBe(Math.ceil(lines.length / 2));
    const rows = (await save('NDJSON'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly id: string; readonly metadata: string });
    expect(rows.map(({ id }) => id)).toEqual(lines.map(([id]) => id));
    expect(rows.find(({ id }) => id === String(group.id))?.metadata).toBe(formula);
    expect(lines.length).toBeGreaterThan(2);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('saves votes that were cast and missed, transactions, blocks and delegations', async () => {
    const { chain } = test;
    const [voter, absent] = chain.accounts;
    const group = await createGroup(chain, [
      [voter!, '2'],
      [absent!, '1'],
    ]);
    const id = String(await submitProposal(chain, group, voter!));
    await chain.run(voter!, vote(voter!, BigInt(id), 'YES', true));
    const { page, errors } = await test.open(`/accounts/${absent!.address}`);
    /** The rows of a list, by the names of their columns. */
    const saved = async (list: string): Promise<Record<string, string>[]> => {
      const button = page.locator(`button[aria-label="${list}: save as CSV"]`);
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      const [names = [], ...lines] = parseCsv(await textOf(await download.createReadStream()));
      return lines.map((cells) => Object.fromEntries(cells.map((cell, index) => [names[index], cell])));
    };
    const find = async (list: string, column: string, value: string): Promise<Record<string, string> | undefined> =>
      (await saved(list)).find((row) => row[column] === value);
    expect((await find('Votes missed', 'id', id))?.status).toBe('PROPOSAL_STATUS_ACCEPTED');

    await page.goto(`${test.relay.url}/dashboard/accounts/${voter!.address}`);
    const cast = await find('Votes cast', 'proposalId', id);
    expect([cast?.option, cast?.weight]).toEqual(['VOTE_OPTION_YES', '2']);
    const ofVote = await find('Transactions', 'hash', cast?.['at.hash'] ?? '');
    expect([ofVote?.height, ofVote?.code, ofVote?.signers]).toEqual([
      cast?.['at.height'],
      '0',
      expect.stringContaining(voter!.address),
    ]);

    await page.goto(`${test.relay.url}/dashboard/blocks/${ofVote?.height}`);
    expect(await find('Transactions', 'hash', ofVote?.hash ?? '')).toEqual(ofVote);
    await page.goto(`${test.relay.url}/dashboard/blocks?from=${ofVote?.height}`);
    expect((await saved('Blocks')).map(({ height }) => height)).toEqual(
      Array.from({ length: Number(ofVote?.height) }, (_, index) => String(Number(ofVote?.height) - index)),
    );

    await page.goto(`${test.relay.url}/dashboard/validators/tpvaloper18drh68cvkx5htp77e2nt3ay0q80mmzk6q7cfj4`);
    const delegators = await saved('Delegations');
    expect(delegators.length).toBeGreaterThan(1);
    const [{ 'delegator.address': delegator = '', 'balance.amount': stake } = {}] = delegators;
    await page.goto(`${test.relay.url}/dashboard/accounts/${delegator}`);
    const own = await find('Delegations', 'operatorAddress', 'tpvaloper18drh68cvkx5htp77e2nt3ay0q80mmzk6q7cfj4');
    expect(own?.['balance.amount']).toBe(stake);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('tells apart: loading, nothing moved, too many movements, no index, a range of the future, and a range that is none', async () => {
    const { page } = await test.open(`/accounts/${nobody}`);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('AccountStatement')) await released;
      await route.fallback();
    });
    await page.click('text="Statement"');
    await shows(page, 'Reading every movement of this range');
    release();
    await shows(page, 'held nothing at both ends of this range, and nothing moved');
    await page.unrouteAll({ behavior: 'wait' });
    expect(await violations(page)).toEqual([]);

    const refused = async (path: string, text: string): Promise<void> => {
      await page.goto(`${test.relay.url}/dashboard/accounts/${path}`);
      await page.waitForSelector(`[role=alert]:has-text("${text}")`);
    };
    await refuseNext(page, 'OPERATION_TOO_COMPLEX');
    await refused(`${mover}/statement?from=1`, 'too many movements for one statement');
    await refuseNext(page, 'INDEX_UNAVAILABLE');
    await refused(
      `${mover}/statement?from=1`,
      'needs a node with an index of transactions, or an archive that records everything',
    );
    expect(await violations(page)).toEqual([]);
    await refused(`${mover}/statement?from=1&to=999999`, 'This range ends after the newest block');
    await refused(`${mover}/statement?from=4&to=2`, 'There is no such range');
    await refused(`${mover}/statement?from=soon`, 'There is no such range');
    await page.fill('input[placeholder="block or day"]', '31/12');
    await page.click('text="Show"');
    expect(await page.innerText('[role=status]:has-text("must be")')).toBe('“From” must be a block or a day.');
    await page.fill('input[placeholder="block or day"]', '2');
    await page.fill('input[placeholder="newest block"]', '4');
    await page.click('text="Show"');
    await shows(page, /After\s+block 2,[\s\S]*Up to\s+block 4,/);
    await page.goto(`${test.relay.url}/dashboard/accounts/nonsense/statement`);
    await page.waitForSelector('.notice:has-text("“nonsense” is not valid here.")');
    await page.context().close();
  });

  it('a range that begins before the chain offers its first block; one whose state no node has any more asks for a later start', async () => {
    const { chain } = test;
    // An account of which nothing is kept.
    const other = chain.accounts[6]!.address;
    const { page } = await test.open(`/accounts/${other}/statement?from=2020-01-01`);
    await page.waitForSelector('[role=alert]:has-text("begins before the blocks that can be read")');
    await page.click('text="Show it from block 1 on"');
    await shows(page, /After\s+block 1,/);
    chain.node.prune(chain.devnet.height - 1n);
    await page.goto(`${test.relay.url}/dashboard/accounts/${other}/statement?from=3`);
    await page.waitForSelector('[role=alert]:has-text("choose a later start")');
    await page.context().close();
  });
});
