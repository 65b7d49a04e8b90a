import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReplayNode } from '../replay/replayNode.ts';
import { some } from '../support/atRandom.ts';
import { browserNote, hasChromium, openBrowser, openPage } from '../support/browser.ts';
import { builtDashboard } from '../support/builds.ts';
import { hasContent, wide } from '../support/dashboard.ts';
import { type Stack, startStack } from '../support/stack.ts';

let node: Awaited<ReturnType<typeof createReplayNode>>;
let stack: Stack;
let browser: Browser;

describe.skipIf(!hasChromium)(`the dashboard over the recorded chain in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    [node, browser] = await Promise.all([createReplayNode(), openBrowser()]);
    stack = await startStack([node.url], {
      server: { dashboard: await builtDashboard(), playgroundToken: async () => 'open' },
      client: { learnsRoots: false },
    });
  });

  afterAll(async () => {
    await browser.close();
    await stack.close();
    await node.close();
  });

  const pages: readonly [path: string, texts: readonly string[]][] = [
    ['/groups', ['treasury policy', 'yes weight of at least 2', '3 members']],
    ['/groups/1', ['treasury', 'weight 3', 'Board']],
    ['/tokens/nhash', ['nhash', 'Active', 'Coin']],
    ['/status', ['testing, CometBFT', 'Healthy']],
    ['/limits', ['graphql.bytes']],
    // Not recorded: the page says that it cannot be read, and not that there is nothing.
    ['/blocks', ['The chain cannot be read now', 'RPC_ERROR']],
    ['/validators', ['The chain cannot be read now', 'RPC_ERROR']],
  ];

  it.each(some(pages, 2))('/dashboard%s shows what was recorded', async (path, texts) => {
    const { page, errors } = await openPage(browser, wide);
    await page.goto(`${stack.server.url.replace('127.0.0.1', 'localhost')}/dashboard${path}`);
    await hasContent(page);
    for (const text of texts) await expect.poll(() => page.innerText('main')).toContain(text);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
