import type { HonestResult } from './attacks/honest.ts';
import type { HostileResult } from './attacks/hostile.ts';
import { startLoad } from './attacks/load.ts';
import { readFlags } from './flags.ts';
import { startServerProcess } from './serverProcess.ts';

/** The addresses of the callers, and that of the flood in each round, which has all of its points. All addresses of the network 127.0.0.0 are this machine. */
const others = Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`);
const attackerOf = (round: number): string => `127.0.2.${round + 1}`;

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Measures callers of a server with `--public read`: 20 addresses send 50 short queries a second without a token, without a flood of distinct queries from one other address, at its begin, while
 * the address spends its points, and later. Prints the latencies in ms, and their ratios. The exit code is 1 if a request of the others failed.
 */
export async function publicFlood(args: readonly string[]): Promise<void> {
  const { numbers } = readFlags(args, {
    connections: { default: 100, max: 1_000 },
    rounds: { default: 3, max: 100 },
    seconds: { default: 10, max: 600 },
  });
  const { connections, rounds, seconds } = numbers;
  console.log(
    `\n--public read: 20 addresses, 50 queries a second, beside a flood from one address on ${connections} connections; ${rounds} rounds of ${seconds} s each`,
  );
  const server = await startServerProcess({ heap: 400, names: ['operator'], flags: ['--public', 'read'] });
  const kinds = ['without', 'begin', 'later'] as const;
  const p99s: Record<(typeof kinds)[number], number[]> = { without: [], begin: [], later: [] };
  const p50s: typeof p99s = { without: [], begin: [], later: [] };
  const common = { url: server.url, token: '', connections };

  async function measure(kind: (typeof kinds)[number]): Promise<void> {
    const honest = await startLoad<HonestResult>('honest', { ...common, attack: '', addresses: others });
    const before = server.cpu().own;
    await pause(seconds * 1_000);
    const cpu = (server.cpu().own - before) / (10 * seconds);
    const seen = await honest.stop();
    if (seen === undefined) throw new Error('the load has no result');
    p99s[kind].push(seen.p99);
    p50s[kind].push(seen.p50);
    const failures = Object.entries(seen.failures).map(([name, count]) => `${name}: ${count}`);
    if (failures.length > 0) process.exitCode = 1;
    console.log(
      `  ${kind.padEnd(8)} ${seen.count} requests, p50 ${seen.p50.toFixed(1)} ms, p99 ${seen.p99.toFixed(1)} ms, max ${seen.max.toFixed(1)} ms; CPU of the server ${cpu.toFixed(0)} %; failures: ${failures.join(', ') || 'none'}`,
    );
  }

  try {
    await pause(3_000);
    for (let round = 0; round < rounds; round += 1) {
      await measure('without');
      // A generator that takes a processor from the callers would be measured, and not the server.
      const addresses = [attackerOf(round)];
      const hostile = await startLoad<HostileResult>('hostile', { ...common, attack: 'smallQueries', addresses, nice: 19 });
      await measure('begin');
      await measure('later');
      const sent = await hostile.stop();
      console.log(`  flood    ${sent?.requests} requests, ${JSON.stringify(sent?.answers)}`);
    }
    for (const kind of kinds)
      console.log(
        `  median ${kind.padEnd(8)} p50 ${median(p50s[kind]).toFixed(1)} ms, p99 ${median(p99s[kind]).toFixed(1)} ms, ${(median(p99s[kind]) / median(p99s.without)).toFixed(2)} times that without`,
      );
  } finally {
    await server.stop();
  }
}
