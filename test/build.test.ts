import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runsAll } from './support/atRandom.ts';
import { builtDashboard, builtPrograms } from './support/builds.ts';
import { startCollector } from './support/collector.ts';
import { devnetToken, lineOf } from './support/process.ts';
import { send } from './support/wire.ts';

const root = mkdtempSync(join(tmpdir(), 'stele-build-'));
/** A folder that contains only a build. */
const alone = join(root, 'alone');
/** A checkout with this build and the packages that `npm ci --omit=dev` installs. */
const production = join(root, 'production');

const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  cpSync(await builtPrograms(), alone, { recursive: true });
  cpSync(await builtDashboard(), join(alone, 'dashboard'), { recursive: true });
  cpSync(alone, join(production, 'dist'), { recursive: true });
  for (const path of ['package.json', 'scripts']) cpSync(path, join(production, path), { recursive: true });
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { dev?: boolean }> };
  for (const [path, { dev }] of Object.entries(packages)) {
    if (dev === true || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || !existsSync(path)) continue;
    mkdirSync(dirname(join(production, path)), { recursive: true });
    symlinkSync(resolve(path), join(production, path));
  }
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs a command until it exits. */
function run(
  directory: string,
  command: string,
  ...args: readonly string[]
): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: directory, encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

/** Starts a server on a free port, in its own process group because npm starts a shell. Returns its URL and what it has written to stderr. */
async function start(
  directory: string,
  command: string,
  ...args: readonly string[]
): Promise<readonly [url: string, err: () => string]> {
  const child = spawn(command, [...args, '--port', '0'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk));
  const ended = once(child, 'exit');
  stops.push(() => {
    process.kill(-child.pid!, 'SIGKILL');
    return ended;
  });
  const [, url] = await lineOf(child, /^Stele is up in \d+ ms: (http:\S+)\/graphql$/);
  return [url!, () => err];
}

describe.runIf(runsAll)('a build in a separate folder', () => {
  it('starts over the embedded chain, serves its pages and descriptions, and sends traces', async () => {
    const collector = await startCollector();
    stops.push(collector.close);
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
    process.env.OTEL_BSP_SCHEDULE_DELAY = '50';
    const [url] = await start(alone, process.execPath, 'main.js');
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    delete process.env.OTEL_BSP_SCHEDULE_DELAY;
    const headers = { authorization: `Bearer ${await devnetToken(url)}`, accept: 'text/html' };
    const paths = [
      ['/graphql', 'text/html'],
      ['/dashboard', 'text/html'],
      ['/dashboard/icon.svg', 'image/svg+xml'],
      ['/docs', 'text/html'],
      ['/docs/swagger-ui.css', 'text/css'],
      ['/docs/swagger-ui-bundle.js', 'text/javascript'],
      ['/docs/swagger-ui-standalone-preset.js', 'text/javascript'],
      ['/docs/favicon-32x32.png', 'image/png'],
      ['/openapi/node.json', 'application/json'],
      ['/openapi/application.json', 'application/json'],
      ['/collection.json', 'application/json'],
      ['/cosmos/group/v1/proposals/32/tally', 'application/json'],
    ] as const;
    for (const [path, type] of paths) {
      const answer = await send(`${url}${path}`, { headers });
      expect([path, answer.status, answer.headers['content-type']?.split(';')[0]]).toEqual([path, 200, type]);
    }
    await expect.poll(() => collector.received.join('')).toContain('GET docs');
  });

  it('loads OpenTelemetry only if traces are on', () => {
    const marks = /OTEL_BSP_MAX_QUEUE_SIZE/;
    /** The files that node loads before the program runs. */
    const loaded = (file: string, known = new Set<string>()): ReadonlySet<string> => {
      if (known.has(file)) return known;
      known.add(file);
      for (const [, next] of readFileSync(join(alone, file), 'utf8').matchAll(
        /^(?:import|export)\b[^;'"]*['"]\.\/([^'"]+)['"]/gm,
      ))
        loaded(next!, known);
      return known;
    };
    const files = [...loaded('main.js')];
    expect(files.length).toBeGreaterThan(2);
    expect(files.filter((file) => marks.test(readFileSync(join(alone, file), 'utf8')))).toEqual([]);
  });

  it('starts the development chain', async () => {
    const child = spawn(process.execPath, ['devnet.js', '--port', '0'], { cwd: alone, stdio: ['ignore', 'pipe', 'inherit'] });
    stops.push(() => {
      child.kill('SIGKILL');
      return once(child, 'exit');
    });
    const [, url] = await lineOf(child, / at (http:\S+)$/);
    expect((await send(`${url}/health`)).status).toBe(200);
  });
});

describe.runIf(runsAll)('a checkout with a build and without development dependencies', () => {
  it('starts with `npm start`, which reports that it did not build', async () => {
    const [url, err] = await start(production, 'npm', 'start', '--', '--dev', '--node', 'http://127.0.0.1:1');
    expect((await send(`${url}/livez`)).status).toBe(200);
    expect(err()).toContain('build: esbuild is not installed; using the existing build in dist\n');
  });

  it('creates a client with `npm run client`', () => {
    const flags = ['--name', 'wallet', '--scopes', 'read,broadcast', '--file', 'clients.json'];
    const { code, out } = run(production, 'npm', 'run', '--silent', 'client', '--', ...flags);
    expect([code, out]).toEqual([0, expect.stringMatching(/^client_id {6}\S+\nclient_secret {2}\S+\n$/)]);
    expect(readFileSync(join(production, 'clients.json'), 'utf8')).toContain('"wallet"');
  });

  it('does not start without a build, and prints what to do', () => {
    renameSync(join(production, 'dist'), join(production, 'away'));
    const { code, err } = run(production, 'npm', 'start', '--silent');
    renameSync(join(production, 'away'), join(production, 'dist'));
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('build: esbuild is not installed; run `npm ci` and `npm run build`'),
    ]);
  });
});
