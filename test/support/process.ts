import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundle } from '../../scripts/bundle.js';

let built: Promise<string> | undefined;

/** What `npm run build` makes of the server, in a directory that goes with this process. Once for each test file: from source, starting takes seconds. */
async function build(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-test-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  await bundle({ main: 'src/main.ts' }, directory);
  return join(directory, 'main.js');
}

/** Starts the server as a process, as `npm start` does. It waits for no load balancer unless it is told to. */
export async function startProcess(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  built ??= build();
  return spawn(process.execPath, [await built, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, STELE_DRAIN_DELAY: '0', ...env },
  });
}

/** Where a process listens, once it says so: for everybody and for operators. Nothing of what it prints is read after that. */
export async function addressesOf(child: ChildProcess): Promise<{ readonly url: string; readonly adminUrl: string }> {
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    said.push(line);
    const found = /: (http:\S+)\/graphql\nFor operators: (http:\S+)\/metrics/.exec(said.join('\n'));
    if (found !== null) return { url: found[1]!, adminUrl: found[2]! };
  }
  throw new Error(`it ended: ${said.join('\n')}`);
}

/** The first line of what the process says that matches; rejects when it ends before. */
export async function lineOf(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  for await (const text of createInterface({ input: child.stdout! })) {
    const match = pattern.exec(text);
    if (match !== null) return match;
  }
  throw new Error(`it ended without ${pattern}`);
}

/** A token of the client that a developer has, from the server at this address. */
export async function devnetToken(url: string): Promise<string> {
  const response = await fetch(new URL('/oauth/token', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: 'devnet',
      client_secret: 'devnet',
      audience: 'http://localhost:4000',
      grant_type: 'client_credentials',
    }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}
