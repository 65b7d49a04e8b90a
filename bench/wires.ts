import { cpus } from 'node:os';
import { startChild } from './child.ts';
import { compare, loadOf, printCompared } from './rounds.ts';

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
  { name: 'Holders under /v1', request: { method: 'GET', path: '/v1/holders/nhash' } },
];

/**
 * Measures the cost of a cached response of each protocol, compared to plain `node:http` with the same bytes, and the number of
 * calls that reached the node.
 */
export async function wiresBench(): Promise<void> {
  const [node, bare] = await Promise.all([startChild('devnet', ['120']), startChild('bare')]);
  const stele = await startChild('stele', [node.url]);
  console.log(
    `wires: alternate rounds of each server, the median of them; Node ${process.version}; ${cpus().length} cores shared with the load`,
  );
  for (const wire of wires) {
    const { method, path, body } = wire.request;
    const calls = (await node.measure()).calls;
    const first = await fetch(`${stele.url}${path}`, { method, ...(body !== undefined && { body }) });
    const bytes = await first.text();
    if (!first.ok) throw new Error(`${wire.name}: ${bytes}`);
    await fetch(bare.url, { method: 'PUT', body: bytes });
    const headers = { 'content-type': 'application/json' };
    const load = loadOf(path, { method, headers, ...(body !== undefined && { body }) });
    console.log(`${wire.name} (${Buffer.byteLength(bytes)} bytes)`);
    printCompared(await compare(load, stele, bare));
    console.log(`  calls that reached the node: ${(await node.measure()).calls - calls}`);
  }
  await Promise.all([stele, bare, node].map((child) => child.stop()));
}
