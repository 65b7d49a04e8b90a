import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { DevnetOptions } from '../../packages/devnet/src/devnet.ts';
import { createLightClient } from '../../src/chain/lightClient/lightClient.ts';
import { createTrustedDocuments } from '../../src/graphql/documents/requestParams.ts';
import type { Scope } from '../../src/reads/viewer.ts';
import { createAuth } from '../../src/start/authSetup.ts';
import { readDashboardDocuments } from '../../src/surfaces/pages/pages.ts';
import { openBrowser, openPage, type Relay, startRelay } from './browser.ts';
import { builtDashboard } from './builds.ts';
import { startChain, type TestChain } from './chain.ts';
import { type Stack, startStack } from './stack.ts';

/** A server with the dashboard over a chain whose blocks the test creates, and a browser. */
export interface DashboardTest {
  /** The chain of the present server. */
  readonly chain: TestChain;
  readonly browser: Browser;
  /** The address that pages use. It stays the same when the server is started again. */
  readonly relay: Relay;
  stack(): Stack;
  /** A token of the present server, with every scope. */
  token(): Promise<string>;
  /** Starts another server with keys of its own in place of the present one, and connects the relay to it. */
  restart(options?: ServerKind): Promise<void>;
  /** The same, over a new chain with the same id. */
  restartChain(meanwhile?: () => Promise<unknown>): Promise<void>;
  /** Opens a page of the dashboard in a window of its own, and waits for its content. */
  open(path: string, viewport?: { readonly width: number; readonly height: number }): Promise<OpenedPage>;
  close(): Promise<void>;
}

/** A page with the URLs that it has requested and its errors. */
export type OpenedPage = Awaited<ReturnType<typeof openPage>>;

/** How a server gives tokens. */
export interface ServerKind {
  /** How long a token is valid, in seconds. If it is negative, tokens have expired when they are made. */
  readonly lifetime?: number;
  /** Whether local pages get a token, as on a development server. */
  readonly givesToken?: boolean;
  /** Whether the server has an archive. Default true. */
  readonly records?: boolean;
  /** Whether all nodes simulate, as those of an embedded chain. Default false. */
  readonly simulates?: boolean;
  /** Whether the server verifies its newest blocks. Default false. */
  readonly verifies?: boolean;
  /** Whether the server delivers webhooks, also to this machine, for which any document may be used. Default false. */
  readonly webhooks?: boolean;
  /** The scopes of tokens. By default those that the pages need. */
  readonly scopes?: readonly Scope[];
}

export const wide = { width: 1280, height: 900 };
export const narrow = { width: 380, height: 800 };

/** Waits until a page of the dashboard shows content. */
export const hasContent = (page: Page): Promise<unknown> => page.waitForSelector('.page[aria-busy=false], .notice, .sign-in');

/** The height that a page shows. */
export const shownHeight = (page: Page): Promise<number> =>
  page.innerText('output.height').then((text) => Number(text.replaceAll(',', '')));

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations that axe finds on a page, one line each. With `rules`, it checks only these. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  return page.evaluate(`axe.run(document, ${JSON.stringify(rules === undefined ? {} : { runOnly: rules })}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? ''))))`);
}

/** Starts the server, the chain and the browser. */
export async function startDashboard(
  first: ServerKind & Partial<Pick<DevnetOptions, 'chainId' | 'nodes' | 'without'>> = {},
): Promise<DashboardTest> {
  const directory = await builtDashboard();
  const { chainId, nodes = 1, without } = first;
  const newChain = (): Promise<TestChain> =>
    startChain({ nodes, ...(chainId !== undefined && { chainId }), ...(without && { without }) });
  let chain = await newChain();
  let current: Stack | undefined;
  let newToken: (() => Promise<string>) | undefined;

  async function start({
    lifetime = 600,
    givesToken = true,
    records = true,
    simulates = false,
    verifies = false,
    webhooks = false,
    scopes = ['read', 'broadcast', ...(webhooks ? (['webhooks'] as const) : [])],
  }: ServerKind): Promise<void> {
    const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime } as const;
    const { auth, issuer } = await createAuth(config, {
      address: () => 'http://localhost:4000',
      report: (error) => expect.fail(String(error)),
    });
    // It may read and send transactions, and use only trusted documents. A token of the playground may use any document.
    const limited = (): Promise<string> => issuer!.sign({ clientId: 'devnet', scopes, isPublic: false });
    newToken = limited;
    const playgroundToken = givesToken ? limited : undefined;
    const trustedDocuments = createTrustedDocuments(await readDashboardDocuments(directory));
    current = await startStack(
      chain.devnet.nodes.map(({ url }) => url),
      {
        server: {
          ...{ auth, issuer, playgroundToken, dashboard: directory, trustedDocuments, onlyTrustedDocuments: !webhooks },
          ...(webhooks && { webhooks: { secret: 'a secret of at least thirty-two characters', networks: ['127.0.0.1'] } }),
        },
        upstream: {
          probeInterval: 100,
          ejection: 1_000,
          ...(verifies && { light: createLightClient({ onEvidence: ({ reason }) => expect.fail(reason) }) }),
        },
        archive: { records },
        ...(simulates && { client: { simulation: { everywhere: true } } }),
      },
    );
  }

  const stack = (): Stack => current!;
  const [browser] = await Promise.all([openBrowser(), start(first)]);
  const relay = await startRelay(stack().server.url);

  return {
    get chain() {
      return chain;
    },
    browser,
    relay,
    stack,
    token: () => newToken!(),
    async restart(kind = {}) {
      await stack().close();
      await start(kind);
      relay.switchTo(stack().server.url);
    },
    async restartChain(meanwhile) {
      await stack().close();
      await chain.devnet.close();
      await meanwhile?.();
      chain = await newChain();
      await start({});
      relay.switchTo(stack().server.url);
    },
    async open(path, viewport = wide) {
      const opened = await openPage(browser, viewport);
      opened.page.setDefaultTimeout(10_000);
      await opened.page.goto(`${relay.url}/dashboard${path}`);
      await hasContent(opened.page);
      return opened;
    },
    async close() {
      await browser.close();
      await relay.close();
      await stack().close();
      await chain.devnet.close();
    },
  };
}
