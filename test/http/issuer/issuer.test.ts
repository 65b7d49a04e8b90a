import { execFile } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addClient, createClients, hashSecret } from '../../../src/server/issuer/clients.ts';
import { createFileKeyStore, createIssuerKeys, createMemoryKeyStore } from '../../../src/server/issuer/issuerKeys.ts';
import { createLocalStore } from '../../../src/shared/localStore.ts';
import type { SharedStore } from '../../../src/shared/sharedStore.ts';
import { type Auth, createAuth } from '../../../src/start/authSetup.ts';
import { runsAll } from '../../support/atRandom.ts';
import { builtProgram } from '../../support/builds.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { post, type SentHeaders, send, type WireAnswer } from '../../support/wire.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-issuer-'));
const clientsFile = join(directory, 'clients.json');
const audience = 'https://api.example';

let chain: TestChain;
let stack: Stack;
let url: string;
let client: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  chain = await startChain({ bare: true });
  client = await addClient(clientsFile, 'wallet', ['read', 'broadcast']);
  stack = await start(join(directory, 'keys.json'));
  ({ url } = stack.server);
});

afterEach(() => expect(stack.masked).toEqual([]));

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
  rmSync(directory, { recursive: true });
});

async function start(keysFile: string): Promise<Stack> {
  const reported: unknown[] = [];
  const config = { kind: 'embedded', audience, clientsFile, keysFile, lifetime: 600 } as const;
  const { auth, issuer } = await createAuth(config, { address: () => '', report: (error) => reported.push(error) });
  return startStack([chain.node.url], {
    server: { auth, issuer, trustedProxies: ['127.0.0.1'], limits: { 'rate.failedAuthentications': 0 } },
  });
}

const tokenUrl = (): string => `${url}/oauth/token`;

function askJson(body: object, headers: SentHeaders = {}): Promise<WireAnswer> {
  const all = { 'content-type': 'application/json', ...headers };
  return send(tokenUrl(), { method: 'POST', headers: all, body: JSON.stringify(body) });
}

function askForm(body: Record<string, string> | string, headers: SentHeaders = {}): Promise<WireAnswer> {
  const all = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
  return send(tokenUrl(), { method: 'POST', headers: all, body: new URLSearchParams(body).toString() });
}

const fields = (): Record<string, string> => ({
  client_id: client.id,
  client_secret: client.secret,
  audience,
  grant_type: 'client_credentials',
});

const basic = (id: string, secret: string): SentHeaders => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

async function tokenOf(answer: Promise<WireAnswer>): Promise<string> {
  const { status, headers, body } = await answer;
  expect([status, headers['cache-control'], headers['content-type']]).toEqual([200, 'no-store', 'application/json']);
  const { access_token, ...others } = JSON.parse(body) as { access_token: string };
  expect(others).toEqual({ token_type: 'Bearer', expires_in: 600, scope: 'broadcast read' });
  return access_token;
}

describe('a token', () => {
  it('is granted for JSON, for a form, and for HTTP Basic', async () => {
    const { client_id, client_secret, ...others } = fields();
    for (const answer of [
      askJson(fields()),
      askForm(fields()),
      askForm({ grant_type: 'client_credentials' }, basic(client.id, client.secret)),
      askJson(others, basic(client.id, client.secret)),
      askForm({ grant_type: 'client_credentials', client_id: client_id! }, basic(client.id, client_secret!)),
    ]) {
      const token = await tokenOf(answer);
      const { status } = await post(url, '{ head { height } }', { authorization: `Bearer ${token}` });
      expect(status).toBe(200);
    }
  });

  it('has the claims of RFC 9068 and verifies with the published keys', async () => {
    const token = await tokenOf(askJson(fields()));
    const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer: audience, audience, typ: 'at+jwt' });
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.stringMatching(/^[\w-]{43}$/) });
    const { iat = 0, exp, jti } = payload;
    expect(payload).toEqual({
      iss: audience,
      aud: audience,
      sub: client.id,
      client_id: client.id,
      scope: 'broadcast read',
      iat: expect.any(Number),
      exp: iat + 600,
      jti: expect.stringMatching(/^[\w-]{36}$/),
    });
    expect(Math.abs(Date.now() / 1000 - iat)).toBeLessThan(10);
    expect(exp).toBeDefined();
    expect((await jwtVerify(await tokenOf(askJson(fields())), keys)).payload.jti).not.toBe(jti);
  });

  it('has only the requested scopes, and never a scope that the client lacks', async () => {
    const { body } = await askJson({ ...fields(), scope: 'read' });
    expect(JSON.parse(body)).toMatchObject({ scope: 'read' });
    for (const scope of ['introspect', 'read introspect', 'other', ' '])
      expect(JSON.parse((await askJson({ ...fields(), scope })).body)).toMatchObject({ error: 'invalid_scope' });
  });
});

