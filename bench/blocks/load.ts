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

/** No answers. */
const noSources: Sources = { carried: 0, kept: 0, executed: 0 };

/** What a server has answered since the last reset. */
interface Answers {
  sources: Sources;
  times: number[];
  bytes: number;
  requests: number;
}

/** Creates a sender of requests to a server, which counts the answers. */
function createSender(stele: Child) {
  const pool = new Pool(stele.url, { connections, pipelining: 1 });
  const nothing = (): Answers => ({ sources: { ...noSources }, times: [], bytes: 0, requests: 0 });
  let answers = nothing();
  let cpu = 0;
  return {
    async send(body: string): Promise<void> {
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
      answers.sources[sourceOf(response.headers['cache-status'])] += 1;
      answers.times.push(performance.now() - start);
      answers.bytes += answer.length;
      answers.requests += 1;
    },
    async reset(): Promise<void> {
      answers = nothing();
      cpu = (await stele.measure()).cpu;
    },
    /** The sources of the answers since the last time. */
    takeSources(): Sources {
      const { sources } = answers;
      answers.sources = nothing().sources;
      return sources;
    },
    async result(): Promise<Omit<LoadResult, 'blocks'>> {
      const { requests, bytes, times } = answers;
      return {
        requests,
        bytes: bytes / requests,
        cpu: ((await stele.measure()).cpu - cpu) / requests,
        times: times.toSorted((a, b) => a - b),
      };
    },
    close: () => pool.destroy(),
  };
}

/**
 * Creates a block every second, and sends each of `bodies` once a second to each server, spread evenly. Counts `seconds` blocks after `warmUp`
 * blocks. Returns a result for each server. The calls to the node are those of all servers.
 */
export async function runLoad(options: {
  readonly node: Child;
  readonly steles: readonly Child[];
  readonly bodies: readonly string[];
  readonly seconds: number;
  readonly warmUp: number;
}): Promise<readonly LoadResult[]> {
  const { node, steles, bodies, seconds, warmUp } = options;
  const senders = steles.map(createSender);
  const stopping = new AbortController();

  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });

  /** Sends every request that is due, until it is stopped. */
  async function sendAll(): Promise<void> {
    const interval = blockTime / bodies.length;
    const start = performance.now();
    for (let sent = 0; !stopping.signal.aborted; ) {
      for (; start + sent * interval <= performance.now(); sent += 1)
        for (const { send } of senders) send(bodies[sent % bodies.length] ?? '').catch(fail);
      await pause(1);
    }
  }

  /** Creates the blocks. Returns what happened after each that counts, for each server. */
  async function createBlocks(): Promise<readonly LoadResult[]> {
    const blocks: BlockCounts[][] = senders.map(() => []);
    const start = performance.now();
    for (let index = 0; index < warmUp + seconds; index += 1) {
      if (index === warmUp) for (const { reset } of senders) await reset();
      const hasVote = index % votesEvery === votesEvery - 1;
      for (const { takeSources } of senders) takeSources();
      const before = (await node.measure()).kinds;
      await node.run('commit', hasVote);
      await pause(Math.max(0, start + (index + 1) * blockTime - performance.now()));
      const calls = callsSince(before, (await node.measure()).kinds);
      const sources = senders.map(({ takeSources }) => takeSources());
      if (index < warmUp) continue;
      for (const [server, of] of blocks.entries()) of.push({ hasVote, calls, sources: sources[server] ?? noSources });
    }
    return Promise.all(senders.map(async ({ result }, server) => ({ ...(await result()), blocks: blocks[server] ?? [] })));
  }

  // What all of them read is in memory before the first block.
  for (const { send } of senders)
    for (let next = 0; next < bodies.length; next += 8) await Promise.all(bodies.slice(next, next + 8).map(send));
  const sending = sendAll();
  try {
    return await Promise.race([createBlocks(), failed]);
  } finally {
    stopping.abort();
    await sending;
    for (const { close } of senders) await close();
  }
}
