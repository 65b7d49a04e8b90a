import autocannon from 'autocannon';
import { boardDocument, busiestPolicy, post } from '../boardRequest.ts';
import type { Child } from '../child.ts';
import { callsSince } from './load.ts';

const connections = 10;
/** Seconds of one round. */
const duration = 2;
const rounds = 5;
/** Heights of the first measurement. Stele keeps the roots of 256. */
const heights = 100;
const votes = 5;

interface Cost {
  readonly perSecond: number;
  /** CPU of the responding process in microseconds per request. */
  readonly cpu: number;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Sends requests whose heights follow each other, so that no two neighbours have the same. */
async function load(server: Child, body: string, newest: number): Promise<Cost> {
  let sent = 0;
  const before = (await server.measure()).cpu;
  const { errors, non2xx, requests } = await autocannon({
    url: `${server.url}/graphql`,
    connections,
    duration,
    requests: [
      {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => ({
          ...request,
          headers: { ...request.headers, 'x-cosmos-block-height': String(newest - (sent++ % heights)) },
        }),
      },
    ],
  });
  if (errors + non2xx > 0) throw new Error(`${errors} errors, ${non2xx} refusals`);
  return { perSecond: requests.average, cpu: ((await server.measure()).cpu - before) / requests.total };
}

/** Creates a block and waits until the server has seen it. Returns its height. */
async function nextBlock(node: Child, stele: Child, hasVote: boolean): Promise<number> {
  const height = await node.run('commit', hasVote);
  await post(stele.url, JSON.stringify({ query: '{ head { height } }', extensions: { minHeight: height } }));
  return height;
}

/** Measures `Board` at heights whose roots are equal, and at heights where one vote was cast, and prints the results. */
export async function boards({ node, stele, bare }: Readonly<Record<'node' | 'stele' | 'bare', Child>>): Promise<void> {
  const body = JSON.stringify({ query: boardDocument, variables: { policy: await busiestPolicy(stele.url) } });
  const answer = await post(stele.url, body);
  await fetch(bare.url, { method: 'PUT', body: answer });
  let newest = 0;
  for (let block = 0; block < heights + 1; block += 1) newest = await nextBlock(node, stele, false);
  // The last answer is at the newest height. Then every request is at a height with the same roots.
  await post(stele.url, body);
  for (const server of [stele, bare]) await load(server, body, newest);
  const before = (await node.measure()).kinds;
  const [own, others]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    own.push(await load(stele, body, newest));
    others.push(await load(bare, body, newest));
  }
  const calls = Object.entries(callsSince(before, (await node.measure()).kinds)).map(([kind, count]) => `${count} ${kind}`);
  const [perSecond, bareSecond] = [own, others].map((costs) => median(costs.map((cost) => cost.perSecond)));
  const [cpu, bareCpu] = [own, others].map((costs) => median(costs.map((cost) => cost.cpu)));
  const ratio = (value = 0, base = 1): string => (value / base).toFixed(2);
  console.log(
    `\nBoard (${answer.length} bytes), each request at another height with the same roots, ${connections} connections`,
  );
  console.log(
    `  stele      ${perSecond?.toFixed(0)} requests/s (${ratio(perSecond, bareSecond)} of bare), ${cpu?.toFixed(0)} µs of CPU`,
  );
  console.log(
    `  node:http  ${bareSecond?.toFixed(0)} requests/s, ${bareCpu?.toFixed(0)} µs of CPU (stele: ${ratio(cpu, bareCpu)} times)`,
  );
  console.log(`  calls that reached the node: ${calls.length === 0 ? 'none' : calls.join(', ')}`);

  const kinds = new Map<string, number>();
  for (let vote = 0; vote < votes; vote += 1) {
    await nextBlock(node, stele, true);
    const start = (await node.measure()).kinds;
    await post(stele.url, body);
    const calls = callsSince(start, (await node.measure()).kinds);
    for (const [kind, count] of Object.entries(calls)) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  console.log(`Board at a new height where one vote was cast: calls to the node (mean of ${votes})`);
  for (const [kind, count] of [...kinds].sort(([, a], [, b]) => b - a))
    console.log(`  ${(count / votes).toFixed(1).padStart(6)}  ${kind}`);
}
