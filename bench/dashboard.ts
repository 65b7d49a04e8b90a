import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../test/support/browser.ts';
import { lineOf } from '../test/support/process.ts';

/** The pages that are measured. */
const pages = {
  home: '',
  board: '/policies/tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf',
  proposal: '/proposals/38',
  account: '/accounts/tp16klf3cny45skpulz4kazm9dx9fd44usmuglaar',
  validators: '/validators',
} as const;

/** How often each page is opened. The median is printed. */
const rounds = 5;

/** How long a page is watched while blocks arrive, in ms. */
const watched = 10_000;

/** What one opening of a page took, in ms, and what it loaded, in bytes. */
interface Opening {
  readonly bytes: number;
  readonly requests: number;
  readonly firstPaint: number;
  readonly content: number;
  readonly mainThread: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** Opens a page in a browser context without a cache. */
async function open(browser: Browser, url: string): Promise<Opening> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Network.enable');
  let [bytes, requests] = [0, 0];
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests += 1;
  });
  await page.goto(url);
  await page.waitForSelector('.page[aria-busy=false]');
  const content = await page.evaluate(() => performance.now());
  const firstPaint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  const { metrics } = await session.send('Performance.getMetrics');
  const mainThread = 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  await context.close();
  return { bytes, requests, firstPaint, content, mainThread };
}

/** The share of the main thread that a page takes while blocks arrive, in percent. */
async function busy(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  await page.goto(url);
  await page.waitForSelector('.page[aria-busy=false]');
  const taken = async (): Promise<number> =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  const before = await taken();
  await page.waitForTimeout(watched);
  const share = (100_000 * ((await taken()) - before)) / watched;
  await context.close();
  return share;
}

/** Measures the dashboard of a built server over the embedded chain in Chromium on localhost, and prints the results. */
export async function dashboard(): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.js']);
  const server = spawn(process.execPath, ['dist/main.js', '--port', '0', '--admin-port', '0', '--log-level', 'silent'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [, address = ''] = await lineOf(server, /^Stele is up in \d+ ms: (http:\S+)\/graphql$/);
  const url = address.replace('127.0.0.1', 'localhost');
  const browser = await startBrowser();
  console.log(
    `Dashboard: Chromium ${browser.version()}; Node ${process.version}; ${cpus().length} cores shared by browser, server and chain\n`,
  );
  console.log(
    '                bytes   requests   first paint ms   content ms   main thread ms   main thread % at a block a second',
  );
  for (const [name, path] of Object.entries(pages)) {
    const openings: Opening[] = [];
    for (let round = 0; round < rounds; round += 1) openings.push(await open(browser, `${url}/dashboard${path}`));
    const of = (key: keyof Opening): string => median(openings.map((opening) => opening[key])).toFixed(0);
    const share = (await busy(browser, `${url}/dashboard${path}`)).toFixed(1);
    console.log(
      `${name.padEnd(12)}${of('bytes').padStart(9)}${of('requests').padStart(11)}${of('firstPaint').padStart(17)}${of('content').padStart(13)}${of('mainThread').padStart(17)}${share.padStart(18)}`,
    );
  }
  await browser.close();
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
}
