import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SignDocSchema } from '../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { createAuth } from '../../src/start/authSetup.ts';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium, openBrowser, openPage, type Relay, startRelay } from '../support/browser.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { buildExamples, startPreview } from '../support/examples.ts';
import { vote } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

const screenshot = fileURLToPath(new URL('../../docs/images/tutorial.png', import.meta.url));
const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 844 };

let chain: TestChain;
let stack: Stack;
let token: string;
let relay: Relay;
let browser: Browser;
/** Where the pages of examples/board and examples/voteBoard are served. */
let url: string;
let voteUrl: string;
/** What to end after the tests. */
const closers: (() => unknown)[] = [];

/** Starts a server with keys of its own and the client `devnet`, as each start of Stele over the embedded chain. */
async function startServer(): Promise<void> {
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 } as const;
  const { auth, issuer, devnetToken } = await createAuth(config, {
    address: () => 'http://localhost:4000',
    report: (error) => expect.fail(String(error)),
  });
  stack = await startStack([chain.node.url], { server: { auth, issuer } });
  token = await devnetToken!();
}

/** What the page hands to the wallet, with bytes as numbers. */
interface SignRequest {
  readonly bodyBytes: readonly number[];
  readonly authInfoBytes: readonly number[];
  readonly chainId: string;
  readonly accountNumber: string;
}

/** A proposal and the members who have not voted on it. */
interface Pending {
  readonly id: string;
  readonly pendingVoters: {
    readonly nodes: readonly { readonly weight: string; readonly account: { readonly address: string } }[];
  };
}

/** An open proposal of the first group, an account that has not voted on it, and the weight of its vote. */
async function openProposal() {
  const query = `{ groups(first: 1) { nodes { proposals(first: 12, reverse: true, status: [PROPOSAL_STATUS_SUBMITTED]) {
    nodes { id pendingVoters { nodes { weight account { address } } } }
  } } } }`;
  const { body } = await stack.ask(query, {}, { authorization: `Bearer ${token}` });
  const { groups } = body.data as { groups: { nodes: { proposals: { nodes: Pending[] } }[] } };
  for (const { id, pendingVoters } of groups.nodes[0]!.proposals.nodes)
    for (const { weight, account } of pendingVoters.nodes) {
      const voter = chain.accounts.find(({ address }) => address === account.address);
      if (voter !== undefined) return { id, voter, weight: Number(weight) };
    }
  throw new Error('every account has voted on every open proposal');
}

/** The numbers below the bar of a proposal, by option. */
async function weightsOf(page: Page, id: string): Promise<Record<string, number>> {
  const rows = page.locator('article', { hasText: `#${id} ·` }).locator('dl div');
  const cells = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent!.trim())));
  return Object.fromEntries(cells.map(([option, weight]) => [option, Number(weight)]));
}

/** The same numbers after a vote of this weight for yes. An option without weight has none. */
function withYes({ yes = 0, 'not voted': open = 0, ...others }: Record<string, number>, weight: number) {
  return { ...others, yes: yes + weight, ...(open > weight && { 'not voted': open - weight }) };
}

/** Waits until the page has subscribed and shows the height of a new block. */
async function followsBlocks(page: Page): Promise<void> {
  await expect.poll(() => stack.server.subscriptions()).toMatchObject({ subscribers: 1, live: { listeners: 1 } });
  await chain.devnet.commit();
  await expect.poll(() => page.innerText('output')).toBe(`Block ${chain.devnet.height}`);
}

async function openBoard(viewport = wide) {
  const opened = await openPage(browser, viewport);
  /** The `after` of each `Blocks` that the page has sent. */
  const afters: (string | undefined)[] = [];
  opened.page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const message = JSON.parse(String(payload));
      if (message.payload?.query?.includes('subscription Blocks')) afters.push(message.payload.variables.after);
    }),
  );
  await opened.page.goto(url);
  await opened.page.waitForSelector('article');
  return { ...opened, afters };
}

