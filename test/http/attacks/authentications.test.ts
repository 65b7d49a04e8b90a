import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { devnetClient } from '../../../src/config/devnetClient.ts';
import { type Auth, createAuth } from '../../../src/start/authSetup.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { openSocket, post, send, type WireAnswer } from '../../support/wire.ts';

const most = 3;

let chain: TestChain;
let made: Auth;
let stack: Stack;
let url: string;
let token: string;
const reported: unknown[] = [];

beforeAll(async () => {
  chain = await startChain({ bare: true });
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 } as const;
  made = await createAuth(config, { address: () => 'http://localhost', report: (error) => reported.push(error) });
  token = await made.devnetToken!();
});

beforeEach(async () => {
  stack = await startStack([chain.node.url], { server: { limits: { 'rate.failedAuthentications': most }, ...made } });
  ({ url } = stack.server);
});

afterEach(async () => {
  expect([...reported, ...stack.masked]).toEqual([]);
  await stack.close();
});

afterAll(() => chain.devnet.close());

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

function askToken(secret: string): Promise<WireAnswer> {
  const { id, audience } = devnetClient;
  return send(`${url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: id, client_secret: secret, audience, grant_type: 'client_credentials' }),
  });
}

let bad = 0;

/** Returns an invalid token that was not sent before, so that each one is a failure of its own. */
const badToken = (): string => `${token.slice(0, -8)}${String(++bad).padStart(8, 'A')}`;

/** Every place that authenticates: the response to a failure, and the response after too many. */
const places: readonly [name: string, fail: () => Promise<unknown>, failed: unknown, tooMany: unknown][] = [
  ['a POST', async () => (await post(url, '{ head { height } }', bearer(badToken()))).status, 401, 429],
  ['a GET', async () => (await send(`${url}/graphql?query={__typename}`, { headers: bearer(badToken()) })).status, 401, 429],
  ['a path of the node RPC', async () => (await send(`${url}/status`, { headers: bearer(badToken()) })).status, 401, 429],
  ['an unknown path', async () => (await send(`${url}/nowhere`, { headers: bearer(badToken()) })).status, 401, 429],
  ['the upgrade to a WebSocket', () => openSocket(url, { headers: bearer(badToken()) }), 401, 429],
  ['the upgrade at /websocket', () => openSocket(url, { path: '/websocket', headers: bearer(badToken()) }), 401, 429],
  ['connectionParams', () => openSocket(url, { params: bearer(badToken()) }), 4403, 4429],
  ['a secret at /oauth/token', async () => (await askToken(`wrong ${++bad}`)).status, 401, 429],
];

async function expectHonestServed(): Promise<void> {
  expect((await post(url, '{ head { height } }', bearer(token))).status).toBe(200);
  expect(await openSocket(url, { headers: bearer(token) })).toBe('connection_ack');
  expect(await openSocket(url, { params: bearer(token) })).toBe('connection_ack');
  const given = await askToken(devnetClient.secret);
  expect(given.status).toBe(200);
  const { access_token: fresh } = JSON.parse(given.body) as { access_token: string };
  expect((await post(url, '{ head { height } }', bearer(fresh))).status).toBe(200);
}

describe('failed authentications from one address', () => {
  it.each(some(places, 3))(
    'by %s are limited for each minute, and valid tokens still work',
    async (_, fail, failed, tooMany) => {
      for (let count = 0; count < most; count += 1) expect(await fail()).toBe(failed);
      expect(await fail()).toBe(tooMany);
      await expectHonestServed();
      expect(await fail()).toBe(tooMany);
    },
  );

  it('are counted together, wherever they happen', async () => {
    const failAt = (place: string) => places.find(([name]) => name === place)![1];
    const [fail, upgrade] = [failAt('a POST'), failAt('the upgrade to a WebSocket')];
    const [params, secret] = [failAt('connectionParams'), failAt('a secret at /oauth/token')];
    expect([await fail(), await params(), await secret()]).toEqual([401, 4403, 401]);
    expect([await fail(), await upgrade(), await params(), await secret()]).toEqual([429, 429, 4429, 429]);
  });

  it.runIf(runsAll)('name the limit and the time to retry', async () => {
    for (let count = 0; count < most; count += 1) await askToken('wrong');
    const refused = await post(url, '{ head { height } }', bearer(badToken()));
    expect(refused.headers['retry-after']).toMatch(/^(1\d|20)$/);
    expect(JSON.parse(refused.body)).toMatchObject({
      errors: [
        {
          extensions: { code: 'RATE_LIMITED', limit: 'rate.failedAuthentications', max: most, retryAfter: expect.any(Number) },
        },
      ],
    });
    const { status, headers, body } = await askToken('wrong');
    expect([status, headers['cache-control']]).toEqual([429, 'no-store']);
    expect(headers['retry-after']).toMatch(/^(1\d|20)$/);
    expect(JSON.parse(body)).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'Too many wrong secrets from this address: at most 3 per minute.',
    });
  });

  it('do not include requests without a token', async () => {
    for (let count = 0; count < 2 * most; count += 1) {
      expect((await post(url, '{ head { height } }')).status).toBe(401);
      expect(await openSocket(url)).toBe(4403);
      expect((await askToken('')).status).toBe(401);
    }
  });
});

describe('bodies', () => {
  const large = 'x'.repeat(65_537);

  it('of more than 64 KiB are refused before authentication at paths that accept no transactions', async () => {
    for (const path of ['/nowhere', '/status', '/schema.graphql', '/comet/status', '/v1/nowhere']) {
      const answer = await send(`${url}${path}`, { method: 'POST', headers: bearer(token), body: large });
      expect([path, answer.status]).toEqual([path, 413]);
      expect(answer.body).toContain('http.otherBody');
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send(`${url}/oauth/token`, { method: 'POST', headers: form, body: large })).status).toBe(413);
    const chunked = { ...form, ...bearer(token), 'transfer-encoding': 'chunked' };
    expect((await send(`${url}/status`, { method: 'POST', headers: chunked, body: `a=${large}` })).status).toBe(413);
  });

  it('are accepted up to the limit of paths that accept transactions', async () => {
    const query = `{ head { height } } #${large}`;
    expect((await post(url, query, bearer(token))).status).toBe(200);
    for (const path of ['/', '/comet']) {
      const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status', params: {}, padding: large });
      const headers = { ...bearer(token), 'content-type': 'application/json' };
      expect((await send(`${url}${path}`, { method: 'POST', headers, body: call })).status).toBe(200);
    }
  });
});
