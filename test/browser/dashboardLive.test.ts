import { createHash } from 'node:crypto';
import { toBech32 } from '@cosmjs/encoding';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll, sizeOf } from '../support/atRandom.ts';
import { browserNote, hasChromium, openPage } from '../support/browser.ts';
import { any } from '../support/chain.ts';
import { type DashboardTest, hasContent, shownHeight, startDashboard, violations, wide } from '../support/dashboard.ts';
import { vote } from '../support/groups.ts';

const board = 'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf';

let test: DashboardTest;

/** The weights in the legend of the tally, by option. */
async function weights(page: Page): Promise<Record<string, string>> {
  const items = await page.locator('.main-side .legend li[data-option]').allInnerTexts();
  return Object.fromEntries(items.map((item) => [item.replace(/\s[\d.,]+$/, ''), item.replace(/^.*\s/, '')]));
}

/** Waits until a node has the transaction that a page sends, and commits it. */
async function commitSent(page: Page): Promise<void> {
  await page.waitForSelector('.progress:is([data-stage=CHECKED], [data-stage=PENDING])');
  await test.chain.devnet.commit();
  await page.waitForSelector('.progress[data-kind=done]');
}

/** Commits blocks until a page shows the newest one. */
async function follows(page: Page): Promise<void> {
  await test.chain.devnet.commit();
  await expect.poll(() => shownHeight(page)).toBe(Number(test.chain.devnet.height));
}

/** Heights in the ticker of the first page. */
const ticker = (page: Page): Promise<number[]> =>
  page
    .locator('.ticker li > a')
    .allInnerTexts()
    .then((all) => all.map((text) => Number(text.replaceAll(',', ''))));