describe.skipIf(!hasChromium || !runsAll)(`the board of docs/tutorial.md in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    chain = await startChain();
    closers.push(() => chain.devnet.close());
    [browser] = await Promise.all([
      openBrowser(),
      startServer(),
      buildExamples('stele-example-board', 'stele-example-vote-board'),
    ]);
    relay = await startRelay(stack.server.url);
    closers.push(
      () => stack.close(),
      () => relay.close(),
      () => browser.close(),
    );
    const previews = await Promise.all(['board', 'voteBoard'].map((name) => startPreview(name, { STELE_URL: relay.url })));
    closers.push(...previews.map(({ close }) => close));
    [url = '', voteUrl = ''] = previews.map((preview) => preview.url);
  });

  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
  });

  it('shows the groups, and the newest proposals of the chosen one with tallies and votes', async () => {
    const { page, requested, errors } = await openBoard();
    const groups = ['Assembly', 'Treasury council', 'Grants committee', 'Operations desk'];
    expect(await page.locator('nav button').allInnerTexts()).toEqual(groups);
    expect(await page.locator('article').count()).toBe(12);
    const { id, weight } = await openProposal();
    expect((await weightsOf(page, id))['not voted']).toBeGreaterThanOrEqual(weight);
    await page.click('summary >> nth=0');
    expect(await page.locator('details[open] li').count()).toBeGreaterThan(0);
    await page.click('text=Treasury council');
    await page.waitForSelector('article small:has-text("Treasury")');
    const foreign = requested.filter((each) => !each.startsWith('data:') && new URL(each).origin !== url);
    expect([foreign, errors]).toEqual([[], []]);
    await page.context().close();
  });

  it('shows each new height, and counts a vote when its block is committed', async () => {
    const { page } = await openBoard();
    await followsBlocks(page);
    const { id, voter, weight } = await openProposal();
    const before = await weightsOf(page, id);
    await chain.run(voter, vote(voter, BigInt(id)));
    await expect.poll(() => weightsOf(page, id)).toEqual(withYes(before, weight));
    await expect.poll(() => page.innerText('output')).toBe(`Block ${chain.devnet.height}`);
    await page.context().close();
  });

  it('gets a new token after a restart of Stele, and resumes at the height that it has reached', async () => {
    const { page, afters } = await openBoard();
    await followsBlocks(page);
    const { id, voter, weight } = await openProposal();
    const before = await weightsOf(page, id);
    const reached = String(chain.devnet.height);
    await stack.close();
    await chain.run(voter, vote(voter, BigInt(id)));
    await startServer();
    relay.switchTo(stack.server.url);
    // The page waits some seconds before it connects again.
    await expect.poll(() => weightsOf(page, id), { timeout: 60_000 }).toEqual(withYes(before, weight));
    // Each stream waits for itself.
    await expect.poll(() => [afters[0], afters.at(-1)], { timeout: 60_000 }).toEqual([undefined, reached]);
    await page.click('text=Grants committee');
    await page.waitForSelector('article small:has-text("Grants")');
    await page.context().close();
  });

  it('fits a screen of 390 px', async () => {
    const { page } = await openBoard(narrow);
    await page.click('summary >> nth=0');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width);
    await page.context().close();
  });

  it('the board of examples/voteBoard votes with a wallet, in at most 120 lines and 120 kB', async () => {
    const { page, errors } = await openPage(browser, wide);
    const { id, voter } = await openProposal();
    await page.exposeFunction('signInTest', ({ bodyBytes, authInfoBytes, chainId, accountNumber }: SignRequest) => {
      const [body, authInfo] = [Uint8Array.from(bodyBytes), Uint8Array.from(authInfoBytes)];
      const document = create(SignDocSchema, {
        ...{ bodyBytes: body, authInfoBytes: authInfo, chainId, accountNumber: BigInt(accountNumber) },
      });
      const bytes = secp256k1.sign(toBinary(SignDocSchema, document), voter.privateKey, { prehash: true, lowS: true });
      return Buffer.from(bytes).toString('base64');
    });
    await page.addInitScript(`window.keplr = {
      enable: async () => {},
      getKey: async () => ({ bech32Address: '${voter.address}', pubKey: Uint8Array.from([${voter.publicKey}]) }),
      signDirect: async (chainId, signer, document) => ({
        signed: document,
        signature: { signature: await signInTest({ chainId, accountNumber: String(document.accountNumber),
          bodyBytes: [...document.bodyBytes], authInfoBytes: [...document.authInfoBytes] }) },
      }),
    };`);
    await page.goto(voteUrl);
    const card = page.locator('article', { hasText: `#${id},` });
    await card.waitFor();
    await page.click('text=Connect your wallet');
    await card.getByText('Abstain', { exact: true }).click();
    await card.getByText('sending').waitFor();
    await expect.poll(() => chain.node.mempool.txs.length).toBe(1);
    await chain.devnet.commit();
    await expect.poll(() => card.locator('output').innerText()).toBe('done');
    // A vote cannot be changed.
    await expect.poll(() => card.locator('button').count()).toBe(0);
    expect(errors).toEqual([]);
    await page.context().close();

    const read = (path: string): string => readFileSync(new URL(`../../examples/voteBoard/${path}`, import.meta.url), 'utf8');
    const lines = ['src/main.tsx', 'src/board.graphql'].flatMap((path) => read(path).trimEnd().split('\n'));
    expect(lines.length).toBeLessThanOrEqual(120);
    const assets = readdirSync(new URL('../../examples/voteBoard/dist/assets/', import.meta.url));
    const bytes = assets.map((name) => gzipSync(read(`dist/assets/${name}`)).length).reduce((sum, each) => sum + each, 0);
    console.log(`examples/voteBoard: ${lines.length} lines, ${bytes} bytes gzipped`);
    expect(bytes).toBeLessThan(120_000);
  });

  if (process.env.SCREENSHOTS !== undefined) {
    it('takes the screenshot of docs/tutorial.md', async () => {
      const { page } = await openBoard();
      await followsBlocks(page);
      await page.screenshot({ path: screenshot });
      await page.context().close();
    });
  }
});
