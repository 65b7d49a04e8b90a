import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { algorithms } from '../../src/config/settings/settings.ts';
import { type Authenticator, createAuthenticator } from '../../src/server/auth/auth.ts';
import { createOutsideKeys } from '../../src/server/auth/outsideKeys.ts';

/** A key of an issuer. */
export interface TestKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  /** The published key. */
  readonly jwk: JWK;
}

/** An issuer of tokens with its own server. */
export interface TestIssuer {
  readonly url: string;
  /** The keys published at `/keys`. The first one signs. */
  keys: TestKey[];
  /** The requested paths. */
  readonly requests: string[];
  /** While set, handles all requests instead of the issuer. */
  trouble: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Signs a valid token, with changed claims and header. undefined omits a claim. */
  sign(claims?: Record<string, unknown>, header?: Record<string, unknown>, key?: TestKey): Promise<string>;
  close(): Promise<void>;
}

/** The audience of the tokens. */
export const audience = 'https://stele.example';

/** Generates a key. */
export async function createTestKey(kid: string, alg = 'ES256'): Promise<TestKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Creates an authenticator that accepts the access tokens of an issuer. `now` is its clock, in ms since 1970. */
export function authenticatorOf({ url }: TestIssuer, now?: () => number): Authenticator {
  const keys = createOutsideKeys({ issuer: url, jwksUrl: undefined, report: console.error });
  return createAuthenticator({ keys, algorithms, issuer: () => url, audience, strictType: true }, now);
}

/** Starts an issuer with one key. */
export async function startIssuer(): Promise<TestIssuer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (issuer.trouble !== undefined) return issuer.trouble(request, response);
    response.setHeader('content-type', 'application/json');
    if (request.url === '/.well-known/oauth-authorization-server')
      return response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }));
    if (request.url === '/keys') return response.end(JSON.stringify({ keys: issuer.keys.map(({ jwk }) => jwk) }));
    return response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer: TestIssuer = {
    url: `http://127.0.0.1:${port}`,
    keys: [await createTestKey('first')],
    requests,
    trouble: undefined,
    sign(claims = {}, header = {}, key = issuer.keys[0]!) {
      const now = Math.floor(Date.now() / 1000);
      const payload: Record<string, unknown> = {
        iss: issuer.url,
        aud: audience,
        sub: 'somebody',
        client_id: 'somebody',
        scope: 'read broadcast introspect',
        iat: now,
        exp: now + 3600,
        jti: crypto.randomUUID(),
        ...claims,
      };
      for (const [name, value] of Object.entries(payload)) if (value === undefined) delete payload[name];
      return new SignJWT(payload as JWTPayload)
        .setProtectedHeader({ alg: key.alg, typ: 'at+jwt', kid: key.kid, ...header })
        .sign(key.privateKey, header.crit === undefined ? {} : { crit: { exp: true } });
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return issuer;
}
