import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildOnce } from './builds.ts';
import { lineOf } from './process.ts';

/** Runs the script `build` of a workspace. Vitest sets NODE_ENV, with which Vite would bundle the development build of React. */
async function buildWorkspace(name: string): Promise<void> {
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)('npm', ['run', '--silent', 'build', '--workspace', name], { env }).catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}${stderr}`);
  });
}

/** Builds the packages that the examples import, once for a run. Then generates the types of each example, checks them and builds it. */
export async function buildExamples(...names: readonly string[]): Promise<void> {
  for (const name of ['@stele/client', '@stele/verify']) await buildOnce(name.replace('/', '-'), () => buildWorkspace(name));
  for (const name of names) await buildWorkspace(name);
}

/** Serves the build of an example with the proxy of its vite.config.ts. Vite reports each broken connection on stderr, and tests break some. */
export async function startPreview(
  example: string,
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; close(): void }> {
  const cwd = new URL(`../../examples/${example}/`, import.meta.url);
  const vite = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url));
  const env = { ...process.env, ...variables, NO_COLOR: '1', FORCE_COLOR: undefined };
  const preview = spawn(process.execPath, [vite, 'preview', '--port', '0'], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [url] = await lineOf(preview, /http:\/\/localhost:\d+/);
  return { url, close: () => preview.kill() };
}
