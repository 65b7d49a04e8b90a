import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { createClient as createSocketClient } from 'graphql-ws';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { createLog } from '../../../src/server/observability/log.ts';
import { createTracing } from '../../../src/start/starting.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { type Collector, startCollector } from '../../support/collector.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const closing: (() => Promise<void> | void)[] = [];
let chain: TestChain;
let stack: Stack;
let collector: Collector;
let lines: Record<string, unknown>[];
let flush: () => Promise<void>;

/** Starts a server whose spans go to a collector. `flush` ends the tracer, so that all spans are there. */
async function start(variables: Record<string, string> = {}, options: Parameters<typeof startChain>[0] = {}): Promise<void> {
  collector = await startCollector();
  const given: Record<string, string> = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ...variables,
  };
  // The libraries read them from the environment.
  Object.assign(process.env, given);
  const failures: unknown[] = [];
  const tracer = await createTracing(process.env, (error) => failures.push(error));
  lines = [];
  const out = new Writable({ write: (chunk, _, done) => done(void lines.push(JSON.parse(String(chunk)) as never)) });
  chain = await startChain({ bare: true, ...options });
  const log = createLog({ level: 'info', out });
  stack = await startStack(
    chain.devnet.nodes.map(({ url }) => url.replace('//', '//someone:hidden@')),
    { server: { tracer, log, report: log.error }, client: { learnsRoots: false } },
  );
  await stack.client.head.ready();
  flush = () => tracer.close(5_000);
  closing.push(
    () => collector.close(),
    () => chain.devnet.close(),
    () => stack.close(),
    () => tracer.close(5_000),
    () => {
      for (const name of Object.keys(given)) delete process.env[name];
      expect(failures).toEqual([]);
    },
  );
}

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const facts = ['stele.calls', 'stele.node', 'http.response.status_code', 'stele.tx.reason', 'stele.tx.outcome', 'error.type'];

/** Waits until each request that was sent has its log line, so that its span has ended. */
const logged = (count: number) => expect.poll(() => lines.filter(({ msg }) => msg === 'request').length).toBe(count);

/** Commits a block with a transfer. */
async function send(): Promise<void> {
  const [sender, recipient] = [chain.accounts[0]!, chain.accounts[9]!];
  const amount = [{ denom: 'nhash', amount: '1' }];
  await chain.run(sender, any(MsgSendSchema, { fromAddress: sender.address, toAddress: recipient.address, amount }));
}

function transfer(): string {
  const [sender, recipient] = [chain.accounts[0]!, chain.accounts[9]!];
  const amount = [{ denom: 'nhash', amount: '1' }];
  const message = any(MsgSendSchema, { fromAddress: sender.address, toAddress: recipient.address, amount });
  return Buffer.from(chain.sign(sender, [message])).toString('base64');
}

