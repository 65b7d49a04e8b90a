import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { startCollector } from '../support/collector.ts';
import { devnetToken, startProcess } from '../support/process.ts';

/** The time of a test, in ms: it starts several processes, which takes long on a busy machine. */
const longest = 300_000;

// Servers with several processes over one development chain, as an operator starts them.

/** A running server with its output. */
interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly adminUrl: string;
  readonly lines: string[];
  readonly token: string;
}

let chain: TestChain;
const running: ChildProcess[] = [];

beforeAll(async () => {
  chain = await startChain();
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});
afterAll(() => chain.devnet.close());

async function until<T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 120_000;
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`still not so after two minutes: ${find}`);
    await pause(20);
  }
}

/** The variables of the next servers. */
let variables: Readonly<Record<string, string>> = {};

async function start(workers: number, ...flags: string[]): Promise<Running> {
  const own = ['--workers', `${workers}`, '--port', '0', '--dev', '--node', chain.node.url];
  // The primary of a busy machine answers late.
  const child = await startProcess([...own, '--limit', 'shared.wait=1000', ...flags], { STELE_ARCHIVE: 'off', ...variables });
  running.push(child);
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
  const find = (pattern: RegExp): Promise<string> => until(() => pattern.exec(lines.join('\n'))?.[1]);
  const url = await find(/: (http:\S+)\/graphql/);
  const adminUrl = await find(/operators: (http:\S+)\/metrics/);
  return { child, url, adminUrl, lines, token: await devnetToken(url) };
}

/** Sends a request over a connection of its own, so that the workers get them in turn. */
function ask(
  { url, token }: Running,
  query: string,
  given: object = {},
  id = 'test',
): Promise<{ status: number; text: string }> {
  const agent = new Agent({ keepAlive: false });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-request-id': id };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/graphql`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ query, variables: given }));
  });
}

