import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * Takes the place of `src/chain/base/thread.ts` in tests: starts a thread from the bundle that the global setup made, as a build does. From source, loading
 * it takes 0.4 s of CPU time, and hundreds of tests start one.
 */
export function startThread(built: string, _source: URL, workerData?: unknown): Worker {
  const { TEST_BUILDS: builds } = process.env;
  if (builds === undefined) throw new Error('the global setup has not run');
  return new Worker(join(builds, 'threads', `${built}.js`), { workerData, execArgv: [] });
}
