import { fromBech32, toBech32 } from '@cosmjs/encoding';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractMessage, contracts } from '../../packages/devnet/src/app/world/contracts.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { VoteOption } from '../../src/proto/cosmos/gov/v1/gov_pb.js';
import { MsgSubmitProposalSchema, MsgVoteSchema, MsgVoteWeightedSchema } from '../../src/proto/cosmos/gov/v1/tx_pb.js';
import { MsgExecuteContractSchema } from '../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import { runsAll, some } from '../support/atRandom.ts';
import { browserNote, hasChromium } from '../support/browser.ts';
import { any } from '../support/chain.ts';
import {
  type DashboardTest,
  hasContent,
  narrow,
  type OpenedPage,
  shownHeight,
  startDashboard,
  violations,
  wide,
} from '../support/dashboard.ts';
import { createGroup, describeGroup, describePolicy, proposal, submitProposal, vote } from '../support/groups.ts';

const [member, board, hash] = [
  'tp1e85wwvty5pxpjfvlkd3mu9n30l9zlr2vljl9mk',
  'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf',
  'HASH',
];

/** Each page, with its path and texts that it shows of the embedded chain. */
const pages: readonly [name: string, path: string, texts: readonly string[]][] = [
  [
    'home',
    '',
    [
      'Proposals closing soon',
      'Can no longer pass',
      'Closing first',
      'Activity',
      'Newest blocks',
      'node-1',
      'votes no on proposal 38',
    ],
  ],
  ['groups', '/groups', ['Assembly', 'Treasury council', 'The board: strategy, budget, appointments', '20 members']],
  [
    'group',
    '/groups/1',
    [
      'Charter and elections',
      'yes from at least 66.7 % of the weight',
      'Voted on open',
      'Voted on closed',
      'ivo',
      'Open proposals',
      'Closed proposals',
    ],
  ],
  [
    'policy board',
    `/policies/${board}`,
    ['30 on the chain', 'Open', 'Accepted', 'Rejected', 'Yes weight of', 'New proposal', 'Holdings', '% voted'],
  ],
  [
    'proposal',
    '/proposals/38',
    ['of 21.344 required', 'Turnout', 'dora', 'Not voted', 'Tally over time', 'Timeline', 'Voting period ends'],
  ],
  [
    'proposals',
    '/proposals',
    [
      'open proposals',
      'Governance of the chain',
      'Collecting deposits',
      'Translate the documentation',
      'Expedited',
      'Quorum not reached',
      'Threshold reached',
      'Closed proposals of groups',
    ],
  ],
  [
    'open proposal of x/gov',
    '/gov/6',
    [
      'Publish block explorers for every region',
      'at least 33.4 %',
      'more than 50 %',
      '40 %',
      'Validator harbor',
      'quarry',
      '750 HASH',
    ],
  ],
  [
    'failed proposal of x/gov',
    '/gov/3',
    ['Execution failed', 'community pool does not have sufficient coins', 'Passed, and its execution failed.'],
  ],
  [
    'validator',
    '/validators/tpvaloper18drh68cvkx5htp77e2nt3ay0q80mmzk6q7cfj4',
    ['harbor', 'Bonded', '5 % of the rewards', 'Uptime', 'Not voted', 'Delegations', '600,000 HASH'],
  ],
  [
    'account',
    `/accounts/${member}`,
    [
      '1,000,000 HASH',
      'kyc.pb',
      'Awaiting its vote',
      'Governance of the chain',
      'Being moved',
      'Assembly',
      'Account number',
      'Transfers',
    ],
  ],
  [
    'contract',
    `/contracts/${contracts.points}?query=${encodeURIComponent('{ "token_info": {} }')}`,
    [
      'Points',
      'stele:points 1.1.0',
      '1 migration',
      'everybody',
      '"total_supply"',
      'At block',
      'balance',
      'Migrated',
      'Newest calls',
    ],
  ],
  ['tokens', '/tokens', ['Home Loan Fund I', 'Vaulted Gold', 'Restricted', 'Cancelled']],
  [
    'token',
    '/tokens/fundshare',
    ['Home Loan Fund I', '10,000 HLF1', 'Net asset value', 'Holders', 'Recipients need', 'kyc.pb'],
  ],
  ['blocks', '/blocks', ['Proposer', 'validator-0', 'Older']],
  ['block', '/blocks/2', ['App hash', '1 transaction', 'votes no on proposal 38', '1 validator of 1 signed it.']],
  ['transaction', `/transactions/${hash}`, ['Succeeded', 'votes no on proposal 38', 'Gas', 'cosmos.group.v1.EventVote']],
  [
    'validators',
    '/validators',
    ['validator-0', '100 %', 'signed blocks, oldest first', 'Validators by stake', 'ember', 'Jailed'],
  ],
  ['status', '/status', ['node-1', 'Healthy', 'provenanced', 'Coverage', 'everything, with an index', '--verify off']],
  ['limits', '/limits', ['graphql.bytes', 'What it limits']],
  ['search', '/search?q=2', ['Group 2 Treasury council', 'Block 2']],
];

