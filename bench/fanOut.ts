import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { type Child, startChild } from './child.ts';

/** A server with its subscribers. */
interface Side {
  readonly name: string;
  readonly server: Child;
  readonly listeners: Child;
  /** Makes the server send one event to all subscribers. Returns the time of the command. */
  readonly trigger: () => Promise<number>;
  readonly way: 'graphql-ws' | 'ws' | 'sse';
}

/** The cost of a side: milliseconds to the last subscriber, microseconds of CPU per message, bytes per connection. */
interface Costs {
  readonly median: number;
  readonly slowest: number;
  readonly cpu: number;
  readonly memory: number;
}

const query = 'subscription { newBlock { height hash time } }';
const rounds = 30;
const warmUp = 10;

/** The number of subscribers: as many sockets as one process may have, at most ten thousand. */
function listenersPossible(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const files = Number(/^Max open files\s+\d+\s+(\d+)/m.exec(limits)?.[1] ?? 1024);
  return Math.min(10_000, files - 200, Number(process.env.LISTENERS ?? 10_000));
}

/** Sends one event to all subscribers. Returns the milliseconds until the last one received it. */
async function round({ listeners, trigger }: Side, count: number): Promise<number> {
  const { batches: messages } = await listeners.measure();
  await listeners.run('want', messages + count);
  const start = await trigger();
  return (await listeners.run('wanted')) - start;
}

async function connectAll({ listeners, server, way }: Side, count: number): Promise<void> {
  await listeners.run('connect', { url: server.url, way, count, query });
}

/** Waits until all subscriptions are active, which is the case when an event reaches all of them. */
async function measure(sides: readonly Side[], count: number): Promise<Costs[]> {
  const few = 500;
  for (const side of sides) {
    await connectAll(side, few);
    await side.server.run('subscribed', few);
    for (let time = 0; time < warmUp; time += 1) await round(side, few);
    await side.listeners.run('close');
    await side.server.run('subscribed', 0);
  }
  const before = await Promise.all(sides.map(({ server }) => server.memory()));
  for (const side of sides) {
    await connectAll(side, count);
    await side.server.run('subscribed', count);
  }
  for (const side of sides) for (let time = 0; time < 3; time += 1) await round(side, count);
  const after = await Promise.all(sides.map(({ server }) => server.memory()));

  const times: number[][] = sides.map(() => []);
  const cpu = sides.map(() => 0);
  // The sides alternate, so that other load on the machine affects both.
  for (let time = 0; time < rounds; time += 1) {
    for (const [index, side] of sides.entries()) {
      const start = await side.server.measure();
      times[index]?.push(await round(side, count));
      cpu[index] = (cpu[index] ?? 0) + (await side.server.measure()).cpu - start.cpu;
    }
  }
  return sides.map((_, index) => {
    const sorted = (times[index] ?? []).toSorted((a, b) => a - b);
    return {
      median: sorted[Math.floor(sorted.length / 2)] ?? 0,
      slowest: sorted.at(-1) ?? 0,
      cpu: (cpu[index] ?? 0) / (rounds * count),
      memory: ((after[index] ?? 0) - (before[index] ?? 0)) / count,
    };
  });
}

/**
 * Measures how an event reaches ten thousand subscribers, compared to servers that only send the same bytes, and prints the
 * results.
 */
export async function fanOut(): Promise<void> {
  const count = listenersPossible();
  console.log(
    `\nFan-out of \`newBlock { height hash time }\` to ${count} subscribers; Node ${process.version}; ${cpus().length} cores shared by server, listeners and node\n`,
  );
  console.log(
    '                                    ms to the last (slowest)   of bare   CPU µs/message   of bare   kB/connection   of bare',
  );
  for (const [bareWay, way] of [
    ['ws', 'graphql-ws'],
    ['sse', 'sse'],
  ] as const) {
    const devnet = await startChild('devnet');
    const stele = await startChild('stele', [devnet.url]);
    const bare = await startChild('bareStreams');
    const [bareListeners, listeners] = [await startChild('listeners'), await startChild('listeners')];
    const sides: readonly Side[] = [
      {
        name: way === 'sse' ? 'bare node:http, server-sent events' : 'bare ws',
        server: bare,
        listeners: bareListeners,
        trigger: () => bare.run('send'),
        way: bareWay,
      },
      {
        name: way === 'sse' ? 'newBlock, server-sent events' : 'newBlock, graphql-transport-ws',
        server: stele,
        listeners,
        trigger: () => devnet.run('commit'),
        way,
      },
    ];
    const costs = await measure(sides, count);
    const [base] = costs;
    for (const [index, { median, slowest, cpu, memory }] of costs.entries()) {
      const of = (value: number, among: number | undefined): string => (value / (among ?? 1)).toFixed(2).padStart(9);
      console.log(
        [
          (sides[index]?.name ?? '').padEnd(35),
          `${median.toFixed(0)} (${slowest.toFixed(0)})`.padStart(25),
          of(median, base?.median),
          cpu.toFixed(1).padStart(16),
          of(cpu, base?.cpu),
          (memory / 1000).toFixed(1).padStart(15),
          of(memory, base?.memory),
        ].join(' '),
      );
    }
    await Promise.all([devnet, stele, bare, bareListeners, listeners].map((child) => child.stop()));
  }
}
