import { cpus } from 'node:os';
import autocannon from 'autocannon';
import { boardDocument, busiestPolicy, post } from './boardRequest.ts';
import { type Child, startChild } from './child.ts';
import { compare, loadOf, median, printCompared } from './rounds.ts';
import { verifiedBoard } from './verified.ts';

/** What one load cost. */
interface Cost {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU of the responding process in microseconds per request. */
  readonly cpu: number;
  /** Calls and batches that reached the node, per request. */
  readonly calls: number;
  readonly batches: number;
}

/** A kind of load on a server over the chain of a board. */
export interface BoardLoad {
  readonly name: string;
  readonly server: Child;
  /** The number of requests in one round. */
  readonly amount: number;
  /** The number of requests before the measurement, unless it is that of one round. Until then V8 compiles the code. */
  readonly warmUp?: number;
  /** Returns the body of the next request. */
  readonly body: () => string;
  /** Whether each request names a height of its own. */
  readonly atHeights?: boolean;
}

/** The first height that is read: the state of the height before has no proof. */
const firstHeight = 2;

const connections = 10;
const rounds = 5;

/** The body with something that does not change the response, so that no two requests are equal. */
export function distinctly(body: string): () => string {
  let count = 0;
  return () => body.replace(/}$/, `,"extensions":{"n":${count++}}}`);
}

/** The median of each number. */
function medianOf(costs: readonly Cost[]): Cost {
  const of = (name: keyof Cost): number => median(costs.map((cost) => cost[name]));
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    cpu: of('cpu'),
    calls: of('calls'),
    batches: of('batches'),
  };
}

/** The names of the columns, with ratios to this baseline. */
export function headerOf(baseline: string): string {
  const of = `of ${baseline}`.padStart(9);
  return `    req/s ${of}   p50 ms   p99 ms   CPU µs/req ${of}   calls/req   batches/req`;
}

function print(name: string, cost: Cost, base: Cost): void {
  console.log(
    [
      name.padEnd(42),
      cost.perSecond.toFixed(0).padStart(8),
      (cost.perSecond / base.perSecond).toFixed(2).padStart(9),
      String(cost.p50).padStart(8),
      String(cost.p99).padStart(8),
      cost.cpu.toFixed(0).padStart(12),
      (cost.cpu / base.cpu).toFixed(2).padStart(9),
      cost.calls.toFixed(1).padStart(11),
      cost.batches.toFixed(1).padStart(13),
    ].join(' '),
  );
}

