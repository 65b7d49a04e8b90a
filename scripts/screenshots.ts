import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { startBrowser } from '../test/support/browser.ts';

// Takes the pictures in docs/images, with Chromium and its own server over the embedded chain. Needs the build in dist.

/** The first query of the README, as GraphQL. */
function readmeQuery(): string {
  const query = /--data-urlencode 'query=(.*?)'\n```/s.exec(readFileSync('README.md', 'utf8'))?.[1];
  if (query === undefined) throw new Error('README.md has no query');
  return query;
}

/** Pages of the dashboard, and the pictures of them. */
const dashboardImages = [
  ['/policies/tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf', 'docs/images/board.png'],
  ['/proposals/38', 'docs/images/proposal.png'],
  ['/explore/cosmos.group.v1.groupMembers?args={"groupId":"1","first":8}', 'docs/images/explore.png'],
] as const;

/** Starts a server on a free port. Returns its address and a function that stops it. */
async function startServer(): Promise<{ readonly url: string; readonly stop: () => Promise<unknown> }> {
  const server = spawn(process.execPath, ['dist/main.js', '--port', '0', '--log-level', 'silent'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = (): Promise<unknown> => {
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    return ended;
  };
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /http:\/\/\S+(?=\/graphql)/.exec(line)?.[0];
    if (url !== undefined) return { url: url.replace('127.0.0.1', 'localhost'), stop };
  }
  throw new Error('the server did not start');
}

const server = await startServer();
const browser = await startBrowser();
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 });
  const page = await context.newPage();
  await page.goto(`${server.url}/graphql?${new URLSearchParams({ query: `query NewestProposal ${readmeQuery()}` })}`);
  await page.waitForSelector('.graphiql-query-editor .CodeMirror-line:has-text("{")');
  await page.click('[aria-label^="Prettify"]');
  await page.click('.graphiql-execute-button');
  await page.waitForFunction(() => document.querySelector('.result-window')?.textContent?.includes('groupPolicy'));
  await page.mouse.move(0, 0);
  await page.screenshot({ path: 'docs/images/playground.png' });
  for (const [path, image] of dashboardImages) {
    await page.goto(`${server.url}/dashboard${path}`);
    await page.waitForSelector('.page[aria-busy=false]');
    // Blocks with votes, for the charts.
    await page.waitForFunction(() => Number(document.querySelector('output.height')?.textContent) >= 12);
    await page.screenshot({ path: image });
  }
} finally {
  await browser.close();
  await server.stop();
}
