import { text as textOf } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { believedFields } from '../../dashboard/src/proof/believed.ts';
import { firstDifference } from '../../dashboard/src/proof/difference.ts';
import { verify } from '../../packages/verify/src/entry/index.ts';
import { runsAll, some } from '../support/atRandom.ts';
import { browserNote, hasChromium } from '../support/browser.ts';
import { type DashboardTest, hasContent, narrow, startDashboard, violations } from '../support/dashboard.ts';
import { vote } from '../support/groups.ts';

let test: DashboardTest;

/** Waits until the content of a page has a text. */
const shows = (page: Page, text: string | RegExp): Promise<void> => expect.poll(() => page.innerText('main')).toMatch(text);

/** An answer of the server with a proof, as the page gets it. */
interface ProofAnswer {
  readonly data: { proposal: { votes: { totalCount: string; nodes: unknown[] }; tally: Record<string, string> } };
  readonly extensions: { proof: { header: Record<string, unknown>; commit: { signatures: { signature: string }[] } } };
}

/** Changes the answers with a proof that a page gets, and counts them. */
async function interceptProofs(page: Page, change?: (answer: ProofAnswer) => void): Promise<{ count: number }> {
  const seen = { count: 0 };
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('"proof":true')) return route.fallback();
    seen.count += 1;
    const response = await route.fetch();
    const answer = (await response.json()) as ProofAnswer;
    change?.(answer);
    await route.fulfill({ response, json: answer });
  });
  return seen;
}

/** Makes blocks until the proof of a page is there: the state of a height is proven by the header of the next one. */
async function clickVerify(page: Page): Promise<void> {
  await page.click('text="Verify in this browser"');
  await page.locator('.seal:has-text("Verifying")').waitFor();
  await test.chain.devnet.commit();
  await page.locator('.seal:not(:has-text("Verifying")), .refuted').waitFor();
}

describe('what a seal compares', () => {
  it('every field of the proven answer has to be on the page, with the same value and in lists of the same length', () => {
    const page = { proposal: { id: '1', title: 'a', votes: { nodes: [{ option: 'YES', extra: 1 }] } } };
    expect(firstDifference(page, { proposal: { id: '1', votes: { nodes: [{ option: 'YES' }] } } })).toBeUndefined();
    expect(firstDifference(page, { proposal: { votes: { nodes: [{ option: 'NO' }] } } })).toBe('proposal.votes.nodes.0.option');
    expect(firstDifference(page, { proposal: { votes: { nodes: [] } } })).toBe('proposal.votes.nodes');
    expect(firstDifference(page, { proposal: null })).toBe('proposal');
    expect(firstDifference(page, { proposal: { summary: '' } })).toBe('proposal.summary');
    expect(firstDifference({ proposal: null }, { proposal: null })).toBeUndefined();
  });

  it('a field that is only believed takes the seal away, also through a list that is empty or believed as a whole', () => {
    const essential = { 'proposal.status': 'its status', 'proposal.votes.nodes.option': 'its votes' };
    const levels = (fields: Record<string, 'PROVEN' | 'ASSERTED' | 'RECOMPUTED'>) =>
      believedFields(
        { essential },
        { fields: Object.entries(fields).map(([path, level]) => ({ path, level, methods: [], reason: undefined })) },
      );
    expect(levels({ proposal: 'PROVEN', 'proposal.status': 'RECOMPUTED', 'proposal.votes.nodes.option': 'PROVEN' })).toEqual(
      [],
    );
    expect(levels({ proposal: 'PROVEN', 'proposal.status': 'PROVEN', 'proposal.votes.nodes': 'PROVEN' })).toEqual([]);
    expect(levels({ proposal: 'PROVEN', 'proposal.status': 'ASSERTED', 'proposal.votes': 'ASSERTED' })).toEqual([
      'its status',
      'its votes',
    ]);
    expect(levels({})).toEqual(['its status', 'its votes']);
  });
});

