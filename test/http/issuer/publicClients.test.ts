import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Limits } from '../../../src/config/limits/limits.ts';
import { addClient, addPublicClient } from '../../../src/server/issuer/clients.ts';
import { createAuth } from '../../../src/start/authSetup.ts';
import { builtProgram } from '../../support/builds.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { post, type SentHeaders, send, type WireAnswer } from '../../support/wire.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-public-'));
const clientsFile = join(directory, 'clients.json');
const audience = 'https://api.example';
const origin = 'https://board.example';

let chain: TestChain;
let stack: Stack;
let url: string;
let board: { readonly id: string };

beforeAll(async () => {
  chain = await startChain({ bare: true });
  board = await addPublicClient(clientsFile, 'board', { scopes: ['read'], origins: [origin, 'http://localhost:5173'] });
  stack = await start();
  ({ url } = stack.server);
});

afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
  rmSync(directory, { recursive: true });
});

async function start(limits: Partial<Limits> = {}, file = clientsFile): Promise<Stack> {
  const config = { kind: 'embedded', audience, clientsFile: file, keysFile: undefined, lifetime: 3600 } as const;
  const { auth, issuer } = await createAuth(config, { address: () => '', report: console.error });
  // The test is the proxy, and names the addresses of clients.
  return startStack([chain.node.url], { server: { auth, issuer, limits, trustedProxies: ['127.0.0.1'] } });
}

function ask(id: string, headers: SentHeaders, { scope = '', at = url } = {}): Promise<WireAnswer> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, ...(scope && { scope }) }).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return send(`${at}/oauth/token`, { method: 'POST', headers: { ...type, ...headers }, body });
}

async function tokenOf(answer: Promise<WireAnswer>): Promise<string> {
  return (JSON.parse((await answer).body) as { access_token: string }).access_token;
}

const bearer = (token: string): SentHeaders => ({ authorization: `Bearer ${token}` });

describe('a page of a listed origin', () => {
  it.each([origin, 'http://localhost:5173'])(
    '%s gets a token without a secret: ten minutes, scope `read` alone',
    async (from) => {
      const answer = await ask(board.id, { origin: from, 'sec-fetch-site': 'cross-site' });
      expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers['cache-control']]).toEqual([
        200,
        from,
        'no-store',
      ]);
      const { access_token: token, ...others } = JSON.parse(answer.body) as { access_token: string };
      expect(others).toEqual({ token_type: 'Bearer', expires_in: 600, scope: 'read' });
      const { exp = 0, iat = 0, ...claims } = decodeJwt(token);
      expect(exp - iat).toBe(600);
      expect(claims).toMatchObject({ sub: board.id, client_id: board.id, scope: 'read', public_client: true });
      const read = await post(url, '{ head { height } }', bearer(token));
      expect([read.status, JSON.parse(read.body)]).toMatchObject([200, { data: { head: { height: '1' } } }]);
      for (const query of ['mutation { broadcastTxSync(tx: "") { hash } }', '{ __schema { queryType { name } } }'])
        expect((await post(url, query, bearer(token))).body).toContain('FORBIDDEN');
    },
  );

  it('may send a preflight request to the token endpoint, and nowhere else', async () => {
    const preflight = (path: string, from: string): Promise<WireAnswer> =>
      send(`${url}${path}`, {
        method: 'OPTIONS',
        headers: { origin: from, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      });
    const allowed = await preflight('/oauth/token', origin);
    expect([allowed.status, allowed.headers]).toMatchObject([
      204,
      {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
        'access-control-allow-headers': 'content-type',
      },
    ]);
    for (const [path, from] of [
      ['/oauth/token', 'https://evil.example'],
      ['/oauth/token', `${origin}.evil.example`],
      ['/oauth/token', 'null'],
      ['/graphql', origin],
      ['/.well-known/jwks.json', origin],
    ] as const)
      expect([path, from, (await preflight(path, from)).headers['access-control-allow-origin']]).toEqual([
        path,
        from,
        undefined,
      ]);
  });

  it('gets the scopes of its client at most', async () => {
    for (const scope of ['broadcast', 'introspect', 'read introspect'])
      expect(JSON.parse((await ask(board.id, { origin }, { scope })).body)).toMatchObject({ error: 'invalid_scope' });
    const scopes = ['read', 'broadcast'] as const;
    const wallet = await addPublicClient(clientsFile, 'wallet', { scopes, origins: ['https://wallet.example'] });
    const answer = await ask(wallet.id, { origin: 'https://wallet.example' });
    expect(JSON.parse(answer.body)).toMatchObject({ scope: 'broadcast read', expires_in: 600 });
  });
});

