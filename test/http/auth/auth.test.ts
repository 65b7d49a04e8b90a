import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { converse } from '../../devnet/node/conversation.ts';
import { runsAll } from '../../support/atRandom.ts';
import { builtDashboard } from '../../support/builds.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { audience, authenticatorOf, createTestKey, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { openSocket, post, type SentHeaders, send, type WireAnswer } from '../../support/wire.ts';

let chain: TestChain;
let issuer: TestIssuer;
let stack: Stack;
let url: string;
/** A valid token. */
let token: string;

const query = '{ head { height } }';
const served = '{"data":{"head":{"height":"1"}},"extensions":{"height":"1"}}';
const bearer = (text: string): { authorization: string } => ({ authorization: `Bearer ${text}` });

beforeAll(async () => {
  chain = await startChain({ bare: true });
  issuer = await startIssuer();
  issuer.keys.push(
    await createTestKey('rsa', 'RS256'),
    await createTestKey('pss', 'PS256'),
    await createTestKey('ed', 'EdDSA'),
  );
  stack = await startStack([chain.node.url], {
    server: { auth: authenticatorOf(issuer), dashboard: await builtDashboard(), limits: { 'rate.failedAuthentications': 0 } },
  });
  ({ url } = stack.server);
  token = await issuer.sign();
});

afterAll(async () => {
  await stack.close();
  await issuer.close();
  await chain.devnet.close();
});

/** Checks that the server still runs and serves a valid token. */
afterEach(async () => {
  const { status, body } = await post(url, query, bearer(token));
  expect([status, body]).toEqual([200, served]);
  expect(stack.masked).toEqual([]);
});

const unauthenticated = '{"errors":[{"message":"A valid bearer token is required.","extensions":{"code":"UNAUTHENTICATED"}}]}';

/** The same at the paths of the node RPC, in their error formats. */
const needed = 'A valid bearer token is required.';
const rpcShapes: Readonly<Record<string, string>> = {
  '/': `{"jsonrpc":"2.0","error":"${needed}"}`,
  '/block': `{"jsonrpc":"2.0","error":"${needed}"}`,
  '/comet': `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Unauthenticated","data":"${needed}"}}`,
};

function expectRefused({ status, headers, body }: WireAnswer, challenge: string, shape = unauthenticated): void {
  expect([status, headers['www-authenticate'], body]).toEqual([401, challenge, shape]);
  expect(headers['cache-control']).toBe('no-store');
}

const expectInvalid = (answer: WireAnswer): void => expectRefused(answer, 'Bearer error="invalid_token"');

const compact = (...parts: (object | string)[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : Buffer.from(JSON.stringify(part)).toString('base64url'))).join('.');

const seconds = (): number => Math.floor(Date.now() / 1000);

it('accepts a token of each configured algorithm, by POST and by GET, with the scheme in any case', async () => {
  for (const key of issuer.keys) {
    const signed = await issuer.sign({}, {}, key);
    expect((await post(url, query, bearer(signed))).body).toBe(served);
    const got = await send(`${url}/graphql?query=${encodeURIComponent(query)}`, {
      headers: { authorization: `bEaReR ${signed}` },
    });
    expect([got.status, got.body]).toEqual([200, served]);
  }
});

