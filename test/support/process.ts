import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { builtProgram } from './builds.ts';

/** The data directory of the servers of a test file. */
const dataDirectory = mkdtempSync(join(tmpdir(), 'stele-data-'));
process.once('exit', () => rmSync(dataDirectory, { recursive: true, force: true }));

/** Starts the server as a process, like `npm start`. The drain delay is 0 and the data directory is temporary unless `env` sets them. */
export async function startProcess(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  return spawn(process.execPath, [await builtProgram('main'), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, STELE_DRAIN_DELAY: '0', STELE_ARCHIVE: 'off', STELE_DATA_DIR: dataDirectory, ...env },
  });
}

/** Returns the public URL and the admin URL of a process when it has printed them. Does not read its later output. */
export async function addressesOf(child: ChildProcess): Promise<{ readonly url: string; readonly adminUrl: string }> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    const found = /: (http:\S+)\/graphql\nFor operators: (http:\S+)\/metrics/.exec(lines.join('\n'));
    if (found !== null) return { url: found[1]!, adminUrl: found[2]! };
  }
  throw new Error(`the server exited: ${lines.join('\n')}`);
}

/** Returns the first matching line of the output. Rejects if the process exits first. */
export async function lineOf(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  for await (const text of createInterface({ input: child.stdout! })) {
    const match = pattern.exec(text);
    if (match !== null) return match;
  }
  throw new Error(`the server exited without ${pattern}`);
}

/** Gets a token of a client from the server at a URL. */
export async function tokenOf(url: string, id: string, secret: string): Promise<string> {
  const response = await fetch(new URL('/oauth/token', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: id,
      client_secret: secret,
      audience: 'http://localhost:4000',
      grant_type: 'client_credentials',
    }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

/** Gets a token of the client `devnet` from the server at a URL. */
export function devnetToken(url: string): Promise<string> {
  return tokenOf(url, 'devnet', 'devnet');
}