it('behind a trusted proxy, this API may be named as the proxy names it, and the token has the configured audience', async () => {
  const named = { ...fields(), audience: 'https://proxy.example' };
  const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'proxy.example' };
  const token = await tokenOf(askJson(named, proxied));
  const payload = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { readonly aud: string };
  expect(payload.aud).toBe(audience);
  expect(JSON.parse((await askJson(named)).body)).toMatchObject({ error: 'invalid_target' });
});

describe('an error', () => {
  it.each<[string, object, string, number]>([
    ['another secret', { client_secret: 'wrong' }, 'invalid_client', 401],
    ['another client', { client_id: 'nobody' }, 'invalid_client', 401],
    ['the hash for the secret', { client_secret: '$scrypt$ln=14,r=8,p=1$' }, 'invalid_client', 401],
    ['no secret', { client_secret: undefined }, 'invalid_client', 401],
    ['no client', { client_id: undefined }, 'invalid_client', 401],
    ['no grant', { grant_type: undefined }, 'invalid_request', 400],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type', 400],
    ['another audience', { audience: 'https://other.example' }, 'invalid_target', 400],
    ['a client id that is not a string', { client_id: { $ne: null } }, 'invalid_request', 400],
    ['a secret that is a list', { client_secret: ['a'] }, 'invalid_request', 400],
  ])('has the code of RFC 6749: %s', async (_, change, error, status) => {
    const answer = await askJson({ ...fields(), ...change });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error, error_description: expect.any(String) }]);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(answer.body).not.toContain(client.secret);
  });

  it('contains a challenge for HTTP Basic, and credentials in two places are refused', async () => {
    const grant = { grant_type: 'client_credentials' };
    const wrong = await askForm(grant, basic(client.id, 'wrong'));
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Basic realm="stele", charset="UTF-8"']);
    expect((await askForm(grant, { authorization: 'Basic !!' })).status).toBe(401);
    const both = [
      askForm(fields(), basic(client.id, client.secret)),
      askForm({ ...grant, client_id: 'other' }, basic(client.id, client.secret)),
      askForm(`${new URLSearchParams(fields())}&client_id=${client.id}`),
    ];
    for (const answer of await Promise.all(both))
      expect([answer.status, JSON.parse(answer.body).error]).toEqual([400, 'invalid_request']);
  });

  it('is the response to an invalid token request', async () => {
    const sent = (contentType: string, body: string): Promise<WireAnswer> =>
      send(tokenUrl(), { method: 'POST', headers: { 'content-type': contentType }, body });
    for (const answer of await Promise.all([
      sent('text/plain', JSON.stringify(fields())),
      sent('application/json', '{'),
      sent('application/json', '[]'),
      sent('application/json', 'null'),
      sent('application/json', '{"__proto__":{"grant_type":"client_credentials"}}'),
      sent('application/x-www-form-urlencoded', ''),
    ]))
      expect([answer.status, JSON.parse(answer.body).error]).toEqual([400, 'invalid_request']);
    expect((await sent('application/json', JSON.stringify({ ...fields(), x: 'x'.repeat(70_000) }))).status).toBe(413);
    const got = await send(tokenUrl());
    expect([got.status, got.headers.allow, JSON.parse(got.body).error]).toEqual([405, 'POST', 'invalid_request']);
    expect((await send(`${url}/.well-known/jwks.json`, { method: 'POST' })).status).toBe(405);
  });
});

it('returns the metadata of RFC 8414', async () => {
  const { body } = await send(`${url}/.well-known/oauth-authorization-server`);
  expect(JSON.parse(body)).toEqual({
    issuer: audience,
    token_endpoint: `${audience}/oauth/token`,
    jwks_uri: `${audience}/.well-known/jwks.json`,
    scopes_supported: ['broadcast', 'introspect', 'read', 'simulate', 'webhooks'],
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  });
});