describe('T12', () => {
  it.each([
    ['no token', {}],
    ['Basic', { authorization: `Basic ${Buffer.from('somebody:secret').toString('base64')}` }],
    ['another scheme', { authorization: 'Digest username="somebody"' }],
    ['an empty header', { authorization: '' }],
  ])('responds 401 without an error code: %s', async (_, headers) => {
    expectRefused(await post(url, query, headers), 'Bearer');
    expectRefused(await send(`${url}/graphql?query=${encodeURIComponent(query)}`, { headers }), 'Bearer');
    expectRefused(await send(`${url}/graphql`, { headers: { accept: 'text/event-stream', ...headers } }), 'Bearer');
    expect(await openSocket(url, { headers })).toBe(4403);
  });

  it('requires a token at every path that is not public', async () => {
    for (const path of [
      '/',
      '/nothing',
      '/block',
      '/schema.graphql',
      '/comet',
      '/metrics',
      '/graphql/',
      '//graphql',
      '/oauth',
      '/openapi',
      '/docsx',
    ])
      expectRefused(await send(`${url}${path}`), 'Bearer', rpcShapes[path]);
    expect((await send(`${url}/schema.graphql`, { headers: bearer(token) })).status).toBe(200);
    expect((await send(`${url}/nothing`, { headers: bearer(token) })).status).toBe(404);
    for (const path of ['/livez', '/readyz', '/docs', '/openapi/node.json', '/openapi/application.json', '/collection.json'])
      expect((await send(`${url}${path}`)).status).toBe(200);
    for (const path of ['/oauth/token', '/.well-known/jwks.json']) expect((await send(`${url}${path}`)).status).toBe(404);
  });

  it('returns the page to a browser without a token, and executes nothing', async () => {
    const headers = { accept: 'text/html' };
    const page = await send(`${url}/graphql`, { headers });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const asked = await send(`${url}/graphql?query=${encodeURIComponent(query)}`, { headers });
    expect(asked.body).toBe(page.body);
    expectRefused(await post(url, query, headers), 'Bearer');
  });

  it.each<[string, SentHeaders, string]>([
    ['two headers', { authorization: ['Bearer a', 'Bearer b'] }, ''],
    ['a header and a query', { authorization: 'Bearer a' }, '?access_token=a'],
  ])('refuses two tokens: %s', async (_, headers, search) => {
    const body = JSON.stringify({ query });
    const answer = await send(`${url}/graphql${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([400, 'Bearer error="invalid_request"']);
    expect(await openSocket(url, { headers, path: `/graphql${search}` })).toBe(400);
  });

  it('refuses two tokens, however many headers are between them', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const between = 'a:\r\n'.repeat(2_500);
    const { authorization } = bearer(token);
    socket.write(
      `GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: ${authorization}\r\n${between}authorization: Bearer b\r\n\r\n`,
    );
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 400 [\s\S]*invalid_request/);
  });

  it('accepts no token from the query or from cookies', async () => {
    const search = `query=${encodeURIComponent(query)}&access_token=${token}`;
    expectRefused(await send(`${url}/graphql?${search}`), 'Bearer');
    expectRefused(await post(url, query, { cookie: `access_token=${token}` }), 'Bearer');
    expect(await openSocket(url, { path: `/graphql?access_token=${token}` })).toBe(4403);
  });

  it('accepts a token as the password of HTTP Basic at the sockets of the node RPC only', async () => {
    const basic = { authorization: `Basic ${Buffer.from(`token:${token}`).toString('base64')}` };
    const wrong = { authorization: `Basic ${Buffer.from(`token:${token}x`).toString('base64')}` };
    for (const base of ['', '/comet']) {
      const conversation = await converse(`${url}${base}`, { headers: basic });
      conversation.send({ id: 1, method: 'health', params: {} });
      expect((await conversation.received(1))[0]).toContain('"result":{}');
      conversation.socket.terminate();
      expect(await openSocket(url, { path: `${base}/websocket`, headers: wrong })).toBe(401);
    }
    expectRefused(await post(url, query, basic), 'Bearer');
    expect(await openSocket(url, { headers: basic })).toBe(4403);
  });

  it('responds before the body arrives', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 50000000\r\n\r\n{');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close/i);
  });
});

describe('T13', () => {
  it.each(['none', 'None', 'NONE', 'nOnE', ''])('refuses an unsigned token: alg `%s`', async (alg) => {
    const [, payload = ''] = token.split('.');
    for (const signature of ['', token.split('.')[2]!])
      expectInvalid(await post(url, query, bearer(compact({ alg, typ: 'at+jwt', kid: 'first' }, payload, signature))));
  });

  it('refuses an empty signature, a wrong signature and a malformed token', async () => {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    const changed = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'root' };
    for (const text of [
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${other}`,
      compact(header, changed, signature),
      'a',
      'a.b.c',
      '..',
      compact('e30', 'e30', 'e30'),
      'é'.normalize('NFD'),
    ])
      expectInvalid(await post(url, query, { authorization: `Bearer ${Buffer.from(text).toString('latin1')}` }));
  });

  it('refuses an algorithm that is not configured, even with a valid signature', async () => {
    const key = await createTestKey('es384', 'ES384');
    issuer.keys.push(key);
    expectInvalid(await post(url, query, bearer(await issuer.sign({}, {}, key))));
    issuer.keys.pop();
  });
});

it('T14: refuses HS256 signed with the public key', async () => {
  const { jwk } = issuer.keys[1]!;
  const spki = String(createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' }));
  const claims = { iss: issuer.url, aud: audience, sub: 'root', exp: seconds() + 60, scope: 'read' };
  for (const secret of [spki, spki.trim(), JSON.stringify(jwk), jwk.n!]) {
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'rsa' })
      .sign(new TextEncoder().encode(secret));
    expectInvalid(await post(url, query, bearer(forged)));
  }
});

