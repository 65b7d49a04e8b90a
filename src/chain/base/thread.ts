import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/**
 * Starts a thread. In a build, its code is the file `built` in the directory of the build. From source it is `source`, which tsx loads, because a thread does
 * not inherit a test runner's loader.
 */
export function startThread(built: string, source: URL, workerData?: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(`./${built}.js`, import.meta.url), { workerData });
  const loader = new URL('api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm'))).href;
  const code = `void import('${loader}').then(({ register }) => register()).then(() => import('${source.href}'))`;
  return new Worker(code, { eval: true, workerData, execArgv: [] });
}
