import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import autocannon from 'autocannon';
import { boardDocument, busiestPolicy, post } from './boardRequest.ts';
import { type Child, startChild } from './child.ts';

const connections = 10;

/** How much of the requests is traced: nothing, a tenth, and everything. */
const sides = [
  { name: 'off', variables: {} },
  { name: 'on, 10 % sampled', variables: { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' } },
  { name: 'on, 100 % sampled', variables: { OTEL_TRACES_SAMPLER: 'always_on' } },
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

/** Starts a server with these variables in its environment. */
async function startWith(variables: Readonly<Record<string, string>>, node: string): Promise<Child> {
  Object.assign(process.env, variables);
  const server = await startChild('stele', [node]);
  for (const name of Object.keys(variables)) delete process.env[name];
  return server;
}

/** CPU of a server in microseconds for each request. `bodyOf` makes the bodies, which are sent in turn. */
async function cpuOf(server: Child, amount: number, bodyOf: (index: number) => string, first: number): Promise<number> {
  const before = await server.measure();
  let sent = first;
  const { errors, non2xx } = await autocannon({
    url: `${server.url}/graphql`,
    connections,
    amount,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    requests: [{ setupRequest: (request) => ({ ...request, body: bodyOf(sent++) }) }],
  });
  if (errors + non2xx > 0) throw new Error(`${errors} errors, ${non2xx} refusals`);
  return ((await server.measure()).cpu - before.cpu) / amount;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Compares the CPU of a request with traces off, on for a tenth of the requests, and on for all. Each round measures all three, in another order.
 * The argument is the number of rounds.
 */
export async function trace([given]: readonly string[]): Promise<void> {
  const rounds = Number(given ?? 12);
  const collector = await startCollector();
  const devnet = await startChild('devnet', ['60']);
  const servers: Child[] = [];
  for (const { name, variables } of sides) {
    const endpoint = name === 'off' ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    servers.push(await startWith({ ...variables, ...endpoint }, devnet.url));
  }
  const [first] = servers;
  if (first === undefined) throw new Error('no server');
  const policy = await busiestPolicy(first.url);
  const board = (index: number): string =>
    JSON.stringify({
      query: boardDocument,
      operationName: 'Board',
      variables: { policy },
      extensions: { index },
    });
  await post(first.url, board(0));
  const kept = JSON.stringify({ query: '{ head { height } }' });
  const loads = [
    { name: 'Board, executed', amount: 300, warmUp: 600, bodyOf: board },
    // Of a tenth of the requests, the code that sends spans is compiled late.
    { name: 'a kept answer', amount: 10_000, warmUp: 60_000, bodyOf: () => kept },
  ];
  for (const { name, amount, warmUp, bodyOf } of loads) {
    const costs: number[][] = sides.map(() => []);
    let sent = 1;
    for (const server of servers) {
      await cpuOf(server, warmUp, bodyOf, sent);
      sent += warmUp;
    }
    for (let round = 0; round < rounds; round += 1) {
      for (let turn = 0; turn < sides.length; turn += 1) {
        const side = (turn + round) % sides.length;
        const server = servers[side];
        if (server === undefined) throw new Error('no server');
        const cpu = await cpuOf(server, amount, bodyOf, sent);
        sent += amount;
        costs[side]?.push(cpu);
      }
    }
    console.log(`\nCPU of a request with traces: ${name} (median of ${rounds} alternating rounds of ${amount} requests)`);
    for (const [index, side] of sides.entries()) {
      const own = costs[index] ?? [];
      const ratio = median(own.map((cpu, round) => cpu / (costs[0]?.[round] ?? cpu)));
      const more = index === 0 ? '' : `   ${((ratio - 1) * 100).toFixed(1).padStart(5)} % more`;
      console.log(`  ${side.name.padEnd(20)} ${median(own).toFixed(0).padStart(6)} µs${more}`);
    }
  }
  console.log(`\nThe collector received ${collector.received()} requests.`);
  for (const server of servers) await server.stop();
  await devnet.stop();
  collector.close();
  process.exit();
}
