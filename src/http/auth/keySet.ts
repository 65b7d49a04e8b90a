import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import type { KeyStats } from '../observability/stats.ts';

/** Public keys of an issuer, as they are known at one moment; never changed. */
export interface KeySet {
  /** Picks the key that a token's header names. Rejects with jose's `ERR_JWKS_NO_MATCHING_KEY` when there is none. */
  readonly find: JWTVerifyGetKey;
  /** They themselves. */
  readonly keys: JSONWebKeySet['keys'];
}

/** Where the keys to check tokens with come from. */
export interface AuthKeys {
  /** The keys to check with now; undefined when there are none that may still be believed. */
  known(): KeySet | undefined | Promise<KeySet | undefined>;
  /** Called with a key set that lacked a key: the newest, which may be the same; undefined when the issuer cannot be asked. */
  newest(): Promise<KeySet | undefined>;
  /** Seconds until the issuer can be asked again. */
  retryAfter(): number;
  stats(): KeyStats;
}