/** Opens a subscription over server-sent events. */
async function openStream({ url, token }: Running, query: string, given: object) {
  const leaving = new AbortController();
  const { body } = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables: given }),
    signal: leaving.signal,
  });
  const reader = body!.getReader();
  let events = '';
  return {
    /** Waits until the events contain this text. */
    async until(text: string): Promise<void> {
      while (!events.includes(text)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the stream ended without ${text}: ${events}`);
        events += Buffer.from(value).toString();
      }
    },
    close: () => leaving.abort(),
  };
}

/** A transfer that the chain accepts. */
function transfer(): string {
  const [from, to] = chain.accounts;
  const send = { fromAddress: from!.address, toAddress: to!.address, amount: [{ denom: 'nhash', amount: '1' }] };
  return Buffer.from(chain.sign(from!, [any(MsgSendSchema, send)])).toString('base64');
}

async function metricsOf({ adminUrl }: Running): Promise<string> {
  return (await fetch(`${adminUrl}/metrics`)).text();
}

async function metric(server: Running, name: string): Promise<number> {
  const text = await metricsOf(server);
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')
      .at(-1) ?? Number.NaN,
  );
}

test.runIf(runsAll)(
  'a limit of a caller holds over four workers within 10 %, and the admin port adds up their metrics',
  async () => {
    const server = await start(4, '--limit', 'rate.burst=120', '--limit', 'rate.points=60', '--limit', 'rate.computing=0');
    const began = performance.now();
    let [admitted, refused] = [0, 0];
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (refused < 40) {
          const { status } = await ask(server, '{ head { height } }');
          expect([200, 429]).toContain(status);
          if (status === 200) admitted += 1;
          else refused += 1;
        }
      }),
    );
    const allowed = 120 + (performance.now() - began) / 1_000;
    expect(admitted / allowed).toBeGreaterThan(0.9);
    expect(admitted / allowed).toBeLessThan(1.1);
    const counted = 'stele_requests_total{surface="graphql",code="OK"}';
    await until(async () => (await metric(server, counted)) === admitted || undefined);
    expect(await metric(server, 'stele_workers')).toBe(4);
    server.child.kill('SIGTERM');
    expect(await once(server.child, 'exit')).toEqual([0, null]);
  },
  longest,
);

test.runIf(runsAll)(
  'workers read, stream, send and are stopped through the primary; one that dies is started again',
  async () => {
    const collector = await startCollector();
    variables = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      // Nothing is sent before the end.
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    };
    const server = await start(2);
    variables = {};
    await until(async () => (await fetch(`${server.adminUrl}/readyz`)).ok || undefined);

    // Reads: the second worker finds what the first one has read, unless one of them has not learnt the roots of the block yet.
    const [account] = chain.accounts;
    const query = 'query ($address: String!) { account(address: $address) { balances { nodes { denom amount } } } }';
    let distinct = 0;
    const readBalances = async (): Promise<void> => {
      distinct += 1;
      const { text } = await ask(server, `${query} # ${distinct}`, { address: account!.address });
      expect(text).toContain('"denom":"nhash"');
    };
    const calls = (): number =>
      chain.node.counters.log.filter(
        ({ method, params }) => method === 'abci_query' && JSON.stringify(params).includes('Balances'),
      ).length;
    const found = async (): Promise<string[]> => (await metricsOf(server)).match(/^stele_shared_reads_total.*$/gm) ?? [];
    let height = 0n;
    await until(async () => {
      height = await chain.devnet.commit();
      await until(async () => (await ask(server, '{ head { height } }')).text.includes(`"${height}"`) || undefined);
      chain.node.counters.reset();
      for (let round = 0; round < 6; round += 1) await readBalances();
      return calls() === 1 || undefined;
    });

    // Both workers have the response in their memory after a few more: they execute without the primary and without a node.
    await until(async () => {
      const before = await found();
      expect(before.length).toBeGreaterThan(0);
      for (let round = 0; round < 10; round += 1) await readBalances();
      return (await found()).join() === before.join() || undefined;
    });
    expect(calls()).toBe(1);

    // Transactions: sent by the primary, whichever worker gets them.
    const { text: sent } = await ask(server, 'mutation ($tx: String!) { broadcastTxSync(tx: $tx) { status hash } }', {
      tx: transfer(),
    });
    expect(sent).toContain('"ACCEPTED"');

    const workers = (): number[] =>
      readFileSync(`/proc/${server.child.pid}/task/${server.child.pid}/children`, 'utf8').trim().split(' ').map(Number);
    const [killed] = workers();
    process.kill(killed!, 'SIGKILL');
    await until(() => server.lines.find((line) => line.includes('worker ended; it is started again')));
    await until(async () => (await metric(server, 'stele_worker_restarts_total')) === 1 || undefined);
    for (let round = 0; round < 4; round += 1) expect((await ask(server, '{ head { height } }')).status).toBe(200);

    // Streams: each worker follows the head of the primary, also the one that started later. None reads a block from a node.
    await until(async () => (await metric(server, 'stele_workers')) === 2 || undefined);
    chain.node.counters.reset();
    const follow = () => openStream(server, 'subscription { newBlock { height } }', {});
    const streams = await Promise.all(Array.from({ length: 4 }, follow));
    const next = await chain.devnet.commit();
    for (const stream of streams) await stream.until(`"height":"${next}"`);
    for (const stream of streams) stream.close();
    expect(chain.node.counters.log.map(({ method }) => method)).not.toContain('block');

    // Traces: each worker sends its own spans, once, the last ones when it is stopped.
    const pids = workers();
    expect(pids).not.toContain(killed);
    const ids = Array.from({ length: 12 }, (_, index) => `traced-${index}`);
    for (const id of ids) expect((await ask(server, '{ head { height } }', {}, id)).status).toBe(200);
    const [, , , one, two] = chain.accounts;
    const pair = `query Pair($one: String!, $two: String!) {
      one: account(address: $one) { balance(denom: "nhash") { amount } } two: account(address: $two) { balance(denom: "nhash") { amount } }
    }`;
    await ask(server, pair, { one: one!.address, two: two!.address }, 'pair');
    await ask(server, 'mutation Send($tx: String!) { broadcastTxSync(tx: $tx) { status } }', { tx: transfer() }, 'send');
    const following = await openStream(server, 'subscription Follow($tx: String!) { submitTx(tx: $tx) { stage } }', {
      tx: transfer(),
    });
    await following.until('"PENDING"');
    await chain.devnet.commit();
    await following.until('"INCLUDED"');
    server.child.kill('SIGTERM');
    expect(await once(server.child, 'exit')).toEqual([0, null]);
    const traced = collector.spans.filter(({ attributes }) => String(attributes['stele.request.id']).startsWith('traced-'));
    expect(traced.map(({ attributes }) => attributes['stele.request.id']).toSorted()).toEqual(ids.toSorted());
    const processes = new Map(traced.map(({ resource }) => [resource['process.pid'], resource['service.instance.id']]));
    expect([...processes.keys()].toSorted()).toEqual(pids.toSorted());
    expect(new Set(processes.values()).size).toBe(2);

    // Traces go on in the primary, which calls the nodes and sends the transactions.
    const names = new Map([[server.child.pid, 'primary'], ...pids.map((pid) => [pid, 'worker'] as const)]);
    const traceOf = (operation: string): string =>
      collector.treeOf(collector.spans.find(({ name }) => name === operation)!.traceId, names);
    // Reads that begin together are sent to the node together.
    expect(`\n${traceOf('query Pair')}`).toBe(`
POST graphql (worker)
  query Pair (worker)
    reads (worker)
      abci_query (primary)
        POST (primary)`);
    expect(`\n${traceOf('mutation Send')}`).toBe(`
POST graphql (worker)
  mutation Send (worker)
    transaction (primary)
      send (primary)
        broadcast_tx_sync (primary)
          POST (primary)`);
    // Lookups of the transaction follow.
    expect(`\n${traceOf('subscription Follow')}`).toContain(`
POST graphql (worker)
  subscription Follow (worker)
  transaction (primary)
    send (primary)
      broadcast_tx_sync (primary)
        POST (primary)`);
    await collector.close();
  },
  longest,
);

test.runIf(runsAll)(
  'a wrong file stops the start with one line',
  async () => {
    const wrong = await startProcess(
      ['--workers', '2', '--port', '0', '--dev', '--node', chain.node.url, '--trusted-documents', '/none'],
      {},
    );
    running.push(wrong);
    let errors = '';
    wrong.stderr!.on('data', (piece: Buffer) => {
      errors += piece.toString();
    });
    expect(await once(wrong, 'exit')).toEqual([1, null]);
    expect(errors).toMatch(/^stele: --trusted-documents [^\n]*\n$/);
  },
  longest,
);
