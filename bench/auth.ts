import { cpus } from 'node:os';
import autocannon from 'autocannon';
import { type Child, startChild } from './child.ts';

const body = JSON.stringify({ query: '{ head { height } }' });
const connections = 10;

/** CPU of the server in microseconds for each request, and requests per second. */
interface Cost {
  readonly cpu: number;
  readonly perSecond: number;
}

/** A side of the comparison: a server and the headers of its requests. */
interface Side {
  readonly name: string;
  readonly server: Child;
  readonly headers: Readonly<Record<string, string>>;
}

/** A token of the client `devnet`. */
async function tokenOf({ url }: Child): Promise<string> {
  const grant = { client_id: 'devnet', client_secret: 'devnet', grant_type: 'client_credentials' };
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(grant) });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

function check({ errors, non2xx }: autocannon.Result, name: string): void {
  if (errors + non2xx > 0) throw new Error(`${name}: ${errors} errors, ${non2xx} refusals`);
}

async function load({ name, server, headers }: Side, amount: number): Promise<Cost> {
  const before = await server.measure();
  const start = performance.now();
  const all = { 'content-type': 'application/json', ...headers };
  check(await autocannon({ url: `${server.url}/graphql`, connections, amount, method: 'POST', body, headers: all }), name);
  const seconds = (performance.now() - start) / 1000;
  return { cpu: ((await server.measure()).cpu - before.cpu) / amount, perSecond: amount / seconds };
}

/** Returns the quantile of the values. */
function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

const percent = (ratio: number): string => `${((ratio - 1) * 100).toFixed(1)} %`;

/**
 * Formats how much more one side costs than the other: the median of the rounds, and the interquartile range. Each round
 * measures both sides.
 */
function dearer(side: readonly Cost[], other: readonly Cost[]): string {
  const ratios = side.map(({ cpu }, round) => cpu / (other[round]?.cpu ?? cpu));
  return `${percent(quantile(ratios, 0.5))} (half of the rounds between ${percent(quantile(ratios, 0.25))} and ${percent(quantile(ratios, 0.75))})`;
}

/** Latencies of an honest client with 300 requests per second, and the share of a core that the server uses. */
async function honest(side: Side, seconds: number): Promise<{ p50: number; p99: number; core: number }> {
  const before = await side.server.measure();
  const result = await autocannon({
    url: `${side.server.url}/graphql`,
    connections,
    overallRate: 300,
    duration: seconds,
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...side.headers },
  });
  check(result, side.name);
  const core = ((await side.server.measure()).cpu - before.cpu) / 1e6 / seconds;
  return { p50: result.latency.p50, p99: result.latency.p99, core };
}

/** Sends 1,000 distinct tokens per second that are well formed and name a real key, but have an invalid signature. */
function flood({ url }: Child, token: string, seconds: number): Promise<autocannon.Result> {
  const [header, payload = '', signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  let count = 0;
  const forged = (): string => {
    count += 1;
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: `root-${count}` })).toString('base64url');
    return `${header}.${changed}.${signature}`;
  };
  return autocannon({
    url: `${url}/graphql`,
    connections,
    overallRate: 1000,
    duration: seconds,
    requests: [
      {
        method: 'POST',
        body,
        setupRequest: (request) => ({
          ...request,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${forged()}` },
        }),
      },
    ],
  });
}

/** Measures and prints the cost of a cached token, and the effect of a flood of invalid tokens on an honest client. */
export async function auth(): Promise<void> {
  const devnet = await startChild('devnet', ['10']);
  const open = await startChild('stele', [devnet.url]);
  const other = await startChild('stele', [devnet.url]);
  const closed = await startChild('stele', [devnet.url, 'tokens']);
  const token = await tokenOf(closed);
  const sides: readonly Side[] = [
    { name: 'without tokens', server: open, headers: {} },
    // Receiving a header of 600 bytes has its own cost.
    { name: 'token not verified', server: other, headers: { authorization: `Bearer ${token}` } },
    { name: 'with a cached token', server: closed, headers: { authorization: `Bearer ${token}` } },
  ];
  const costs = new Map<Side, Cost[]>(sides.map((side) => [side, []]));
  for (const side of sides) await load(side, 40_000);
  const rounds = 31;
  for (let time = 0; time < rounds; time += 1) {
    // The sides alternate in order, because the second one runs on a warmer machine.
    for (const side of time % 2 === 0 ? sides : sides.toReversed()) costs.get(side)?.push(await load(side, 10_000));
  }
  console.log(
    `\n{ head { height } } from memory, ${cpus().length} cores, node ${process.version}, ${rounds} rounds of 10,000, medians`,
  );
  const [base = [], received = [], ours = []] = sides.map((side) => {
    const all = costs.get(side) ?? [];
    const middle = (key: keyof Cost): number =>
      quantile(
        all.map((cost) => cost[key]),
        0.5,
      );
    const [cpu, perSecond] = [middle('cpu').toFixed(1), middle('perSecond').toFixed(0)];
    console.log(`${side.name.padEnd(20)} ${cpu.padStart(6)} µs of CPU per request, ${perSecond.padStart(6)} per second`);
    return all;
  });
  console.log(`additional CPU for a cached token: ${dearer(ours, base)}`);
  console.log(`additional CPU compared to receiving it: ${dearer(ours, received)}`);

  const seconds = 10;
  const side = sides.at(-1);
  if (side === undefined) return;
  const before = await honest(side, seconds);
  const [under, refused] = await Promise.all([honest(side, seconds), flood(closed, token, seconds)]);
  console.log(
    `\n300 honest requests per second, beside ${(refused['4xx'] / seconds).toFixed(0)} distinct invalid tokens per second`,
  );
  for (const [name, { p50, p99, core }] of [
    ['alone', before],
    ['beside the flood', under],
  ] as const)
    console.log(`${name.padEnd(20)} p50 ${p50} ms, p99 ${p99} ms, ${(core * 100).toFixed(0)} % of a core`);
  for (const child of [open, other, closed, devnet]) await child.stop();
}
