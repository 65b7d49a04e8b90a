import type { HonestResult } from './attacks/honest.ts';
import type { HostileResult } from './attacks/hostile.ts';
import { attackList } from './attacks/list.ts';
import { startLoad } from './attacks/load.ts';
import { readFlags } from './flags.ts';
import { megabytes, startServerProcess } from './serverProcess.ts';

const connections = 100;
const heap = 400;

/** Highest p99 of an honest client in ms, while the load shares the cores with the server. */
const p99Max = 250;

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Returns the status of `/readyz`, or the reason for its absence. */
async function readiness(adminUrl: string): Promise<string> {
  try {
    const { status } = await fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(5_000) });
    return String(status);
  } catch (error) {
    return Object(error).name === 'TimeoutError' ? 'no answer in 5 s' : 'no answer';
  }
}

function listed(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  return entries.map(([name, count]) => `${name}: ${count}`).join(', ') || 'none';
}

/** Runs one attack, or none, against its own server. Returns whether the server held. */
async function runOne(name: string, seconds: number): Promise<boolean> {
  const attack = attackList.find((each) => each.name === name);
  const server = await startServerProcess({ heap, names: ['honest', 'hostile'] });
  const { url, adminUrl, tokens } = server;
  const [honestToken = '', hostileToken = ''] = tokens;
  try {
    await pause(3_000);
    const common = { url, connections, attack: name };
    const honest = await startLoad<HonestResult>('honest', { ...common, token: honestToken });
    const hostile = attack && (await startLoad<HostileResult>('hostile', { ...common, token: hostileToken }));
    const begun = performance.now();
    let most = 0;
    const readies = new Map<string, number>();
    while (performance.now() - begun < seconds * 1_000 && server.isAlive()) {
      await pause(500);
      most = Math.max(most, server.memory()?.resident ?? 0);
      const ready = await readiness(adminUrl);
      readies.set(ready, (readies.get(ready) ?? 0) + 1);
    }
    const lasted = (performance.now() - begun) / 1_000;
    const end = server.memory();
    const seen = await honest.stop();
    const sent = await hostile?.stop();
    await pause(3_000);
    const after = await readiness(adminUrl);
    const isAlive = server.isAlive();

    console.log(`\n${attack?.name ?? 'none'}: ${attack?.description ?? 'only the honest client'}`);
    const failures = Object.values(seen?.failures ?? {}).reduce((sum, count) => sum + count, 0);
    const rows: readonly (readonly [string, string])[] = [
      ['seconds', lasted.toFixed(0)],
      ['hostile requests', `${sent?.requests ?? 0}; answers ${listed(sent?.answers ?? {})}`],
      [
        'honest requests',
        seen === undefined
          ? 'no result'
          : `${seen.count}, p50 ${seen.p50.toFixed(1)} ms, p99 ${seen.p99.toFixed(1)} ms, max ${seen.max.toFixed(1)} ms`,
      ],
      ['honest failures', `${failures}${failures > 0 ? ` (${listed(seen?.failures ?? {})})` : ''}`],
      [
        'resident memory',
        `most ${megabytes(Math.max(most, end?.peak ?? 0))}, at the end ${megabytes(end?.resident)}, 3 s after ${megabytes(server.memory()?.resident)}`,
      ],
      ['/readyz', `${listed(Object.fromEntries(readies))}; 3 s after: ${after}`],
      ['error lines', String(server.errorLines())],
      [
        'process',
        isAlive
          ? 'alive'
          : `dead: ${
              server
                .complaints()
                .split('\n')
                .find((line) => line.trim() !== '') ?? ''
            }`,
      ],
    ];
    for (const [title, value] of rows) console.log(`  ${title.padEnd(18)} ${value}`);
    const held = isAlive && after === '200' && seen !== undefined && failures === 0 && seen.p99 < p99Max;
    console.log(`  ${'held'.padEnd(18)} ${held ? 'yes' : 'no'}`);
    return held;
  } finally {
    await server.stop();
  }
}

/**
 * Attacks servers with 400 MB of heap over the embedded chain, one attack after another on 100 connections, while an honest
 * client with its own token sends requests. Prints the results of both. Names of attacks select some (`none` is only the honest
 * client). `--seconds` (120) is the duration of each. The exit code is 1 if a server did not hold.
 */
export async function attacks(args: readonly string[]): Promise<void> {
  const { numbers, names } = readFlags(args, { seconds: { default: 120, max: 3_600 } });
  const known = ['none', ...attackList.map(({ name }) => name)];
  for (const name of names)
    if (!known.includes(name)) throw new Error(`unknown attack ${name}; known attacks: ${known.join(', ')}`);
  console.log(
    `\nOne attack at a time for ${numbers.seconds} s, on ${connections} connections; heap of ${heap} MB; load and server share the cores`,
  );
  for (const name of names.length === 0 ? known : names) if (!(await runOne(name, numbers.seconds))) process.exitCode = 1;
}