describe('T15', () => {
  const now = seconds();
  it.each<[string, Record<string, unknown>, Record<string, unknown>?]>([
    ['another audience', { aud: 'https://other.example' }],
    ['audiences without that of the server', { aud: ['https://other.example', `${audience}/`] }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://other.example' }],
    ['no issuer', { iss: undefined }],
    ['no end', { exp: undefined }],
    ['an `exp` beyond the skew', { exp: now - 31 }],
    ['an `exp` that is a string', { exp: String(now + 60) }],
    ['an `exp` that is null', { exp: null }],
    ['an `nbf` in the future', { nbf: now + 3_600 }],
    ['an `nbf` that is a string', { nbf: 'now' }],
    ['an issue time in the year 3000', { iat: 32_503_680_000, exp: 32_503_683_600 }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is a number', { sub: 5 }],
    ['a subject that is an object', { sub: { name: 'root' } }],
    ['an id token', { nonce: 'n', at_hash: 'h' }, { typ: 'JWT' }],
    ['the type of an id token', {}, { typ: 'JWT' }],
    ['no type', {}, { typ: undefined }],
    ['a nonce', { nonce: 'n' }],
  ])('refuses the token: %s', async (_, claims, header) => {
    expectInvalid(await post(url, query, bearer(await issuer.sign(claims, header))));
  });

  // The claims are made when the test runs, because the skew is 30 seconds.
  it.each<[string, () => Record<string, unknown>, Record<string, unknown>?]>([
    ['several audiences with that of the server', () => ({ aud: ['https://other.example', audience] })],
    ['an `exp` within the skew', () => ({ exp: seconds() - 10 })],
    ['an `iat` within the skew', () => ({ iat: seconds() + 20 })],
    ['the full media type', () => ({}), { typ: 'application/at+jwt' }],
  ])('accepts the token: %s', async (_, claims, header) => {
    expect((await post(url, query, bearer(await issuer.sign(claims(), header)))).status).toBe(200);
  });
});

describe('T16', () => {
  it('refuses keys that a token contains or names, and fetches none of them', async () => {
    const asked: string[] = [];
    const mine = await createTestKey('mine');
    const trap = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(JSON.stringify({ keys: [mine.jwk] }));
    }).listen(0, '127.0.0.1');
    await once(trap, 'listening');
    const jku = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/keys`;
    const before = issuer.requests.length;
    for (const header of [{ jku }, { jku, kid: 'first' }, { x5u: jku }, { jwk: mine.jwk }, { jwk: mine.jwk, kid: undefined }])
      expectInvalid(await post(url, query, bearer(await issuer.sign({}, header, mine))));
    // Also on a token that is otherwise valid.
    for (const header of [{ jku }, { x5u: jku }, { jwk: issuer.keys[0]!.jwk }, { crit: ['exp'], exp: 1 }])
      expectInvalid(await post(url, query, bearer(await issuer.sign({}, header))));
    expect(asked).toEqual([]);
    expect(issuer.requests.length).toBe(before);
    trap.close();
  });

  it.each([
    ['like a path', '../../../../etc/passwd'],
    ['like a URL', 'http://127.0.0.1:1/'],
    ['of 10 kB', 'k'.repeat(10_000)],
    ['of 1 kB', 'k'.repeat(1_000)],
    ['of control characters', '\r\nx: y\0'],
    ['that is a number', 5],
    ['that is null', null],
  ])('refuses a key id %s', async (_, kid) => {
    const mine = await createTestKey('mine');
    expectInvalid(await post(url, query, bearer(await issuer.sign({}, { kid }, mine))));
  });

  it.runIf(runsAll)('refuses a thousand tokens with unknown keys, with at most one request to the issuer', async () => {
    const mine = await createTestKey('mine');
    const before = issuer.requests.filter((path) => path === '/keys').length;
    const tokens = await Promise.all(Array.from({ length: 1000 }, (_, index) => issuer.sign({}, { kid: `k${index}` }, mine)));
    for (let from = 0; from < tokens.length; from += 50) {
      const answers = await Promise.all(tokens.slice(from, from + 50).map((each) => post(url, query, bearer(each))));
      for (const answer of answers) expectInvalid(answer);
    }
    expect(issuer.requests.filter((path) => path === '/keys').length - before).toBeLessThanOrEqual(1);
  });

  it('refuses another key pair with the id of a published key', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    expectInvalid(await post(url, query, bearer(await issuer.sign({}, {}, { ...issuer.keys[0]!, privateKey }))));
  });
});
