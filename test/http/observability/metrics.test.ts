import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  addMetrics,
  addPrimaryMetrics,
  type MetricSources,
  type PrimarySources,
} from '../../../src/surfaces/metrics/metrics.ts';
import { converse } from '../../devnet/node/conversation.ts';
import { rootsKnown } from '../../roots/heights.ts';
import { runsAll } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { overWebSocket } from '../../support/listeners.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';

const running: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

async function over(chain: TestChain, options: StackOptions = {}): Promise<Stack> {
  running.push(() => chain.devnet.close());
  const nodes = chain.devnet.nodes.map(({ url }) => url);
  const stack = await startStack(nodes, { server: { admin: { host: '127.0.0.1', port: 0 } } }, options);
  running.push(() => stack.close());
  await stack.client.head.ready();
  return stack;
}

/** A sample of the text format. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the text format of Prometheus strictly. An invalid line fails. */
async function scrape({ server }: Stack): Promise<readonly Sample[]> {
  const response = await fetch(`${server.adminUrl}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const match = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    expect(match, line).not.toBeNull();
    const labels = [...(match![2] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value] as const);
    return { name: match![1]!, labels: Object.fromEntries(labels), value: Number(match![3]) };
  });
}

/** Returns the value of the sample that has these labels, among others. */
async function metric(stack: Stack, name: string, labels: Sample['labels'] = {}): Promise<number | undefined> {
  const samples = await scrape(stack);
  const fits = (sample: Sample): boolean => Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  return samples.find((sample) => sample.name === name && fits(sample))?.value;
}

it('counts requests by surface and by the code of the first error, and measures their time', async () => {
  const stack = await over(await startChain({ bare: true }));
  await stack.ask('{ head { height } }');
  await stack.ask('{ head { height } }');
  await stack.ask('{ nope }');
  await stack.ask('{ block(height: 99) { height } }');
  await fetch(`${stack.server.url}/nothing`);
  await fetch(`${stack.server.url}/livez`);
  const requests = (await scrape(stack)).filter(({ name }) => name === 'stele_requests_total');
  expect(requests.map(({ labels, value }) => [labels.surface, labels.code, value])).toEqual([
    ['graphql', 'OK', 2],
    ['graphql', 'GRAPHQL_VALIDATION_FAILED', 1],
    ['graphql', 'HEIGHT_NOT_YET_AVAILABLE', 1],
    ['none', 'BAD_USER_INPUT', 1],
  ]);
  expect(await metric(stack, 'stele_request_cost_total', { surface: 'graphql' })).toBeGreaterThan(0);
  const buckets = (await scrape(stack)).filter(
    ({ name, labels }) => name === 'stele_request_seconds_bucket' && labels.surface === 'graphql',
  );
  expect(buckets.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: 4 });
  expect(buckets.map(({ value }) => value)).toEqual(buckets.map(({ value }) => value).toSorted((a, b) => a - b));
  expect(await metric(stack, 'stele_request_seconds_count', { surface: 'graphql' })).toBe(4);
  expect(await metric(stack, 'stele_request_seconds_sum', { surface: 'graphql' })).toBeGreaterThan(0);
});

it('counts the calls to each node like the nodes themselves, and their outcomes', async () => {
  const chain = await startChain({ bare: true, nodes: 2 });
  const stack = await over(chain);
  chain.devnet.nodes[0]!.faults.call = ({ method }) =>
    method === 'net_info' ? { rpc: { code: -32603, message: 'Internal error', data: 'busy' } } : undefined;
  await stack.ask('{ numUnconfirmedTransactions { total } netInfo { nPeers } nodes { netInfo { nPeers } } }');
  const samples = (await scrape(stack)).filter(({ name }) => name === 'stele_upstream_call_seconds_count');
  const counts = (node: string, method: string): unknown =>
    Object.fromEntries(
      samples
        .filter(({ labels }) => labels.node === node && labels.method === method)
        .map(({ labels, value }) => [labels.outcome!, value]),
    );
  expect(counts('node-1', 'net_info')).toEqual({ RPC_ERROR: 2 });
  expect(counts('node-2', 'net_info')).toEqual({ OK: 1 });
  for (const [index, { counters }] of chain.devnet.nodes.entries()) {
    for (const method of ['net_info', 'num_unconfirmed_txs', 'status']) {
      const own = samples.filter(({ labels }) => labels.node === `node-${index + 1}` && labels.method === method);
      expect(own.reduce((sum, { value }) => sum + value, 0)).toBe(counters.byMethod[method] ?? 0);
    }
  }
});

it('reports the state of the nodes', async () => {
  const chain = await startChain({ bare: true, nodes: 2 });
  const stack = await over(chain, { upstream: { probeInterval: 20 } });
  chain.devnet.nodes[1]!.freeze();
  for (let block = 0; block < 4; block++) await chain.devnet.commit();
  await expect.poll(() => metric(stack, 'stele_node_lag_blocks', { node: 'node-2' })).toBe(4);
  expect(await metric(stack, 'stele_node_height', { node: 'node-1' })).toBe(5);
  expect(await metric(stack, 'stele_node_health', { node: 'node-2', health: 'LAGGING' })).toBe(1);
  expect(await metric(stack, 'stele_node_health', { node: 'node-2', health: 'HEALTHY' })).toBe(0);
  chain.devnet.nodes[1]!.faults.chainId = 'theirs';
  await expect.poll(() => metric(stack, 'stele_node_health', { node: 'node-2', health: 'WRONG_CHAIN' })).toBe(1);
});

it.runIf(runsAll)('counts the blocks that no subscription delivered, and those delivered twice', async () => {
  const chain = await startChain({ bare: true });
  const stack = await over(chain);
  const listener = await overWebSocket(stack.server.url, 'subscription { newBlock(after: 0) { height } }');
  await listener.count(1);
  chain.node.faults.silentSockets = true;
  for (let block = 0; block < 3; block++) await chain.devnet.commit();
  chain.node.faults.silentSockets = false;
  const filled = (await metric(stack, 'stele_gap_fills_total'))!;
  await chain.devnet.commit();
  await listener.count(5);
  expect(await metric(stack, 'stele_skipped_heights_total')).toBe(3);
  expect((await metric(stack, 'stele_gap_fills_total'))! - filled).toBe(3);
  expect(await metric(stack, 'stele_head_height')).toBe(5);
  expect(await metric(stack, 'stele_block_age_seconds')).toBeLessThan(10);
  expect(await metric(stack, 'stele_subscribers')).toBe(1);
  expect(await metric(stack, 'stele_websockets')).toBe(1);
  expect(await metric(stack, 'stele_head_subscriptions_total')).toBe(1);
  chain.node.closeSockets();
  await expect.poll(() => metric(stack, 'stele_head_subscriptions_total')).toBe(2);
  await listener.leave();
  await expect.poll(() => metric(stack, 'stele_subscribers')).toBe(0);
  await expect.poll(() => metric(stack, 'stele_requests_total', { surface: 'graphql-ws', code: 'OK' })).toBe(1);
});

it.runIf(runsAll)('counts the subscriptions on sockets of the node RPC', async () => {
  const chain = await startChain({ bare: true });
  const stack = await over(chain);
  const conversation = await converse(`${stack.server.url}/comet`);
  for (const [id, kind] of ['NewBlock', 'Tx', 'Vote'].entries()) {
    conversation.send({ id, method: 'subscribe', params: { query: `tm.event='${kind}'` } });
  }
  await conversation.received(3);
  const values = () =>
    Promise.all(['subscribers', 'queries', 'slow_consumers_total'].map((name) => metric(stack, `stele_rpc_${name}`)));
  expect(await values()).toEqual([3, 3, 0]);
  await expect.poll(() => metric(stack, 'stele_live_subscriptions')).toBe(1);
  await expect.poll(() => stack.client.head.stats().isSubscribed).toBe(true);
  await chain.devnet.commit();
  // An empty block has no event of the other kinds.
  await expect.poll(() => metric(stack, 'stele_rpc_evaluations_total')).toBe(1);
  conversation.socket.close();
  await expect.poll(values).toEqual([0, 0, 0]);
});

it.runIf(runsAll)('counts live queries, their clients and executions, and the blocks that changed nothing', async () => {
  const chain = await startChain({ bare: true });
  const stack = await over(chain);
  const values = async () =>
    Promise.all(
      ['queries', 'query_listeners', 'query_executions_total', 'query_unchanged_total'].map((name) =>
        metric(stack, `stele_live_${name}`),
      ),
    );
  expect(await values()).toEqual([0, 0, 0, 0]);
  const query = 'query @live { groups { nodes { id } } }';
  const listeners = [await overWebSocket(stack.server.url, query), await overWebSocket(stack.server.url, query)];
  await Promise.all(listeners.map((listener) => listener.count(1)));
  await expect.poll(values).toEqual([1, 2, 1, 0]);
  // The roots of its stores are known from the first block after its first execution on.
  await chain.devnet.commit();
  await expect.poll(async () => (await values())[2]).toBe(2);
  await rootsKnown(stack, chain.devnet.height);
  await chain.devnet.commit();
  await expect.poll(values).toEqual([1, 2, 2, 1]);
  await Promise.all(listeners.map((listener) => listener.leave()));
  await expect.poll(values).toEqual([0, 0, 2, 1]);
});

it.runIf(runsAll)('counts subscribers that were too slow, and the events queued for slow ones', async () => {
  const chain = await startChain({ bare: true });
  const stack = await over(chain, {
    server: {
      limits: { 'subscription.events': 8, 'socket.message': 1_000_000, 'graphql.bytes': 1_000_000, 'graphql.aliases': 100 },
    },
  });
  // Events of 300 kB: an unread socket is full after a few, whatever the kernel buffers.
  const names = Array.from({ length: 60 }, (_, index) => `${'x'.repeat(5_000)}${index}: height`).join(' ');
  const listener = await overWebSocket(stack.server.url, `subscription { newBlock { ${names} } }`);
  await expect.poll(() => metric(stack, 'stele_subscribers')).toBe(1);
  listener.pause();
  let [queued, most] = [0, 0];
  for (;;) {
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    queued = Math.max(queued, (await metric(stack, 'stele_queue_events'))!);
    most = Math.max(most, (await metric(stack, 'stele_queue_events_max'))!);
    if ((await metric(stack, 'stele_slow_consumers_total')) === 1) break;
  }
  expect(queued).toBeGreaterThan(0);
  expect(most).toBe(queued);
  expect(await metric(stack, 'stele_queue_events')).toBe(0);
  listener.resume();
  await listener.ended;
  await expect.poll(() => metric(stack, 'stele_requests_total', { surface: 'graphql-ws', code: 'SLOW_CONSUMER' })).toBe(1);
});

it.runIf(runsAll)('counts the reasons for sending a transaction again', async () => {
  const chain = await startChain({ nodes: 2 });
  const stack = await over(chain);
  const [first, second] = chain.devnet.nodes;
  // Both nodes accept the transaction and drop it.
  first!.faults.dropTransactions = true;
  const [from, to] = chain.accounts;
  const coins = [{ denom: 'nhash', amount: '1' }];
  const send = any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: coins });
  const tx = Buffer.from(chain.sign(from!, [send])).toString('base64');
  const listener = await overWebSocket(stack.server.url, 'subscription($tx: String!) { submitTx(tx: $tx) { stage } }', { tx });
  const stage = (wanted: string): Promise<void> => listener.until(({ data }) => data?.submitTx?.stage === wanted);
  const counts = async (): Promise<unknown> =>
    Promise.all(
      ['resent', 'moved', 'failover', 'next_block'].map((reason) => metric(stack, 'stele_rebroadcast_total', { reason })),
    );
  await stage('PENDING');
  expect(await counts()).toEqual([0, 0, 0, 0]);
  const blocks = async (): Promise<void> => {
    for (let block = 0; block < 2; block++) {
      await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    }
  };
  await blocks();
  await stage('RESENT');
  expect(await counts()).toEqual([1, 0, 0, 0]);
  await blocks();
  await stage('MOVED');
  expect(await counts()).toEqual([1, 1, 0, 0]);
  expect(second!.counters.byMethod.broadcast_tx_sync).toBe(1);
  await chain.devnet.commit();
  await stage('INCLUDED');
});

it.runIf(runsAll)('has few values of each label, whatever callers send', async () => {
  const stack = await over(await startChain({ bare: true }));
  const ask = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index++) {
      const secret = `secret${index}`;
      const headers = { authorization: `Bearer ${secret}`, 'x-request-id': secret, 'x-forwarded-for': secret };
      await stack.ask(
        `query ${secret}($v: String!) { account(address: $v) { address } ${index % 2 ? `${secret}: __typename` : ''} }`,
        { v: secret },
        headers,
      );
      await stack.ask(`{ ${secret} }`, {}, headers);
      await fetch(`${stack.server.url}/${secret}?${secret}`, { method: index % 3 ? 'GET' : 'PUT', headers });
      await fetch(`${stack.server.url}/graphql?query={${secret}}`, { headers });
    }
  };
  const series = async (): Promise<readonly string[]> =>
    (await scrape(stack))
      .filter(({ name }) => name.startsWith('stele_'))
      .map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);
  await ask(0, 6);
  const some = await series();
  await ask(6, 30);
  expect(await series()).toEqual(some);
  expect(some.join('\n')).not.toMatch(/secret|127\.0\.0\.1|localhost|:\d{4,5}/);
  for (const { labels } of await scrape(stack))
    for (const value of Object.values(labels)) expect(value).toMatch(/^[\w.+-]{1,40}$/);
});

it('reports the version and the state of the process', async () => {
  const stack = await over(await startChain({ bare: true }));
  const samples = await scrape(stack);
  const build = samples.find(({ name }) => name === 'stele_build_info');
  expect(build).toMatchObject({ value: 1, labels: { version: expect.stringMatching(/^\d+\.\d+\.\d+/) } });
  expect(build?.labels.schema).toMatch(/^[0-9a-f]{16}$/);
  const names = samples.map(({ name }) => name);
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes', 'nodejs_heap_size_used_bytes'])
    expect(names).toContain(name);
});

it('counts the CPU time of the process from its start', async () => {
  const stack = await over(await startChain({ bare: true }));
  const before = process.cpuUsage();
  const seconds = async (kind: string): Promise<number> => (await metric(stack, `process_cpu_${kind}seconds_total`))!;
  expect(await seconds('user_')).toBeGreaterThanOrEqual(before.user / 1e6);
  expect(await seconds('system_')).toBeGreaterThanOrEqual(before.system / 1e6);
  const total = await seconds('');
  expect(total).toBeGreaterThanOrEqual((before.user + before.system) / 1e6);
  const after = process.cpuUsage();
  expect(total).toBeLessThanOrEqual((after.user + after.system) / 1e6);
});

it('can be read repeatedly and concurrently', async () => {
  const stack = await over(await startChain({ bare: true }));
  await scrape(stack);
  const own = async (): Promise<string[]> =>
    (await scrape(stack))
      .map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)
      .filter((name) => name.startsWith('stele_'));
  const [first, ...others] = await Promise.all(Array.from({ length: 5 }, own));
  expect(new Set(first).size).toBe(first!.length);
  for (const other of others) expect(other).toEqual(first);
});

it.runIf(runsAll)('reports the memory, hits and misses of each cache, and the shared budget', async () => {
  const chain = await startChain({ bare: true });
  const budget = 100_000_000;
  const stack = await over(chain, { server: { limits: { 'cache.bytes': budget } } });
  const ask = () => stack.ask('{ groups { nodes { id } } }', {}, { 'x-cosmos-block-height': '1' });
  await ask();
  const values = (name: string, cache: string) => metric(stack, `stele_cache_${name}`, { cache });
  expect(await values('misses_total', 'graphql')).toBe(1);
  expect(await values('hits_total', 'graphql')).toBe(0);
  await ask();
  expect(await values('misses_total', 'graphql')).toBe(1);
  expect(await values('hits_total', 'graphql')).toBe(1);
  expect(await values('entries', 'graphql')).toBe(1);
  expect(await values('bytes', 'graphql')).toBeGreaterThan(500);
  expect(await values('bytes', 'state')).toBeGreaterThan(100);
  expect(await values('evictions_total', 'graphql')).toBe(0);

  const samples = await scrape(stack);
  const shares = samples.filter(({ name }) => name === 'stele_cache_share_bytes');
  const named = shares.map(({ labels }) => labels.share);
  expect(named).toEqual(['state', 'answers', 'documents', 'newestBlocks', 'blocks', 'callers', 'descriptors']);
  expect(shares.reduce((sum, { value }) => sum + value, 0)).toBeLessThanOrEqual(budget);
  expect(await metric(stack, 'stele_cache_budget_bytes')).toBe(budget);
  const limits = (await stack.ask('{ limits { name value } }')).body.data as {
    limits: readonly { name: string; value: string }[];
  };
  expect(limits.limits.find(({ name }) => name === 'cache.bytes')?.value).toBe(String(budget));
});

it.runIf(runsAll)('counts answers by source, the reads that they saved, and the roots of the stores', async () => {
  const chain = await startChain();
  const stack = await over(chain);
  const { head, roots } = stack.client;
  await expect.poll(() => head.stats().isSubscribed).toBe(true);
  const nextBlock = async (): Promise<void> => {
    const { learnt } = roots.stats();
    await chain.devnet.commit();
    await expect.poll(() => roots.stats().learnt).toBe(learnt + 1);
  };
  const groups = '{ groups { nodes { id metadata } } }';
  // The stores of an operation are learnt from its first execution on.
  await stack.ask(groups);
  for (let block = 0; block < 2; block++) {
    await nextBlock();
    for (const query of [groups, groups, '{ status { lastBlockAge } }']) await stack.ask(query);
  }
  const values = async (name: string, label: string): Promise<unknown> =>
    Object.fromEntries(
      (await scrape(stack))
        .filter(({ name: own, labels }) => own === name && (labels.surface ?? 'graphql') === 'graphql')
        .map(({ labels, value }) => [labels[label], value]),
    );
  expect(await values('stele_answers_total', 'source')).toEqual({ carried: 1, kept: 2, executed: 2, uncacheable: 2 });
  // The execution read the list of groups.
  expect(await metric(stack, 'stele_reads_saved_total', { surface: 'graphql' })).toBe(1);
  const proofs = chain.node.counters.log.filter(
    ({ method, params }) => method === 'abci_query' && Object(params).prove === true,
  );
  expect(await metric(stack, 'stele_root_proofs_total')).toBe(proofs.length);
  expect(await values('stele_root_heights_total', 'result')).toEqual({ learnt: 2, failed: 0, refuted: 0 });
  const [first, second] = chain.accounts;
  await chain.submit(
    first!,
    any(MsgSendSchema, { fromAddress: first!.address, toAddress: second!.address, amount: [{ denom: 'nhash', amount: '1' }] }),
  );
  await nextBlock();
  expect(await metric(stack, 'stele_root_changes_total', { store: 'acc' })).toBe(1);
  // The list of groups has no plan of proofs.
  expect(await metric(stack, 'stele_followed_reads')).toBe(0);
  expect(await metric(stack, 'stele_range_walks_total')).toBe(roots.keptReads()?.walks);
  expect(await metric(stack, 'stele_range_proofs_total')).toBe(roots.keptReads()?.proofs);
  expect(await values('stele_ranges_total', 'result')).toEqual({ unchanged: 0, changed: 0 });
  expect(await metric(stack, 'stele_root_changes_total', { store: 'group' })).toBeUndefined();

  // A node that returns no proofs.
  chain.node.faults.call = ({ method, params }) =>
    method === 'abci_query' && Object(params).prove === true ? { abci: { code: 1, codespace: 'sdk', log: 'no' } } : undefined;
  await chain.devnet.commit();
  await expect.poll(() => metric(stack, 'stele_root_heights_total', { result: 'failed' })).toBe(1);
});

it('docs/operating.md lists each metric of Stele, and no other', () => {
  const names: string[] = [];
  // A metric is added with the names of its labels: `name{label}`.
  const add = (series: string): void => void names.push(series.replace(/\{.*/, ''));
  // The sources are read only when the metrics are.
  const sources = {
    client: {},
    auth: () => undefined,
    archive: {},
    shared: {},
    spans: () => undefined,
    webhooks: () => undefined,
  } as unknown as MetricSources & PrimarySources;
  addMetrics({ counter: add, gauge: add, histogram: add }, sources);
  addPrimaryMetrics({ counter: add, gauge: add, histogram: add }, sources);
  const page = readFileSync('docs/operating.md', 'utf8');
  const listed = [...page.matchAll(/^\| (`stele_.*?) \|/gm)].flatMap(([, cell]) => cell!.match(/stele_\w+/g)!);
  expect(names.length).toBeGreaterThan(40);
  expect(listed.toSorted()).toEqual([...new Set(names)].toSorted());
});
