import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { bundle, linkLibraries } from '../../scripts/bundle.js';
import { launchOptions } from './browser.ts';
import { serveOnDemand } from './onDemand.ts';

/** Bundles the threads, each of which takes 0.4 s of CPU time to start from source. */
async function bundleThreads(directory: string): Promise<void> {
  await bundle({}, directory);
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n');
  linkLibraries(directory);
}

/**
 * Makes what the workers of a run share: a directory for builds (`builds.ts`) with those of threads (`thread.ts`), a browser (`browser.ts`) and a PostgreSQL server
 * (`archive/postgres.ts`). A run again in watch mode builds again.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-test-'));
  const threads = join(directory, 'threads');
  const [browser, postgres] = await Promise.all([
    serveOnDemand(
      () => chromium.launchServer(launchOptions),
      (launched) => launched.wsEndpoint(),
    ),
    serveOnDemand(
      async () => (await import('./archive/postgres.ts')).startPostgres(),
      (server) => server.database(),
    ),
    bundleThreads(threads),
  ]);
  process.env.TEST_BUILDS = directory;
  process.env.TEST_BROWSER = browser.url;
  process.env.TEST_POSTGRES = postgres.url;
  const clear = (): void => rmSync(directory, { recursive: true, force: true });
  project.onTestsRerun(async () => {
    clear();
    mkdirSync(directory);
    await bundleThreads(threads);
  });
  return async () => {
    clear();
    await Promise.all([browser.close(), postgres.close()]);
  };
}
