import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { algorithms } from '../../../src/config/settings/settings.ts';
import { type Authenticator, createAuthenticator } from '../../../src/server/auth/auth.ts';
import { createOutsideKeys } from '../../../src/server/auth/outsideKeys.ts';
import { some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { audience, createTestKey, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { post, type WireAnswer } from '../../support/wire.ts';

let chain: TestChain;
let issuer: TestIssuer;
let stack: Stack;
let auth: Authenticator;
/** Elapsed time, in ms, of the time of day and of the clock of the keys. */
let elapsed: number;
const troubles: unknown[] = [];

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const unauthenticated = { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] };

beforeEach(async () => {
  chain = await startChain({ bare: true });
  issuer = await startIssuer();
  elapsed = 0;
  troubles.length = 0;
});

afterEach(async () => {
  await stack.close();
  await issuer.close();
  await chain.devnet.close();
});

async function start(options: { jwksUrl?: string; timeout?: number; strictType?: boolean } = {}): Promise<void> {
  const { strictType = true, ...others } = options;
  const keys = createOutsideKeys({
    issuer: issuer.url,
    jwksUrl: undefined,
    report: (error) => troubles.push(error),
    now: () => elapsed,
    ...others,
  });
  const now = Date.now();
  const rules = { keys, algorithms, issuer: () => issuer.url, audience, strictType };
  auth = createAuthenticator(rules, () => now + elapsed);
  stack = await startStack([chain.node.url], { server: { auth, limits: { 'rate.failedAuthentications': 0 } } });
}

const ask = (token: string): Promise<WireAnswer> =>
  post(stack.server.url, '{ head { height } }', { authorization: `Bearer ${token}` });

const statusOf = async (token: string): Promise<number> => (await ask(token)).status;

/** A token that is valid for two days. */
const longToken = (key = issuer.keys[0]): Promise<string> =>
  issuer.sign({ exp: Math.floor((Date.now() + elapsed + 48 * hour) / 1000) }, {}, key);

const fetches = (): number => issuer.requests.filter((path) => path === '/keys').length;

describe('discovery', () => {
  it('finds the keys by the OAuth metadata', async () => {
    await start();
    expect(await statusOf(await issuer.sign())).toBe(200);
    expect(issuer.requests).toEqual(['/.well-known/oauth-authorization-server', '/keys']);
  });

  it('finds the keys by the OpenID Connect metadata if there is no OAuth metadata', async () => {
    issuer.trouble = (request, response) => {
      if (request.url === '/.well-known/openid-configuration')
        response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/elsewhere` }));
      else if (request.url === '/elsewhere') response.end(JSON.stringify({ keys: [issuer.keys[0]!.jwk] }));
      else response.writeHead(404).end('no');
    };
    await start();
    expect(await statusOf(await issuer.sign())).toBe(200);
  });

  it('reads no metadata if the URL of the keys is configured', async () => {
    await start({ jwksUrl: `${issuer.url}/keys` });
    expect(await statusOf(await issuer.sign())).toBe(200);
    expect(issuer.requests).toEqual(['/keys']);
  });

  it('refuses the metadata of another issuer', async () => {
    issuer.trouble = (request, response) => {
      if (request.url === '/keys') response.end(JSON.stringify({ keys: [issuer.keys[0]!.jwk] }));
      else response.end(JSON.stringify({ issuer: 'https://other.example', jwks_uri: `${issuer.url}/keys` }));
    };
    await start();
    expect(await statusOf(await issuer.sign())).toBe(503);
    expect(fetches()).toBe(0);
  });

  it('is not ready before the first keys, and stays ready afterwards', async () => {
    issuer.trouble = (_, response) => response.writeHead(500).end();
    await start();
    const ready = async (): Promise<number> => (await fetch(`${stack.server.url}/readyz`)).status;
    expect(await statusOf(await issuer.sign())).toBe(503);
    expect(await ready()).toBe(503);
    issuer.trouble = undefined;
    elapsed += 30 * second;
    expect(await statusOf(await issuer.sign())).toBe(200);
    await expect.poll(ready).toBe(200);
    issuer.trouble = (_, response) => response.writeHead(500).end();
    elapsed += hour;
    expect(await statusOf(await longToken())).toBe(200);
    expect(await ready()).toBe(200);
  });
});

describe('T16', () => {
  it('fetches the keys at most once in 30 s for unknown keys, however many tokens name them', async () => {
    await start();
    const token = await longToken();
    expect(await statusOf(token)).toBe(200);
    const mine = await createTestKey('mine');
    const strange = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        issuer.sign({ exp: Math.floor(Date.now() / 1000) + 7200 }, { kid: `k${index}` }, mine),
      ),
    );
    for (let step = 0; step < 4; step += 1) {
      const before = fetches();
      elapsed += 30 * second;
      const answers = await Promise.all(strange.map(ask));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
      expect(answers[0]!.status).toBe(401);
      expect(fetches() - before).toBe(1);
      elapsed += 29 * second;
      expect(await statusOf(strange[0]!)).toBe(401);
      expect(fetches() - before).toBe(1);
      expect(await statusOf(token)).toBe(200);
      elapsed += 1 * second;
    }
  });

  it('fetches no keys for a token that no key could make valid', async () => {
    await start();
    expect(await statusOf(await longToken())).toBe(200);
    elapsed += 31 * second;
    const before = fetches();
    const mine = await createTestKey('mine');
    for (const claims of [{ iss: 'https://other.example' }, { exp: 1 }, { exp: undefined }])
      expect(await statusOf(await issuer.sign(claims, {}, mine))).toBe(401);
    expect(fetches()).toBe(before);
  });
});

describe('T17', () => {
  it('accepts the first token of a new key, after one fetch', async () => {
    await start();
    const old = await longToken();
    expect(await statusOf(old)).toBe(200);
    elapsed += minute;
    issuer.keys.unshift(await createTestKey('second'));
    const before = fetches();
    const fresh = await longToken();
    expect(await Promise.all([ask(fresh), ask(fresh), ask(old)])).toMatchObject([
      { status: 200 },
      { status: 200 },
      { status: 200 },
    ]);
    expect(fetches() - before).toBe(1);
  });

  it('refuses a removed key within ten minutes, also for a token that was accepted before', async () => {
    await start();
    const old = await longToken();
    expect(await statusOf(old)).toBe(200);
    issuer.keys = [await createTestKey('second')];
    elapsed += 10 * minute;
    expect(await ask(old)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } });
    expect(await statusOf(await longToken())).toBe(200);
  });

  it('refuses a key that was replaced under its id', async () => {
    await start();
    const old = await longToken();
    expect(await statusOf(old)).toBe(200);
    issuer.keys = [await createTestKey('first')];
    elapsed += 10 * minute;
    expect(await statusOf(old)).toBe(401);
  });

  it('checks a signature once while the keys stay the same, however often they are fetched', async () => {
    await start();
    const token = await longToken();
    for (let step = 0; step < 30; step += 1) {
      expect(await statusOf(token)).toBe(200);
      elapsed += minute;
    }
    expect(fetches()).toBeGreaterThan(2);
    expect(auth.stats().verifications).toBe(1);
  });
});

describe('a key set', () => {
  const publish = (keys: readonly unknown[]): void => {
    issuer.trouble = (request, response) => {
      if (request.url === '/keys') response.end(JSON.stringify({ keys }));
      else response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }));
    };
  };

  it.each<[string, unknown]>(
    some(
      [
        ['null', null],
        ['a string', 'key'],
        ['a key without a type', { kid: 'other' }],
        ['a type that is not a string', { kid: 'other', kty: 5 }],
        ['an unknown type', { kid: 'other', kty: 'AKP', alg: 'ML-DSA-44', pub: 'AA' }],
        ['a symmetric key', { kid: 'other', kty: 'oct', k: 'AA' }],
        ['a key id that is not a string', { kid: 5, kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }],
        ['an invalid key', { kid: 'other', kty: 'EC', crv: 'P-256', x: '!', y: 5 }],
      ],
      3,
    ),
  )('is used without %s in it', async (_, odd) => {
    publish([odd, issuer.keys[0]!.jwk]);
    await start();
    expect(await statusOf(await issuer.sign())).toBe(200);
    expect(troubles).toEqual([]);
  });

  it('may have several keys that match a token: one of them must have signed it', async () => {
    const [first, second] = [issuer.keys[0]!, await createTestKey('first')];
    const strange = await createTestKey('first');
    publish([second.jwk, first.jwk, first.jwk]);
    await start();
    for (const header of [{}, { kid: undefined }]) {
      expect(await statusOf(await issuer.sign({}, header, first))).toBe(200);
      expect(await statusOf(await issuer.sign({}, header, second))).toBe(200);
      expect(await statusOf(await issuer.sign({}, header, strange))).toBe(401);
      expect(await statusOf(await issuer.sign({ aud: 'https://other.example' }, header, second))).toBe(401);
    }
  });
});

describe('T18', () => {
  const answer =
    (status: number, body: string, type = 'application/json') =>
    (_: unknown, response: ServerResponse) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    };

  const outages: readonly (readonly [string, (request: unknown, response: ServerResponse) => void])[] = [
    ['is down', (_: unknown, response: ServerResponse) => void response.destroy()],
    ['responds 500', answer(500, 'no')],
    ['redirects', (_: unknown, response: ServerResponse) => void response.writeHead(302, { location: '/x' }).end()],
    ['returns HTML', answer(200, '<html>maintenance</html>', 'text/html')],
    ['returns no keys', answer(200, '{"keys":[]}')],
    [
      'returns keys that verify no signature',
      answer(200, '{"keys":[{"kty":"oct","k":"AA"},{"kty":"RSA","use":"enc","n":"x","e":"AQAB"}]}'),
    ],
    ['returns no key set', answer(200, '{"keys":5}')],
    ['returns an empty body', answer(200, '')],
    ['returns a truncated body', answer(200, '{"keys":[{"kty":"EC","crv":"P-256"')],
    ['returns 10 MB', answer(200, `{"keys":[{"kty":"EC","kid":"${'x'.repeat(10_000_000)}"}]}`)],
  ];

  it.each(some(outages, 8))(
    'keeps its keys for an hour in which the issuer %s, and responds 503 for unknown keys',
    async (_, trouble) => {
      await start();
      const token = await longToken();
      expect(await statusOf(token)).toBe(200);
      const known = issuer.keys[0];
      const unknown = await createTestKey('second');
      issuer.trouble = trouble;
      const before = issuer.requests.length;
      for (let passed = 0; passed <= hour; passed += 5 * minute) {
        elapsed += 5 * minute;
        expect(await statusOf(token)).toBe(200);
        // A new token of a known key.
        expect(await statusOf(await longToken(known))).toBe(200);
        const refused = await ask(await longToken(unknown));
        expect([refused.status, JSON.parse(refused.body)]).toMatchObject([503, unauthenticated]);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(30);
      }
      expect(auth.stats().keys).toMatchObject({ stale: true, keys: 1 });
      // Twelve attempts, each with up to two requests for the metadata.
      expect(issuer.requests.length - before).toBeLessThanOrEqual(13 * 3);
      // The outage is logged once.
      expect(troubles).toHaveLength(1);

      issuer.trouble = undefined;
      issuer.keys.push(unknown);
      elapsed += 30 * second;
      expect(await statusOf(await longToken(unknown))).toBe(200);
      expect(auth.stats().keys).toMatchObject({ stale: false, keys: 2 });
    },
  );

  it('does not delay tokens with a known key while the issuer takes 60 s', async () => {
    await start({ timeout: 200 });
    const token = await longToken();
    expect(await statusOf(token)).toBe(200);
    const held: ServerResponse[] = [];
    issuer.trouble = (_, response) => void held.push(response);
    elapsed += 6 * minute;
    expect(await statusOf(token)).toBe(200);
    await expect.poll(() => held.length).toBe(1);
    // The issuer has not responded, and the same request still does not wait.
    expect(await statusOf(token)).toBe(200);
    expect(held[0]!.writableEnded).toBe(false);
    await once(held[0]!, 'close');
    elapsed += hour;
    expect(await statusOf(token)).toBe(200);
    expect((await ask(await longToken(await createTestKey('second')))).status).toBe(503);
  });

  it('uses no key for longer than a day without its issuer', async () => {
    await start();
    const token = await longToken();
    expect(await statusOf(token)).toBe(200);
    issuer.trouble = (_, response) => response.writeHead(500).end();
    elapsed += 24 * hour - minute;
    expect(await statusOf(token)).toBe(200);
    elapsed += minute;
    const refused = await ask(token);
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([503, unauthenticated]);
    issuer.trouble = undefined;
    elapsed += 30 * second;
    expect(await statusOf(token)).toBe(200);
  });
});

it('accepts tokens of another type if configured, but no id token', async () => {
  await start({ strictType: false });
  expect(await statusOf(await issuer.sign({}, { typ: 'JWT' }))).toBe(200);
  expect(await statusOf(await issuer.sign({}, { typ: undefined }))).toBe(200);
  expect(await statusOf(await issuer.sign({ nonce: 'n' }, { typ: 'JWT' }))).toBe(401);
  expect(await statusOf(await issuer.sign({ at_hash: 'h' }, { typ: 'JWT' }))).toBe(401);
});
