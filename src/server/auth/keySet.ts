import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import type { KeyStats } from '../observability/stats.ts';

/** The public keys of an issuer at one moment. Immutable. */
export interface KeySet {
  /** Returns the key that a token's header names. Rejects with jose's `ERR_JWKS_NO_MATCHING_KEY` if there is none. */
  readonly find: JWTVerifyGetKey;
  /** The keys as JWKs. */
  readonly keys: JSONWebKeySet['keys'];
}

/** The source of the keys that verify tokens. */
export interface AuthKeys {
  /** Returns the current keys. undefined if there are none, or if they are too old to be used. */
  known(): KeySet | undefined | Promise<KeySet | undefined>;
  /**
   * Returns the newest keys, for a token whose key is not in the current set. May return the same set. undefined if the issuer
   * is unavailable.
   */
  newest(): Promise<KeySet | undefined>;
  /** Returns the seconds until the next request to the issuer is allowed. */
  retryAfter(): number;
  stats(): KeyStats;
}
