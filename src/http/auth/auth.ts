import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import { createMemoryBudget, type MemoryBudget } from '../../chain/memory/memoryBudget.ts';
import { objectBytes, textBytes } from '../../chain/memory/sizes.ts';
import { openSession, type Session, type Viewer } from '../../reads/viewer.ts';
import type { AuthStats } from '../observability/stats.ts';
import type { Refusal } from './authRefusal.ts';
import { hasSecondToken, isCompactToken, tokenOf } from './bearer.ts';
import { areClaimsAccepted, areClaimsExpired, clockSkew, isHeaderAccepted, viewerOf } from './claims.ts';
import type { KeySet } from './keySet.ts';
import { createSession } from './session.ts';
import type { TokenRules } from './tokenRules.ts';

/** Why there is no session. */
type Refused = Exclude<Refusal, { readonly reason: 'noScope' }>;

/** A session, or why there is none. */
type Outcome = Session | Refused;

/** Tells who asks. */
export interface Authenticator {
  /** The session of the token in a request's headers. Its body is not looked at. Never rejects. */
  authenticate(request: IncomingMessage): Outcome | Promise<Outcome>;
  /** The session of a token. The same token again, verified, costs no signature. Never rejects. */
  verify(token: string): Promise<Outcome>;
  /** Whether there ever were keys to check tokens with. */
  isReady(): boolean;
  stats(): AuthStats;
}

/** Lets everybody in, to everything. */
export const openAuthenticator: Authenticator = {
  authenticate: () => openSession,
  verify: async () => openSession,
  isReady: () => true,
  stats: () => ({
    keys: { keys: 0, age: undefined, stale: false, fetches: 0 },
    verifications: 0,
    refusals: { noToken: 0, invalidToken: 0, expiredToken: 0, twoTokens: 0, noKeys: 0 },
  }),
};

/** A token that was verified, and the keys that it was verified with. */
interface Verified {
  readonly session: Session;
  readonly keySet: KeySet;
}

/** A session and what it is made of, without the texts. */
const sessionBytes = 1_000;

/** Memory of what is kept of a token. */
function sizeOf({ session: { viewer } }: Verified): number {
  return sessionBytes + objectBytes + textBytes(viewer.subject) + textBytes(viewer.clientId);
}

const invalid = { reason: 'invalidToken' } as const;
const expired = { reason: 'expiredToken' } as const;

