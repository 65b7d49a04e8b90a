import { cpus } from 'node:os';
import autocannon from 'autocannon';
import { boardDocument, busiestPolicy, post } from './boardRequest.ts';
import { type Child, startChild } from './child.ts';
import { compare, loadOf, printCompared } from './rounds.ts';

/** Requests per second and CPU per request of one kind of load. */
interface Row {
  readonly name: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU of the responding process in microseconds per request. */
  readonly cpu: number;
  /** Calls and batches that reached the node, per request. */
  readonly calls: number;
  readonly batches: number;
}

/** How consecutive requests of a load differ: not at all, in a way that does not change the response, or in their height. */
type Variation = 'same' | 'distinct' | 'heights';

const connections = 10;

/** Measures the operation `Board`, compared to bare `node:http` that sends the same bytes, and prints the results. */
export async function board(): Promise<void> {
  const blocks = 1200;
  const devnet = await startChild('devnet', [String(blocks)]);
  const stele = await startChild('stele', [devnet.url]);
  const bare = await startChild('bare');

  let distinct = 0;
  let height = 1;

  /** Sends `amount` requests to `server`. */
  async function load(name: string, server: Child, body: string, amount: number, variation: Variation): Promise<Row> {
    const vary: Record<Variation, (request: autocannon.Request) => autocannon.Request> = {
      same: (request) => request,
      distinct: (request) => ({ ...request, body: body.replace(/}$/, `,"extensions":{"n":${distinct++}}}`) }),
      heights: (request) => ({ ...request, headers: { ...request.headers, 'x-cosmos-block-height': String(height++) } }),
    };
    const before = [await server.measure(), await devnet.measure()] as const;
    const start = performance.now();
    const result = await autocannon({
      url: `${server.url}/graphql`,
      connections,
      amount,
      requests: [
        {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
          setupRequest: vary[variation],
        },
      ],
    });
    const seconds = (performance.now() - start) / 1000;
    const after = [await server.measure(), await devnet.measure()] as const;
    if (result.errors + result.non2xx > 0) throw new Error(`${name}: ${result.errors} errors, ${result.non2xx} refusals`);
    return {
      name,
      perSecond: amount / seconds,
      p50: result.latency.p50,
      p99: result.latency.p99,
      cpu: (after[0].cpu - before[0].cpu) / amount,
      calls: (after[1].calls - before[1].calls) / amount,
      batches: (after[1].batches - before[1].batches) / amount,
    };
  }

  const body = JSON.stringify({ query: boardDocument, variables: { policy: await busiestPolicy(stele.url) } });
  const answer = await post(stele.url, body);
  await fetch(bare.url, { method: 'PUT', body: answer });

  // Both processes run the same code for a while before the measurement.
  const kept = await compare(
    loadOf('/graphql', { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    stele,
    bare,
  );
  await load('warm up', stele, body, 300, 'distinct');
  await load('warm up', stele, body, 200, 'heights');

  const rows = [
    await load('bare node:http, the same bytes', bare, body, 5000, 'same'),
    await load('Board, warm: executed from cached reads', stele, body, 1000, 'distinct'),
    await load('Board, cold: each at its own height', stele, body, 500, 'heights'),
  ];
  const [baseline] = rows;

  console.log(
    `Board: ${answer.length} bytes; ${connections} connections; Node ${process.version}; ${cpus().length} cores shared by load, server and node\n`,
  );
  console.log(
    '                                              req/s   of bare   p50 ms   p99 ms   CPU µs/req   calls/req   batches/req',
  );
  for (const row of rows) {
    const ratio = `${((100 * row.perSecond) / (baseline?.perSecond ?? 1)).toFixed(1)} %`;
    console.log(
      [
        row.name.padEnd(42),
        row.perSecond.toFixed(0).padStart(8),
        ratio.padStart(9),
        String(row.p50).padStart(8),
        String(row.p99).padStart(8),
        row.cpu.toFixed(0).padStart(12),
        row.calls.toFixed(1).padStart(11),
        row.batches.toFixed(1).padStart(13),
      ].join(' '),
    );
  }

  console.log('\nBoard, repeated: a cached response. Alternate rounds of each server, the median of them');
  printCompared(kept);
  await Promise.all([stele.stop(), bare.stop(), devnet.stop()]);
}
