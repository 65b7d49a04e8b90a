import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Makes the directory where the workers of a run share builds (`builds.ts`). A run again in watch mode builds again. */
export default function setup(project: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'stele-test-'));
  process.env.TEST_BUILDS = directory;
  const clear = (): void => rmSync(directory, { recursive: true, force: true });
  project.onTestsRerun(() => {
    clear();
    mkdirSync(directory);
  });
  return clear;
}
