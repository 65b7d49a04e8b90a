import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuth } from '../../../src/start/authSetup.ts';
import { builtDashboard } from '../../support/builds.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type SentHeaders, send, type WireAnswer } from '../../support/wire.ts';

let chain: TestChain;
let stack: Stack;
let token: string;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 } as const;
  const { auth, issuer, devnetToken } = await createAuth(config, {
    address: () => 'http://localhost:4000',
    report: (error) => expect.fail(String(error)),
  });
  stack = await startStack([chain.node.url], {
    server: { auth, issuer, playgroundToken: devnetToken, dashboard: await builtDashboard() },
  });
  token = (await devnetToken?.()) ?? '';
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const local = ['localhost:4000', '127.0.0.1', '[::1]:4000', 'stele.localhost'];
/** Names that resolve to this machine by DNS rebinding, a name that resembles a loopback name, and invalid names. */
const others = ['rebound.example:4000', 'localhost.example', '127.0.0.1.example', '%'];

/** Headers that proxies add to a request. */
const proxied: readonly [name: string, value: string][] = [
  ['forwarded', 'for=192.0.2.1'],
  ['x-forwarded-for', '192.0.2.1'],
  ['X-Forwarded-Proto', 'https'],
  ['x-forwarded-host', 'localhost:4000'],
  ['X-Forwarded-Prefix', ''],
  ['via', '1.1 proxy'],
  ['X-Real-IP', '127.0.0.1'],
];

function page(path: string, host: string, more: SentHeaders = {}): Promise<WireAnswer> {
  return send(`${stack.server.url}${path}`, { headers: { host, accept: 'text/html', ...more } });
}

function ask(host: string, more: SentHeaders = {}): Promise<WireAnswer> {
  const body = 'client_id=devnet&client_secret=devnet&grant_type=client_credentials';
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded', ...more };
  return send(`${stack.server.url}/oauth/token`, { method: 'POST', headers, body });
}

describe('the public token of a development server is returned to loopback names only (DNS rebinding)', () => {
  it.each(local)('%s: the pages get the token, and the client is granted one', async (host) => {
    expect(JSON.parse((await page('/playground/token', host)).body)).toEqual({ access_token: token });
    expect((await page('/docs', host)).body).toContain(token);
    const granted = await ask(host);
    expect([granted.status, JSON.parse(granted.body).token_type]).toEqual([200, 'Bearer']);
  });

  it.each(others)('%s: the pages get no token, and the client is refused', async (host) => {
    for (const path of ['/graphql', '/docs', '/playground/token']) {
      const { status, body } = await page(path, host);
      expect([status, body.includes(token.split('.')[0]!)]).toEqual([path === '/playground/token' ? 204 : 200, false]);
    }
    const refused = await ask(host);
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([401, 'invalid_client']);
  });

  it.each(proxied)('a request through a proxy, with `%s: %s`, is refused like one to another name', async (name, value) => {
    for (const path of ['/graphql', '/docs', '/playground/token']) {
      const { status, body } = await page(path, 'localhost:4000', { [name]: value });
      const expected = path === '/playground/token' ? 204 : 200;
      expect([path, status, body.includes(token.split('.')[0]!)]).toEqual([path, expected, false]);
    }
    const refused = await ask('localhost:4000', { [name]: value });
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([401, 'invalid_client']);
    const headers = { authorization: `Bearer ${token}`, [name]: value };
    expect((await send(`${stack.server.url}/health`, { headers })).status).toBe(200);
  });

  it('a page of another site cannot request the token of the playground', async () => {
    const answer = await page('/playground/token', 'localhost:4000', { 'sec-fetch-site': 'cross-site' });
    expect([answer.status, answer.body.includes('eyJ')]).toEqual([403, false]);
    const own = await page('/playground/token', 'localhost:4000', { 'sec-fetch-site': 'same-origin' });
    expect([own.status, own.headers['cross-origin-resource-policy'], own.headers['access-control-allow-origin']]).toEqual([
      200,
      'same-origin',
      undefined,
    ]);
  });

  it('a token is accepted at any name', async () => {
    const headers = { host: 'rebound.example', authorization: `Bearer ${token}` };
    expect((await send(`${stack.server.url}/health`, { headers })).status).toBe(200);
  });
});
