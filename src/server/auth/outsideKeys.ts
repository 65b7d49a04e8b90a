import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from 'jose';
import { request } from 'undici';
import { z } from 'zod';

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

const keysSchema = z.object({ keys: z.array(z.unknown()) });

const usableKey = z
  .looseObject({ kty: z.enum(['EC', 'RSA', 'OKP']) })
  .refine(({ use }) => use === undefined || use === 'sig')
  .refine(({ kid, alg }) => [kid, alg].every((name) => name === undefined || typeof name === 'string'));

/**
 * Returns the URL of an issuer's keys from its metadata by OAuth (RFC 8414, 3.1) or by OpenID Connect. Metadata with another `issuer` is refused (RFC 8414, 3.3), and so is a
 * `jwks_uri` without TLS if the issuer uses TLS.
 */
async function discoverKeys(issuer: string, fetchJson: (url: string) => Promise<unknown>): Promise<string> {
  const reasons: string[] = [];
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const oauthUrl = `${origin}/.well-known/oauth-authorization-server${path}`;
  for (const url of [oauthUrl, `${origin}${path}/.well-known/openid-configuration`]) {
    try {
      const metadata = metadataSchema.parse(await fetchJson(url));
      if (metadata.issuer !== issuer) throw new Error('the metadata is that of another issuer');
      if (issuer.startsWith('https:') && !metadata.jwks_uri.startsWith('https:'))
        throw new Error('the jwks_uri does not use https');
      return metadata.jwks_uri;
    } catch (error) {
      reasons.push(`${url}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new Error(`no valid metadata of the issuer\n${reasons.join('\n')}`);
}

/**
 * Returns the public keys of a key set. Skips members that are no keys or of an unknown type (RFC 7517, 5). Throws if the value
 * is not a key set or has no usable key: a working issuer has keys.
 */
function readKeys(json: unknown): JWK[] {
  const usable = keysSchema.parse(json).keys.flatMap((key) => {
    const { data } = usableKey.safeParse(key);
    return data === undefined ? [] : [data];
  });
  if (usable.length === 0) throw new Error('the key set of the issuer has no usable key');
  return usable;
}

/** In bytes. A key set has a few thousand. */
const maxResponse = 1024 * 1024;

/**
 * Fetches the JSON at a URL. Rejects if the response is not complete within `timeout` ms, has a status other than 200
 * (redirects are not followed), is larger than 1 MiB, or is not JSON.
 */
async function fetchJson(url: string, { timeout }: { readonly timeout: number }): Promise<unknown> {
  const signal = AbortSignal.timeout(timeout);
  const { statusCode, body } = await request(url, { signal, headers: { accept: 'application/json' } });
  if (statusCode !== 200) {
    await body.dump({ limit: maxResponse, signal }).catch(() => undefined);
    throw new Error(`the issuer responds with status ${statusCode} at ${new URL(url).pathname}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    // Throwing ends the iteration, which closes the connection.
    if (size > maxResponse)
      throw new Error(`the response of the issuer at ${new URL(url).pathname} has more than ${maxResponse} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks, size).toString());
}

/** Statistics of the keys that verify tokens. */
export interface KeyStats {
  /** Number of keys in use. */
  readonly keys: number;
  /** Time since the keys were last loaded or confirmed, in ms. undefined if they never were. */
  readonly age: number | undefined;
  /** Whether the last attempt to load them failed. The cached keys then stay valid for up to 24 hours. */
  readonly stale: boolean;
  /** Number of fetches, including failed ones. */
  readonly fetches: number;
}

/** Immutable. */
export interface KeySet {
  /** Returns the key that a token's header names. Rejects with jose's `ERR_JWKS_NO_MATCHING_KEY` if there is none. */
  readonly find: JWTVerifyGetKey;
  readonly keys: JSONWebKeySet['keys'];
}

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

/** Shortest time between two attempts to load the keys, in ms, whatever tokens arrive (docs/security.md, T16). */
const cooldown = 30_000;

/**
 * Age after which the keys are loaded again in the background, and age after which verification waits for that attempt, in ms.
 * A removed key is refused within ten minutes (docs/security.md, T17).
 */
const freshFor = 5 * 60_000;
const currentFor = 10 * 60_000;

/** Age up to which cached keys are used while the issuer is down, in ms (docs/security.md, T18). */
const validFor = 24 * 60 * 60_000;

/**
 * Creates the key source of an outside issuer, and starts to load the keys. If the issuer is down or returns no usable key set,
 * the last key set stays valid for 24 hours. jose's `createRemoteJWKSet` cannot do this: during an outage it rejects known
 * keys, and sends a request for each token with an unknown key.
 */
export function createOutsideKeys(options: {
  readonly issuer: string;
  /** URL of the keys. If undefined, it is read from the issuer's metadata. */
  readonly jwksUrl: string | undefined;
  /** Logs that the keys cannot be loaded. Called once for each outage. */
  readonly report: (error: unknown, requestId: string) => void;
  /** A monotonic clock, in ms. */
  readonly now?: () => number;
  /** Timeout of a request to the issuer, in ms. Default 5,000. */
  readonly timeout?: number;
}): AuthKeys {
  const { issuer, report, now = () => performance.now(), timeout = 5_000 } = options;
  let loaded: { readonly set: KeySet; readonly text: string; readonly at: number } | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;
  let url = options.jwksUrl;
  let failed = false;
  let fetches = 0;

  async function load(): Promise<void> {
    const startedAt = now();
    try {
      url ??= await discoverKeys(issuer, (address) => fetchJson(address, { timeout }));
      fetches += 1;
      const keys = readKeys(await fetchJson(url, { timeout }));
      const text = JSON.stringify(keys);
      // Equal keys keep the same set, so that tokens verified with it stay verified.
      const set = loaded?.text === text ? loaded.set : { keys, find: createLocalJWKSet({ keys }) };
      loaded = { set, text, at: startedAt };
      failed = false;
    } catch (error) {
      // The next attempt reads the metadata again, because the keys may have moved.
      url = options.jwksUrl;
      if (!failed) report(error, randomUUID());
      failed = true;
    }
  }

  /** Loads the keys, or joins the running attempt. undefined if the last attempt is too recent. */
  function fetchOnce(): Promise<void> | undefined {
    if (fetching !== undefined) return fetching;
    if (now() < triedAt + cooldown) return undefined;
    triedAt = now();
    fetching = load().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  function validKeys(): KeySet | undefined {
    return loaded !== undefined && now() < loaded.at + validFor ? loaded.set : undefined;
  }

  void fetchOnce();

  return {
    known() {
      const age = loaded === undefined ? Number.POSITIVE_INFINITY : now() - loaded.at;
      if (age < freshFor) return loaded?.set;
      const attempt = fetchOnce();
      // During an outage, tokens with known keys do not wait for the issuer.
      const waits = validKeys() === undefined || (age >= currentFor && !failed);
      return attempt !== undefined && waits ? attempt.then(validKeys) : validKeys();
    },
    async newest() {
      await fetchOnce();
      return failed ? undefined : validKeys();
    },
    retryAfter: () => Math.max(1, Math.ceil((triedAt + cooldown - now()) / 1000)),
    stats: () => ({
      keys: loaded?.set.keys.length ?? 0,
      age: loaded && now() - loaded.at,
      stale: failed,
      fetches,
    }),
  };
}
