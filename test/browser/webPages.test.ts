import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { algorithms } from '../../src/config/settings/settings.ts';
import { addPublicClient } from '../../src/server/issuer/clients.ts';
import { createAuth } from '../../src/start/authSetup.ts';
import { browserNote, hasChromium, openBrowser, openPage } from '../support/browser.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { startOpenIdProvider } from '../support/openIdProvider.ts';
import { startStack } from '../support/stack.ts';

// The programs of docs/web-pages.md in pages of a browser, which enforces CORS.

const directory = mkdtempSync(join(tmpdir(), 'stele-web-'));
const audience = 'https://stele.example.org';
const size = { width: 800, height: 600 };

/** The programs of the page: the token request, the module `login.js`, and its use. */
const [tokenRequest = '', loginModule = '', login = ''] = [
  ...readFileSync('docs/web-pages.md', 'utf8').matchAll(/^```js\n(.*?)^```/gms),
].map(([, text = '']) => text);

let chain: TestChain;
let browser: Browser;
let site: Server;
/** One site under two names, which are two origins. */
let origin: string;
let otherOrigin: string;
/** The program of the site's page. */
let program = '';

beforeAll(async () => {
  if (!hasChromium) return;
  chain = await startChain({ bare: true });
  browser = await openBrowser();
  site = createServer(({ url = '/' }, response) => {
    const [type, text] =
      url === '/login.js'
        ? ['text/javascript', loginModule]
        : ['text/html', `<!doctype html><link rel="icon" href="data:,"><script type="module">${program}</script>`];
    response.writeHead(200, { 'content-type': type }).end(text);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { port } = site.address() as AddressInfo;
  origin = `http://localhost:${port}`;
  otherOrigin = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  rmSync(directory, { recursive: true });
  if (!hasChromium) return;
  await browser.close();
  site.close();
  site.closeAllConnections();
  await chain.devnet.close();
});

async function open(at: string): Promise<Page> {
  const { page } = await openPage(browser, size);
  await page.goto(at);
  return page;
}

describe.skipIf(!hasChromium)(`docs/web-pages.md in a browser${browserNote}`, () => {
  it('a page of a listed origin gets a token of a public client, queries and subscribes; a page of another origin gets none', async () => {
    const clientsFile = join(directory, 'clients.json');
    const { id } = await addPublicClient(clientsFile, 'board', { scopes: ['read'], origins: [origin] });
    const config = { kind: 'embedded', audience, clientsFile, keysFile: undefined, lifetime: 3600 } as const;
    const { auth, issuer } = await createAuth(config, { address: () => '', report: console.error });
    const stack = await startStack([chain.node.url], { server: { auth, issuer, allowedOrigins: [origin] } });
    const { url } = stack.server;
    const request = tokenRequest.replace('board-1a2b3c4d', id).replace('https://stele.example.org', url);
    const get = `(async () => { ${request}; return { token, seconds }; })()`;

    const page = await open(origin);
    const { token, seconds } = (await page.evaluate(get)) as { token: string; seconds: number };
    expect(seconds).toBe(600);
    const answer = await page.evaluate(
      async ([at, bearer]) => {
        const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
        const response = await fetch(`${at}/graphql`, { method: 'POST', headers, body: '{"query":"{ head { height } }"}' });
        return response.json();
      },
      [url, token] as const,
    );
    expect(answer).toMatchObject({ data: { head: { height: '1' } } });
    const event = await page.evaluate(
      ([at, bearer]) =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(`${at.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
          const query = 'subscription { newBlock(after: "0") { height } }';
          socket.onerror = reject;
          socket.onopen = () =>
            socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${bearer}` } }));
          socket.onmessage = ({ data }) => {
            const message = JSON.parse(String(data));
            if (message.type === 'connection_ack')
              socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
            else resolve(message.payload);
          };
        }),
      [url, token] as const,
    );
    expect(event).toMatchObject({ data: { newBlock: { height: '1' } } });

    const other = await open(otherOrigin);
    await expect(other.evaluate(get)).rejects.toThrow('Failed to fetch');
    await stack.close();
  });

  it('a page whose user logs in at an OpenID provider queries with the access token', async () => {
    const redirectUri = `${origin}/`;
    const provider = await startOpenIdProvider({ clientId: 'board', redirectUri, audience });
    const config = {
      kind: 'outside',
      issuer: provider.url,
      audience,
      jwksUrl: undefined,
      algorithms,
      strictType: true,
    } as const;
    const { auth } = await createAuth(config, { address: () => '', report: console.error });
    const stack = await startStack([chain.node.url], { server: { auth, allowedOrigins: [origin] } });
    program = login
      .replace('https://login.example.org', provider.url)
      .replace('https://board.example/', redirectUri)
      .replace('https://stele.example.org/graphql', `${stack.server.url}/graphql`)
      .replace('console.log(await response.json())', 'document.title = JSON.stringify(await response.json())');
    const page = await open(origin);
    await expect.poll(() => page.title(), { timeout: 10_000 }).toContain('head');
    expect(JSON.parse(await page.title())).toMatchObject({ data: { head: { height: '1' } } });
    // Neither the code nor the verifier stays in the page.
    expect([page.url(), await page.evaluate('sessionStorage.length')]).toEqual([redirectUri, 0]);
    await stack.close();
    await provider.close();
  });
});
