import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type RunningProxy, startCaddy, startNginx } from '../support/proxies.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { findForeignTool, findTool } from '../support/tools.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url], {
    server: { trustedProxies: ['127.0.0.1', '::1'], limits: { 'rate.public': 3 } },
  });
  await stack.client.head.ready();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address that the client sends from. */
  readonly from?: string;
}

/** Sends a request over TLS, and does not verify the certificate. */
async function open(url: string, { body, headers = {}, from }: Sent): Promise<IncomingMessage> {
  const sent = request(url, {
    method: body === undefined ? 'GET' : 'POST',
    rejectUnauthorized: false,
    // The proxies listen on the IPv4 address.
    host: '127.0.0.1',
    servername: 'localhost',
    agent: false,
    ...(from !== undefined && { localAddress: from }),
    headers: { host: new URL(url).host, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function send(url: string, sent: Sent = {}): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  const response = await open(url, sent);
  const body = Buffer.concat(await response.toArray());
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

const proxies = [
  { name: 'nginx', start: startNginx, program: findTool('nginx') },
  { name: 'caddy', start: startCaddy, program: findTool('caddy') },
];

describe.each(proxies)('$name with the file in deploy/$program.note', ({ name, start, program }) => {
  const has = program.isInstalled;
  let proxy: RunningProxy;
  beforeAll(async () => {
    if (has) proxy = await start(new URL(stack.server.url).host);
  });
  afterAll(async () => {
    if (has) await proxy.close();
  });

  it.skipIf(!has)('passes queries on, and their answers as Stele compressed them', async () => {
    const body = JSON.stringify({ query: '{ __schema { types { name description } } }' });
    const plain = await send(`${proxy.url}/graphql`, { body });
    expect(plain.status).toBe(200);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const zipped = await send(`${proxy.url}/graphql`, { body, headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
    expect(plain.headers['x-cosmos-block-height']).toBe(`${chain.devnet.height}`);
  });

  it.skipIf(!has)('passes each server-sent event on at once', async () => {
    const body = JSON.stringify({ query: 'subscription { newBlock { height } }' });
    const response = await open(`${proxy.url}/graphql`, { body, headers: { accept: 'text/event-stream' } });
    let text = '';
    response.on('data', (chunk) => {
      text += String(chunk);
    });
    await expect.poll(() => stack.server.subscriptions().subscribers).toBe(1);
    for (let count = 1; count <= 2; count += 1) {
      const height = await chain.devnet.commit();
      await expect.poll(() => text).toContain(`"height":"${height}"`);
    }
    response.destroy();
    // Stele notices that the client of the proxy has left.
    await expect.poll(() => stack.server.subscriptions().subscribers).toBe(0);
  });

  it.skipIf(!has)('passes WebSockets on', async () => {
    class Unverified extends WebSocket {
      constructor(address: string | URL, protocols?: string | string[]) {
        super(address, protocols, { rejectUnauthorized: false });
      }
    }
    const url = `${proxy.url.replace('https://localhost', 'wss://localhost')}/graphql`;
    const client = createClient({ url, webSocketImpl: Unverified, retryAttempts: 0 });
    const events = client.iterate({ query: 'subscription { newBlock { height } }' });
    const first = events.next();
    await expect.poll(() => stack.server.subscriptions().subscribers).toBe(1);
    const height = await chain.devnet.commit();
    expect(await first).toEqual({
      done: false,
      value: { data: { newBlock: { height: `${height}` } }, extensions: expect.anything() },
    });
    await client.dispose();
  });

  it.skipIf(!has)(
    'names the client, whose requests are limited apart from those of others, and cannot be told another',
    async () => {
      const from = (address: string, forged: string) =>
        send(`${proxy.url}/openapi/node.json`, {
          from: address,
          headers: {
            'x-forwarded-for': forged,
            forwarded: `for=${forged};host=evil.example`,
            'x-forwarded-host': 'evil.example',
          },
        });
      const last = name === 'nginx' ? 2 : 4;
      const statuses: number[] = [];
      for (let count = 0; count < 4; count += 1) statuses.push((await from(`127.0.0.${last}`, `192.0.2.${count}`)).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
      expect((await from(`127.0.0.${last + 1}`, '192.0.2.9')).status).toBe(200);
    },
  );

  it.skipIf(!has)('names the public URL, which is in the links of answers', async () => {
    const from = name === 'nginx' ? '127.0.0.8' : '127.0.0.9';
    const { body } = await send(`${proxy.url}/collection.json`, { from, headers: { 'x-forwarded-proto': 'http' } });
    expect(body.toString()).toContain(`"${proxy.url}"`);
  });

  it.skipIf(!has || !runsAll)('answers 503 or 502 while Stele is not there, and again when it is', async () => {
    const other = await startStack([chain.node.url]);
    const port = Number(new URL(other.server.url).port);
    const own = await start(new URL(other.server.url).host);
    await other.close();
    const { status } = await send(`${own.url}/livez`);
    expect([502, 503]).toContain(status);
    const again = await startStack([chain.node.url], { server: { port } });
    await expect.poll(async () => (await send(`${own.url}/livez`)).status, { interval: 50 }).toBe(200);
    await again.close();
    await own.close();
  });
});

const envoy = findForeignTool('envoy');

it.skipIf(!envoy.isInstalled)(`the example for Envoy is accepted by it${envoy.note}`, () => {
  expect(spawnSync('envoy', ['--mode', 'validate', '-c', 'deploy/envoy/envoy.yaml']).status).toBe(0);
});

it('the example for Envoy, which no test runs, routes WebSockets and everything else to a cluster with health checks', () => {
  const { static_resources: resources } = parse(readFileSync('deploy/envoy/envoy.yaml', 'utf8'));
  const [{ typed_config: manager }] = resources.listeners[0].filter_chains[0].filters;
  expect(manager).toMatchObject({ use_remote_address: true, upgrade_configs: [{ upgrade_type: 'websocket' }] });
  const [{ match, route }] = manager.route_config.virtual_hosts[0].routes;
  expect({ match, route }).toMatchObject({
    match: { prefix: '/' },
    route: { cluster: resources.clusters[0].name, timeout: '0s' },
  });
  expect(resources.clusters[0].health_checks[0].http_health_check).toEqual({ path: '/readyz' });
});
