import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSteps } from '../../../scripts/readme/steps.ts';
import { algorithms } from '../../../src/config/settings/settings.ts';
import { createAuth } from '../../../src/start/authSetup.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../../support/openIdProvider.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { post, type WireAnswer } from '../../support/wire.ts';

// The login of docs/web-pages.md, against a provider over HTTP.

/** What the module of the page exports. */
interface Login {
  begin(settings: Settings): Promise<{ readonly url: string; readonly pending: Pending }>;
  finish(
    settings: Settings,
    url: string,
    pending: Pending,
  ): Promise<{ access_token: string; id_token: string; expires_in: number }>;
}

interface Settings {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
}

interface Pending {
  readonly state: string;
  readonly verifier: string;
}

const directory = mkdtempSync(join(tmpdir(), 'stele-login-'));
const audience = 'https://stele.example.org';
const page = 'https://board.example';
const client = { clientId: 'board', redirectUri: `${page}/`, audience };

let login: Login;
let provider: OpenIdProvider;
let chain: TestChain;
let stack: Stack;
let settings: Settings;

beforeAll(async () => {
  const step = readSteps('docs/web-pages.md', readFileSync('docs/web-pages.md', 'utf8')).find(({ kind }) => kind === 'write');
  const file = join(directory, 'login.mjs');
  writeFileSync(file, step?.kind === 'write' ? step.text : '');
  login = (await import(pathToFileURL(file).href)) as Login;
  provider = await startOpenIdProvider(client);
  chain = await startChain({ bare: true });
  const config = { kind: 'outside', issuer: provider.url, audience, jwksUrl: undefined, algorithms, strictType: true } as const;
  const { auth } = await createAuth(config, { address: () => '', report: console.error });
  stack = await startStack([chain.node.url], { server: { auth, allowedOrigins: [page] } });
  settings = { issuer: provider.url, clientId: client.clientId, redirectUri: client.redirectUri, scope: 'openid read' };
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
  await provider.close();
  rmSync(directory, { recursive: true });
});

/** Opens the address of the login as the browser does. Returns the address that the provider redirects to. */
async function visit(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' });
  expect(response.status).toBe(302);
  return response.headers.get('location') ?? '';
}

const ask = (token: string, query = '{ head { height } }'): Promise<WireAnswer> =>
  post(stack.server.url, query, { authorization: `Bearer ${token}`, origin: page, 'sec-fetch-site': 'cross-site' });

describe('the Authorization Code flow with PKCE of docs/web-pages.md', () => {
  it('gets an access token for a code, and Stele answers a query with it', async () => {
    const { url, pending } = await login.begin(settings);
    const asked = new URL(url).searchParams;
    expect(Object.fromEntries(asked)).toEqual({
      client_id: 'board',
      redirect_uri: client.redirectUri,
      response_type: 'code',
      scope: 'openid read',
      state: pending.state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    // The verifier is sent only with the code.
    expect(url).not.toContain(pending.verifier);
    const token = await login.finish(settings, await visit(url), pending);
    expect(provider.redeemed.at(-1)).toEqual({
      grant_type: 'authorization_code',
      client_id: 'board',
      redirect_uri: client.redirectUri,
      code: expect.any(String),
      code_verifier: pending.verifier,
    });
    const answer = await ask(token.access_token);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { data: { head: { height: '1' } } }]);
    expect(answer.headers['access-control-allow-origin']).toBe(page);
    // The ID token is for the page, not for an API.
    expect((await ask(token.id_token)).status).toBe(401);
  });

  it('grants the scopes of the token only', async () => {
    const { url, pending } = await login.begin({ ...settings, scope: 'openid' });
    const token = await login.finish(settings, await visit(url), pending);
    expect([(await ask(token.access_token)).status, (await ask(token.access_token)).body]).toMatchObject([
      403,
      expect.stringContaining('"scope":"read"'),
    ]);
  });

  it('fails with the state or the verifier of another login, and with a code that was used', async () => {
    const one = await login.begin(settings);
    const other = await login.begin(settings);
    const [back, backToOther] = [await visit(one.url), await visit(other.url)];
    await expect(login.finish(settings, back, other.pending)).rejects.toThrow('state');
    const mixed = { state: one.pending.state, verifier: other.pending.verifier };
    await expect(login.finish(settings, back, mixed)).rejects.toThrow('invalid_grant');
    await login.finish(settings, backToOther, other.pending);
    await expect(login.finish(settings, backToOther, other.pending)).rejects.toThrow('invalid_grant');
  });

  it('fails with the error that the provider redirects back with', async () => {
    const { pending } = await login.begin(settings);
    const back = `${client.redirectUri}?error=access_denied&state=${pending.state}`;
    await expect(login.finish(settings, back, pending)).rejects.toThrow('access_denied');
  });
});
