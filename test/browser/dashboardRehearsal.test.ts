import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgExecuteContractSchema } from '../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import { browserNote, hasChromium } from '../support/browser.ts';
import { any } from '../support/chain.ts';
import { type DashboardTest, narrow, startDashboard, violations, wide } from '../support/dashboard.ts';
import { createGroup, submitProposal, type TestGroup } from '../support/groups.ts';

let test: DashboardTest;
let group: TestGroup;
let [works, fails, contract] = [0n, 0n, 0n];
let alice: WalletAccount;
let bob: WalletAccount;

const send = (from: string, to: string, amount: string) =>
  any(MsgSendSchema, { fromAddress: from, toAddress: to, amount: [{ denom: 'nhash', amount }] });

/** The rehearsal on a page, as text. */
const rehearsal = (page: Page) => page.locator('section:has(> .card-head > h2:text-is("If it ran now"))');

describe.skipIf(!hasChromium)(`rehearsals on the pages of the dashboard in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard({ simulates: true });
    const { chain } = test;
    [alice, bob] = chain.accounts as [WalletAccount, WalletAccount];
    group = await createGroup(chain, [
      [alice, '1'],
      [bob, '1'],
    ]);
    await chain.run(alice, send(alice.address, group.policy, '5000000000'));
    const pay = (amount: string) => send(group.policy, bob.address, amount);
    works = await submitProposal(chain, group, alice, { title: 'Pay the designer', messages: [pay('1500000000')] });
    fails = await submitProposal(chain, group, alice, { title: 'Pay twice', messages: [pay('1000000000'), pay('9000000000')] });
    const call = { sender: group.policy, contract: bob.address, msg: Buffer.from('{"cpu_loop":{}}') };
    contract = await submitProposal(chain, group, alice, {
      title: 'Call a contract',
      messages: [any(MsgExecuteContractSchema, call)],
    });
    return () => test.close();
  });

  it('a proposal that would succeed shows what moves, and follows the chain', async () => {
    const { page, errors } = await test.open(`/proposals/${works}`);
    const card = rehearsal(page);
    await expect.poll(() => card.innerText()).toContain('Would succeed');
    const text = await card.innerText();
    expect(text).toContain('1.5 HASH');
    expect(text).toMatch(/3\.5 HASH/);
    expect(text).toMatch(/Taken for granted: \S+ vote yes|Taken for granted: .*votes? yes/);
    await test.chain.run(alice, send(alice.address, group.policy, '1000000000'));
    await expect.poll(() => card.innerText()).toContain('4.5 HASH');
    expect(await violations(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('a proposal that would fail shows its message and the reason', async () => {
    const { page } = await test.open(`/proposals/${fails}`, narrow);
    const card = rehearsal(page);
    await expect.poll(() => card.innerText()).toContain('Would fail');
    expect(await card.innerText()).toMatch(/Message 2 fails: .*9 HASH[\s\S]*insufficient funds/);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.close();
  });

  it('a proposal that cannot be rehearsed says why', async () => {
    const { page } = await test.open(`/proposals/${contract}`);
    await expect.poll(() => rehearsal(page).innerText()).toMatch(/Cannot be rehearsed[\s\S]*A message executes a contract/);
    await page.close();
  });

  it('the board marks the proposals that would fail', async () => {
    const { page } = await test.open(`/policies/${group.policy}`, wide);
    await expect.poll(() => page.locator('.badge:text-is("Would fail now")').count()).toBe(1);
    expect(
      await page.locator(`[data-id="${fails}"], .proposal-card:has(a[href*="/proposals/${fails}"])`).first().innerText(),
    ).toContain('insufficient funds');
    await page.close();
  });

  it('a proposal is rehearsed before it is signed', async () => {
    const { page } = await test.open(`/policies/${group.policy}`, wide);
    await page.fill('#propose-title', 'More');
    await page.fill('#propose-0-recipient', bob.address);
    await page.fill('#propose-0-amount', '2');
    await page.click('button:text-is("What would it do?")');
    await expect.poll(() => page.innerText('.rehearsal-form')).toContain('Would succeed');
    expect(await page.innerText('.rehearsal-form')).toContain('It is submitted and accepted by');
    await page.fill('#propose-0-amount', '3');
    await expect.poll(() => page.innerText('.rehearsal-form')).not.toContain('Would succeed');
    await page.close();
  });

  it('a page of the past rehearses nothing', async () => {
    const { page, requested } = await test.open(`/proposals/${works}?at=${test.chain.devnet.height}`);
    expect(await rehearsal(page).count()).toBe(0);
    expect(requested.filter((url) => url.includes('ehearsal'))).toEqual([]);
    await page.close();
  });

  const pictures = process.env.REHEARSAL_SHOTS;
  if (pictures !== undefined)
    it('takes the pictures of rehearsals', async () => {
      for (const scheme of ['light', 'dark'] as const)
        for (const [name, viewport] of [
          ['wide', wide],
          ['narrow', { width: 390, height: 844 }],
        ] as const)
          for (const [which, path] of [
            ['works', `/proposals/${works}`],
            ['fails', `/proposals/${fails}`],
            ['contract', `/proposals/${contract}`],
            ['board', `/policies/${group.policy}`],
          ] as const) {
            const { page } = await test.open(path, viewport);
            await page.emulateMedia({ colorScheme: scheme });
            if (which === 'board') {
              await page.waitForSelector('.badge:text-is("Would fail now")');
              await page.fill('#propose-title', 'More');
              await page.fill('#propose-0-recipient', bob.address);
              await page.fill('#propose-0-amount', '4');
              await page.click('button:text-is("What would it do?")');
              await page.waitForSelector('.rehearsal');
            } else await page.waitForSelector('.rehearsal');
            await page.screenshot({ path: `${pictures}/${which}-${scheme}-${name}.png`, fullPage: true });
            await page.close();
          }
    }, 120_000);
});
