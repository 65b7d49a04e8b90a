import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';
import { createTestKey } from './issuer.ts';

/** A small OpenID provider: the Authorization Code flow with PKCE (RFC 7636), for one public client. Everybody is logged in. */
export interface OpenIdProvider {
  readonly url: string;
  /** The parameters of each request to the token endpoint. */
  readonly redeemed: Readonly<Record<string, string>>[];
  close(): Promise<void>;
}

/** The client that is registered at the provider. */
export interface PageClient {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The `aud` of access tokens. */
  readonly audience: string;
}

/** What a code stands for. */
interface Login {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly scope: string;
}

/** Starts a provider on a free port. `subject` is who is logged in. */
export async function startOpenIdProvider(
  { clientId, redirectUri, audience }: PageClient,
  { subject = 'alice' } = {},
): Promise<OpenIdProvider> {
  const key = await createTestKey('provider', 'RS256');
  const logins = new Map<string, Login>();
  const redeemed: Record<string, string>[] = [];

  const json = (response: ServerResponse, status: number, body: object): void => {
    // The page reads the metadata and the token from its own origin.
    const cors = { 'access-control-allow-origin': new URL(redirectUri).origin };
    response.writeHead(status, { 'content-type': 'application/json', ...cors }).end(JSON.stringify(body));
  };

  /** The authorization endpoint: redirects back to the page with a code. */
  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const isValid =
      query.get('client_id') === clientId &&
      query.get('redirect_uri') === redirectUri &&
      query.get('response_type') === 'code' &&
      query.get('code_challenge_method') === 'S256';
    if (!isValid) {
      json(response, 400, { error: 'invalid_request' });
      return;
    }
    const code = randomUUID();
    logins.set(code, { challenge: query.get('code_challenge') ?? '', redirectUri, scope: query.get('scope') ?? '' });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: String(back) }).end();
  }

  const sign = (claims: object, typ: string): Promise<string> =>
    new SignJWT({ sub: subject, client_id: clientId, ...claims })
      .setProtectedHeader({ alg: 'RS256', typ, kid: key.kid })
      .setIssuer(url)
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(key.privateKey);

  /** The token endpoint: a code is good for one request, with the verifier of its challenge. */
  async function redeem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    redeemed.push(form);
    const login = logins.get(form.code ?? '');
    logins.delete(form.code ?? '');
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    const isValid =
      form.grant_type === 'authorization_code' &&
      form.client_id === clientId &&
      login?.challenge === challenge &&
      login.redirectUri === form.redirect_uri;
    if (!isValid) return json(response, 400, { error: 'invalid_grant' });
    const { scope } = login;
    json(response, 200, {
      access_token: await sign({ aud: audience, scope }, 'at+jwt'),
      id_token: await sign({ aud: clientId, nonce: 'n' }, 'JWT'),
      token_type: 'Bearer',
      expires_in: 600,
      scope,
    });
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    if (pathname === '/.well-known/openid-configuration')
      return json(response, 200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
      });
    if (pathname === '/keys') return json(response, 200, { keys: [key.jwk] });
    if (pathname === '/authorize') return authorize(searchParams, response);
    if (pathname === '/token' && request.method === 'POST') return void redeem(request, response);
    return json(response, 404, { error: 'not found' });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    redeemed,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