describe('no token without a secret', () => {
  it('is given to a page of another origin, which cannot read the response either', async () => {
    const answer = await ask(board.id, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    expect(answer.body).not.toContain('access_token');
  });

  it('is given to a request without an origin, or from the origin of another client', async () => {
    const other = await addPublicClient(clientsFile, 'other', { scopes: ['read'], origins: ['https://other.example'] });
    expect((await ask(other.id, { origin: 'https://other.example' })).status).toBe(200);
    for (const headers of [
      {},
      { origin: 'https://other.example' },
      { origin: `${origin}/` },
      { origin: `http://${new URL(url).host}` },
    ]) {
      const answer = await ask(board.id, headers);
      expect([answer.status < 500 && answer.status >= 400, answer.body.includes('access_token')]).toEqual([true, false]);
    }
    const answer = await ask(board.id, {});
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([401, { error: 'invalid_client' }]);
  });

  it('is given for a client that has one, or for an unknown client; and no secret is right for a public client', async () => {
    const { id } = await addClient(clientsFile, 'secretive', ['read']);
    for (const each of [id, 'nobody'])
      expect(JSON.parse((await ask(each, { origin })).body)).toMatchObject({ error: 'invalid_client' });
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: board.id, client_secret: 'any' });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin };
    const answer = await send(`${url}/oauth/token`, { method: 'POST', headers, body: body.toString() });
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([401, { error: 'invalid_client' }]);
  });
});

it('the metadata names the method `none` only if there is a public client', async () => {
  const metadata = async (at: string): Promise<unknown> =>
    JSON.parse((await send(`${at}/.well-known/oauth-authorization-server`)).body).token_endpoint_auth_methods_supported;
  expect(await metadata(url)).toEqual(['client_secret_basic', 'client_secret_post', 'none']);
  const file = join(directory, 'confidential.json');
  await addClient(file, 'a', ['read']);
  const other = await start({}, file);
  expect(await metadata(other.server.url)).toEqual(['client_secret_basic', 'client_secret_post']);
  await other.close();
});

