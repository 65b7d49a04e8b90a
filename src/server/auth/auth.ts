import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import { createMemoryBudget, type MemoryBudget, objectBytes, textBytes } from '../../chain/memory/memoryBudget.ts';
import type { Algorithm } from '../../config/settings/settings.ts';
import { anonymousSession, openSession, type Scope, type Session, scopesAmong, type Viewer } from '../../reads/viewer.ts';
import { hasSecondToken, isCompactToken, type Refusal, tokenOf } from './bearer.ts';
import type { AuthKeys, KeySet, KeyStats } from './outsideKeys.ts';

interface TokenRules {
  readonly keys: AuthKeys;
  readonly algorithms: readonly Algorithm[];
  /** Required value of `iss`. */
  readonly issuer: () => string;
  /** Required value of `aud`, or of one of its members. */
  readonly audience: string;
  /** Whether the header must have the type `at+jwt` (RFC 9068). If false, id tokens are still refused by their claims. */
  readonly strictType: boolean;
}

/** Accepted difference between clocks, in seconds (docs/security.md, F10). */
export const clockSkew = 30;

/** Longest accepted key id, in characters. Thumbprints have 43. */
const longestKeyId = 256;

/**
 * Refused header parameters: keys and addresses of keys that the token brings itself, and critical extensions (RFC 8725, 3.10).
 */
const refusedParameters = ['jwk', 'jku', 'x5u', 'crit'];

/** The claim of tokens that anybody can get without a secret. Its value is `true`. */
export const publicClientClaim = 'public_client';

/** Claims that only id tokens have (OpenID Connect Core, 3.1.3.6 and 3.3.2.11). */
const idTokenClaims = ['nonce', 'at_hash', 'c_hash'];

/** The most that `exp` may lie in the future, in seconds: a year. */
const maxLifetime = 365 * 24 * 60 * 60;

function isHeaderAccepted(header: ProtectedHeaderParameters, { algorithms }: TokenRules): boolean {
  const { alg, kid = '' } = header;
  return (
    algorithms.some((algorithm) => algorithm === alg) &&
    typeof kid === 'string' &&
    kid.length <= longestKeyId &&
    !refusedParameters.some((name) => name in header)
  );
}

function areClaimsExpired({ exp }: JWTPayload, now: number): boolean {
  return typeof exp === 'number' && exp + clockSkew <= now / 1000;
}

/**
 * Whether unverified claims are acceptable at `now`, in ms, or were before they expired. `exp` may lie at most a year in the
 * future. A token with `cnf` is bound to a key or certificate of its sender (RFC 7800). It is refused, because Stele does not
 * check that proof.
 */
function areClaimsAccepted(payload: JWTPayload, { issuer }: TokenRules, now: number): boolean {
  const { iss, exp } = payload;
  return (
    typeof exp === 'number' && exp - clockSkew <= now / 1000 + maxLifetime && iss === issuer() && !Object.hasOwn(payload, 'cnf')
  );
}

function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

/**
 * Returns the viewer of a verified token at `now`, in ms. undefined if it is not an access token, or was issued in the future.
 * Scopes are read from `scope`, or from `scp` of issuers that do not follow RFC 9068, and the client from `client_id` or `azp`.
 */
function viewerOf(payload: JWTPayload, now: number): Viewer | undefined {
  const { sub, exp, iat, scope, scp, client_id, azp } = payload;
  // The types of signed claims are not guaranteed either.
  if (typeof sub !== 'string' || sub === '' || exp === undefined) return undefined;
  if (iat !== undefined && iat - clockSkew > now / 1000) return undefined;
  if (idTokenClaims.some((name) => name in payload)) return undefined;
  const clientId = [client_id, azp].find((id) => typeof id === 'string') ?? sub;
  return {
    subject: sub,
    clientId: String(clientId),
    scopes: scopesAmong(namesIn(scope ?? scp)),
    expiresAt: exp * 1000,
    isPublic: payload[publicClientClaim] === true,
  };
}

/**
 * Longest time between two checks whether a session has ended, in ms. With the refresh of the keys, a removed key ends its
 * sessions within ten minutes (docs/security.md, T17).
 */
