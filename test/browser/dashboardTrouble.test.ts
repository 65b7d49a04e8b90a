import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsAll } from '../support/atRandom.ts';
import { browserNote, hasChromium } from '../support/browser.ts';
import { type DashboardTest, shownHeight, startDashboard, violations } from '../support/dashboard.ts';

let test: DashboardTest;

describe.skipIf(!hasChromium || !runsAll)(`the dashboard over nodes with trouble in Chromium${browserNote}`, () => {
  beforeAll(async () => {
    test = await startDashboard({ nodes: 2 });
  });

  afterAll(() => test.close());

  /** Commits blocks, and lets the time of the page pass, until it follows the chain and shows no trouble. */
  async function recovers(page: Page): Promise<void> {
    const behind = async (): Promise<readonly [isBehind: boolean, troubles: number]> => {
      const height = await test.chain.devnet.commit();
      await page.clock.fastForward(1_000);
      return [Number(height) - (await shownHeight(page)) > 1, await page.locator('.trouble').count()];
    };
    await expect.poll(behind, { timeout: 60_000, interval: 200 }).toEqual([false, 0]);
    await expect.poll(() => shownHeight(page)).toBe(Number(test.chain.devnet.height));
  }

  /** Lets the time of the page pass and makes a block. Returns what the page shows of the nodes. */
  async function states(page: Page): Promise<string> {
    await page.clock.fastForward(3_000);
    await test.chain.devnet.commit();
    return (await page.innerText('.nodes')).replaceAll(/\s+/g, ' ');
  }

  /** Opens the page, and keeps the first node behind the chain until the page names it. */
  async function openWithLag(): ReturnType<DashboardTest['open']> {
    const opened = await test.open('');
    const { page } = opened;
    await page.clock.install();
    await recovers(page);
    test.chain.devnet.nodes[0]!.lag(20);
    await expect.poll(() => states(page), { timeout: 20_000 }).toMatch(/node-1.* Lagging.*node-2.* Healthy/);
    await expect.poll(() => shownHeight(page)).toBe(Number(test.chain.devnet.height));
    expect(await page.locator('.trouble').count()).toBe(0);
    return opened;
  }

  it('a node that lags is named, the page goes on with the other one, and shows when it has caught up', async () => {
    const { page, errors } = await openWithLag();
    test.chain.devnet.nodes[0]!.heal();
    await expect.poll(() => states(page), { timeout: 20_000 }).toMatch(/node-1.* Healthy.*node-2.* Healthy/);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('the page says when only a node that lags is left, when the chain halts and when no node responds', async () => {
    const [lagging, other] = test.chain.devnet.nodes;
    const { page, errors } = await openWithLag();
    const trouble = async (): Promise<string> => {
      await page.clock.fastForward(5_000);
      return (await page.innerText('.trouble-area')).replaceAll(/\s+/g, ' ');
    };

    await other!.stop();
    await expect
      .poll(trouble, { timeout: 20_000 })
      .toMatch(/Every node that responds is behind the chain\..*node-1: at block [\d,]+; node-2: (down|ejected)/);
    expect(await violations(page)).toEqual([]);
    await other!.start();
    await recovers(page);

    lagging!.heal();
    await expect.poll(() => states(page), { timeout: 20_000 }).toMatch(/node-1.* Healthy.*node-2.* Healthy/);

    // Both halt: no node is to blame.
    await expect.poll(trouble).toContain('The chain makes no blocks.');
    await recovers(page);

    await Promise.all([lagging!.stop(), other!.stop()]);
    await expect.poll(trouble, { timeout: 20_000 }).toContain('No node responds.');
    await Promise.all([lagging!.start(), other!.start()]);
    await recovers(page);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});