describe('the tokens of a public client', () => {
  const from = (address: string): SentHeaders => ({ 'x-forwarded-for': address });
  const query = '{ head { height } }';

  async function read(at: string, token: string, address: string): Promise<unknown> {
    const { status, body } = await post(at, query, { ...bearer(token), ...from(address) });
    return status === 200 ? 200 : [status, JSON.parse(body).errors[0].extensions.limit];
  }

  it('count towards `publicClient.points` of one address, and towards `publicClient.totalPoints` of all', async () => {
    const limits = { 'rate.burst': 3, 'publicClient.points': 1, 'publicClient.totalPoints': 5 };
    const other = await start(limits);
    const at = other.server.url;
    const token = await tokenOf(ask(board.id, { origin }, { at }));
    const second = await tokenOf(ask(board.id, { origin }, { at }));
    const outcomes: unknown[] = [];
    for (const [each, address] of [
      [token, '10.0.0.1'],
      [second, '10.0.0.1'],
      [token, '10.0.0.1'],
      // Three points are spent, whichever token was sent.
      [second, '10.0.0.1'],
      [token, '10.0.0.2'],
      [token, '10.0.0.2'],
      // Five points are spent in total.
      [token, '10.0.0.3'],
    ] as const)
      outcomes.push(await read(at, each, address));
    const byAddress = [429, 'publicClient.points'];
    expect(outcomes).toEqual([200, 200, 200, byAddress, 200, 200, [429, 'publicClient.totalPoints']]);
    await other.close();
  });

  it('are issued within `publicClient.tokens` for one address, and `publicClient.totalTokens` for all', async () => {
    const other = await start({ 'publicClient.tokens': 2, 'publicClient.totalTokens': 3 });
    const get = async (address: string): Promise<unknown> => {
      const answer = await ask(board.id, { origin, ...from(address) }, { at: other.server.url });
      if (answer.status === 200) return 200;
      expect(answer.headers).toMatchObject({ 'retry-after': expect.any(String), 'access-control-allow-origin': origin });
      return [answer.status, JSON.parse(answer.body).error_description];
    };
    const outcomes = [];
    for (const address of ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.3']) outcomes.push(await get(address));
    expect(outcomes).toEqual([
      200,
      200,
      [429, 'Too many tokens of this client: at most 2 per minute (publicClient.tokens).'],
      200,
      [429, 'Too many tokens of this client: at most 3 per minute (publicClient.totalTokens).'],
    ]);
    await other.close();
  });

  it('open `publicClient.totalStreams` streams at most, whichever addresses they come from', async () => {
    const other = await start({ 'publicClient.totalStreams': 2 });
    const at = other.server.url;
    const token = await tokenOf(ask(board.id, { origin }, { at }));
    const headers = { ...bearer(token), 'content-type': 'application/json', accept: 'text/event-stream' };
    const body = '{"query":"subscription { newBlock { height } }"}';
    const open = async (address: string): Promise<{ readonly status: number; close(): void }> => {
      const stop = new AbortController();
      const init = { method: 'POST', signal: stop.signal, headers: { ...headers, 'x-forwarded-for': address }, body };
      const { status } = await fetch(`${at}/graphql`, init as RequestInit);
      return { status, close: () => stop.abort() };
    };
    const first = await open('10.0.0.1');
    const second = await open('10.0.0.2');
    const third = await open('10.0.0.3');
    expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
    first.close();
    await expect.poll(async () => (await open('10.0.0.3')).status).toBe(200);
    await other.close();
  });

  it('work on a WebSocket, whose messages count towards the same limits', async () => {
    const other = await start({ 'rate.burst': 2, 'publicClient.points': 1 });
    const at = other.server.url;
    const token = await tokenOf(ask(board.id, { origin }, { at }));
    const socket = new WebSocket(`${at.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const results: { type: string; payload?: unknown }[] = [];
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } })),
    );
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { id?: string; type: string; payload?: unknown };
      if (message.type === 'connection_ack')
        for (const id of ['1', '2', '3']) socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
      if (message.type === 'next' || message.type === 'error') results.push(message);
    });
    await expect.poll(() => results).toHaveLength(3);
    expect(results.filter(({ type }) => type === 'next')).toHaveLength(2);
    expect(results.find(({ type }) => type === 'error')?.payload).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', limit: 'publicClient.points' } },
    ]);
    socket.terminate();
    await other.close();
  });
});

describe('npm run client -- --public', () => {
  const run = async (...flags: string[]) => promisify(execFile)(process.execPath, [await builtProgram('client'), ...flags]);

  it('adds a client with origins and without a secret, with scope `read` unless the command says otherwise', async () => {
    const file = join(directory, 'made.json');
    const { stdout } = await run(
      '--name',
      'board',
      '--public',
      '--origin',
      origin,
      '--origin',
      'https://b.example',
      '--file',
      file,
    );
    const [, id] =
      /^client_id {6}(board-[0-9a-f]{8})\norigins {8}https:\/\/board\.example https:\/\/b\.example\n$/.exec(stdout) ?? [];
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      clients: [{ id, name: 'board', scopes: ['read'], origins: [origin, 'https://b.example'] }],
    });
  });

  it.each([
    [['--public', '--origin', 'https://board.example/'], /^client: --public needs --origin/],
    [['--scopes', 'read', '--origin', origin], /^client: --origin needs --public/],
  ])('the command refuses %j', async (flags, stderr) => {
    const attempt = run('--name', 'x', '--file', join(directory, 'none.json'), ...flags);
    await expect(attempt).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(stderr) });
  });
});

it('a server does not start with a client that has both a secret and origins, or neither', async () => {
  const file = join(directory, 'bad.json');
  const hash = `$scrypt$ln=14,r=8,p=1$${'a'.repeat(22)}$${'a'.repeat(43)}`;
  for (const wrong of [
    {},
    { secretHash: hash, origins: [origin] },
    { origins: ['https://board.example/path'] },
    { origins: [] },
  ]) {
    writeFileSync(file, JSON.stringify({ clients: [{ id: 'a', name: 'a', scopes: ['read'], ...wrong }] }));
    await expect(start({}, file)).rejects.toThrow(/is not a valid client file: clients\.0\./);
  }
});
