import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLightClient } from '../../src/chain/lightClient/lightClient.ts';
import { createAuth } from '../../src/start/authSetup.ts';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium, openBrowser, openPage } from '../support/browser.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { buildExamples, startPreview } from '../support/examples.ts';
import { createGroup, submitProposal, type TestGroup, vote } from '../support/groups.ts';
import { freePort } from '../support/ports.ts';
import { lineOf } from '../support/process.ts';
import { type Stack, startStack } from '../support/stack.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const example = join(root, 'examples/governance-api');
const data = mkdtempSync(join(tmpdir(), 'stele-governance-'));

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
let browser: Browser;
let team: ChildProcess;
let url: string;
let port: string;
const closers: (() => unknown)[] = [() => rmSync(data, { recursive: true, force: true })];

/** Starts the server of the team, which keeps what it knows in a directory. */
async function startTeam(): Promise<void> {
  const env = { ...process.env, STELE_URL: stack.server.url, PORT: port, GROUP: String(group.id), DATA: data };
  team = spawn(process.execPath, ['--import', 'tsx', 'server.ts'], { cwd: example, env, stdio: ['ignore', 'pipe', 'inherit'] });
  await lineOf(team, /^Notices and CSV/);
}

async function stopTeam(): Promise<void> {
  team.kill();
  await once(team, 'exit');
}

describe.skipIf(!hasChromium || !runsAll)(`examples/governance-api in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    chain = await startChain();
    const [one, two] = chain.accounts;
    const members = [
      [one!, '1'],
      [two!, '2'],
    ] as const;
    group = await createGroup(chain, members, { votingSeconds: 100_000 });
    const config = {
      kind: 'embedded',
      audience: undefined,
      clientsFile: undefined,
      keysFile: undefined,
      lifetime: 600,
    } as const;
    const { auth, issuer } = await createAuth(config, { address: () => 'http://localhost:4000', report: console.error });
    const webhooks = {
      secret: 'a secret of at least thirty-two characters',
      networks: ['127.0.0.0/8'],
      schedule: Array.from({ length: 1_000 }, () => 50),
    };
    const start = startStack([chain.node.url], {
      upstream: { light: createLightClient({}) },
      archive: { records: true },
      server: { auth, issuer, webhooks },
    });
    [browser, stack] = await Promise.all([openBrowser(), start, buildExamples('stele-example-governance-api')]);
    port = String(await freePort());
    await startTeam();
    const preview = await startPreview('governance-api', { STELE_URL: stack.server.url, TEAM_URL: `http://127.0.0.1:${port}` });
    url = preview.url;
    closers.push(
      () => chain.devnet.close(),
      () => stack.close(),
      () => browser.close(),
      () => stopTeam(),
      () => preview.close(),
    );
  });

  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
  });

  it('shows who must still vote, verified numbers, notices and the history of a group', async () => {
    const [one, two] = chain.accounts;
    const { page, errors } = await openPage(browser, { width: 390, height: 844 });
    /** Opens the page at the group of the test, as its first member. */
    const open = async () => {
      await page.goto(url);
      await page.getByLabel('Group').selectOption(String(group.id));
      await page.getByLabel('You are').selectOption(one!.address);
    };
    await open();
    const id = await submitProposal(chain, group, one!, { title: 'Mend the roof', amount: '1' });
    const card = page.locator('article', { hasText: 'Mend the roof' });
    await card.getByText('2 more yes needed').waitFor();
    await card.getByText('2 must still vote').waitFor();
    await page.locator('#waiting', { hasText: 'Mend the roof' }).waitFor();
    // The header of the next block proves the numbers.
    await chain.devnet.commit();
    await card.getByText('✓ Verified at block').waitFor();
    const notice = page.locator('#notices li', { hasText: `#${id} Mend the roof: submitted` });
    await notice.getByText('waits for you').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);

    await chain.run(two!, vote(two!, id));
    await card.getByText('yes 2, no 0').waitFor();
    await chain.run(one!, vote(one!, id, 'NO', true));
    await card.waitFor({ state: 'detached' });
    await page.locator('#notices li', { hasText: `#${id} Mend the roof: executed` }).waitFor();
    await expect.poll(() => page.locator('#waiting').innerText()).not.toContain('Mend the roof');

    await open();
    const record = page.locator('#history details', { hasText: 'Mend the roof' });
    await record.getByText('accepted').click();
    await record.getByText('yes 2, no 1').waitFor();
    await record.getByText('Did not vote: nobody').waitFor();
    await record.getByText('Verify').click();
    await record.getByText('✓ Verified: 1 of 2 votes').waitFor();
    await page.locator('#participation', { hasText: '1 of 1' }).waitFor();
    const csv = await (await fetch(new URL(`/proposals.csv?group=${group.id}`, url))).text();
    expect(csv.split('\r\n').filter((line) => line.startsWith(`${id},"Mend the roof"`))).toHaveLength(1);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('loses no notice and repeats none while the server of the team is down', async () => {
    const notices = () =>
      readFileSync(join(data, 'notices.ndjson'), 'utf8')
        .trim()
        .split('\n')
        .map((line): { id: string; text: string } => JSON.parse(line));
    const before = notices();
    await stopTeam();
    const id = await submitProposal(chain, group, chain.accounts[0]!, { title: 'Mend the door' });
    await startTeam();
    await expect.poll(() => notices().map(({ text }) => text)).toContain(`#${id} Mend the door: submitted`);
    expect(notices().slice(0, before.length)).toEqual(before);
    expect(new Set(notices().map((each) => each.id)).size).toBe(notices().length);
  });

  it('has fewer than 500 lines, as its README says', () => {
    const files = readdirSync(join(example, 'src')).filter((name) => /\.(tsx|css|graphql)$/.test(name));
    const paths = [...files.map((name) => `src/${name}`), 'server.ts', 'index.html', 'vite.config.ts', 'codegen.yml'];
    const lines = paths.flatMap((path) => readFileSync(join(example, path), 'utf8').trimEnd().split('\n'));
    expect(lines.length).toBeLessThan(500);
    expect(readFileSync(join(example, 'README.md'), 'utf8')).toContain(`It is ${lines.length} lines:`);
  });
});
