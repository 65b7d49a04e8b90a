import { cpus } from 'node:os';
import autocannon from 'autocannon';
import { type Child, startChild } from './child.ts';

/** A repeated request of one protocol. */
interface Wire {
  readonly name: string;
  /** Method, path and body of the request. */
  readonly request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string };
}

const wires: readonly Wire[] = [
  {
    name: '/comet JSON-RPC block at a height',
    request: {
      method: 'POST',
      path: '/comet',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'block', params: { height: '100' } }),
    },
  },
  { name: '/comet URI block at a height', request: { method: 'GET', path: '/comet/block?height=100' } },
  {
    name: '/ JSON-RPC block at a height',
    request: { method: 'POST', path: '/', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'block', params: ['100'] }) },
  },
  { name: 'REST proposal, documented dialect', request: { method: 'GET', path: '/cosmos/group/v1/proposal/32' } },
  { name: "REST proposal, the node's own dialect", request: { method: 'GET', path: '/rest/cosmos/group/v1/proposal/32' } },
];

const connections = 10;
/** Seconds of one round. */
const duration = 2;
const rounds = 5;

/** Requests per second, and CPU of the server in microseconds per request. */
interface Cost {
  readonly perSecond: number;
  readonly cpu: number;
}

async function load(server: Child, { name, request }: Wire): Promise<Cost> {
  const { method, path, body } = request;
  const before = await server.measure();
  const { errors, non2xx, requests } = await autocannon({
    url: `${server.url}${path}`,
    connections,
    duration,
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
  if (errors + non2xx > 0) throw new Error(`${name}: ${errors} errors, ${non2xx} refusals`);
  return { perSecond: requests.average, cpu: ((await server.measure()).cpu - before.cpu) / requests.total };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function shown(costs: readonly Cost[]): string {
  const cpu = median(costs.map((cost) => cost.cpu));
  return `${median(costs.map((cost) => cost.perSecond)).toFixed(0)} requests/s, ${cpu.toFixed(0)} µs of CPU`;
}

/**
 * Measures the cost of a cached response of each protocol, compared to plain `node:http` with the same bytes, and the number of
 * calls that reached the node.
 */
export async function wiresBench(): Promise<void> {
  const [node, bare] = await Promise.all([startChild('devnet', ['120']), startChild('bare')]);
  const stele = await startChild('stele', [node.url]);
  console.log(
    `wires: ${rounds} rounds of ${duration} s on ${connections} connections, the median of them; ${cpus().length} cores shared with the load`,
  );
  for (const wire of wires) {
    const { method, path, body } = wire.request;
    const calls = (await node.measure()).calls;
    const first = await fetch(`${stele.url}${path}`, { method, ...(body !== undefined && { body }) });
    const bytes = await first.text();
    if (!first.ok) throw new Error(`${wire.name}: ${bytes}`);
    await fetch(bare.url, { method: 'PUT', body: bytes });
    for (const server of [stele, bare]) await load(server, wire);
    const [own, others]: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      own.push(await load(stele, wire));
      others.push(await load(bare, wire));
    }
    const ratio = median(own.map((cost) => cost.cpu)) / median(others.map((cost) => cost.cpu));
    console.log(`${wire.name} (${Buffer.byteLength(bytes)} bytes)`);
    console.log(`  stele      ${shown(own)}`);
    console.log(`  node:http  ${shown(others)}: ${ratio.toFixed(1)} times the CPU`);
    console.log(`  calls that reached the node: ${(await node.measure()).calls - calls}`);
  }
  await Promise.all([stele, bare, node].map((child) => child.stop()));
}
