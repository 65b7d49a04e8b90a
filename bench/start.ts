import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readDescriptors } from '../test/recordings/recordings.ts';
import { createReplayNode } from '../test/replay/replayNode.ts';
import { buildOf, now, startChild } from './child.ts';

const query = JSON.stringify({
  query: '{ head { height } groups(first: 1) { nodes { id policies(first: 1) { nodes { decisionPolicy { json } } } } } }',
});

interface Started {
  /** Time until the server listens, in ms. */
  readonly listening: number;
  /** Time until its first response, which decodes a message by the chain's descriptors, in ms. */
  readonly answered: number;
}

async function startOnce(args: readonly string[]): Promise<Started> {
  const file = await buildOf('main', '../src/start/main.ts');
  const begun = now();
  const child = fork(file, ['--port', '0', ...args], { execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const { stdout } = child;
  if (stdout === null) throw new Error('no output');
  try {
    for await (const line of createInterface({ input: stdout })) {
      const [url] = /http:\/\/\S+\/graphql/.exec(line) ?? [];
      if (url === undefined) continue;
      const listening = now() - begun;
      const token = await tokenOf(url);
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
      const answer = await fetch(url, { method: 'POST', headers, body: query });
      const text = await answer.text();
      if (!text.includes('"@type":"/cosmos.group.v1.')) throw new Error(text.slice(0, 300));
      return { listening, answered: now() - begun };
    }
    throw new Error('it did not start');
  } finally {
    // The server would drain on SIGTERM, which is not needed here.
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  }
}

/** Gets a token of the default client of a server on this machine. */
async function tokenOf(url: string): Promise<string | undefined> {
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
  if (!response.ok) return undefined;
  const { access_token: token } = Object(await response.json());
  return typeof token === 'string' ? token : undefined;
}

/**
 * Prints the start-up time, over the embedded chain and over a node with a megabyte of descriptors, and the memory that they
 * use.
 */
export async function start(): Promise<void> {
  await using node = await createReplayNode();
  const rows: (readonly [string, readonly string[]])[] = [
    ['over the embedded chain', []],
    ['over a node with 970 kB of descriptors', ['--dev', '--node', node.url, '--cache-dir', 'off']],
  ];
  console.log('\nTime from start to the first response that decodes a message, ms (median of 5)');
  for (const [name, args] of rows) {
    const all: Started[] = [];
    for (let time = 0; time < 5; time += 1) all.push(await startOnce(args));
    const median = (of: (each: Started) => number): string => (all.map(of).toSorted((a, b) => a - b)[2] ?? 0).toFixed(0);
    console.log(
      `  ${name.padEnd(40)} listening ${median((each) => each.listening).padStart(5)}   answered ${median((each) => each.answered).padStart(5)}`,
    );
  }

  const directory = await mkdtemp(join(tmpdir(), 'stele-bench-'));
  const file = join(directory, 'descriptors');
  await writeFile(file, readDescriptors());
  const registry = await startChild('registry', [file]);
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`;
  const empty = await registry.run('heap');
  console.log('\nMemory of the types of a chain (549 files)');
  for (const [name, command] of [
    ['their names looked up', 'index'],
    ['the files of common messages decoded', 'common'],
    ['the files of every service decoded', 'all'],
  ] as const) {
    const ms = await registry.run(command);
    const heap = (await registry.run('heap')) - empty;
    console.log(`  ${name.padEnd(40)} ${ms.toFixed(1).padStart(6)} ms   ${kilobytes(heap).padStart(9)} in all`);
  }
  await registry.stop();
  await rm(directory, { recursive: true });
}