let test: DashboardTest;
let opened: OpenedPage;
let voteHash: string;

describe.skipIf(!hasChromium)(`the pages of the dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard();
    const dora = test.chain.accounts[3]!;
    voteHash = await test.chain.submit(dora, vote(dora, 38n, 'NO'));
    await test.chain.devnet.commit();
    await test.chain.devnet.commit();
    opened = await test.open('');
  });

  afterAll(() => test.close());

  it.each(some(pages, 6))(
    '%s: shows the chain at one height, fits 380 px, and has no accessibility violation',
    async (name, path, texts) => {
      const { page, errors, requested } = opened;
      await page.setViewportSize(wide);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${test.relay.url}/dashboard${path.replace('HASH', voteHash)}`);
      await hasContent(page);
      for (const text of texts)
        await expect.poll(async () => (await page.innerText('main')).toLowerCase()).toContain(text.toLowerCase());
      if (name !== 'search') expect(await shownHeight(page)).toBe(Number(test.chain.devnet.height));
      expect(await violations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await violations(page, ['color-contrast'])).toEqual([]);
      await page.setViewportSize(narrow);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
      const foreign = requested.filter((url) => !url.startsWith(`${test.relay.url}/`) && !url.startsWith('data:'));
      expect([foreign, errors]).toEqual([[], []]);
    },
  );

  it('a proposal of x/gov follows the chain: a vote moves its tally, and an earlier block has neither', async () => {
    const { page, errors } = opened;
    const voter = test.chain.accounts[9]!;
    await page.setViewportSize(wide);
    await page.goto(`${test.relay.url}/dashboard/gov/7`);
    await hasContent(page);
    await expect.poll(() => page.innerText('main')).toContain('Nobody has voted yet.');
    const before = test.chain.devnet.height;
    const options = [
      { option: VoteOption.YES, weight: '0.700000000000000000' },
      { option: VoteOption.ABSTAIN, weight: '0.300000000000000000' },
    ];
    await test.chain.submit(voter, any(MsgVoteWeightedSchema, { proposalId: 7n, voter: voter.address, options }));
    await test.chain.devnet.commit();
    await expect.poll(() => page.innerText('[aria-label="Votes, by address"]')).toMatch(/Yes 70 %\s+Abstain 30 %/);
    expect(await page.innerText('main')).not.toContain('Nobody has voted yet.');
    await page.goto(`${test.relay.url}/dashboard/gov/7?at=${before}`);
    await hasContent(page);
    expect(await page.innerText('main')).toContain('Nobody has voted yet.');
    expect(errors).toEqual([]);
  });

  it.runIf(runsAll)('a contract is found by its address, answers, refuses, and shows a call with links to it', async () => {
    const { page, errors } = opened;
    const sender = test.chain.accounts[8]!;
    await page.setViewportSize(wide);
    await page.goto(`${test.relay.url}/dashboard/search?q=${contracts.vouchers}`);
    await page.waitForURL(`**/contracts/${contracts.vouchers}`);
    await hasContent(page);
    await expect.poll(() => page.innerText('.entries')).toMatch(new RegExp(`balance ${sender.address}\\s+"298"`));
    expect(await page.innerText('main')).toContain('none: nobody can migrate it');

    await page.fill('textarea', '[]');
    await page.click('text="Ask"');
    await page.waitForSelector('textarea[aria-invalid=true]');
    await page.fill('textarea', '{ "nope": {} }');
    await page.click('text="Ask"');
    await expect.poll(() => page.innerText('[role=alert]')).toMatch(/unknown variant `nope`, expected one of `token_info`/);
    await page.fill('textarea', `{ "balance": { "address": "${sender.address}" } }`);
    await page.click('text="Ask"');
    await expect.poll(() => page.locator('pre.code').first().innerText()).toContain('"balance": "298"');

    const msg = contractMessage({ transfer: { recipient: test.chain.accounts[9]!.address, amount: '3' } });
    const call = { sender: sender.address, contract: contracts.vouchers, msg };
    const callHash = await test.chain.submit(sender, any(MsgExecuteContractSchema, call));
    await test.chain.devnet.commit();
    await expect.poll(() => page.innerText('.entries')).toMatch(new RegExp(`balance ${sender.address}\\s+"295"`));
    // The answer is that of the block at which it was asked.
    expect(await page.locator('pre.code').first().innerText()).toContain('"balance": "298"');
    await page.click(`a[href$="/transactions/${callHash}"]`);
    await expect.poll(() => page.innerText('main')).toContain('It reports “transfer”');
    await page.click(`a[href$="/contracts/${contracts.vouchers}"]`);
    await page.click(`dd a[href$="/accounts/${contracts.vouchers}"]`);
    await page.click(`.page-facts a[href$="/contracts/${contracts.vouchers}"]`);
    await page.waitForSelector('.page-head .kind:text-is("Contract")');
    await page.goto(`${test.relay.url}/dashboard/contracts/${contracts.points}`);
    await hasContent(page);
    await page.click('text="Next page"');
    await expect.poll(() => page.innerText('.entries')).toContain('token_info');
    await page.goto(`${test.relay.url}/dashboard/contracts/${sender.address}`);
    await expect.poll(() => page.innerText('main')).toContain('There is no contract at this address');
    expect(errors).toEqual([]);
  });

  it('a delegator sees who votes with its stake, and overrides them with its own vote', async () => {
    const { page, errors } = opened;
    const delegator = test.chain.accounts[8]!;
    await page.setViewportSize(wide);
    await page.goto(`${test.relay.url}/dashboard/accounts/${delegator.address}`);
    await hasContent(page);
    const ofProposal = () => page.innerText('li:has(> span > a[href$="/gov/6"])');
    await expect
      .poll(ofProposal)
      .toMatch(/Not voted[\s\S]*its validators vote with its stake:\s+harbor\s+65.27 %\s+Yes\s+meadow\s+33.63 %\s+Not voted/);
    const message = { proposalId: 6n, voter: delegator.address, option: VoteOption.NO };
    await test.chain.submit(delegator, any(MsgVoteSchema, message));
    await test.chain.devnet.commit();
    await expect
      .poll(ofProposal)
      .toMatch(/No\s[\s\S]*Its own vote counts with its stake, in place of those of its validators \(harbor, meadow, quarry\)/);
    expect(await violations(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('shares a page: its title names the proposal, a link names the shown block, and paper has no controls', async () => {
    const { page, errors } = await test.open('/proposals/38');
    await expect.poll(() => page.title()).toBe('Amend article 9: emergency meetings · Stele');
    const height = await shownHeight(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('text="Share"');
    expect(await violations(page)).toEqual([]);
    await page.click(`text="Copy link at block ${height}"`);
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`${test.relay.url}/dashboard/proposals/38?at=${height}`);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.header, button.button').filter({ visible: true }).count()).toBe(0);
    expect(await page.innerText('main')).toContain('Amend article 9');
    expect(errors).toEqual([]);
    await page.close();
  });

  it('shows people by name: those of the page with it, all others by one request; a name of the address book comes first', async () => {
    const { page, errors } = await test.open('/status');
    const lookups: unknown[] = [];
    page.on('request', (request) => {
      const { variables }: { variables?: { accounts?: unknown[] } } = JSON.parse(request.postData() ?? '{}');
      if (variables?.accounts !== undefined) lookups.push(variables.accounts);
    });
    await page.goto(`${test.relay.url}/dashboard/proposals/38`);
    const policy = page.locator('.message-words .address');
    await expect.poll(() => policy.innerText()).toBe('Charter and elections');
    expect(await policy.locator('a').getAttribute('title')).toMatch(
      /^tp1\S{58}\nCharter and elections: the name of a group policy$/,
    );
    await expect.poll(() => page.innerText('.timeline')).toMatch(/Submitted by\s+dora/);
    // The members came with the page.
    expect(lookups).toEqual([[{ __typename: 'Account', address: expect.stringMatching(/^tp1\S{58}$/) }]]);
    const dora = test.chain.accounts[3]!.address;
    await page.goto(`${test.relay.url}/dashboard/accounts/${dora}`);
    await page.click('text="Name this account"');
    await page.fill('#book-name', 'Dora of the bakery');
    expect(await violations(page)).toEqual([]);
    await page.click('text="Save"');
    await page.goto(`${test.relay.url}/dashboard/proposals/38`);
    await expect.poll(() => page.innerText('.page-facts')).toContain('submitted');
    await expect.poll(() => page.innerText('.page-facts .address')).toBe('Dora of the bakery');
    await expect.poll(() => page.innerText('.timeline')).toMatch(/Submitted by\s+Dora of the bakery/);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('its documents are trusted: with the same token, a server of trusted documents alone refuses an own query', async () => {
    const { body } = await test.stack().ask('{ head { hash } }', {}, { authorization: `Bearer ${await test.token()}` });
    expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['DOCUMENT_NOT_TRUSTED']);
  });

  it.runIf(runsAll)('titles and names without spaces fit 390 px', async () => {
    const { page } = opened;
    const { chain, relay } = test;
    const [author] = chain.accounts;
    const long = 'Constitution'.repeat(16);
    const group = await createGroup(chain, [[author!, '1']]);
    await chain.run(author!, describeGroup(author!, group, long));
    await chain.run(author!, describePolicy(author!, group, long));
    await chain.run(author!, proposal(group, [author!], { title: long }));
    const initialDeposit = [{ denom: 'nhash', amount: '1000000000000' }];
    const submission = { title: long, summary: long, metadata: long, proposer: author!.address, initialDeposit };
    const submitted = await chain.run(author!, any(MsgSubmitProposalSchema, submission));
    const { voting_period_start: id } = submitted.get('submit_proposal')!;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${relay.url}/dashboard/policies/${group.policy}`);
    const card = page.locator('.proposal-card', { hasText: long });
    const path = await card.locator('h3 a').getAttribute('href');
    for (const each of [
      path,
      ...['policies', 'accounts'].map((kind) => `/dashboard/${kind}/${kind === 'accounts' ? author!.address : group.policy}`),
      `/dashboard/groups/${group.id}`,
      `/dashboard/gov/${id}`,
      '/dashboard/proposals',
      '/dashboard/groups',
      '/dashboard',
      `/dashboard/search?q=${group.id}`,
    ]) {
      await page.goto(`${relay.url}${each}`);
      await hasContent(page);
      await expect.poll(() => page.innerText('main')).toContain(long.slice(0, 40));
      expect([each, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([each, 390]);
      expect([
        each,
        await page.evaluate(
          () =>
            [...document.querySelectorAll(':is(h1, h2, h3, p, dd):not(.visually-hidden)')].filter(
              (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline',
            ).length,
        ),
      ]).toEqual([each, 0]);
    }
  });

  it.runIf(runsAll)('back shows the page where it was left, also after a reload', async () => {
    const { page } = await test.open('/proposals/38', { width: 1280, height: 500 });
    const scrollY = (): Promise<number> => page.evaluate(() => window.scrollY);
    const voter = page.locator('table:has-text("Voter") a').last();
    // The rehearsal arrives after the rest, and moves what is below it.
    await page.getByText(/^(Would succeed|Would fail|Cannot be rehearsed)$/).waitFor();
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await voter.scrollIntoViewIfNeeded();
    const left = await scrollY();
    expect(left).toBeGreaterThan(200);
    await voter.click();
    await page.waitForSelector('.page-head .kind:has-text("Account")');
    expect(await scrollY()).toBe(0);
    await page.goBack();
    await expect.poll(scrollY).toBe(left);
    await page.goForward();
    await page.waitForSelector('.page-head .kind:has-text("Account")');
    await expect.poll(scrollY).toBe(0);
    await page.goBack();
    await expect.poll(scrollY).toBe(left);
    await page.reload();
    await expect.poll(scrollY).toBe(left);
    await page.context().close();
  });

  it('a page that does not exist, a proposal that the chain does not have, and a wrong address say so', async () => {
    const { page } = opened;
    const wrongPaths = [
      ['/nothing', 'This page does not exist'],
      ['/proposals/%E0%A4%A', 'This page does not exist'],
      ['/tokens/%zz', 'This page does not exist'],
      ['/proposals/999999', 'The chain does not have proposal 999999'],
      ['/accounts/nonsense', '“nonsense” is not valid here. It must be a bech32 address.'],
      ['/proposals/abc', '“abc” is not a number.'],
      ['/gov/abc', '“abc” is not a number.'],
      ['/gov/999999', 'The chain does not have governance proposal 999999'],
      ['/validators/zz', '“zz” is not valid here.'],
      ['/blocks/99999999999999999999', '“99999999999999999999” is not the height of a block.'],
      ['/transactions/zz', '“zz” is not the hash of a transaction.'],
      ['/groups?after=zz', 'The address of the page names a place in a list that does not exist.'],
      ['/search?q=nothing+at+all', 'Nothing was found'],
      ['/explore', 'It does not have the scope introspect.'],
      ['/explore/cosmos.bank.v1beta1.params', 'It does not have the scope introspect.'],
      ['/explore/params', '“params” is not the name of a method.'],
    ];
    for (const [path, text] of some(wrongPaths, 4)) {
      await page.goto(`${test.relay.url}/dashboard${path}`);
      await page.waitForSelector(`.notice:has-text("${text}")`);
    }
  });

  it.runIf(runsAll)(
    'addresses of other chains and of validators say what they are, on the pages of accounts and boards and in the search',
    async () => {
      const { page } = opened;
      const account = test.chain.accounts[0]!.address;
      const of = (prefix: string): string => toBech32(prefix, fromBech32(account, 90).data);
      for (const path of ['accounts/', 'policies/', 'search?q=']) {
        await page.goto(`${test.relay.url}/dashboard/${path}${of('cosmos')}`);
        await page.waitForSelector('.notice:has-text("This is not an account of this chain")');
        expect(await page.innerText('.notice p')).toBe(
          'This is an address of the Cosmos Hub: it begins with cosmos1. Accounts of this chain begin with tp1.',
        );
        await page.goto(`${test.relay.url}/dashboard/${path}${of('pb')}`);
        await page.waitForSelector('.notice:has-text("This is an address of the main network of Provenance")');
      }
      await page.goto(`${test.relay.url}/dashboard/accounts/${of('tpvaloper')}`);
      await page.waitForSelector('.notice:has-text("This is the address of the operator of a validator")');
      await page.click('text=the account of the operator');
      await page.waitForSelector(`h1:has-text("${account}")`);
    },
  );

  it('charts show participation, the treasury and the holders over time when a visitor asks, with their values as a table', async () => {
    const { page, errors } = opened;
    await page.setViewportSize(wide);
    /** The rows of the table under a chart. */
    const rowsOf = async (chart: string): Promise<string[]> => {
      await page.locator(`[role=img][aria-label*="${chart}"] .uplot`).waitFor();
      await page.click('.chart-table summary >> nth=-1');
      const rows = page.locator('.chart-table tbody tr');
      await rows.first().waitFor();
      return rows.allInnerTexts();
    };
    /** Whether the page is accessible, also in the dark and on a phone. */
    const isSound = async (): Promise<void> => {
      expect(await violations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await violations(page, ['color-contrast'])).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      await page.setViewportSize(wide);
      await page.emulateMedia({ colorScheme: 'light' });
      expect(errors).toEqual([]);
    };

    const { chain } = test;
    const [alice, bob, carol] = chain.accounts;
    const group = await createGroup(chain, [
      [alice!, '1'],
      [bob!, '1'],
      [carol!, '2'],
    ]);
    const id = await submitProposal(chain, group, alice!);
    await chain.run(alice!, vote(alice!, id));
    await chain.run(bob!, vote(bob!, id, 'YES', true));
    await page.goto(`${test.relay.url}/dashboard/groups/${group.id}`);
    await page.click('.chip:has-text("Last 20")');
    expect(await rowsOf('Turnout and participation')).toEqual([
      expect.stringMatching(new RegExp(`^#${id} .* · .*\\t50\\t66\\.67$`)),
    ]);
    await isSound();
    for (const [member, share, outcome] of [
      [bob!, '100', 'voted'],
      [carol!, '0', 'did not vote'],
    ] as const) {
      await page.selectOption('.card select', member.address);
      expect(await rowsOf(member.address.slice(0, 8))).toEqual([
        expect.stringMatching(new RegExp(` · ${outcome}\\t${share}$`)),
      ]);
    }
    await isSound();

    const payer = chain.accounts[4]!;
    const amount = [{ denom: 'nhash', amount: '2500000000' }];
    await chain.submit(payer, any(MsgSendSchema, { fromAddress: payer.address, toAddress: board, amount }));
    await chain.devnet.commit();
    await page.goto(`${test.relay.url}/dashboard/policies/${board}`);
    await page.click('.chip:has-text("Last hour")');
    const balances = (await rowsOf('The balance in HASH over time')).map((row) => row.split('\t')[1]!.replaceAll(',', ''));
    // Before the payment, at its block, and at the end.
    expect(balances.slice(-3).map((balance) => Number(balance) - Number(balances.at(-3)))).toEqual([0, 2.5, 2.5]);
    await isSound();

    await page.goto(`${test.relay.url}/dashboard/tokens/fundshare`);
    await page.click('text=Read all holders');
    await page.waitForSelector('text=The largest:');
    const holders = await rowsOf('The share of the supply');
    expect(holders.length).toBeGreaterThan(1);
    // The last one and all larger ones hold all of it.
    expect(holders.at(-1)).toMatch(/\t100\t/);
    await isSound();
  });

  it('the search suggests what has the words while they are typed, and the keyboard chooses', async () => {
    const { page } = opened;
    await page.setViewportSize(wide);
    await page.goto(`${test.relay.url}/dashboard`);
    await hasContent(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('treasury cou');
    const first = page.locator('[role=option]').first();
    await first.waitFor();
    expect(await first.innerText()).toBe('Group Treasury council');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('[role=option][aria-selected=true]');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/groups/2');
    await page.waitForSelector('h1:has-text("Treasury council")');
    expect(await page.locator('.suggestions').count()).toBe(0);
    // All results, from the page of the search. What the text names itself opens at once.
    await page.goto(`${test.relay.url}/dashboard/search?q=treasur`);
    await page.waitForSelector('.results >> text=Appoint an independent treasurer');
    for (const [text, url] of [
      ['kyc.pb', '**/accounts/*'],
      ['charter%20elections', '**/policies/*'],
      ['proposal%2038', '**/proposals/38'],
      ['Group%20%232', '**/groups/2'],
    ] as const) {
      await page.goto(`${test.relay.url}/dashboard/search?q=${text}`);
      await page.waitForURL(url);
    }
  });

  it('the keyboard: / moves to the search, Enter opens the only result, Tab reaches the content, and the theme stays', async () => {
    const { page } = opened;
    await page.setViewportSize(wide);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${test.relay.url}/dashboard`);
    await hasContent(page);
    await page.keyboard.press('/');
    await page.keyboard.type(voteHash);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/transactions/${voteHash}`);
    await hasContent(page);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.focus('.skip');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.focus('[aria-label="Use the dark theme"]');
    await page.keyboard.press('Enter');
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await background()).toBe(dark);
    await page.click('[aria-label="Use the light theme"]');
  });
});
