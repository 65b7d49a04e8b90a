import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';

/**
 * Where Debian installs Chromium. The package `chromium-headless-shell` is the same engine without the window around it, and needs a fifth of the CPU time
 * for a page.
 */
const paths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;
const installed = paths.find((path) => existsSync(path));

/** Whether tests that need a browser can run. */
export const hasChromium = installed !== undefined;

const quiet = ['background-networking', 'component-update', 'sync'].map((name) => `--disable-${name}`);
export const launchOptions = {
  executablePath: installed ?? paths[0],
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...quiet],
};

/** Ends the name of a group of tests that need a browser. */
export const browserNote = hasChromium ? '' : ` (skipped: there is no ${paths.join(' and no ')})`;

/** Starts Chromium without its own requests to other hosts. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch(launchOptions);
}

/**
 * Connects to the Chromium of the test run, which all files share. Closing it closes the pages of this connection only. A process without the global setup
 * starts a Chromium of its own.
 */
export async function openBrowser(): Promise<Browser> {
  const shared = process.env.TEST_BROWSER;
  if (shared === undefined) return startBrowser();
  return chromium.connect(await (await fetch(shared)).text());
}

/** A page with a list of the URLs that it requests and of its errors, other than failed loads. */
export async function openPage(
  browser: Browser,
  viewport: { readonly width: number; readonly height: number },
): Promise<{ readonly page: Page; readonly requested: string[]; readonly errors: string[] }> {
  const page = await (await browser.newContext({ viewport })).newPage();
  const requested: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => void requested.push(request.url()));
  page.on('pageerror', (error) => void errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load')) errors.push(message.text());
  });
  return { page, requested, errors };
}

/** One address for several servers, one after the other. */
export interface Relay {
  /** `http://localhost:port`. */
  readonly url: string;
  /** Connects to the server at `url` from now on, and closes all connections to the last one. */
  switchTo(url: string): void;
  close(): Promise<void>;
}

/** Starts a relay of TCP connections on a free port. */
export async function startRelay(url: string): Promise<Relay> {
  let target = new URL(url);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const disconnect = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    switchTo(next) {
      target = new URL(next);
      disconnect();
    },
    async close() {
      server.close();
      disconnect();
      await once(server, 'close');
    },
  };
}
