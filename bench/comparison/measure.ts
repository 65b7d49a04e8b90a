import autocannon from 'autocannon';
import type { Child } from '../child.ts';

/** How consecutive requests differ: in a way that does not change the response, or in the height that they read. */
type Variation = 'distinct' | 'heights';

/** A server under one kind of load. */
export interface Contender {
  readonly name: string;
  readonly server: Child;
  readonly body: string;
  /** What the server keeps between requests, in words. */
  readonly cached: string;
  /** undefined if all requests are equal. */
  readonly vary?: Variation;
}

/** The result of a load. */
export interface Row {
  readonly name: string;
  readonly cached: string;
  readonly perSecond: number;
  /** Median latency in ms. */
  readonly p50: number;
  /** CPU of the server in ms per request. */
  readonly cpu: number;
  /** CPU of the node in ms per request. */
  readonly nodeCpu: number;
  /** Calls that reached the node, per request. */
  readonly calls: number;
}

/** Concurrent connections of a load. */
export const connections = 10;
/** Seconds of the load before a measurement, after which the server's code is compiled. */
const warmUp = 5;
/** Requests from which the rate is estimated. */
const probes = 100;

/** Measures one round of a load. */
export type Round = () => Promise<Row>;

/** Sends `amount` requests. Ends when all are answered, so that no work is left for the next load. */
async function send(
  { name, server, body, vary }: Contender,
  amount: number,
  counter: { count: number },
): Promise<autocannon.Result> {
  const headers = { 'content-type': 'application/json' };
  const varied = (request: autocannon.Request): autocannon.Request => {
    counter.count += 1;
    return vary === 'distinct'
      ? { ...request, body: body.replace(/}$/, `,"extensions":{"n":${counter.count}}}`) }
      : { ...request, headers: { ...headers, 'x-cosmos-block-height': String(counter.count) } };
  };
  const result = await autocannon({
    url: `${server.url}/graphql`,
    connections,
    amount,
    requests: [{ method: 'POST', body, headers, ...(vary !== undefined && { setupRequest: varied }) }],
  });
  if (result.errors + result.non2xx > 0) throw new Error(`${name}: ${result.errors} errors, ${result.non2xx} refusals`);
  return result;
}

/**
 * Loads a server for a few seconds, and returns a function that measures a round of as many requests as it answers in about
 * `seconds`. A load that reads each height once has at most `heights` requests in `rounds` rounds and before.
 */
export async function prepare(
  contender: Contender,
  options: { readonly node: Child; readonly seconds: number; readonly rounds: number; readonly heights: number },
): Promise<Round> {
  const { node, seconds, rounds, heights } = options;
  const { server, name, cached, vary } = contender;
  const counter = { count: 0 };
  const left = (): number => (vary === 'heights' ? heights - counter.count : Number.POSITIVE_INFINITY);
  async function rateOf(amount: number): Promise<number> {
    const start = performance.now();
    await send(contender, amount, counter);
    return (amount / (performance.now() - start)) * 1000;
  }

  const rate = await rateOf(probes);
  const warmRate = await rateOf(Math.round(Math.min(left() / 2, Math.max(probes, rate * warmUp))));
  const amount = Math.floor(Math.min(left() / rounds, Math.max(probes, warmRate * seconds)));
  return async () => {
    const start = [await server.measure(), await node.measure(), performance.now()] as const;
    const { latency } = await send(contender, amount, counter);
    const end = [await server.measure(), await node.measure(), performance.now()] as const;
    return {
      name,
      cached,
      perSecond: (amount / (end[2] - start[2])) * 1000,
      p50: latency.p50,
      cpu: (end[0].cpu - start[0].cpu) / amount / 1000,
      nodeCpu: (end[1].cpu - start[1].cpu) / amount / 1000,
      calls: (end[1].calls - start[1].calls) / amount,
    };
  };
}

/** Returns the median of each number of the rounds of one load. */
export function medianOf(rounds: readonly Row[]): Row {
  const [first] = rounds;
  if (first === undefined) throw new Error('no round');
  const median = (of: (row: Row) => number): number =>
    rounds.map(of).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0;
  return {
    name: first.name,
    cached: first.cached,
    perSecond: median((row) => row.perSecond),
    p50: median((row) => row.p50),
    cpu: median((row) => row.cpu),
    nodeCpu: median((row) => row.nodeCpu),
    calls: median((row) => row.calls),
  };
}
