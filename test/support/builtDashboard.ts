import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleDashboard } from '../../scripts/dashboard.js';

let built: Promise<string> | undefined;

async function build(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-dashboard-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  await bundleDashboard(directory);
  return directory;
}

/** The directory of a build of the dashboard, which is removed when this process exits. Built once for the test files of a worker. */
export function builtDashboard(): Promise<string> {
  built ??= build();
  return built;
}
