import { randomUUID } from 'node:crypto';
import { createLocalJWKSet } from 'jose';
import { discoverKeys, readKeys } from './discovery.ts';
import { fetchJson } from './fetchJson.ts';
import type { AuthKeys, KeySet } from './keySet.ts';

/** Options of {@link createOutsideKeys}. */
export interface OutsideKeysOptions {
  readonly issuer: string;
  /** URL of the keys. If undefined, it is read from the issuer's metadata. */
  readonly jwksUrl: string | undefined;
  /** Logs that the keys cannot be loaded. Called once for each outage. */
  readonly report: (error: unknown, requestId: string) => void;
  /** A monotonic clock, in ms. */
  readonly now?: () => number;
  /** Timeout of a request to the issuer, in ms. Default 5,000. */
  readonly timeout?: number;
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
export function createOutsideKeys(options: OutsideKeysOptions): AuthKeys {
  const { issuer, report, now = () => performance.now(), timeout = 5_000 } = options;
  let known: { readonly set: KeySet; readonly text: string; readonly at: number } | undefined;
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
      const set = known?.text === text ? known.set : { keys, find: createLocalJWKSet({ keys }) };
      known = { set, text, at: startedAt };
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
    return known !== undefined && now() < known.at + validFor ? known.set : undefined;
  }

  void fetchOnce();

  return {
    known() {
      const age = known === undefined ? Number.POSITIVE_INFINITY : now() - known.at;
      if (age < freshFor) return known?.set;
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
      keys: known?.set.keys.length ?? 0,
      age: known && now() - known.at,
      stale: failed,
      fetches,
    }),
  };
}
