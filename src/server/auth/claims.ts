import type { JWTPayload, ProtectedHeaderParameters } from 'jose';
import { scopesAmong, type Viewer } from '../../reads/viewer.ts';
import type { TokenRules } from './tokenRules.ts';

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

/** Whether a token with this header may verify with some key. */
export function isHeaderAccepted(header: ProtectedHeaderParameters, { algorithms }: TokenRules): boolean {
  const { alg, kid = '' } = header;
  return (
    algorithms.some((algorithm) => algorithm === alg) &&
    typeof kid === 'string' &&
    kid.length <= longestKeyId &&
    !refusedParameters.some((name) => name in header)
  );
}

/** Whether unverified claims have expired at `now`, in ms. */
export function areClaimsExpired({ exp }: JWTPayload, now: number): boolean {
  return typeof exp === 'number' && exp + clockSkew <= now / 1000;
}

/**
 * Whether unverified claims are acceptable at `now`, in ms, or were before they expired. `exp` may lie at most a year in the
 * future. A token with `cnf` is bound to a key or certificate of its sender (RFC 7800). It is refused, because Stele does not
 * check that proof.
 */
export function areClaimsAccepted(payload: JWTPayload, { issuer }: TokenRules, now: number): boolean {
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
export function viewerOf(payload: JWTPayload, now: number): Viewer | undefined {
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
