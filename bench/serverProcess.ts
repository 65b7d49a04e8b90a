import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Scope } from '../src/reads/viewer.ts';
import { addClient } from '../src/server/issuer/clients.ts';
import { buildOf } from './child.ts';

/** Memory of a process, in bytes. */
export interface Memory {
  readonly resident: number;
  /** Peak resident memory since the start. */
  readonly peak: number;
}

/** The built server as a process that requires tokens. */
export interface ServerProcess {
  readonly url: string;
  readonly adminUrl: string;
  /** Tokens of the requested clients, in order. Each has its own subject. */
  readonly tokens: readonly string[];
  readonly pid: number;
  isAlive(): boolean;
  /** CPU time in ms: of the process, and of the processes that it has started. */
  cpu(): { readonly own: number; readonly children: number };
  /** undefined if the process has exited. */
  memory(): Memory | undefined;
  /** Log lines about failures. */
  errorLines(): number;
  /** Its stderr output, cut to 4,000 characters. */
  complaints(): string;
  stop(): Promise<void>;
}

/**
 * Starts the server with `flags` on free ports of this machine, with a limited heap in megabytes, and a client for each of
 * `names`.
 */
export async function startServerProcess(options: {
  readonly flags?: readonly string[];
  readonly heap: number;
  readonly names: readonly string[];
  /** The scopes of the clients. Default `read`. */
  readonly scopes?: readonly Scope[];
  /** Arguments and variables for Node.js. */
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}): Promise<ServerProcess> {
  const { flags = [], heap, names, nodeArgs = [], env = {}, scopes = ['read'] } = options;
  const directory = await mkdtemp(join(tmpdir(), 'stele-bench-'));
  const file = join(directory, 'clients.json');
  const clients = [];
  for (const name of names) clients.push(await addClient(file, name, scopes));
  const all = [
    '--port',
    '0',
    '--admin-port',
    '0',
    '--cache-dir',
    'off',
    '--data-dir',
    directory,
    '--log-level',
    'error',
    '--clients-file',
    file,
    ...flags,
  ];
  const main = await buildOf('main', '../src/start/main.ts');
  const child = spawn(process.execPath, [`--max-old-space-size=${heap}`, ...nodeArgs, main, ...all], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production', STELE_DRAIN_DELAY: '0', ...env },
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints = `${complaints}${chunk}`.slice(0, 4_000);
  });
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  let said = '';
  let errorLines = 0;
  const addresses = new Promise<RegExpExecArray>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{"level":"error"')) errorLines += 1;
      if (said.length > 10_000) return;
      said += `${line}\n`;
      const found = /: (http:\S+)\/graphql\nFor operators: (http:\S+)\/metrics/.exec(said);
      if (found !== null) resolve(found);
    });
    child.once('exit', () => reject(new Error(`the server did not start: ${complaints}`)));
  });
  const [, url = '', adminUrl = ''] = await addresses;
  const tokens = await Promise.all(clients.map((client) => tokenOf(url, client)));
  return {
    url,
    adminUrl,
    tokens,
    pid: child.pid ?? 0,
    isAlive,
    cpu: () => cpuOf(child.pid ?? 0),
    memory: () => (isAlive() && child.pid !== undefined ? memoryOf(child.pid) : undefined),
    errorLines: () => errorLines,
    complaints: () => complaints,
    async stop() {
      if (isAlive() && child.kill('SIGKILL')) await once(child, 'exit');
      await rm(directory, { recursive: true });
    },
  };
}

async function tokenOf(url: string, { id, secret }: { readonly id: string; readonly secret: string }): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = Object(await response.json());
  if (typeof token !== 'string') throw new Error(`token request failed: ${response.status}`);
  return token;
}

/** CPU time of a process, in ms. Linux counts it in hundredths of a second. */
function cpuTime(pid: number): number {
  // The fields after the name, which ends with the last bracket.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

function cpuOf(pid: number): { own: number; children: number } {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number).filter(Boolean);
  return { own: cpuTime(pid), children: children.reduce((sum, child) => sum + cpuTime(child), 0) };
}

function memoryOf(pid: number): Memory | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
    return { resident: of('VmRSS'), peak: of('VmHWM') };
  } catch {
    // It has exited meanwhile.
    return undefined;
  }
}

/** Formats bytes as megabytes. */
export function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? 'none' : `${(bytes / 1_048_576).toFixed(0)} MiB`;
}
