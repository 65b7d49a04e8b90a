import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Browser } from 'playwright-core';
import { contracts } from '../packages/devnet/src/app/world/contracts.ts';
import { startBrowser } from '../test/support/browser.ts';
import { lineOf } from '../test/support/process.ts';

/** Every kind of page, of the embedded chain. */
const pages = {
  home: '',
  groups: '/groups',
  group: '/groups/1',
  board: '/policies/tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf',
  proposals: '/proposals',
  proposal: '/proposals/38',
  gov: '/gov/6',
  account: '/accounts/tp16klf3cny45skpulz4kazm9dx9fd44usmuglaar',
  statement: '/accounts/tp16klf3cny45skpulz4kazm9dx9fd44usmuglaar/statement',
  contract: `/contracts/${contracts.points}`,
  tokens: '/tokens',
  token: '/tokens/fundshare',
  blocks: '/blocks',
  block: '/blocks/2',
  transaction: undefined,
  validators: '/validators',
  validator: '/validators/tpvaloper18drh68cvkx5htp77e2nt3ay0q80mmzk6q7cfj4',
  explore: '/explore',
  method: '/explore/cosmos.bank.v1beta1.Query.Balance',
  status: '/status',
  limits: '/limits',
  webhooks: '/webhooks',
  search: '/search?q=treasury',
} as const;

/** How often each page is opened. The first time, and the median of all, are printed. */
const rounds = 5;

/** A page without content after this time has failed, in ms. */
const patience = 20_000;

/** How long a page is watched while blocks arrive, in ms. */
const watched = 10_000;

const built = 'dist/dashboard';

/** What one opening of a page took, in ms, and what it loaded until it had content, in bytes. */
interface Opening {
  /** The sum of its files, gzipped. */
  readonly files: number;
  readonly requests: number;
  readonly firstPaint: number;
  readonly content: number;
  readonly mainThread: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const hasContent = '.page[aria-busy=false], .notice';

/** The size of a file of the dashboard, gzipped. 0 for other URLs. */
function gzippedSize(url: string): number {
  const path = new URL(url).pathname.slice('/dashboard'.length);
  const file = `${built}${path.startsWith('/assets/') ? path : '/index.html'}.gz`;
  return url.includes('/dashboard') && !/\.(json|svg)$/.test(path) && existsSync(file) ? statSync(file).size : 0;
}

/** Opens a page in a browser context without a cache. */
async function open(browser: Browser, url: string): Promise<Opening> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  let [files, requests] = [0, 0];
  page.on('requestfinished', (request) => {
    files += gzippedSize(request.url());
    requests += 1;
  });
  await page.goto(url);
  const content = Number(
    await page.evaluate(`new Promise((resolve, reject) => {
      const look = () => document.querySelector('${hasContent}') ? resolve(performance.now()) : requestAnimationFrame(look);
      look();
      setTimeout(() => reject(new Error('no content of ' + location.pathname)), ${patience});
    })`),
  );
  const taken = { files, requests };
  const firstPaint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  const { metrics } = await session.send('Performance.getMetrics');
  const mainThread = 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  await context.close();
  return { ...taken, firstPaint, content, mainThread };
}

/** The share of the main thread that a page takes while blocks arrive, in percent, and the payload that its WebSocket receives, in bytes a second. */
async function watch(browser: Browser, url: string): Promise<{ readonly share: number; readonly received: number }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += Buffer.byteLength(response.payloadData);
  });
  await page.goto(url);
  await page.waitForSelector(hasContent, { state: 'attached' });
  // Parts of the page that are read later do not belong to its stream.
  await page.waitForTimeout(2_000);
  const taken = async (): Promise<number> =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  const before = await taken();
  bytes = 0;
  await page.waitForTimeout(watched);
  const share = (100_000 * ((await taken()) - before)) / watched;
  const received = (1_000 * bytes) / watched;
  await context.close();
  return { share, received };
}

/** The path of a transaction of the chain. */
async function transactionPath(browser: Browser, url: string): Promise<string> {
  const page = await browser.newPage();
  await page.goto(`${url}/dashboard`);
  const link = await page.locator('a[href^="/dashboard/transactions/"]').first().getAttribute('href');
  await page.close();
  return link?.slice('/dashboard'.length) ?? '';
}

/** Measures the dashboard of a built server over the embedded chain in Chromium on localhost, and prints the results. Names of pages select some. */
export async function dashboard(args: readonly string[]): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.js']);
  const server = spawn(process.execPath, ['dist/main.js', '--port', '0', '--admin-port', '0', '--log-level', 'silent'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // One address opens more pages without a cache than `rate.public` lets a visitor open. A file that is refused leaves a page empty.
    env: { ...process.env, STELE_LIMIT_RATE_PUBLIC: '1000000' },
  });
  const [, address = ''] = await lineOf(server, /^Stele is up in \d+ ms: (http:\S+)\/graphql$/);
  const url = address.replace('127.0.0.1', 'localhost');
  const browser = await startBrowser();
  try {
    console.log(
      `Dashboard: Chromium ${browser.version()}; Node ${process.version}; ${cpus().length} cores shared by browser, server and chain`,
    );
    console.log(
      `Medians of ${rounds} openings, each without a cache in the browser. The server is warm but for the first opening of a page: nobody has asked it for that page before.`,
    );
    console.log(
      'Files are gzipped, until there is content. The stream is the payload of the WebSocket, uncompressed, at a block a second.\n',
    );
    console.log(
      '             files bytes   requests   first paint ms   content ms   at first ms   main thread ms   main thread % at blocks   stream bytes/s',
    );
    for (const [name, path] of Object.entries(pages)) {
      if (args.length > 0 && !args.includes(name)) continue;
      const page = `${url}/dashboard${name === 'transaction' ? await transactionPath(browser, url) : path}`;
      const openings: Opening[] = [];
      for (let round = 0; round < rounds; round += 1) openings.push(await open(browser, page));
      const of = (key: keyof Opening): string => median(openings.map((opening) => opening[key])).toFixed(0);
      const { share, received } = await watch(browser, page);
      console.log(
        `${name.padEnd(12)}${of('files').padStart(12)}${of('requests').padStart(11)}${of('firstPaint').padStart(17)}${of('content').padStart(13)}${(openings[0]?.content ?? Number.NaN).toFixed(0).padStart(14)}${of('mainThread').padStart(17)}${share.toFixed(1).padStart(26)}${received.toFixed(0).padStart(17)}`,
      );
    }
  } finally {
    await browser.close();
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  }
}