describe.skipIf(!hasChromium)(`what is verified, in the pages of the dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard({ verifies: true });
    const dora = test.chain.accounts[3]!;
    await test.chain.run(dora, vote(dora, 38n, 'NO'));
    await test.chain.devnet.commit();
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

  it('a proposal is verified when it is asked for, once, and each link of the proof has a place on a page', async () => {
    const { page, errors, requested } = await test.open('/proposals/38');
    const proofs = await interceptProofs(page);
    const isVerifier = (url: string): boolean => url.includes('/verifier-');
    expect(requested.some(isVerifier)).toBe(false);
    const height = test.chain.devnet.height;
    await clickVerify(page);
    expect(await page.innerText('.seal')).toMatch(
      new RegExp(
        `^Signed by 100 % of the voting power at block ${height}; \\d+ votes?, none left out; tally and outcome recomputed in this browser\\.`,
      ),
    );
    expect(requested.some(isVerifier)).toBe(true);
    expect(await violations(page)).toEqual([]);
    // A block that changes the page asks for no proof. The seal says that it is older.
    const ivo = test.chain.accounts[8]!;
    await test.chain.run(ivo, vote(ivo, 38n, 'YES'));
    await page.locator('.seal:has-text("The page has changed since.")').waitFor();
    expect(proofs.count).toBe(1);

    await page.click('text="Every link of the proof"');
    await page.locator('.proof-links').waitFor();
    const titles = (await page.locator('.proof-link h2').allInnerTexts()).map((title) => title.replaceAll(/\s+/g, ' '));
    expect(titles).toEqual([
      '1 Trusted validators',
      '2 Signatures',
      `3 Header of block ${height + 1n}`,
      '4 App hash',
      '5 Roots of the stores',
      '6 Keys and values',
      '7 Rules',
      '8 Fields',
    ]);
    const { header, blockId } = await test.stack().client.block(height + 1n);
    await shows(page, `This browser has verified blocks of this chain since block ${height + 1n}`);
    for (const text of [header.appHash, blockId.hash, header.validatorsHash, 'group', 'Believed\nnone'])
      await shows(page, text);
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize(narrow);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);

    // The file is what the command verifies.
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('text="Download the answer with its proof"'),
    ]);
    const { request, ...answer } = JSON.parse(await textOf(await download.createReadStream()));
    const verified = await verify(answer, { document: request.query, variables: request.variables });
    expect([verified.height, verified.fields.get('proposal.tally.yesCount')?.level]).toEqual([height, 'RECOMPUTED']);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  const lies: readonly [what: string, change: (answer: ProofAnswer) => void, text: string | RegExp][] = [
    ['a vote that is left out', ({ data: { proposal } }) => void proposal.votes.nodes.pop(), /proposal\.votes\.nodes/],
    [
      'a vote that is left out, with the count that fits',
      ({ data: { proposal } }) => {
        proposal.votes.nodes.pop();
        proposal.votes.totalCount = String(proposal.votes.nodes.length);
      },
      /proposal\.votes/,
    ],
    [
      'another tally',
      ({ data: { proposal } }) => {
        proposal.tally = { ...proposal.tally, yesCount: '99' };
      },
      'proposal.tally.yesCount',
    ],
    [
      'another app hash',
      ({ extensions: { proof } }) => {
        proof.header = { ...proof.header, app_hash: '00'.repeat(32) };
      },
      'the proof as a whole',
    ],
  ];

  it.each(some(lies, 4))('a server that lies is refused with a red page: %s', async (_, change, text) => {
    const { page } = await test.open('/proposals/38');
    await interceptProofs(page, change);
    await clickVerify(page);
    await page.locator('.refuted').waitFor();
    expect(await page.locator('.page').count()).toBe(0);
    await shows(page, 'The proof of this answer is wrong');
    await shows(page, text);
    expect(await violations(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    await page.click('text="Read the page again"');
    await clickVerify(page);
    expect(await page.innerText('.seal')).toMatch(/^Signed by 100 %/);
    await page.context().close();
  });

  it.runIf(runsAll)(
    'a page that shows something else than what is proven of its block is refused, and so is a page of reasons',
    async () => {
      const { page } = await test.open('');
      // The live results of the page, which come over a socket.
      await page.routeWebSocket('**/graphql', (socket) => {
        const server = socket.connectToServer();
        server.onMessage((message) => socket.send(String(message).replaceAll('"title":"Amend', '"title":"Keep')));
      });
      await page.goto(`${test.relay.url}/dashboard/proposals/38`);
      await hasContent(page);
      await shows(page, 'Keep article 9');
      await clickVerify(page);
      await page.locator('.refuted').waitFor();
      await shows(page, 'OTHER_VALUE');
      await shows(page, 'proposal.title');
      expect(await violations(page, ['color-contrast'])).toEqual([]);

      await interceptProofs(page, ({ data: { proposal } }) => void proposal.votes.nodes.pop());
      await page.goto(`${test.relay.url}/dashboard/proposals/38/proof?at=${test.chain.devnet.height - 1n}`);
      await page.locator('.refuted').waitFor();
      await page.context().close();
    },
  );

  it.runIf(runsAll)('an account says what of it is proven', async () => {
    const { page } = await test.open(`/accounts/${test.chain.accounts[0]!.address}`);
    await clickVerify(page);
    expect(await page.innerText('.seal')).toMatch(/signed by 100 % of the voting power/i);
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });

  it.runIf(runsAll)(
    'a browser whose trusted block is too old begins anew when told to; a block before the trusted one is no lie',
    async () => {
      const { page } = await test.open('/proposals/38');
      await clickVerify(page);
      const height = test.chain.devnet.height - 1n;
      /** Changes the validators of the block that the browser has kept, its height and its time. */
      const changeTrust = (place: { height: string; time?: string }): Promise<void> =>
        page.evaluate((changes) => {
          const [key] = Object.keys(localStorage).filter((name) => name.startsWith('stele.trust.'));
          const trust = JSON.parse(localStorage.getItem(key!)!);
          trust.validators[0].voting_power = '7';
          trust.header = { ...trust.header, ...changes };
          localStorage.setItem(key!, JSON.stringify(trust));
        }, place);
      await changeTrust({ height: '999' });
      await page.goto(`${test.relay.url}/dashboard/proposals/38/proof?at=${height}`);
      await page.waitForSelector('.notice:has-text("Only later blocks can be verified from it.")');
      await changeTrust({ height: '1', time: '2020-01-01T00:00:00Z' });
      await page.reload();
      await shows(page, 'This answer cannot be verified');
      await page.click('text="Forget the block that this browser trusts"');
      await page.locator('.proof-links').waitFor();
      await shows(page, 'This browser had verified no block of the chain before.');
      await page.context().close();
    },
  );

  it('a server that verifies nothing says so, and nothing is red', async () => {
    await test.restart();
    const { page } = await test.open('/proposals/38');
    await page.click('text="Verify in this browser"');
    await page.locator('.seal:has-text("This server does not verify blocks, so it gives no proofs.")').waitFor();
    await page.context().close();
  });
});
