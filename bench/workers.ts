import { availableParallelism } from 'node:os';
import autocannon from 'autocannon';
import { boardDocument, busiestPolicy } from './boardRequest.ts';
import { startChild } from './child.ts';
import { readFlags } from './flags.ts';
import { type ServerProcess, startServerProcess } from './serverProcess.ts';

const connections = 20;

/** The requests that warm up a process before a load is measured. */
const warmUp = 20_000;

/** Limits that one address with one token would reach. */
const noLimits = ['rate.points', 'rate.computing', 'rate.concurrent', 'http.connectionsPerAddress'].flatMap((name) => [
  '--limit',
  `${name}=0`,
]);

/** Results of one load. */
interface Row {
  readonly name: string;
  readonly perSecond: number;
  readonly p99: number;
  /** CPU for a request, in ms: of the process or the primary, and of the workers. */
  readonly cpu: { readonly own: number; readonly children: number };
  /** CPU of the load generator, of all cores, in percent. */
  readonly loadShare: number;
}

/**
 * Measures `Board` of one process and of several processes: kept answers, and executions. `--workers N` is the number of processes,
 * `--seconds N` the duration of each load. The load generator runs on the same cores, and its share is printed.
 */
export async function workers(args: readonly string[]): Promise<void> {
  const { numbers } = readFlags(args, {
    workers: { default: 2, max: 64 },
    seconds: { default: 10, max: 120 },
    blocks: { default: 300, max: 10_000 },
  });
  const devnet = await startChild('devnet', [`${numbers.blocks}`]);
  const rows: Row[] = [];
  for (const count of [1, numbers.workers]) {
    const server = await startServerProcess({
      flags: ['--node', devnet.url, '--archive', 'off', '--workers', `${count}`, ...noLimits],
      heap: 1_024,
      names: ['load'],
    });
    try {
      for (const isDistinct of [false, true]) rows.push(await measure(count, { server, seconds: numbers.seconds, isDistinct }));
    } finally {
      await server.stop();
    }
  }
  await devnet.stop();
  console.log(
    `Board; ${connections} connections; Node ${process.version}; ${availableParallelism()} cores shared by load and servers\n`,
  );
  console.log(
    '| load | requests a second | p99 ms | CPU ms a request, of the process or primary | of the workers | load generator, of all cores |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const { name, perSecond, p99, cpu, loadShare } of rows)
    console.log(
      `| ${name} | ${perSecond.toFixed(0)} | ${p99.toFixed(0)} | ${cpu.own.toFixed(2)} | ${cpu.children.toFixed(2)} | ${loadShare.toFixed(0)} % |`,
    );
}

async function measure(
  processes: number,
  { server, seconds, isDistinct }: { readonly server: ServerProcess; readonly seconds: number; readonly isDistinct: boolean },
): Promise<Row> {
  const name = `${processes} ${processes === 1 ? 'process' : 'workers'}, ${isDistinct ? 'executed each time' : 'the same request again'}`;
  const [token = ''] = server.tokens;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const policy = await busiestPolicy(server.url, headers);
  const body = JSON.stringify({ query: boardDocument, variables: { policy } });
  let distinct = 0;
  const vary = (request: autocannon.Request): autocannon.Request =>
    isDistinct ? { ...request, body: body.replace(/}$/, `,"extensions":{"n":${distinct++}}}`) } : request;
  const run = (length: { readonly duration: number } | { readonly amount: number }) =>
    autocannon({
      url: `${server.url}/graphql`,
      connections,
      ...length,
      requests: [{ method: 'POST', body, headers, setupRequest: vary }],
    });
  // V8 compiles the code during the first requests of each process.
  await run({ amount: warmUp * processes });
  const cpuBefore = server.cpu();
  const before = process.cpuUsage();
  const began = performance.now();
  const result = await run({ duration: seconds });
  const elapsed = performance.now() - began;
  const { user, system } = process.cpuUsage(before);
  const cpuAfter = server.cpu();
  const perRequest = (key: 'own' | 'children'): number => (cpuAfter[key] - cpuBefore[key]) / result.requests.total;
  if (result.errors + result.non2xx > 0) throw new Error(`${name}: ${result.errors} errors, ${result.non2xx} refusals`);
  return {
    name,
    perSecond: result.requests.average,
    p99: result.latency.p99,
    cpu: { own: perRequest('own'), children: perRequest('children') },
    loadShare: (user + system) / 10 / elapsed / availableParallelism(),
  };
}
