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

let count = 0;

/** Sends `amount` requests. Ends when all are answered, so that no work is left for the next load. */
async function load(contender: Contender, amount: number): Promise<autocannon.Result> {
  const { name, server, body, vary } = contender;
  const headers = { 'content-type': 'application/json' };
  const varied = (request: autocannon.Request): autocannon.Request => {
    count += 1;
    return vary === 'distinct'
      ? { ...request, body: body.replace(/}$/, `,"extensions":{"n":${count}}}`) }
      : { ...request, headers: { ...headers, 'x-cosmos-block-height': String(count) } };
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

/** Sends `amount` requests. Returns the requests per second. */
async function rateOf(contender: Contender, amount: number): Promise<number> {
  const start = performance.now();
  await load(contender, amount);
  return (amount / (performance.now() - start)) * 1000;
}

/**
 * Loads a server, first for a few seconds without a measurement, then with as many requests as it answers in about `seconds`. A
 * load that reads each height once has at most `heights` requests in all.
 */
export async function measure(
  contender: Contender,
  options: { readonly node: Child; readonly seconds: number; readonly heights: number },
): Promise<Row> {
  const { node, seconds, heights } = options;
  const { server, name, cached, vary } = contender;
  count = 0;
  const left = (): number => (vary === 'heights' ? heights - count : Number.POSITIVE_INFINITY);
  const rate = await rateOf(contender, probes);
  const warmRate = await rateOf(contender, Math.round(Math.min(left() / 2, Math.max(probes, rate * warmUp))));
  const amount = Math.round(Math.min(left(), Math.max(probes, warmRate * seconds)));
  const start = [await server.measure(), await node.measure(), performance.now()] as const;
  const result = await load(contender, amount);
  const end = [await server.measure(), await node.measure(), performance.now()] as const;
  return {
    name,
    cached,
    perSecond: (amount / (end[2] - start[2])) * 1000,
    p50: result.latency.p50,
    cpu: (end[0].cpu - start[0].cpu) / amount / 1000,
    nodeCpu: (end[1].cpu - start[1].cpu) / amount / 1000,
    calls: (end[1].calls - start[1].calls) / amount,
  };
}
