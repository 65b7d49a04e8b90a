import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BrowserServer, chromium } from 'playwright-core';
import { launchOptions } from './browser.ts';

/** The Chromium that the files of a test run share. */
export interface SharedBrowser {
  /** A GET of this URL returns the address for `chromium.connect`. The first one starts Chromium. */
  readonly url: string;
  /** Stops Chromium, if it was started. */
  close(): Promise<void>;
}

/** Starts a server on a free port that starts Chromium once it is needed. */
export async function shareBrowser(): Promise<SharedBrowser> {
  let launched: Promise<BrowserServer> | undefined;
  const server = createServer(async (_, response) => {
    try {
      launched ??= chromium.launchServer(launchOptions);
      response.end((await launched).wsEndpoint());
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      const browser = await launched?.catch(() => undefined);
      await browser?.close();
    },
  };
}