it('publishes no private part of a key, and only the owner can read its file', async () => {
  const { keys } = JSON.parse((await send(`${url}/.well-known/jwks.json`)).body) as { keys: object[] };
  expect(keys).toHaveLength(1);
  expect(Object.keys(keys[0]!).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  for (const file of [clientsFile, join(directory, 'keys.json')]) expect(statSync(file).mode & 0o777).toBe(0o600);
});

describe('clients', () => {
  it('are created by a command that prints the secret once and stores a hash', async () => {
    const file = join(directory, 'made.json');
    const run = async (...flags: string[]) => promisify(execFile)(process.execPath, [await builtProgram('client'), ...flags]);
    const { stdout } = await run('--name', 'x', '--scopes', 'read,broadcast', '--file', file);
    const [, id, secret] = /^client_id {6}(x-[0-9a-f]{8})\nclient_secret {2}([\w-]{43})\n$/.exec(stdout) ?? [];
    expect(id).toBeDefined();
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(secret!);
    expect(JSON.parse(text)).toEqual({
      clients: [
        { id, name: 'x', scopes: ['broadcast', 'read'], secretHash: expect.stringMatching(/^\$scrypt\$ln=14,r=8,p=1\$/) },
      ],
    });
    await expect(run('--name', 'x', '--scopes', 'write', '--file', file)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^client: --scopes must be some of broadcast, introspect, read, simulate, webhooks\n/),
    });
  });

  it('get tokens as soon as they are in the file, and none once they are removed', async () => {
    const added = await addClient(clientsFile, 'late', ['read']);
    const ask = (): Promise<WireAnswer> => askJson({ ...fields(), client_id: added.id, client_secret: added.secret });
    expect((await ask()).status).toBe(200);
    const { clients } = JSON.parse(readFileSync(clientsFile, 'utf8')) as { clients: { id: string }[] };
    writeFileSync(clientsFile, JSON.stringify({ clients: clients.filter(({ id }) => id !== added.id) }));
    expect((await ask()).status).toBe(401);
    expect((await askJson(fields())).status).toBe(200);
  });

  it.runIf(runsAll)('that have authenticated before get tokens during a flood, and the flood is bounded', async () => {
    const secretHash = await hashSecret('right');
    const clients = createClients(async () => [{ id: 'a', secretHash, scopes: ['read'] }]);
    expect(await clients.authenticate('a', 'right')).toMatchObject({ id: 'a' });
    const flood = Array.from({ length: 150 }, (_, index) => clients.authenticate(index % 2 === 0 ? 'a' : 'nobody', 'wrong'));
    let over = 0;
    for (const each of flood) void each.then(() => (over += 1));
    expect(await clients.authenticate('a', 'right')).toMatchObject({ id: 'a' });
    expect(over).toBeLessThan(100);
    const outcomes = await Promise.all(flood);
    expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(48);
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(102);
    expect(clients.failures()).toBe(102);
  });
});

