import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { boardDocument, busiestPolicy, post } from './boardRequest.ts';
import { type Child, startChild } from './child.ts';
import { shares } from './tracers.ts';

const connections = 10;

/** The orders of the shares. Each follows each other one equally often, because it may pay for the garbage of the one before. */
const orders = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 2, 0],
  [0, 2, 1],
  [2, 0, 1],
  [1, 0, 2],
] as const;

/** A collector that drops what it receives, and counts the requests. */
async function startCollector(): Promise<{ readonly url: string; received(): number; close(): void }> {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request.resume().once('end', () => response.writeHead(200).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on TCP, so its address is not text.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received: () => received, close: () => server.closeAllConnections() };
}

/** Starts a server that sends its spans to this collector. */
async function startTraced(collector: string, node: string): Promise<Child> {
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector;
  const server = await startChild('stele', [node]);
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return server;
}

/** Sends requests with these bodies, as many at the same time as there are connections. */
async function send(pool: Pool, amount: number, bodyOf: () => string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  let left = amount;
  async function sendInTurn(): Promise<void> {
    for (; left > 0; ) {
      left -= 1;
      const { statusCode, body } = await pool.request({ path: '/graphql', method: 'POST', headers, body: bodyOf() });
      await body.dump();
      if (statusCode !== 200) throw new Error(`the status ${statusCode}`);
    }
  }
  await Promise.all(Array.from({ length: connections }, sendInTurn));
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Compares the CPU of a request with traces off, on for a tenth of the requests, and on for all, in one process. Each round measures all three, in another
 * order. The argument is the number of rounds.
 */
export async function trace([given]: readonly string[]): Promise<void> {
  const rounds = Number(given ?? 60);
  const collector = await startCollector();
  const devnet = await startChild('devnet', ['60']);
  const server = await startTraced(collector.url, devnet.url);
  const pool = new Pool(server.url, { connections });
  const policy = await busiestPolicy(server.url);
  let index = 0;
  const board = (): string =>
    JSON.stringify({
      query: boardDocument,
      operationName: 'Board',
      variables: { policy },
      extensions: { index: index++ },
    });
  await post(server.url, board());
  const kept = JSON.stringify({ query: '{ head { height } }' });
  const loads = [
    { name: 'Board, executed', amount: 100, warmUp: 600, bodyOf: board },
    // Of a tenth of the requests, the code that sends spans is compiled late.
    { name: 'a kept answer', amount: 3_000, warmUp: 60_000, bodyOf: () => kept },
  ];
  for (const { name, amount, warmUp, bodyOf } of loads) {
    const costs = shares.map((): number[] => []);
    for (const share of shares) {
      await server.run('trace', share);
      await send(pool, warmUp, bodyOf);
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const place of orders[round % orders.length] ?? []) {
        await server.run('trace', shares[place]);
        const before = await server.measure();
        await send(pool, amount, bodyOf);
        costs[place]?.push(((await server.measure()).cpu - before.cpu) / amount);
      }
    }
    console.log(`\nCPU of a request with traces: ${name} (medians of ${rounds} rounds of ${amount} requests)`);
    const [off = 0, ...on] = costs.map(median);
    console.log(`  off            ${off.toFixed(1).padStart(8)} µs`);
    for (const [place, cpu] of on.entries()) {
      const more = `${((cpu / off - 1) * 100).toFixed(1).padStart(5)} % more`;
      console.log(`  ${`${shares[place + 1]} % sampled`.padEnd(15)}${cpu.toFixed(1).padStart(8)} µs   ${more}`);
    }
  }
  console.log(`\nThe collector received ${collector.received()} requests.`);
  await pool.close();
  await server.stop();
  await devnet.stop();
  collector.close();
  process.exit();
}