/** Makes an authenticator. `now` is the time of day in ms. Verified tokens are remembered within the memory for callers. */
export function createAuthenticator(
  rules: TokenRules,
  now: () => number = Date.now,
  memory: MemoryBudget = createMemoryBudget(),
): Authenticator {
  const { keys, audience, strictType } = rules;
  const verified = memory.cache<Verified>('callers', 'tokens', sizeOf);
  /** What each connection sent last: the same header again is not even looked into. */
  const lastOf = new WeakMap<Socket, { readonly header: string; readonly verified: Verified }>();
  const underWay = createInFlight<Verified | Refused>();
  const refusals = { noToken: 0, invalidToken: 0, expiredToken: 0, twoTokens: 0, noKeys: 0 };
  let verifications = 0;

  function counted(refused: Refused): Refused {
    refusals[refused.reason] += 1;
    return refused;
  }

  /** What a token says that verifies at `time`, ms. */
  async function payloadOf(token: string, { find }: KeySet, time: number): Promise<JWTPayload | 'unknownKey' | undefined> {
    const options: JWTVerifyOptions = {
      algorithms: [...rules.algorithms],
      issuer: rules.issuer(),
      audience,
      ...(strictType && { typ: 'at+jwt' }),
      clockTolerance: clockSkew,
      currentDate: new Date(time),
      requiredClaims: ['exp', 'sub'],
    };
    verifications += 1;
    try {
      return (await jwtVerify(token, find, options)).payload;
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return 'unknownKey';
      if (error instanceof errors.JWKSMultipleMatchingKeys) return payloadByOneOf(token, error, options);
      // Whatever else is wrong, also with a key of the issuer, is no token that verifies.
      return undefined;
    }
  }

  /** The same where several keys fit the header: two of one name, or a token that names none. */
  async function payloadByOneOf(
    token: string,
    keysThatFit: errors.JWKSMultipleMatchingKeys,
    options: JWTVerifyOptions,
  ): Promise<JWTPayload | undefined> {
    for await (const key of keysThatFit) {
      verifications += 1;
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch {
        // By another, or by none.
      }
    }
    return undefined;
  }

  /** The claims of a token that may verify; undefined where its header or its claims rule that out before any key is looked for. */
  function claimsOf(token: string): JWTPayload | undefined {
    try {
      const claims = decodeJwt(token);
      return isHeaderAccepted(decodeProtectedHeader(token), rules) && areClaimsAccepted(claims, rules, now())
        ? claims
        : undefined;
    } catch {
      return undefined;
    }
  }

  function remember(token: string, digest: string, viewer: Viewer, keySet: KeySet): Verified {
    const isOver = async (): Promise<boolean> => {
      const outcome = await look(token);
      return 'reason' in outcome && outcome.reason !== 'noKeys';
    };
    const made = { session: createSession({ viewer, now, isOver }), keySet };
    verified.set(digest, made);
    return made;
  }

  async function check(token: string, digest: string): Promise<Verified | Refused> {
    const claims = claimsOf(token);
    if (claims === undefined) return invalid;
    if (areClaimsExpired(claims, now())) return checkExpired(token, digest, Number(claims.exp) * 1000);
    let keySet = await keys.known();
    let payload = keySet && (await payloadOf(token, keySet, now()));
    if (keySet === undefined || payload === 'unknownKey') {
      const newest = await keys.newest();
      if (newest === undefined) return { reason: 'noKeys', retryAfter: keys.retryAfter() };
      if (newest === keySet) return invalid;
      keySet = newest;
      payload = await payloadOf(token, keySet, now());
    }
    const viewer = typeof payload === 'object' ? viewerOf(payload, now()) : undefined;
    return viewer === undefined ? invalid : remember(token, digest, viewer, keySet);
  }

  /** Whether a token verified until it expired, with the keys that are known: the issuer is not asked for others. */
  async function checkExpired(token: string, digest: string, expiredAt: number): Promise<Refused> {
    const keySet = await keys.known();
    const payload = keySet && (await payloadOf(token, keySet, expiredAt));
    const viewer = typeof payload === 'object' ? viewerOf(payload, now()) : undefined;
    if (keySet === undefined || viewer === undefined) return invalid;
    remember(token, digest, viewer, keySet);
    return expired;
  }

  function hasExpired({ session }: Verified): boolean {
    return now() >= session.viewer.expiresAt + clockSkew * 1000;
  }

  /** Whether what was verified still holds with the keys of now: another key set may lack its key. */
  function holds(seen: Verified, known: KeySet | undefined): boolean {
    return seen.keySet === known && !hasExpired(seen);
  }

  async function look(token: string): Promise<Verified | Refused> {
    // Before anything is remembered by its text: one token has one spelling.
    if (!isCompactToken(token)) return invalid;
    const digest = createHash('sha256').update(token).digest('base64');
    const seen = verified.get(digest);
    if (seen !== undefined && seen.keySet === (await keys.known())) return hasExpired(seen) ? expired : seen;
    verified.delete(digest);
    return underWay.join(digest, undefined, () => check(token, digest));
  }

  /** The session of what the connection sent last, where this is the same. */
  function sessionAgain(request: IncomingMessage): Session | undefined {
    const last = lastOf.get(request.socket);
    if (last === undefined || last.header !== request.headers.authorization || hasSecondToken(request)) return undefined;
    const known = keys.known();
    return !(known instanceof Promise) && holds(last.verified, known) ? last.verified.session : undefined;
  }

  async function authenticate(request: IncomingMessage): Promise<Outcome> {
    const sent = tokenOf(request);
    const outcome = 'token' in sent ? await look(sent.token) : sent;
    if ('reason' in outcome) return counted(outcome);
    const { socket, headers } = request;
    const { authorization: header, upgrade } = headers;
    if (header !== undefined && upgrade === undefined) lastOf.set(socket, { header, verified: outcome });
    return outcome.session;
  }

  return {
    authenticate: (request) => sessionAgain(request) ?? authenticate(request),
    async verify(token) {
      const outcome = await look(token);
      return 'reason' in outcome ? counted(outcome) : outcome.session;
    },
    isReady: () => keys.stats().age !== undefined,
    stats: () => ({ keys: keys.stats(), verifications, refusals: { ...refusals } }),
  };
}