/** Measures each load in turn, several times, so that other work of the machine affects all of them. The first is the baseline. */
export async function compareLoads(node: Child, loads: readonly BoardLoad[]): Promise<void> {
  /** The last height that a load has named. */
  const heights = new Map<string, number>();
  function nextHeight(name: string): string {
    const height = (heights.get(name) ?? firstHeight - 1) + 1;
    heights.set(name, height);
    return String(height);
  }

  async function run({ name, server, body, atHeights = false }: BoardLoad, amount: number): Promise<Cost> {
    const before = [await server.measure(), await node.measure()] as const;
    const start = performance.now();
    let end = start;
    const options = {
      url: `${server.url}/graphql`,
      connections,
      amount,
      requests: [
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          setupRequest: (request) => ({
            ...request,
            body: body(),
            ...(atHeights && { headers: { ...request.headers, 'x-cosmos-block-height': nextHeight(name) } }),
          }),
        },
      ],
    } satisfies autocannon.Options;
    // The load ends at a whole second, long after the last response.
    const result = await new Promise<autocannon.Result>((resolve, reject) => {
      const sending = autocannon(options, (error, sent) => (error ? reject(error) : resolve(sent)));
      sending.on('response', () => {
        end = performance.now();
      });
    });
    const seconds = (end - start) / 1000;
    const after = [await server.measure(), await node.measure()] as const;
    if (result.errors + result.non2xx > 0) throw new Error(`${name}: ${result.errors} errors, ${result.non2xx} refusals`);
    return {
      perSecond: amount / seconds,
      p50: result.latency.p50,
      p99: result.latency.p99,
      cpu: (after[0].cpu - before[0].cpu) / amount,
      calls: (after[1].calls - before[1].calls) / amount,
      batches: (after[1].batches - before[1].batches) / amount,
    };
  }

  // All processes run the same code for a while before the measurement.
  for (const load of loads) await run(load, load.warmUp ?? load.amount);
  const costs = new Map(loads.map((load) => [load, [] as Cost[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [load, known] of costs) known.push(await run(load, load.amount));
  }
  const [base] = costs.values();
  for (const [{ name }, known] of costs) print(name, medianOf(known), medianOf(base ?? known));
}

/** A query of one group, by variable. */
const smallQuery = 'query ($id: ID!) { group(id: $id) { metadata } }';

/** Returns the ids of the groups, from a running Stele. */
async function groupIds(url: string): Promise<readonly string[]> {
  const groups: { id: string }[] = JSON.parse(await post(url, JSON.stringify({ query: '{ groups { nodes { id } } }' }))).data
    .groups.nodes;
  return groups.map(({ id }) => id);
}

/** Requests of a round of `Board` at heights that were never read. */
export const coldRequests = 150;

/** The blocks of a chain that has a height of its own for each request of the cold load. */
export const coldBlocks = coldRequests * (rounds + 1) + 10;

/** The body of a request of `Board` for the policy with most proposals, from a running Stele. */
export async function boardBody(url: string): Promise<string> {
  return JSON.stringify({ query: boardDocument, variables: { policy: await busiestPolicy(url) } });
}

/**
 * Measures `Board` and a small query, each compared to bare `node:http` that sends the same bytes, and prints the results. With `--verify`, compares servers that verify
 * nothing, heads, and reads.
 */
export async function board(args: readonly string[] = []): Promise<void> {
  if (args.includes('--verify')) return verifiedBoard();
  const node = await startChild('devnet', [String(coldBlocks)]);
  const stele = await startChild('stele', [node.url]);
  const bare = await startChild('bare');
  const body = await boardBody(stele.url);
  const answer = await post(stele.url, body);
  const small = (await groupIds(stele.url)).map((id) => JSON.stringify({ query: smallQuery, variables: { id } }));
  const [firstSmall = ''] = small;
  const smallAnswer = await post(stele.url, firstSmall);
  const smallBodies = small.map(distinctly);
  let next = 0;
  const anySmall = (): string => smallBodies[next++ % smallBodies.length]?.() ?? '';

  console.log(
    `${rounds} rounds on ${connections} connections, the medians of them; Node ${process.version}; ${cpus().length} cores shared by load, server and node`,
  );
  const header = headerOf('bare');
  console.log(`\n${`Board: ${answer.length} bytes`.padEnd(40)}${header}`);
  await fetch(bare.url, { method: 'PUT', body: answer });
  await compareLoads(node, [
    { name: 'bare node:http, the same bytes', server: bare, amount: 3000, warmUp: 20_000, body: () => body },
    { name: 'Board, warm: executed from cached reads', server: stele, amount: 800, warmUp: 20_000, body: distinctly(body) },
    { name: 'Board, cold: each at its own height', server: stele, amount: coldRequests, body: () => body, atHeights: true },
  ]);
  console.log('\nBoard, repeated: a cached response');
  printCompared(
    await compare(loadOf('/graphql', { method: 'POST', body, headers: { 'content-type': 'application/json' } }), stele, bare),
  );
  console.log(`\n${`Small query: ${smallAnswer.length} bytes`.padEnd(40)}${header}`);
  await fetch(bare.url, { method: 'PUT', body: smallAnswer });
  await compareLoads(node, [
    { name: 'bare node:http, the same bytes', server: bare, amount: 10_000, warmUp: 40_000, body: () => firstSmall },
    { name: 'Small query, repeated: a cached response', server: stele, amount: 10_000, warmUp: 40_000, body: () => firstSmall },
    { name: 'Small query, executed from cached reads', server: stele, amount: 10_000, warmUp: 40_000, body: anySmall },
  ]);
  await Promise.all([stele.stop(), bare.stop(), node.stop()]);
}
