import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';

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

/** What an operator sees of the keys. */
export interface KeyStats {
  /** Keys in use. */
  readonly keys: number;
  /** ms since they were last known to be current; undefined when they never were. */
  readonly age: number | undefined;
  /** Whether the last attempt to get them failed: then those of before go on for up to a day. */
  readonly stale: boolean;
  /** Times that they were fetched, failed ones included. */
  readonly fetches: number;
}
