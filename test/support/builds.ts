import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { bundleAlone } from '../../scripts/bundle.js';
import { bundleDashboard, bundlePlayground } from '../../scripts/dashboard.js';

/** The directory of the builds of this run. The global setup makes it; a process without the setup makes one that it removes when it exits. */
function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stele-test-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const root = process.env.TEST_BUILDS ?? makeDirectory();

/** Builds into a new directory, or waits until another worker has built the same. Each build is made once for all workers of a run. */
export async function buildOnce(name: string, build: (directory: string) => Promise<void>): Promise<string> {
  const directory = join(root, name);
  const [begun, done, failed] = [`${directory}.begun`, `${directory}.done`, `${directory}.failed`];
  try {
    // Not the directory itself: a build replaces it.
    mkdirSync(begun);
  } catch {
    await vi.waitUntil(() => existsSync(done) || existsSync(failed), { timeout: 60_000, interval: 100 });
    if (existsSync(failed)) throw new Error(`another worker failed to build ${name}`);
    return directory;
  }
  try {
    await build(directory);
  } catch (error) {
    writeFileSync(failed, '');
    throw error;
  }
  writeFileSync(done, '');
  return directory;
}

const programs = {
  main: 'src/start/main.ts',
  devnet: 'packages/devnet/src/main.ts',
  client: 'scripts/client.ts',
  archive: 'scripts/archive.ts',
  killedProcess: 'test/support/archive/killedProcess.ts',
};

/** Returns the directory of the programs. As a build, it needs no file outside of it. */
export function builtPrograms(): Promise<string> {
  return buildOnce('programs', (made) => bundleAlone(programs, made));
}

/**
 * Returns the path of a program that Node.js runs: the server, the development chain, a command, or the process that a test kills. The programs are
 * bundled once for a run, because a start from source takes seconds.
 */
export async function builtProgram(name: keyof typeof programs): Promise<string> {
  return join(await builtPrograms(), `${name}.js`);
}

/** Returns the directory of a build of the dashboard and the playground. */
export function builtDashboard(): Promise<string> {
  return buildOnce('dashboard', async (made) => {
    await bundleDashboard(made);
    await bundlePlayground(made);
  });
}