describe('keys', () => {
  const day = 24 * 3600_000;
  const overlap = 3600_000;

  it('stay published until their last token has expired', async () => {
    let now = Date.now();
    const keys = createIssuerKeys({ store: createMemoryKeyStore(), period: day, overlap, now: () => now });
    const published = async (): Promise<unknown[]> => ((await keys.newest())?.keys ?? []).map(({ kid }) => kid);
    const first = (await keys.signing()).kid;
    now += day - 1;
    expect((await keys.signing()).kid).toBe(first);
    now += 1;
    const [second, again] = await Promise.all([keys.signing(), keys.signing()]);
    expect(second!.kid).not.toBe(first);
    expect(again!.kid).toBe(second!.kid);
    now += overlap - 1;
    expect(await published()).toEqual([first, second!.kid]);
    now += 1;
    expect(await published()).toEqual([second!.kid]);
  });

  it('in a file are shared by several servers and survive a restart', async () => {
    const file = join(directory, 'shared.json');
    let now = Date.now();
    const start = () => createIssuerKeys({ store: createFileKeyStore(file), period: day, overlap, now: () => now });
    const one = start();
    const other = start();
    const { kid } = await one.signing();
    expect((await other.signing()).kid).toBe(kid);
    now += day;
    const next = (await other.signing()).kid;
    expect(next).not.toBe(kid);
    expect((await one.signing()).kid).toBe(next);
    expect((await start().signing()).kid).toBe(next);
    expect((await one.newest())?.keys.map((key) => key.kid)).toEqual([kid, next]);
  });

  it('in a file behind a symbolic link replace the target, and keep the link', async () => {
    const [file, link] = [join(directory, 'target.json'), join(directory, 'link.json')];
    writeFileSync(file, '{"keys":[]}', { mode: 0o600 });
    symlinkSync(file, link);
    const keys = createIssuerKeys({ store: createFileKeyStore(link), period: day, overlap });
    const { kid } = await keys.signing();
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ keys: [{ kid }] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.runIf(runsAll)('that are removed from the file are refused, and so are the tokens that they verified', async () => {
    const file = join(directory, 'revoked.json');
    const other = await start(file);
    const headers = { 'content-type': 'application/json' };
    const ask = (): Promise<WireAnswer> =>
      send(`${other.server.url}/oauth/token`, { method: 'POST', headers, body: JSON.stringify(fields()) });
    const token = await tokenOf(ask());
    const read = async (text: string): Promise<number> =>
      (await post(other.server.url, '{ head { height } }', { authorization: `Bearer ${text}` })).status;
    expect(await read(token)).toBe(200);
    writeFileSync(file, '{"keys":[]}');
    await expect.poll(() => read(token)).toBe(401);
    expect(await read(await tokenOf(ask()))).toBe(200);
    await other.close();
  });

  describe('in a store that replicas share', () => {
    const local = createLocalStore({ maxBytes: 1_000_000, maxValue: 100_000 });
    /** Authentication of a replica whose store can be used while `canUse` returns true. */
    function replica(name: string, canUse: () => boolean): Promise<Auth> {
      const store = local.of(name);
      const get: SharedStore['get'] = async (group, key) => (canUse() ? store.get(group, key) : undefined);
      const put: SharedStore['put'] = async (...args) => canUse() && store.put(...args);
      const sharedKeys = { store: { ...store, get, put, isUsable: canUse }, secret: 'the secret of two replicas' };
      const config = { kind: 'embedded', audience, clientsFile, keysFile: undefined, lifetime: 600 } as const;
      return createAuth(config, { address: () => '', report: () => undefined, sharedKeys });
    }
    const sign = ({ issuer }: Auth): Promise<string> =>
      issuer!.sign({ clientId: client.id, scopes: ['read'], isPublic: false });

    it('are those of the others if the store answers late while a replica starts', async () => {
      const first = await replica('first', () => true);
      let refused = 0;
      const second = await replica('second', () => ++refused > 5);
      expect(await second.auth.verify(await sign(first))).toHaveProperty('viewer.subject', client.id);
      expect(await first.auth.verify(await sign(second))).toHaveProperty('viewer.subject', client.id);
    });

    it.runIf(runsAll)(
      'that cannot be read are no reason to call a token invalid, and no token of the replica is refused',
      async () => {
        const first = await replica('third', () => true);
        let canUse = false;
        const alone = await replica('fourth', () => canUse);
        const token = await sign(first);
        expect(await alone.auth.verify(token)).toMatchObject({ reason: 'noKeys', retryAfter: 1 });
        expect(await alone.auth.verify(await sign(alone))).toHaveProperty('viewer.subject', client.id);
        canUse = true;
        await expect.poll(() => alone.auth.verify(token), { timeout: 5_000 }).toHaveProperty('viewer.subject', client.id);
        expect(await first.auth.verify(`${token.slice(0, -4)}AAAA`)).toMatchObject({ reason: 'invalidToken' });
      },
    );
  });
});

it.each([
  ['invalid JSON', '{', /is not a valid client file: content/],
  ['two clients with the same id', undefined, /is not a valid client file: clients: custom/],
  [
    'an unsupported hash',
    '{"clients":[{"id":"a","name":"a","scopes":["read"],"secretHash":"plain"}]}',
    /clients\.0\.secretHash/,
  ],
  ['an unknown scope', '{"clients":[{"id":"a","name":"a","scopes":["write"],"secretHash":"x"}]}', /clients\.0\.scopes\.0/],
])('does not start with a client file that contains %s', async (_, text, message) => {
  const file = join(directory, 'bad.json');
  const { clients } = JSON.parse(readFileSync(clientsFile, 'utf8')) as { clients: object[] };
  writeFileSync(file, text ?? JSON.stringify({ clients: [...clients, ...clients] }));
  const config = { kind: 'embedded', audience, clientsFile: file, keysFile: undefined, lifetime: 600 } as const;
  const attempt = createAuth(config, { address: () => '', report: () => undefined });
  await expect(attempt).rejects.toThrow(message);
  await expect(attempt).rejects.not.toThrow('plain');
});
