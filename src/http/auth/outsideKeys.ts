import { randomUUID } from 'node:crypto';
import { createLocalJWKSet } from 'jose';
import { discoverKeys, readKeys } from './discovery.ts';
import { fetchJson } from './fetchJson.ts';
import type { AuthKeys, KeySet } from './keySet.ts';

/** What the keys of an outside issuer are had with. */
export interface OutsideKeysOptions {
  readonly issuer: string;
  /** Where the keys are; undefined asks the issuer. */
  readonly jwksUrl: string | undefined;
  /** Told when they cannot be had, once until they can again. */
  readonly report: (error: unknown, requestId: string) => void;
  /** A clock that only goes forward, ms. */
  readonly now?: () => number;
  /** Longest that an answer may take, ms: 5,000. */
  readonly timeout?: number;
}

/** Time between two attempts to have the keys, ms, whatever tokens come (reliability.md T16). */
const cooldown = 30_000;

/** Age at which keys are fetched again while those that are known are used, and at which nothing is verified before that was tried: a key that was removed is refused within ten minutes (T17). */
const freshFor = 5 * 60_000;
const currentFor = 10 * 60_000;

/** Age up to which keys are believed of an issuer that cannot be asked (T18). */
const believedFor = 24 * 60 * 60_000;

/**
 * Makes the keys of an outside issuer. The last key set that was had is kept through every trouble of the issuer for a day; a set
 * that is empty, too large or none at all is not taken. The first is fetched at once.
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
      // The same keys stay the same set, so that what was verified with it stays verified.
      const set = known?.text === text ? known.set : { keys, find: createLocalJWKSet({ keys }) };
      known = { set, text, at: startedAt };
      failed = false;
    } catch (error) {
      // It may have moved.
      url = options.jwksUrl;
      if (!failed) report(error, randomUUID());
      failed = true;
    }
  }

  /** Fetches the keys, or joins whoever does; undefined when it is too early to ask again. */
  function fetchOnce(): Promise<void> | undefined {
    if (fetching !== undefined) return fetching;
    if (now() < triedAt + cooldown) return undefined;
    triedAt = now();
    fetching = load().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  function believed(): KeySet | undefined {
    return known !== undefined && now() < known.at + believedFor ? known.set : undefined;
  }

  void fetchOnce();

  return {
    known() {
      const age = known === undefined ? Number.POSITIVE_INFINITY : now() - known.at;
      if (age < freshFor) return known?.set;
      const attempt = fetchOnce();
      // While the issuer is in trouble nobody waits for it who need not.
      const waits = believed() === undefined || (age >= currentFor && !failed);
      return attempt !== undefined && waits ? attempt.then(believed) : believed();
    },
    async newest() {
      await fetchOnce();
      return failed ? undefined : believed();
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
