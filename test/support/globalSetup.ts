import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { shareBrowser } from './sharedBrowser.ts';

/**
 * Makes what the workers of a run share: a directory for builds (`builds.ts`), and a browser (`browser.ts`). A run again in watch mode builds again.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-test-'));
  const browser = await shareBrowser();
  process.env.TEST_BUILDS = directory;
  process.env.TEST_BROWSER = browser.url;
  const clear = (): void => rmSync(directory, { recursive: true, force: true });
  project.onTestsRerun(() => {
    clear();
    mkdirSync(directory);
  });
  return async () => {
    clear();
    await browser.close();
  };
}
