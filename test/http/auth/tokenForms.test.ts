import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Authenticator } from '../../../src/server/auth/auth.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { authenticatorOf, createTestKey, startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { openSocket, post } from '../../support/wire.ts';

const maxFailures = 3;

let chain: TestChain;
let issuer: TestIssuer;
let stack: Stack;
let auth: Authenticator;

const query = '{ head { height } }';
const bearer = (text: string): { authorization: string } => ({ authorization: `Bearer ${text}` });
const seconds = (): number => Math.floor(Date.now() / 1000);

beforeAll(async () => {
  chain = await startChain({ bare: true });
  issuer = await startIssuer();
});

afterAll(async () => {
  await issuer.close();
  await chain.devnet.close();
});

afterEach(async () => {
  expect((await post(stack.server.url, query, bearer(await issuer.sign()))).status).toBe(200);
  expect(stack.masked).toEqual([]);
  await stack.close();
});

/** Starts a server that accepts the tokens of the issuer. With 0, failures are not limited. */
async function start(failures = 0, now: () => number = Date.now): Promise<string> {
  auth = authenticatorOf(issuer, now);
  stack = await startStack([chain.node.url], { server: { auth, limits: { 'rate.failedAuthentications': failures } } });
  return stack.server.url;
}

const status = async (url: string, token: string): Promise<number> => (await post(url, query, bearer(token))).status;

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Replaces the last character by the next one: the same bytes, with an unused bit set. */
const withUnusedBit = (part: string): string => part.slice(0, -1) + digits[digits.indexOf(part.at(-1)!) + 1]!;

/** Other encodings of the bytes of a part: with an unused bit set, with padding, and in the alphabet of base64. */
function otherSpellings(part: string): string[] {
  const spelled = ['=', '=='].map((end) => part + end);
  if (part.length % 4 !== 0) spelled.push(withUnusedBit(part));
  return [...spelled, part.replaceAll('-', '+').replaceAll('_', '/')].filter((each) => each !== part);
}

describe('a token has one canonical form', () => {
  it('base64url must be canonical in each of the three parts: every other encoding of the same bytes is 401', async () => {
    const url = await start();
    const taken: string[] = [];
    const rests = new Set<string>();
    // Claims and headers of every length modulo 3, so that the last character of a part has 0, 2 and 4 unused bits.
    for (const more of ['', 'x', 'xx']) {
      // A character of three bytes produces `-` and `_` within a part.
      const token = await issuer.sign({ more: `${more}\u{ffff}\u{fffe}??>>` }, { more: `${more}??>>` });
      expect(await status(url, token)).toBe(200);
      const parts = token.split('.');
      for (const [index, part] of parts.entries()) {
        rests.add(`part ${index + 1}: ${part.length % 4}`);
        for (const spelled of otherSpellings(part)) {
          const other = parts.with(index, spelled).join('.');
          const outcomes = [await status(url, other), await openSocket(url, { params: bearer(other) })];
          if (outcomes[0] !== 401 || outcomes[1] !== 4403) taken.push(`part ${index + 1}: ...${spelled.slice(-4)} ${outcomes}`);
        }
      }
    }
    expect(taken).toEqual([]);
    expect([...rests].toSorted()).toEqual([
      ...[0, 2, 3].flatMap((rest) => `part 1: ${rest}`),
      ...[0, 2, 3].flatMap((rest) => `part 2: ${rest}`),
      'part 3: 2',
    ]);
  });
});

describe('a token that is never accepted', () => {
  it('with an `exp` more than a year ahead is 401 with invalid_token', async () => {
    const url = await start();
    const year = 365 * 24 * 60 * 60;
    for (const exp of [seconds() + year + 3600, seconds() + 10 * year, 1e15, Number.MAX_VALUE]) {
      const { status, headers } = await post(url, query, bearer(await issuer.sign({ exp })));
      expect([exp, status, headers['www-authenticate']]).toEqual([exp, 401, 'Bearer error="invalid_token"']);
    }
    expect(await status(url, await issuer.sign({ exp: seconds() + year - 60 }))).toBe(200);
  });

  it('with `cnf`, which binds it to a key or a certificate, is 401 with invalid_token, because Stele does not check the proof', async () => {
    const url = await start();
    const { jwk } = await createTestKey('bound');
    for (const cnf of [{ jkt: 'A'.repeat(43) }, { 'x5t#S256': 'A'.repeat(43) }, { jwk }, {}, null]) {
      const { status, headers } = await post(url, query, bearer(await issuer.sign({ cnf })));
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
    }
  });
});

describe('an expired token', () => {
  it('is 401 even if its address is over the limit of failed authentications, so that its client gets a new one', async () => {
    const url = await start(maxFailures);
    const good = await issuer.sign();
    const wrong = async (): Promise<string> => `${(await issuer.sign()).slice(0, -8)}AAAAAAAA`;
    for (let count = 0; count < maxFailures; count += 1) expect(await status(url, await wrong())).toBe(401);
    expect(await status(url, await wrong())).toBe(429);

    const expired = await issuer.sign({ exp: seconds() - 60 });
    for (let count = 0; count < 2; count += 1) {
      const answer = await post(url, query, bearer(expired));
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
      expect(await openSocket(url, { headers: bearer(expired) })).toBe(401);
      expect(await openSocket(url, { path: '/websocket', headers: bearer(expired) })).toBe(401);
      expect(await openSocket(url, { params: bearer(expired) })).toBe(4403);
    }
    // A token that never verified still counts as a failure.
    const forged = `${expired.slice(0, -8)}AAAAAAAA`;
    const otherwiseWrong = [
      forged,
      await issuer.sign({ exp: seconds() - 60, aud: 'https://other.example' }),
      await issuer.sign({ exp: seconds() - 60 }, { typ: 'JWT' }),
      await issuer.sign({ exp: seconds() - 60 }, {}, { ...(await createTestKey('first')), kid: 'first' }),
    ];
    for (const token of otherwiseWrong) expect(await status(url, token)).toBe(429);
    expect(await status(url, good)).toBe(200);
  });

  it('does not count as a failure of its address, and its signature is checked once', async () => {
    const url = await start(maxFailures);
    const expired = await issuer.sign({ exp: seconds() - 60 });
    for (let count = 0; count < 2 * maxFailures; count += 1) expect(await status(url, expired)).toBe(401);
    expect(auth.stats()).toMatchObject({ verifications: 1, refusals: { expiredToken: 2 * maxFailures, invalidToken: 0 } });
    expect(await status(url, `${(await issuer.sign()).slice(0, -8)}AAAAAAAA`)).toBe(401);
  });

  it('is 401 also if it was accepted before it expired', async () => {
    let ahead = 0;
    const url = await start(maxFailures, () => Date.now() + ahead);
    const token = await issuer.sign({ exp: seconds() + 60 });
    expect(await status(url, token)).toBe(200);
    for (let count = 0; count <= maxFailures; count += 1) await post(url, query, bearer(`a.b.${count}`));
    ahead = 120_000;
    expect(await status(url, token)).toBe(401);
    expect(await status(url, 'a.b.c')).toBe(429);
    ahead = 0;
  });
});
