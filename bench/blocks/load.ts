import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Child } from '../child.ts';

/** Where the responses to the requests in one block came from, by `cache-status`. */
export interface Sources {
  carried: number;
  kept: number;
  executed: number;
}

/** A block and what happened until the next one. */
export interface BlockCounts {
  readonly hasVote: boolean;
  /** Calls that reached the node, by kind. */
  readonly calls: Readonly<Record<string, number>>;
  readonly sources: Readonly<Sources>;
}

/** The result of {@link runLoad}. */
export interface LoadResult {
  readonly blocks: readonly BlockCounts[];
  readonly requests: number;
  /** Bytes of a response, on average. */
  readonly bytes: number;
  /** CPU of the server in microseconds per request. */
  readonly cpu: number;
  /** Milliseconds from the time that a request was sent to its last byte, sorted. */
  readonly times: readonly number[];
}

const connections = 32;
const blockTime = 1_000;
/** One block of this many has a transaction. */
const votesEvery = 10;

function sourceOf(cacheStatus: unknown): keyof Sources {
  if (cacheStatus === 'stele; hit; detail=carried') return 'carried';
  return cacheStatus === 'stele; hit' ? 'kept' : 'executed';
}

/** The calls of each kind between two measurements. Kinds without a call are left out. */
export function callsSince(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const entries = Object.entries(after).map(([kind, count]) => [kind, count - (before[kind] ?? 0)] as const);
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

/**
 * Creates a block every second, and sends each of `bodies` once a second, spread evenly. Counts `seconds` blocks after `warmUp`
 * blocks.
 */
export async function runLoad(options: {
  readonly node: Child;
  readonly stele: Child;
  readonly bodies: readonly string[];
  readonly seconds: number;
  readonly warmUp: number;
}): Promise<LoadResult> {
  const { node, stele, bodies, seconds, warmUp } = options;
  const pool = new Pool(stele.url, { connections, pipelining: 1 });
  let sources: Sources = { carried: 0, kept: 0, executed: 0 };
  let times: number[] = [];
  let bytes = 0;
  let requests = 0;
  const stopping = new AbortController();

  async function send(body: string): Promise<void> {
    const start = performance.now();
    const response = await pool.request({
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const answer = await response.body.bytes();
    if (response.statusCode !== 200 || Buffer.from(answer).includes('"errors"'))
      throw new Error(`${response.statusCode} ${Buffer.from(answer)}`);
    sources[sourceOf(response.headers['cache-status'])] += 1;
    times.push(performance.now() - start);
    bytes += answer.length;
    requests += 1;
  }

  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });

  /** Sends every request that is due, until it is stopped. */
  async function sendAll(): Promise<void> {
    const interval = blockTime / bodies.length;
    const start = performance.now();
    for (let sent = 0; !stopping.signal.aborted; ) {
      for (; start + sent * interval <= performance.now(); sent += 1) send(bodies[sent % bodies.length] ?? '').catch(fail);
      await pause(1);
    }
  }

  /** Creates the blocks. Returns what happened after each that counts, and the CPU of the server meanwhile. */
  async function createBlocks() {
    const blocks: BlockCounts[] = [];
    let cpu = 0;
    const start = performance.now();
    for (let index = 0; index < warmUp + seconds; index += 1) {
      if (index === warmUp) {
        [times, bytes, requests] = [[], 0, 0];
        cpu = (await stele.measure()).cpu;
      }
      const hasVote = index % votesEvery === votesEvery - 1;
      sources = { carried: 0, kept: 0, executed: 0 };
      const before = (await node.measure()).kinds;
      await node.run('commit', hasVote);
      await pause(Math.max(0, start + (index + 1) * blockTime - performance.now()));
      const calls = callsSince(before, (await node.measure()).kinds);
      if (index >= warmUp) blocks.push({ hasVote, calls, sources: { ...sources } });
    }
    return { blocks, cpu: ((await stele.measure()).cpu - cpu) / requests };
  }

  const sending = sendAll();
  try {
    const { blocks, cpu } = await Promise.race([createBlocks(), failed]);
    return { blocks, requests, bytes: bytes / requests, cpu, times: times.toSorted((a, b) => a - b) };
  } finally {
    stopping.abort();
    await sending;
    await pool.destroy();
  }
}
