import { create, toBinary } from '@bufbuild/protobuf';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SignDocSchema } from '../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium, openPage } from '../support/browser.ts';
import { type DashboardTest, hasContent, startDashboard, wide } from '../support/dashboard.ts';

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

  it('with a Keplr-compatible wallet, a vote is signed by it and counted', async () => {
    const account = test.chain.accounts[9]!;
    const { page, errors } = await openPage(test.browser, wide);
    await page.exposeFunction('signInTest', ({ bodyBytes, authInfoBytes, chainId, accountNumber }: Request) => {
      const document = create(SignDocSchema, {
        bodyBytes: Uint8Array.from(bodyBytes),
        authInfoBytes: Uint8Array.from(authInfoBytes),
        chainId,
        accountNumber: BigInt(accountNumber),
      });
      const signature = secp256k1.sign(toBinary(SignDocSchema, document), account.privateKey, { prehash: true, lowS: true });
      return Buffer.from(signature).toString('base64');
    });
    await page.addInitScript(`window.keplr = {
      enable: async (chainId) => { if (chainId !== 'other-1') throw new Error('unknown chain'); },
      getKey: async () => ({ bech32Address: '${account.address}', pubKey: Uint8Array.from([${account.publicKey}]) }),
      signDirect: async (chainId, signer, document) => ({
        signed: document,
        signature: { signature: await signInTest({ chainId, accountNumber: String(document.accountNumber),
          bodyBytes: [...document.bodyBytes], authInfoBytes: [...document.authInfoBytes] }) },
      }),
    };`);
    await page.goto(`${test.relay.url}/dashboard/proposals/38`);
    await hasContent(page);
    await page.click('text=Connect your wallet');
    await page.click('.button.vote[data-option=VOTE_OPTION_ABSTAIN]');
    await page.click('text=Sign and send');
    await page.waitForSelector('.progress:is([data-stage=CHECKED], [data-stage=PENDING])');
    await test.chain.devnet.commit();
    await page.waitForSelector('text=Voted abstain. A vote cannot be changed.');
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
