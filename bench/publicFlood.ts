import type { HonestResult } from './attacks/honest.ts';
import type { HostileResult } from './attacks/hostile.ts';
import { startLoad } from './attacks/load.ts';
import { readFlags } from './flags.ts';
import { startServerProcess } from './serverProcess.ts';

/** The addresses of the callers, and that of the flood. All addresses of the network 127.0.0.0 are this machine. */
const others = Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`);
const attacker = '127.0.2.1';

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Measures callers of a server with `--public read`: 20 addresses send 50 short queries a second without a token, without and with a flood of distinct queries from one other
 * address, in turn. Prints the latencies of both in ms, and their ratio. The exit code is 1 if a request of the others failed.
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
  const p99s = { quiet: [] as number[], flooded: [] as number[] };
  const p50s = { quiet: [] as number[], flooded: [] as number[] };
  try {
    await pause(3_000);
    const common = { url: server.url, token: '' };
    for (let round = 0; round < 2 * rounds; round += 1) {
      const kind = round % 2 === 0 ? 'quiet' : 'flooded';
      const hostile =
        kind === 'flooded'
          ? await startLoad<HostileResult>('hostile', { ...common, attack: 'smallQueries', connections, addresses: [attacker] })
          : undefined;
      // The points of the address that it has at the start are spent first.
      if (hostile !== undefined) await pause(1_000);
      const honest = await startLoad<HonestResult>('honest', { ...common, attack: '', connections, addresses: others });
      await pause(seconds * 1_000);
      const seen = await honest.stop();
      const sent = await hostile?.stop();
      if (seen === undefined) throw new Error('the load has no result');
      p99s[kind].push(seen.p99);
      p50s[kind].push(seen.p50);
      const failures = Object.entries(seen.failures).map(([name, count]) => `${name}: ${count}`);
      if (failures.length > 0) process.exitCode = 1;
      const flood = sent === undefined ? '' : `; flood: ${sent.requests} requests, ${JSON.stringify(sent.answers)}`;
      console.log(
        `  ${kind.padEnd(8)} ${seen.count} requests, p50 ${seen.p50.toFixed(1)} ms, p99 ${seen.p99.toFixed(1)} ms, max ${seen.max.toFixed(1)} ms; failures: ${failures.join(', ') || 'none'}${flood}`,
      );
    }
    const [quiet, flooded] = [median(p99s.quiet), median(p99s.flooded)];
    console.log(
      `  medians  p50 ${median(p50s.quiet).toFixed(1)} -> ${median(p50s.flooded).toFixed(1)} ms, p99 ${quiet.toFixed(1)} -> ${flooded.toFixed(1)} ms, ratio ${(flooded / quiet).toFixed(2)}`,
    );
  } finally {
    await server.stop();
  }
}