describe.skipIf(!hasChromium)(`the live dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard();
  });

  afterAll(() => test.close());

  it('a vote in one window is seen live in a second one, at the same height', async () => {
    const [{ page: voting, errors }, { page: watching }] = [await test.open('/proposals/38'), await test.open('/proposals/38')];
    const before = await weights(watching);
    expect(await watching.locator('table', { hasText: 'Voter' }).getByText('ivo').count()).toBe(0);
    await voting.click('.button.vote[data-option=VOTE_OPTION_YES]');
    const question = voting.locator('.confirmation');
    expect(await question.innerText()).toContain('Vote yes as ivo with weight 1? A vote cannot be changed.');
    await question.getByLabel('Reason').fill('ö'.repeat(128));
    await question.getByText('The reason has 256 bytes. The chain takes at most 255.').waitFor();
    expect(await question.getByText('Sign and send').isEnabled()).toBe(false);
    await question.getByLabel('Reason').fill('It is time');
    expect(await violations(voting)).toEqual([]);
    await question.getByText('Sign and send').click();
    await commitSent(voting);
    await watching.locator('table', { hasText: 'Voter' }).getByText('ivo').waitFor();
    const after = { ...before, Yes: String(Number(before.Yes) + 1), 'Not voted': String(Number(before['Not voted']) - 1) };
    expect([await weights(watching), await shownHeight(watching)]).toEqual([after, Number(test.chain.devnet.height)]);
    await voting.waitForSelector('text=Voted yes. A vote cannot be changed. Reason: “It is time”');
    expect(await voting.locator('.stages li').evaluateAll((all) => all.map((each) => each.getAttribute('data-state')))).toEqual(
      ['done', 'done', 'current'],
    );
    expect(await voting.innerText('.vote-effect')).toContain(`The vote added 1 to yes, which now has ${after.Yes}.`);
    expect([await violations(voting), errors]).toEqual([[], []]);
    await Promise.all([voting.context().close(), watching.context().close()]);
  });

  it.runIf(runsAll)(
    'the form of a proposal shows the amount that it read and the balance, and refuses amounts and addresses that are wrong',
    async () => {
      const { page } = await test.open(`/policies/${board}`);
      const [recipient] = test.chain.accounts.map(({ address }) => address);
      const sent: string[] = [];
      page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => void sent.push(String(payload))));
      /** What the page says of a recipient and an amount, and whether it offers to propose. */
      const fill = async (to: string, amount: string): Promise<readonly [to: string, amount: string, isOffered: boolean]> => {
        await page.fill('#propose-0-recipient', to);
        await page.fill('#propose-0-amount', amount);
        // What the chain knows of an account is read from the server.
        if (to.startsWith('tp1')) await expect.poll(() => page.innerText('#propose-0-recipient-reading')).not.toBe('');
        return [
          await page.innerText('#propose-0-recipient-reading'),
          await page.innerText('#propose-0-amount-reading'),
          await page.isEnabled('button:has-text("Propose")'),
        ];
      };
      await page.fill('#propose-title', 'Pay the printer');
      const [, holding] = await fill(recipient!, '');
      const [, held = ''] = /^The policy holds ([\d,.]+) HASH\.$/.exec(holding) ?? [];
      const rest = (Number(held.replaceAll(',', '')) - 2.5).toLocaleString('en', { maximumFractionDigits: 9 });
      const named = 'The chain knows this account as pb.';
      expect(await fill(recipient!, '2.5')).toEqual([
        named,
        `2.5 HASH = 2,500,000,000 nhash. The policy holds ${held} HASH; ${rest} HASH remain.`,
        true,
      ]);
      for (const [amount, reading] of [
        ['1,5', '“1,5” can mean 1.5 or 15. Write 1.5 or 15.'],
        ['1.500', '“1.500” can mean 1.50 or 1,500. Write 1.50 or 1500.'],
        ['1,500', '“1,500” can mean 1.50 or 1,500. Write 1.50 or 1500.'],
        ["1'234", 'Write it without separators of thousands, with a point before decimals, such as 1234.5.'],
      ] as const)
        expect(await fill(recipient!, amount)).toEqual([named, reading, false]);
      expect(await fill(recipient!, `${held.replaceAll(',', '')}0`)).toEqual([
        named,
        `The policy holds only ${held} HASH.`,
        false,
      ]);
      const [hello, , isOffered] = await fill('hello', '1');
      expect([hello, isOffered]).toEqual(['This is not an address. Accounts of this chain begin with tp1.', false]);
      const [foreign, , isAccepted] = await fill(toBech32('cosmos', new Uint8Array(20)), '1');
      expect([foreign.startsWith('This is an address of the Cosmos Hub'), isAccepted]).toEqual([true, false]);
      await page.press('#propose-0-amount', 'Enter');
      // The address of a module is the hash of its name.
      const gov = toBech32('tp', createHash('sha256').update('gov').digest().subarray(0, 20));
      expect((await fill(gov, '1'))[0]).toBe(
        'This is the account of the module gov. It may refuse payments, or keep them for ever.',
      );
      expect((await fill(board, '1'))[0]).toBe('This is the account that pays.');
      expect((await fill(toBech32('tp', new Uint8Array(20).fill(7)), '1'))[0]).toBe(
        'This account is new: the chain has never seen it.',
      );
      expect(await violations(page)).toEqual([]);
      expect(sent.filter((text) => text.includes('submitTx'))).toEqual([]);
      expect(await page.getAttribute('.progress', 'data-kind')).toBe('idle');
      await page.context().close();
    },
  );

  it.runIf(runsAll)(
    'a proposal from the page appears on the board of a second window, and is shown from the record once its execution from the page deletes it',
    async () => {
      const [{ page }, { page: watching }] = [
        await test.open(`/policies/${board}`),
        await test.open(`/policies/${board}?status=open`),
      ];
      await page.fill('#propose-title', 'Pay the printer');
      await page.fill('#propose-0-recipient', test.chain.accounts[9]!.address);
      await page.fill('#propose-0-amount', '2.5');
      await page.click('button:has-text("Propose")');
      const question = page.locator('.confirmation');
      await expect
        .poll(() => question.innerText())
        .toMatch(/Propose “Pay the printer” with 1 message as Account 8\?[\s\S]*tp1\w+ sends 2.5 HASH to tp1/);
      await question.getByText('Sign and send').click();
      await commitSent(page);
      const card = watching.locator('.proposal-card', { hasText: 'Pay the printer' });
      await card.waitFor();
      expect(await card.innerText()).toContain('sends 2.5 HASH to');
      const id = BigInt((await card.getAttribute('data-proposal'))!);
      await page.waitForSelector(`a:has-text("Open proposal ${id}")`);
      const step = page.locator('.stages li[data-state=current]');
      expect(await step.innerText()).toContain('Decided');
      for (const voter of test.chain.accounts.slice(0, 8)) await test.chain.submit(voter, vote(voter, id));
      await test.chain.devnet.commit();
      await card.locator('text=Has the weight to pass').waitFor();
      await card.locator('a').first().click();
      await watching.click('button:has-text("Execute")');
      await watching.waitForSelector('.progress:is([data-stage=CHECKED], [data-stage=PENDING])');
      await test.chain.devnet.commit();
      await watching.waitForSelector(`text=deleted by the chain in block ${test.chain.devnet.height}, shown from the record`);
      await watching.locator('.timeline li', { hasText: 'Executed by ivo' }).waitFor();
      // The window that has submitted it says that it is decided.
      await page.waitForSelector('.stages li[data-state=done]:has-text("Decided")');
      await page.waitForSelector('.progress:has-text("Accepted and executed.")');
      expect(await violations(page)).toEqual([]);
      await Promise.all([page.context().close(), watching.context().close()]);
    },
  );

  it.runIf(runsAll)(
    'a proposal with many messages, JSON, a long title and Markdown with a script is read, kept over a reload and executed',
    async () => {
      const { page, errors } = await test.open(`/policies/${board}`, { width: 390, height: 844 });
      const offer = page.locator('button:has-text("Propose")');
      await page.fill('#propose-title', 'x'.repeat(256));
      await page.waitForSelector('text=The title has 256 bytes. The chain takes at most 255.');
      const title = 'A title of 255 letters '.padEnd(255, 'x');
      await page.fill('#propose-title', title);
      expect(await page.innerText('#propose-title-reading')).toBe('');
      await page.fill(
        '#propose-summary',
        '# Why\n\n**Paper** <script>window.bad = 1</script><img src=x onerror="window.bad = 1"> [our bank](https://evil.example/a) [x](javascript:alert(1))',
      );
      await page.click('text=Preview');
      const preview = page.locator('.markdown');
      await preview.waitFor();
      expect(await preview.innerText()).toMatch(
        /^Why\s+Paper <script>window\.bad = 1<\/script><img .*> our bank \(evil\.example\) x$/,
      );
      expect(await preview.locator('script, img, h1').count()).toBe(0);
      expect(await preview.locator('a').count()).toBe(1);
      const [payee] = test.chain.accounts;
      const count = sizeOf({ full: 30, ci: 4 });
      for (let index = 0; index < count; index += 1) {
        if (index > 0) await page.click('text=Add a message');
        await page.fill(`#propose-${index}-recipient`, payee!.address);
        await page.fill(`#propose-${index}-amount`, '1');
      }
      expect(await page.innerText(`#propose-${count - 1}-amount-reading`)).toMatch(
        /^1 HASH = 1,000,000,000 nhash\. After the messages above/,
      );
      expect(await offer.isEnabled()).toBe(true);
      // Together they cannot pay more than the policy holds.
      await page.fill('#propose-0-amount', '999000');
      await page.fill('#propose-1-amount', '900');
      expect(await page.innerText('#propose-1-amount-reading')).toMatch(
        /^After the messages above, the policy holds only [\d,.]+ HASH\.$/,
      );
      expect(await offer.isEnabled()).toBe(false);
      await page.fill('#propose-0-amount', '1');
      await page.fill('#propose-1-amount', '1');
      await page.selectOption(`#propose-${count - 1}-kind`, '/cosmos.group.v1.MsgUpdateGroupPolicyMetadata');
      const json = page.locator(`#propose-${count - 1}-json`);
      const fields = page.locator('.message-fields').nth(count - 1);
      await fields.getByLabel('group_policy_address').fill('hello');
      await expect.poll(() => fields.innerText()).toContain('This is not an address. Accounts of this chain begin with tp1.');
      expect(await offer.isEnabled()).toBe(false);
      await fields.getByLabel('group_policy_address').fill(board);
      await fields.getByLabel('metadata').fill('A board');
      await expect.poll(() => offer.isEnabled()).toBe(true);
      expect(await violations(page)).toEqual([]);
      await fields.getByText('Edit as JSON').click();
      expect(JSON.parse(await json.inputValue())).toEqual({
        '@type': '/cosmos.group.v1.MsgUpdateGroupPolicyMetadata',
        ...{ admin: board, group_policy_address: board, metadata: 'A board' },
      });
      await json.fill('{"@type": "/cosmos.group.v1.MsgUpdateGroupPolicyMetadata", "admn": ""}');
      await expect.poll(() => page.innerText(`#propose-${count - 1}-json-reading`)).toContain('admn');
      await json.fill('{');
      await expect.poll(() => page.innerText(`#propose-${count - 1}-json-reading`)).toContain('This is not JSON');
      expect(await offer.isEnabled()).toBe(false);
      await page.reload();
      await page.waitForSelector(`#propose-${count - 1}-json`);
      expect([await page.inputValue('#propose-title'), await json.inputValue()]).toEqual([title, '{']);
      await page.click(`[aria-label="Remove message ${count}"]`);
      expect([await violations(page), errors]).toEqual([[], []]);
      expect(await page.evaluate(() => [document.documentElement.scrollWidth, 'bad' in window])).toEqual([390, false]);
      await offer.click();
      await page.click('text=Sign and send');
      await commitSent(page);
      await page.click('text=Open proposal');
      await page.waitForSelector('.markdown:has-text("evil.example")');
      expect(await page.locator('.messages li').count()).toBe(count - 1);
      await page.context().close();
    },
  );

  it.runIf(runsAll)('the first page receives less than 2 kB for a block with a transaction', async () => {
    const [payer, payee] = test.chain.accounts;
    const amount = [{ denom: 'nhash', amount: '1500000000' }];
    const send = any(MsgSendSchema, { fromAddress: payer!.address, toAddress: payee!.address, amount });
    // The page shows 12 blocks with their transactions.
    for (let block = 0; block < 13; block += 1) await test.chain.run(payer!, send);
    const { page } = await openPage(test.browser, wide);
    let received = 0;
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        received += Buffer.byteLength(payload);
      }),
    );
    await page.goto(`${test.relay.url}/dashboard`);
    await hasContent(page);
    await follows(page);
    received = 0;
    for (let block = 0; block < 5; block += 1) {
      await test.chain.run(payer!, send);
      await expect.poll(() => shownHeight(page)).toBe(Number(test.chain.devnet.height));
    }
    expect(received).toBeGreaterThan(0);
    expect(received / 5).toBeLessThan(2_000);
    await page.context().close();
  });

  it.runIf(runsAll)(
    'a connection that is lost comes back without a gap in the blocks, and the page says so meanwhile',
    async () => {
      const { page } = await test.open('');
      await follows(page);
      test.relay.switchTo('http://localhost:1');
      await page.waitForSelector('.trouble:has-text("Reconnecting.")');
      for (let block = 0; block < 3; block += 1) await test.chain.devnet.commit();
      test.relay.switchTo(test.stack().server.url);
      await expect.poll(() => shownHeight(page), { timeout: 20_000 }).toBe(Number(test.chain.devnet.height));
      // The blocks of the time between are read.
      await expect.poll(async () => (await ticker(page))[0]).toBe(Number(test.chain.devnet.height));
      const heights = await ticker(page);
      expect(heights).toEqual(heights.map((_, index) => Number(test.chain.devnet.height) - index));
      expect(await page.locator('.trouble').count()).toBe(0);
      await page.context().close();
    },
  );

  it.runIf(runsAll)(
    'a server that restarts, a browser that is offline and a server that does not answer are told apart',
    async () => {
      const { page } = await test.open('');
      await follows(page);
      const trouble = (): Promise<string> => page.innerText('.trouble-area');
      // The server says that it stops.
      await test.stack().server.close();
      await expect.poll(trouble).toContain('The server is restarting.');
      await test.restart();
      await expect.poll(() => page.locator('.trouble').count(), { timeout: 20_000 }).toBe(0);
      await follows(page);
      // The network drops what the page sends, and the browser knows why.
      await page.context().setOffline(true);
      test.relay.switchTo('http://localhost:1');
      await expect.poll(trouble).toContain('You are offline.');
      await page.context().setOffline(false);
      await expect.poll(trouble).toContain('Reconnecting. The server does not answer.');
      test.relay.switchTo(test.stack().server.url);
      await expect.poll(() => page.locator('.trouble').count(), { timeout: 40_000 }).toBe(0);
      await follows(page);
      await page.context().close();
    },
  );

  it.runIf(runsAll)(
    'a server that returns over another chain with the same id: the page says so and shows the new chain alone',
    async () => {
      // More blocks than the new chain makes while the page waits for it.
      for (let count = 0; count < 50; count += 1) await test.chain.devnet.commit();
      const { page } = await test.open('');
      await page.clock.install();
      await follows(page);
      await follows(page);
      const old = await shownHeight(page);
      await page.evaluate(() => {
        const texts: string[] = [];
        const note = (): void => void texts.push(document.querySelector('.trouble strong')?.textContent ?? '');
        new MutationObserver(note).observe(document.body, { childList: true, subtree: true, characterData: true });
        Object.assign(window, { texts });
      });
      // Longer than a chain is waited for.
      await test.restartChain(() => page.clock.fastForward(10_000).then(() => page.waitForSelector('.trouble[data-outage]')));
      const note = page.locator('.trouble:has-text("The chain was started again.")');
      // The new chain makes blocks, as chains do.
      await expect.poll(() => test.chain.devnet.commit().then(() => note.count()), { interval: 500 }).toBe(1);
      expect(await page.evaluate('texts')).not.toContain('The chain makes no blocks.');
      await expect.poll(() => shownHeight(page)).toBe(Number(test.chain.devnet.height));
      expect(await shownHeight(page)).toBeLessThan(old);
      await expect.poll(() => ticker(page).then((heights) => Math.max(...heights))).toBe(Number(test.chain.devnet.height));
      await follows(page);
      await page.click('.trouble button');
      expect(await page.locator('.trouble').count()).toBe(0);
      await page.context().close();
    },
  );

  it.runIf(runsAll)('a token that a restarted server refuses is replaced, and the page goes on', async () => {
    const { page } = await test.open('/groups/1');
    await follows(page);
    await test.restart();
    await test.chain.devnet.commit();
    await expect.poll(() => shownHeight(page), { timeout: 20_000 }).toBe(Number(test.chain.devnet.height));
    await follows(page);
    await page.context().close();
  });

  it.runIf(runsAll)(
    'a chain that is halted and a node that is down are told apart, and the page goes on by itself when they are back',
    async () => {
      const { page, errors } = await test.open('');
      await page.clock.install();
      await follows(page);
      const trouble = async (): Promise<string> => {
        await page.clock.fastForward(5_000);
        return page.innerText('.trouble-area');
      };
      await expect.poll(trouble).toContain('The chain makes no blocks.');
      await follows(page);
      expect(await page.locator('.trouble').count()).toBe(0);
      await test.chain.node.stop();
      await expect.poll(trouble).toMatch(/The node does not respond\..*node-1: (down|ejected)/s);
      await test.chain.node.start();
      await expect
        .poll(async () => {
          await test.chain.devnet.commit();
          await page.clock.fastForward(1_000);
          return page.locator('.trouble').count();
        })
        .toBe(0);
      await expect.poll(() => shownHeight(page)).toBe(Number(test.chain.devnet.height));
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );

  it.runIf(runsAll)('the time machine shows the page at an earlier height, keeps it over links, and goes back', async () => {
    // Account 9 has not voted on it.
    const june = test.chain.accounts[9]!;
    const { page } = await test.open('/proposals/38');
    const before = await weights(page);
    await follows(page);
    const height = Number(test.chain.devnet.height);
    await test.chain.run(june, vote(june, 38n));
    await expect.poll(() => weights(page)).not.toEqual(before);
    await page.click('text=Time machine');
    await page.fill('[aria-label="Exact height"]', String(height));
    await page.keyboard.press('Enter');
    await expect.poll(() => weights(page)).toEqual(before);
    expect([await shownHeight(page), new URL(page.url()).searchParams.get('at')]).toEqual([height, String(height)]);
    expect(await violations(page)).toEqual([]);
    await page.click('.page-head .kind a >> nth=0');
    await page.waitForSelector('h1:has-text("Assembly")');
    expect(await shownHeight(page)).toBe(height);
    await page.focus('[aria-label="Height"]');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => shownHeight(page)).toBe(height - 1);
    await page.click('text=Back to now');
    await follows(page);
    await page.context().close();
  });

  it.runIf(runsAll)('a height that no node has any more, and one above the head, say so and offer what there is', async () => {
    const { page } = await test.open('/groups/1?at=999999');
    await page.waitForSelector('.notice:has-text("This block does not exist yet")');
    await test.chain.devnet.commit();
    const oldest = test.chain.devnet.height;
    test.chain.node.prune(oldest);
    await page.goto(`${test.relay.url}/dashboard/groups/1?at=2`);
    await page.waitForSelector('.notice:has-text("No node has this height any more")');
    await page.click('.notice button');
    await page.waitForSelector('h1:has-text("Assembly")');
    await page.context().close();
  });

  it.runIf(runsAll)(
    'without a token a visitor sees how to get in, no data and no token; an entered token opens the page, an expired one does not',
    async () => {
      await test.restart({ givesToken: false });
      const { page, requested } = await test.open('/groups');
      expect(await page.innerText('h1')).toBe('This server needs a token');
      expect(await page.content()).not.toMatch(/eyJ|Assembly/);
      expect(requested.filter((url) => url.endsWith('/graphql'))).toEqual([]);
      expect(await violations(page)).toEqual([]);
      await page.fill('#token', await test.token());
      await page.keyboard.press('Enter');
      await page.waitForSelector('text=Treasury council');
      // Its keys are new.
      await test.restart({ givesToken: false, lifetime: -60 });
      await page.waitForSelector('h1:has-text("The server does not accept this token")');
      await page.fill('#token', await test.token());
      await page.keyboard.press('Enter');
      await page.waitForSelector('h1:has-text("Your token has expired")');
      await page.fill('#token', 'my secret');
      await page.keyboard.press('Enter');
      await page.waitForSelector('h1:has-text("This is not an access token")');
      expect(await violations(page)).toEqual([]);
      await page.context().close();
    },
  );
});
