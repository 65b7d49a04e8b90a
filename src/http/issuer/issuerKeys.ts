import { calculateJwkThumbprint, createLocalJWKSet, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { AuthKeys, KeySet } from '../auth/keySet.ts';

/** A key that tokens are signed with, or were. */
export interface IssuerKey {
  /** Its thumbprint (RFC 7638). */
  readonly kid: string;
  /** With its private part. */
  readonly jwk: JWK;
  /** ms since 1970. */
  readonly createdAt: number;
}

/** Where the keys of an issuer are between uses. */
export interface KeyStore {
  /** All of them, the newest last. */
  read(): Promise<readonly IssuerKey[]>;
  /** Puts what `change` makes of them in their place; false when another server is at it, which then changes them alike. */
  change(change: (keys: readonly IssuerKey[]) => Promise<readonly IssuerKey[]>): Promise<boolean>;
}

/** The keys of the embedded issuer. */
export interface IssuerKeys extends AuthKeys {
  /** The key to sign with now. */
  signing(): Promise<{ readonly kid: string; readonly key: CryptoKey }>;
}

/** What keys live by. */
export interface IssuerKeysOptions {
  readonly store: KeyStore;
  /** How long a key is signed with, ms. */
  readonly period: number;
  /** How long behind its last signature a key is still published, ms: the lifetime of a token and the skew of clocks. */
  readonly overlap: number;
  readonly now?: () => number;
}

/** Makes a store in memory: its keys, and the tokens, end with the process. */
export function createMemoryKeyStore(): KeyStore {
  let keys: readonly IssuerKey[] = [];
  return {
    read: async () => keys,
    async change(change) {
      keys = await change(keys);
      return true;
    },
  };
}

async function createKey(now: number): Promise<IssuerKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(jwk), jwk, createdAt: now };
}

function published({ kid, jwk: { kty, crv, x, y } }: IssuerKey): JWK {
  return { kid, alg: 'ES256', use: 'sig', ...(kty && { kty }), ...(crv && { crv }), ...(x && { x }), ...(y && { y }) };
}

/** How long what was read of the store is taken as it is, ms. */
const readInterval = 1_000;

/**
 * Makes the keys. One is signed with for `period`; then the next is made when a token is asked for, and the old one stays published
 * until the last token of it has ended. Keys that are taken out of the store are refused a second later.
 */
export function createIssuerKeys({ store, period, overlap, now = Date.now }: IssuerKeysOptions): IssuerKeys {
  let current: { readonly keys: readonly IssuerKey[]; readonly set: KeySet; readonly readAt: number } | undefined;
  let reading: Promise<void> | undefined;
  let changing: Promise<void> | undefined;
  const imported = new Map<string, Promise<CryptoKey>>();

  /** A key that was followed by another is over when the tokens of it are. */
  function living(keys: readonly IssuerKey[]): readonly IssuerKey[] {
    return keys.filter((_, index) => {
      const next = keys[index + 1];
      return next === undefined || now() < next.createdAt + overlap;
    });
  }

  async function read(): Promise<void> {
    const keys = living(await store.read());
    const isSame = current?.keys.length === keys.length && current.keys.every(({ kid }, index) => kid === keys[index]?.kid);
    const readAt = now();
    if (current !== undefined && isSame) {
      current = { ...current, readAt };
      return;
    }
    const jwks = { keys: keys.map(published) };
    current = { keys, set: { keys: jwks.keys, find: createLocalJWKSet(jwks) }, readAt };
  }

  async function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    await reading;
  }

  function isDue(): boolean {
    const newest = current?.keys.at(-1);
    return newest === undefined || now() >= newest.createdAt + period;
  }

  async function change(): Promise<void> {
    await store.change(async (stored) => {
      const newest = stored.at(-1);
      const isNew = newest !== undefined && now() < newest.createdAt + period;
      return isNew ? living(stored) : living([...stored, await createKey(now())]);
    });
    await refresh();
  }

  const known: IssuerKeys['known'] = () => {
    if (current !== undefined && now() < current.readAt + readInterval) return current.set;
    return refresh().then(
      () => current?.set,
      () => current?.set,
    );
  };

  return {
    known,
    async newest() {
      await refresh().catch(() => undefined);
      return current?.set;
    },
    retryAfter: () => 1,
    stats: () => ({
      keys: current?.keys.length ?? 0,
      age: current && now() - current.readAt,
      stale: false,
      fetches: 0,
    }),
    async signing() {
      await known();
      if (isDue()) {
        changing ??= change().finally(() => {
          changing = undefined;
        });
        await changing;
      }
      const newest = current?.keys.at(-1);
      if (newest === undefined) throw new Error('the store of keys is held by another server, and has none yet');
      const { kid, jwk } = newest;
      let key = imported.get(kid);
      if (key === undefined) {
        key = importJWK(jwk, 'ES256').then((made) => {
          if (made instanceof Uint8Array) throw new Error('a key of the issuer is no ES256 key');
          return made;
        });
        imported.clear();
        imported.set(kid, key);
      }
      return { kid, key: await key };
    },
  };
}