describe('the trace of a query', () => {
  const query = `query Balances($address: String!) {
    account(address: $address) { balance(denom: "nhash") { amount } }
    head { height }
  }`;

  it('has the operation, each wave of reads, each batch and each request to a node, also one that fails', async () => {
    await start({}, { nodes: 2 });
    chain.devnet.nodes[0]!.faults.answer = (calls) =>
      calls.some(({ method }) => method === 'abci_query') ? 'badGateway' : undefined;
    const { body } = await stack.ask(query, { address: chain.accounts[3]!.address });
    expect(body.errors).toBeUndefined();
    await logged(1);
    await flush();
    expect(`\n${collector.tree(...facts)}`).toBe(`
POST graphql status_code=200
  query Balances
    reads calls=2
      batch
        POST node=node-1 status_code=502 type=NODE_INVALID_RESPONSE ERROR
      batch
        POST node=node-2 status_code=200`);
    expect(collector.spans.find(({ name }) => name === 'reads')?.attributes).toMatchObject({
      'stele.reads': ['/cosmos.bank.v1beta1.Query/Balance', 'block'],
      'stele.height': 1,
    });
    const counted = (await stack.server.metrics()).find((metric) => 'name' in metric && metric.name === 'stele_spans_total');
    expect(counted).toMatchObject({
      values: [
        { labels: { outcome: 'sent' }, value: collector.spans.length },
        { labels: { outcome: 'failed' }, value: 0 },
        { labels: { outcome: 'dropped' }, value: 0 },
      ],
    });
  });

  it('continues the trace of the caller, whose id is the id of the request and is in the log', async () => {
    await start();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { 'content-type': 'application/json', traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const options = { method: 'POST', headers, body: JSON.stringify({ query: '{ head { height } }' }) };
    const first = await fetch(`${stack.server.url}/graphql`, options);
    expect(first.headers.get('x-request-id')).toBe(traceId);
    await fetch(`${stack.server.url}/graphql`, { ...options, headers: { ...headers, 'x-request-id': 'mine' } });
    await logged(2);
    expect(lines.map(({ requestId, traceId: logged }) => [requestId, logged])).toEqual([
      [traceId, traceId],
      ['mine', traceId],
    ]);
    await flush();
    expect(collector.spans.find(({ name }) => name === 'POST graphql')).toMatchObject({
      traceId,
      parentSpanId: 'b7ad6b7169203331',
    });
  });

  it('has the id that a masked failure shows', async () => {
    await start();
    const broken = (): never => {
      throw new Error('a bug');
    };
    stack.client.at = (height) => ({ height, query: broken, read: broken, store: broken });
    const { body } = await stack.ask(query, { address: chain.accounts[3]!.address });
    const [error] = body.errors ?? [];
    await logged(1);
    await flush();
    const operation = collector.spans.find(({ name }) => name === 'query Balances')!;
    expect(operation).toMatchObject({ status: 2, attributes: { 'error.type': error!.extensions.code } });
    expect(error!.extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', requestId: operation.traceId });
  });

  it('contains no token, no variable, no document and no credentials of a node', async () => {
    await start();
    const { address } = chain.accounts[3]!;
    await stack.ask(query, { address }, { authorization: 'Bearer a.secret.token' });
    await logged(1);
    await flush();
    const all = collector.received.join('\n');
    expect(all).toContain('Balances');
    for (const hidden of [address, 'secret', 'hidden', 'someone', 'denom', chain.node.url.slice(7)])
      expect(all).not.toContain(hidden);
  });
});

describe('the traces of a subscription', () => {
  it('are one of the request, and one of each block with the reads of its events, which links to the request', async () => {
    await start();
    const client = createSocketClient({ url: `${stack.server.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
    const query = 'subscription Sends { transactions { height signers { balance(denom: "nhash") { amount } } } }';
    const events = client.iterate({ query });
    const first = events.next();
    await expect.poll(() => stack.server.subscriptions().subscribers).toBe(1);
    // The first of these blocks has no event, so nothing of it is recorded.
    await chain.devnet.commit();
    await send();
    expect((await first).value.errors).toBeUndefined();
    await send();
    await events.next();
    await client.dispose();
    await logged(1);
    await flush();
    const block = `
block of Sends
  reads calls=1
    abci_query
      POST node=node-1 status_code=200`;
    expect(`\n${collector.tree(...facts)}`).toBe(`
graphql-ws
  subscription Sends${block}${block}`);
    const opened = collector.spans.find(({ name }) => name === 'graphql-ws')!;
    const blocks = collector.spans.filter(({ name }) => name === 'block of Sends');
    expect(blocks.map(({ links }) => links)).toEqual([[opened.traceId], [opened.traceId]]);
    expect(blocks.map(({ attributes }) => attributes['stele.events'])).toEqual([1, 1]);
  });
});

describe('the trace of a transaction', () => {
  it('has each time that it is sent and why, and its stages up to its block', async () => {
    await start({}, { nodes: 2 });
    const [first] = chain.devnet.nodes;
    first!.faults.dropTransactions = true;
    const client = createSocketClient({ url: `${stack.server.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
    const stages: string[] = [];
    const query = 'subscription Send($tx: String!) { submitTx(tx: $tx) { stage } }';
    for await (const { data } of client.iterate<{ submitTx: { stage: string } }>({ query, variables: { tx: transfer() } })) {
      const { stage } = data!.submitTx;
      stages.push(stage);
      if (stage === 'PENDING' || stage === 'RESENT') for (let block = 0; block < 2; block += 1) await chain.devnet.commit();
      if (stage === 'MOVED') await chain.devnet.commit();
    }
    await client.dispose();
    expect(stages).toEqual(['CHECKED', 'PENDING', 'RESENT', 'MOVED', 'INCLUDED']);
    await logged(1);
    await flush();
    expect(`\n${collector.tree(...facts)}`).toBe(`
graphql-ws
  subscription Send
  transaction [CHECKED, PENDING, RESENT, MOVED, INCLUDED]
    send node=node-1 outcome=ACCEPTED
      broadcast_tx_sync
        POST node=node-1 status_code=200
    send again node=node-1 reason=resent outcome=DUPLICATE
      broadcast_tx_sync
        POST node=node-1 status_code=200
    reads calls=2 type=RPC_ERROR ERROR
      tx
        POST node=node-1 status_code=200
      tx
        POST node=node-2 status_code=200
    send again node=node-2 reason=moved outcome=ACCEPTED
      broadcast_tx_sync
        POST node=node-2 status_code=200
    reads calls=2
      block
        POST node=node-1 status_code=200
      block
        POST node=node-2 status_code=200`);
  });
});

describe('the settings of traces', () => {
  it('are off without the variables of OpenTelemetry, and when these turn them off', async () => {
    const failed = (): void => undefined;
    for (const variables of [
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' },
    ])
      expect((await createTracing(variables, failed)).isOn).toBe(false);
  });

  it('stop the start if they are wrong, with one line for each', async () => {
    const wrong = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'traceidratio',
    };
    await expect(createTracing(wrong, () => undefined)).rejects.toMatchObject({
      errors: [
        'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json',
        'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL',
        'OTEL_TRACES_SAMPLER_ARG must be a share from 0 to 1',
      ],
    });
  });

  it('send protobuf by default, with the headers and the compression of the variables', async () => {
    await start({
      OTEL_EXPORTER_OTLP_PROTOCOL: '',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of%20the%20collector',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    await stack.ask('{ head { height } }');
    await logged(1);
    await flush();
    expect(collector.headers[0]).toMatchObject({ 'content-type': 'application/x-protobuf', 'api-key': 'of the collector' });
    expect(gunzipSync(Buffer.from(collector.received[0]!, 'latin1')).toString()).toContain('POST graphql');
  });

  it('record the share of requests that the sampler chooses, and log the ids of the others', async () => {
    await start({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    await stack.ask('{ head { height } }');
    await logged(1);
    await flush();
    expect(collector.received).toEqual([]);
    expect(lines[0]).toMatchObject({ requestId: expect.stringMatching(/^[0-9a-f]{32}$/), traceId: lines[0]!.requestId });
  });
});
