import { create, toBinary } from '@bufbuild/protobuf';
import { type StdSignDoc, serializeSignDoc } from '@cosmjs/amino';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SignDocSchema } from '../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium, openPage } from '../support/browser.ts';
import { type DashboardTest, hasContent, startDashboard, violations, wide } from '../support/dashboard.ts';

const board = 'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf';

let test: DashboardTest;

/** What the page hands to the wallet, with bytes as numbers. */
interface Request {
  readonly bodyBytes: readonly number[];
  readonly authInfoBytes: readonly number[];
  readonly chainId: string;
  readonly accountNumber: string;
}

describe.skipIf(!hasChromium || !runsAll)(`the dashboard over another chain in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard({ chainId: 'other-1' });
  });

  afterAll(() => test.close());

  it('without a wallet, the page offers the message to sign', async () => {
    const { page } = await test.open('/proposals/38');
    await page.click('summary:has-text("Vote no with veto")');
    const message = JSON.parse(await page.innerText('details[open] pre'));
    expect(message).toMatchObject({
      '@type': '/cosmos.group.v1.MsgVote',
      proposal_id: '38',
      option: 'VOTE_OPTION_NO_WITH_VETO',
    });
    expect(await page.locator('.button.vote').count()).toBe(0);
    await page.context().close();
  });

  it.each([
    ['Keplr', 'Keplr', 'window.keplr = wallet', false, 9, 31],
    ['Leap', 'Leap', 'window.leap = wallet', false, 8, 31],
    ['Cosmostation', 'Cosmostation', 'window.cosmostation = { providers: { keplr: wallet } }', false, 9, 38],
    ['a Ledger in Keplr (Amino)', 'Keplr', 'window.keplr = wallet', true, 8, 38],
  ] as const)('with %s, a vote with a reason is signed and counted', async (_title, name, place, isNanoLedger, index, id) => {
    const { [index]: account, [index === 9 ? 8 : 9]: other } = test.chain.accounts;
    const { page, errors } = await openPage(test.browser, wide);
    const sign = (bytes: Uint8Array): string =>
      Buffer.from(secp256k1.sign(bytes, account!.privateKey, { prehash: true, lowS: true })).toString('base64');
    await page.exposeFunction('signAminoInTest', (document: StdSignDoc) => sign(serializeSignDoc(document)));
    await page.exposeFunction('signInTest', ({ bodyBytes, authInfoBytes, chainId, accountNumber }: Request) => {
      const document = create(SignDocSchema, {
        bodyBytes: Uint8Array.from(bodyBytes),
        authInfoBytes: Uint8Array.from(authInfoBytes),
        chainId,
        accountNumber: BigInt(accountNumber),
      });
      return sign(toBinary(SignDocSchema, document));
    });
    await page.addInitScript(`window.account = { bech32Address: '${account!.address}', pubKey: Uint8Array.from([${account!.publicKey}]), isNanoLedger: ${isNanoLedger} };
    const wallet = {
      enable: async (chainId) => { if (!localStorage.getItem(chainId)) throw new Error('There is no chain info for ' + chainId); },
      experimentalSuggestChain: async (chain) => localStorage.setItem(chain.chainId, JSON.stringify(chain)),
      getKey: async () => window.account,
      signAmino: async (chainId, signer, document) => ({
        signed: document, signature: { signature: await signAminoInTest(document) },
      }),
      signDirect: async (chainId, signer, document) => window.account.isNanoLedger ? {} : ({
        signed: document,
        signature: { signature: await signInTest({ chainId, accountNumber: String(document.accountNumber),
          bodyBytes: [...document.bodyBytes], authInfoBytes: [...document.authInfoBytes] }) },
      }),
    };
    ${place};`);
    const menu = page.locator('.wallet');
    const short = (address: string): string => `${address.slice(0, 5)}…${address.slice(-4)}`;
    await page.goto(`${test.relay.url}/dashboard/policies/${board}`);
    await hasContent(page);
    await menu.locator('summary').click();
    await menu.getByText(`Connect ${name}`).click();
    await expect.poll(() => menu.locator('summary').innerText()).toBe(short(account!.address));
    await expect.poll(() => menu.innerText()).toMatch(/HASH/);
    // The wallet did not have the chain.
    expect(JSON.parse((await page.evaluate(() => localStorage.getItem('other-1')))!)).toMatchObject({
      ...{ chainId: 'other-1', rpc: `${test.relay.url}/comet`, rest: `${test.relay.url}/rest`, bip44: { coinType: 1 } },
      bech32Config: { bech32PrefixAccAddr: 'tp', bech32PrefixValAddr: 'tpvaloper' },
      stakeCurrency: { coinDenom: 'HASH', coinMinimalDenom: 'nhash', coinDecimals: 9 },
    });
    expect(await violations(page)).toEqual([]);
    // The wallet is remembered over a load of a page, and follows its owner to another account.
    await page.goto(`${test.relay.url}/dashboard/proposals/${id}`);
    await hasContent(page);
    await expect.poll(() => menu.locator('summary').innerText()).toBe(short(account!.address));
    await page.evaluate(`window.account = { ...window.account, bech32Address: '${other!.address}' };
      window.dispatchEvent(new Event('${name.toLowerCase()}_keystorechange'))`);
    await expect.poll(() => menu.locator('summary').innerText()).toBe(short(other!.address));
    await page.evaluate(`window.account = { ...window.account, bech32Address: '${account!.address}' };
      window.dispatchEvent(new Event('${name.toLowerCase()}_keystorechange'))`);
    await expect.poll(() => menu.locator('summary').innerText()).toBe(short(account!.address));
    await page.click('.button.vote[data-option=VOTE_OPTION_ABSTAIN]');
    await page.getByLabel('Reason').fill(`By ${name}`);
    await page.click('text=Sign and send');
    await page.waitForSelector('.progress:is([data-stage=CHECKED], [data-stage=PENDING])');
    await test.chain.devnet.commit();
    await page.waitForSelector(`text=Voted abstain. A vote cannot be changed. Reason: “By ${name}”`);
    await menu.locator('summary').click();
    await menu.getByText('Disconnect').click();
    expect(await menu.locator('summary').innerText()).toBe('Connect');
    expect(await page.evaluate(() => localStorage.getItem('stele.wallet'))).toBe(null);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
