import type { JWTPayload, ProtectedHeaderParameters } from 'jose';
import { scopesAmong, type Viewer } from '../../reads/viewer.ts';
import type { TokenRules } from './tokenRules.ts';

/** By how much clocks may differ, seconds (reliability.md F10). */
export const clockSkew = 30;

/** Longest name of a key, in characters; thumbprints have 43. */
const longestKeyId = 256;

/** Keys and addresses of keys that a token brings itself, and extensions that must be understood: none of them is (RFC 8725, 3.10). */
const refusedParameters = ['jwk', 'jku', 'x5u', 'crit'];

/** Claims that only id tokens have (OpenID Connect Core, 3.1.3.6 and 3.3.2.11). */
const idTokenClaims = ['nonce', 'at_hash', 'c_hash'];

/** Furthest that `exp` may lie ahead, seconds: a year. */
const longestLife = 365 * 24 * 60 * 60;

/** Whether a token with this header is worth looking for a key. */
export function isHeaderAccepted(header: ProtectedHeaderParameters, { algorithms }: TokenRules): boolean {
  const { alg, kid = '' } = header;
  return (
    algorithms.some((algorithm) => algorithm === alg) &&
    typeof kid === 'string' &&
    kid.length <= longestKeyId &&
    !refusedParameters.some((name) => name in header)
  );
}

/** Whether claims that were not verified yet have run out at `now`, ms. */
export function areClaimsExpired({ exp }: JWTPayload, now: number): boolean {
  return typeof exp === 'number' && exp + clockSkew <= now / 1000;
}

/**
 * Whether claims that were not verified yet could be those of a token that is taken at `now`, ms, or was taken before it expired. `exp` may lie at most a
 * year ahead. A token with `cnf` is bound to a key or a certificate of its sender (RFC 7800), for which no proof is checked here: it is not taken.
 */
export function areClaimsAccepted(payload: JWTPayload, { issuer }: TokenRules, now: number): boolean {
  const { iss, exp } = payload;
  return (
    typeof exp === 'number' && exp - clockSkew <= now / 1000 + longestLife && iss === issuer() && !Object.hasOwn(payload, 'cnf')
  );
}

function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

/**
 * Who a verified token speaks of at `now`, ms; undefined when it is no access token, or of the future. Scopes are in `scope`, or
 * where issuers without RFC 9068 have them (`scp`); so is the client (`azp`).
 */
export function viewerOf(payload: JWTPayload, now: number): Viewer | undefined {
  const { sub, exp, iat, scope, scp, client_id, azp } = payload;
  // Whatever an issuer has signed, it is text here.
  if (typeof sub !== 'string' || sub === '' || exp === undefined) return undefined;
  if (iat !== undefined && iat - clockSkew > now / 1000) return undefined;
  if (idTokenClaims.some((name) => name in payload)) return undefined;
  const clientId = [client_id, azp].find((id) => typeof id === 'string') ?? sub;
  return {
    subject: sub,
    clientId: String(clientId),
    scopes: scopesAmong(namesIn(scope ?? scp)),
    expiresAt: exp * 1000,
  };
}
