import autocannon from 'autocannon';
import type { Child } from './child.ts';

/** Requests per second, and CPU of the server in microseconds per request. */
export interface Cost {
  readonly perSecond: number;
  readonly cpu: number;
}

/** The cost of one side: the medians of its rounds, and of the ratios to the baseline in the same round. */
export interface Compared extends Cost {
  readonly cpuRatio: number;
  readonly rateRatio: number;
}

/** Sends requests to a server, for some time or until there were enough of them. */
export type Load = (server: Child, length: { readonly duration: number } | { readonly amount: number }) => Promise<Cost>;

const connections = 10;
/** Seconds of one round. */
const duration = 1;
const rounds = 11;

/** Requests to each server before the measurement. Until then V8 compiles the code that they run, in a fifth of the CPU time. */
const warmUp = 40_000;

/** Returns the median of numbers, 0 for none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Creates a load of requests to a path. Throws if one fails. */
export function loadOf(path: string, request: autocannon.Request): Load {
  return async (server, length) => {
    const before = (await server.measure()).cpu;
    const result = await autocannon({ url: `${server.url}${path}`, connections, ...length, requests: [request] });
    const { errors, non2xx, requests } = result;
    if (errors + non2xx > 0) throw new Error(`${path}: ${errors} errors, ${non2xx} refusals`);
    return { perSecond: requests.average, cpu: ((await server.measure()).cpu - before) / requests.total };
  };
}

/**
 * Sends a load to a server and to the baseline in alternate rounds, so that other work on the machine affects both. The first result is
 * that of the server.
 */
export async function compare(load: Load, server: Child, baseline: Child): Promise<readonly [Compared, Compared]> {
  for (const each of [server, baseline]) await load(each, { amount: warmUp });
  const [own, bare]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    own.push(await load(server, { duration }));
    bare.push(await load(baseline, { duration }));
  }
  const ratio = (all: readonly Cost[], of: keyof Cost): number =>
    median(all.map((cost, round) => cost[of] / (bare[round]?.[of] ?? cost[of])));
  const compared = (all: readonly Cost[]): Compared => ({
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    cpu: median(all.map(({ cpu }) => cpu)),
    cpuRatio: ratio(all, 'cpu'),
    rateRatio: ratio(all, 'perSecond'),
  });
  return [compared(own), compared(bare)];
}

/** Prints a comparison as two lines. */
export function printCompared([own, bare]: readonly [Compared, Compared]): void {
  const line = (name: string, { perSecond, cpu }: Cost): string =>
    `  ${name.padEnd(10)} ${perSecond.toFixed(0)} requests/s, ${cpu.toFixed(0)} µs of CPU`;
  console.log(
    `${line('stele', own)}: ${own.rateRatio.toFixed(2)} of the requests and ${own.cpuRatio.toFixed(2)} times the CPU of bare`,
  );
  console.log(line('node:http', bare));
}