const checkInterval = 5 * 60_000;

/**
 * Creates the session of a verified token. While a listener waits for its end, it calls `isOver` every five minutes, which
 * returns whether the token no longer verifies. `now` returns the time of day in ms.
 */
export function createSession(options: {
  readonly viewer: Viewer;
  readonly now: () => number;
  readonly isOver: () => Promise<boolean>;
}): Session {
  const { viewer, now, isOver } = options;
  const waiting = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  function arm(): void {
    timer = setTimeout(check, Math.min(Math.max(viewer.expiresAt - now(), 0), checkInterval));
    timer.unref();
  }

  async function check(): Promise<void> {
    timer = undefined;
    isChecking = true;
    const over = now() >= viewer.expiresAt || (await isOver());
    isChecking = false;
    if (!over) {
      if (waiting.size > 0) arm();
      return;
    }
    const listeners = [...waiting];
    waiting.clear();
    for (const notify of listeners) notify();
  }

  return {
    viewer,
    onEnd(listener) {
      // The same function may be registered twice.
      const waiter = (): void => listener();
      waiting.add(waiter);
      if (timer === undefined && !isChecking) arm();
      return () => {
        if (!waiting.delete(waiter) || waiting.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}

type Refused = Exclude<Refusal, { readonly reason: 'noScope' }>;

type Outcome = Session | Refused;

/** Statistics of authentication. */
export interface AuthStats {
  readonly keys: KeyStats;
  /** Number of signatures checked. */
  readonly verifications: number;
  /** Number of refused requests and sockets, by reason. */
  readonly refusals: Readonly<Record<'noToken' | 'invalidToken' | 'expiredToken' | 'twoTokens' | 'noKeys', number>>;
}

export interface Authenticator {
  /** The session of callers without a token. undefined if all need one. */
  readonly anonymous?: Session;
  /** The URL of the issuer whose tokens are accepted. undefined if no token is needed. */
  readonly issuer?: () => string;
  /** Returns the session of the token in a request's headers. Does not read the body. Never rejects. */
  authenticate(request: IncomingMessage): Outcome | Promise<Outcome>;
  /** Returns the session of a token. A token that is already verified is not checked again. Never rejects. */
  verify(token: string): Promise<Outcome>;
  /** Whether the keys to verify tokens were ever loaded. */
  isReady(): boolean;
  stats(): AuthStats;
}

/** Gives every request a session with every scope. For tests and benchmarks only. */
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

/**
 * Returns an authenticator that also admits requests without a token, with these scopes. A request with an `Authorization` header of any kind, or with a
 * token in its query, is not one of them.
 */
export function admitAnonymous(auth: Authenticator, scopes: readonly Scope[]): Authenticator {
  const anonymous = anonymousSession(scopes);
  return {
    ...auth,
    anonymous,
    authenticate: (request) =>
      request.headers.authorization === undefined && !hasSecondToken(request) ? anonymous : auth.authenticate(request),
  };
}

interface Verified {
  readonly session: Session;
  readonly keySet: KeySet;
}

interface SeenHeader {
  readonly header: string;
  readonly verified: Verified;
}

const sessionBytes = 1_000;

function sizeOf({ session: { viewer } }: Verified): number {
  return sessionBytes + objectBytes + textBytes(viewer.subject) + textBytes(viewer.clientId);
}

const invalid = { reason: 'invalidToken' } as const;
const expired = { reason: 'expiredToken' } as const;

/**
 * Creates an authenticator. `now` returns the time of day in ms. Verified tokens are cached in the memory share for callers.
 */
export function createAuthenticator(
  rules: TokenRules,
  now: () => number = Date.now,
  memory: MemoryBudget = createMemoryBudget(),
): Authenticator {
  const { keys, audience, strictType } = rules;
  const verified = memory.cache<Verified>('callers', 'tokens', sizeOf);
  /** The last `Authorization` header of each connection. The same header again is not parsed. */
  const lastOf = new WeakMap<Socket, SeenHeader>();
  /** The last header of each token: connections with the same token share its text. */
  const headerOf = new WeakMap<Verified, SeenHeader>();
  const underWay = createInFlight<Verified | Refused>();
  const refusals = { noToken: 0, invalidToken: 0, expiredToken: 0, twoTokens: 0, noKeys: 0 };
  let verifications = 0;

  function countRefused(refusal: Refused): Refused {
    refusals[refusal.reason] += 1;
    return refusal;
  }

  /** Returns the claims of a token that verifies at `time`, in ms. */
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
      // Any other error, including one in a key of the issuer, means that the token does not verify.
      return undefined;
    }
  }

  /** If several keys match the header: two keys with the same id, or a token without a key id. */
  async function payloadByOneOf(
    token: string,
    matchingKeys: errors.JWKSMultipleMatchingKeys,
    options: JWTVerifyOptions,
  ): Promise<JWTPayload | undefined> {
    for await (const key of matchingKeys) {
      verifications += 1;
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch {
        // Another key may verify it.
      }
    }
    return undefined;
  }

  /** Returns the claims of a token that may verify. undefined if its header or its claims are not acceptable with any key. */
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

  function cacheSession(token: string, digest: string, viewer: Viewer, keySet: KeySet): Verified {
    const isOver = async (): Promise<boolean> => {
      const outcome = await lookUp(token);
      return 'reason' in outcome && outcome.reason !== 'noKeys';
    };
    const cached = { session: createSession({ viewer, now, isOver }), keySet };
    verified.set(digest, cached);
    return cached;
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
    return viewer === undefined ? invalid : cacheSession(token, digest, viewer, keySet);
  }

  /** Checks a token that has expired, with the cached keys only: it must not cause a request to the issuer. */
  async function checkExpired(token: string, digest: string, expiredAt: number): Promise<Refused> {
    const keySet = await keys.known();
    const payload = keySet && (await payloadOf(token, keySet, expiredAt));
    const viewer = typeof payload === 'object' ? viewerOf(payload, now()) : undefined;
    if (keySet === undefined || viewer === undefined) return invalid;
    cacheSession(token, digest, viewer, keySet);
    return expired;
  }

  function hasExpired({ session }: Verified): boolean {
    return now() >= session.viewer.expiresAt + clockSkew * 1000;
  }

  async function lookUp(token: string): Promise<Verified | Refused> {
    // Before the cache lookup: each token must have exactly one spelling, or the cache would hold it several times.
    if (!isCompactToken(token)) return invalid;
    const digest = createHash('sha256').update(token).digest('base64');
    const cached = verified.get(digest);
    if (cached !== undefined && cached.keySet === (await keys.known())) return hasExpired(cached) ? expired : cached;
    verified.delete(digest);
    return underWay.join(digest, undefined, () => check(token, digest));
  }

  /** Returns the session of the last request of the connection, if this request has the same `Authorization` header. */
  function sessionOfConnection(request: IncomingMessage): Session | undefined {
    const last = lastOf.get(request.socket);
    if (last === undefined || last.header !== request.headers.authorization || hasSecondToken(request)) return undefined;
    // If the key set has changed, the new one may lack the key of the token.
    const { keySet, session } = last.verified;
    return keySet === keys.known() && !hasExpired(last.verified) ? session : undefined;
  }

  async function authenticate(request: IncomingMessage): Promise<Outcome> {
    const presented = tokenOf(request);
    const outcome = 'token' in presented ? await lookUp(presented.token) : presented;
    if ('reason' in outcome) return countRefused(outcome);
    const { socket, headers } = request;
    const { authorization: header, upgrade } = headers;
    if (header === undefined || upgrade !== undefined) return outcome.session;
    const other = headerOf.get(outcome);
    const seenHeader = other?.header === header ? other : { header, verified: outcome };
    headerOf.set(outcome, seenHeader);
    lastOf.set(socket, seenHeader);
    return outcome.session;
  }

  return {
    issuer: rules.issuer,
    authenticate: (request) => sessionOfConnection(request) ?? authenticate(request),
    async verify(token) {
      const outcome = await lookUp(token);
      return 'reason' in outcome ? countRefused(outcome) : outcome.session;
    },
    isReady: () => keys.stats().age !== undefined,
    stats: () => ({ keys: keys.stats(), verifications, refusals: { ...refusals } }),
  };
}
