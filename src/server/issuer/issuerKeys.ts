import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { calculateJwkThumbprint, createLocalJWKSet, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { z } from 'zod';
import { pause } from '../../chain/base/time.ts';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import type { SharedStore } from '../../shared/sharedStore.ts';
import type { AuthKeys, KeySet } from '../auth/outsideKeys.ts';
import { readJson, replaceFile, watchFile, withLock } from './watchedFile.ts';

interface IssuerKey {
  /** Its thumbprint (RFC 7638). */
  readonly kid: string;
  /** The JWK, including the private part. */
  readonly jwk: JWK;
  /** Time of creation, in ms since 1970. */
  readonly createdAt: number;
}

/** What a store knows of its keys. */
interface StoredKeys {
  /** The newest last. */
  readonly keys: readonly IssuerKey[];
  /** False if the store could not be read: there may be keys of other processes. */
  readonly isComplete: boolean;
}

export interface KeyStore {
  read(): Promise<StoredKeys>;
  /**
   * Replaces the keys by the result of `change`. Returns false if another server is changing them, which applies the same
   * change.
   */
  change(change: (keys: readonly IssuerKey[]) => Promise<readonly IssuerKey[]>): Promise<boolean>;
}

export interface IssuerKeys extends AuthKeys {
  /** Returns the current signing key. */
  signing(): Promise<{ readonly kid: string; readonly key: CryptoKey }>;
}

/** Creates a store in memory. Its keys, and the tokens that they signed, are invalid after a restart. */
export function createMemoryKeyStore(): KeyStore {
  let keys: readonly IssuerKey[] = [];
  return {
    read: async () => ({ keys, isComplete: true }),
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

/** How long keys from the store are used before they are read again, in ms. */
const readInterval = 1_000;

/** How long a start waits for the first key that another server creates, and how often it looks for it, in ms. */
const firstKeyWait = 5_000;
const firstKeyInterval = 20;

/**
 * Creates the keys of an issuer. A key signs tokens for `period`. The first token after that creates the next key, and the old
 * key stays published until its last token has expired. Keys that are removed from the store are refused a second later.
 */
export function createIssuerKeys(options: {
  readonly store: KeyStore;
  /** How long a key signs tokens, in ms. */
  readonly period: number;
  /**
   * How long a key stays published after its last signature, in ms: the lifetime of a token and the difference between clocks.
   */
  readonly overlap: number;
  readonly now?: () => number;
}): IssuerKeys {
  const { store, period, overlap, now = Date.now } = options;
  let current: (StoredKeys & { readonly set: KeySet; readonly readAt: number }) | undefined;
  const underWay = createInFlight<void>();
  const imported = new Map<string, Promise<CryptoKey>>();

  /** Returns the keys whose tokens may still be valid: a replaced key stays for `overlap`. */
  function unexpired(keys: readonly IssuerKey[]): readonly IssuerKey[] {
    return keys.filter((_, index) => {
      const next = keys[index + 1];
      return next === undefined || now() < next.createdAt + overlap;
    });
  }

  async function read(): Promise<void> {
    const { keys: stored, isComplete } = await store.read();
    const keys = unexpired(stored);
    const isSame = current?.keys.length === keys.length && current.keys.every(({ kid }, index) => kid === keys[index]?.kid);
    const readAt = now();
    if (current !== undefined && isSame) {
      current = { ...current, isComplete, readAt };
      return;
    }
    const jwks = { keys: keys.map(published) };
    current = { keys, isComplete, set: { keys: jwks.keys, find: createLocalJWKSet(jwks) }, readAt };
  }

  const refresh = (): Promise<void> => underWay.join('read', undefined, read);

  function isDue(): boolean {
    const newest = current?.keys.at(-1);
    return newest === undefined || now() >= newest.createdAt + period;
  }

  async function change(): Promise<void> {
    await store.change(async (stored) => {
      const newest = stored.at(-1);
      const isNew = newest !== undefined && now() < newest.createdAt + period;
      return isNew ? unexpired(stored) : unexpired([...stored, await createKey(now())]);
    });
    await refresh();
  }

  /** Changes the keys. If there is none yet and another server creates the first one, waits for it. */
  async function changed(): Promise<void> {
    await change();
    for (let waited = 0; current?.keys.length === 0 && waited < firstKeyWait; waited += firstKeyInterval) {
      await pause(firstKeyInterval);
      await change();
    }
  }

  const knownKeys: IssuerKeys['known'] = () => {
    if (current !== undefined && now() < current.readAt + readInterval) return current.set;
    return refresh().then(
      () => current?.set,
      () => current?.set,
    );
  };

  return {
    known: knownKeys,
    async newest() {
      await refresh().catch(() => undefined);
      // The key of a token may be one that could not be read.
      return current?.isComplete === true ? current.set : undefined;
    },
    retryAfter: () => 1,
    stats: () => ({
      keys: current?.keys.length ?? 0,
      age: current && now() - current.readAt,
      stale: false,
      fetches: 0,
    }),
    async signing() {
      await knownKeys();
      if (isDue()) await underWay.join('change', undefined, changed);
      const newest = current?.keys.at(-1);
      if (newest === undefined) throw new Error('another server has locked the key store and has not created a key yet');
      const { kid, jwk } = newest;
      let key = imported.get(kid);
      if (key === undefined) {
        key = importJWK(jwk, 'ES256').then((importedKey) => {
          if (importedKey instanceof Uint8Array) throw new Error('a key of the issuer is not an ES256 key');
          return importedKey;
        });
        imported.clear();
        imported.set(kid, key);
      }
      return { kid, key: await key };
    },
  };
}

const fileSchema = z.object({
  keys: z.array(
    z.object({
      createdAt: z.iso.datetime(),
      kid: z.string(),
      jwk: z.object({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        x: z.string(),
        y: z.string(),
        d: z.string(),
      }),
    }),
  ),
});

/** Decodes the text of a key file, the newest key last. Throws an error that names `place` and no part of the text. */
function decodeKeys(place: string, text: string): readonly IssuerKey[] {
  const parsed = fileSchema.safeParse(readJson(text));
  // The message must not contain any of the content, which is secret.
  if (!parsed.success) throw new Error(`${place} is not a valid key file`);
  return parsed.data.keys
    .map(({ createdAt, ...key }) => ({ ...key, createdAt: Date.parse(createdAt) }))
    .toSorted((one, other) => one.createdAt - other.createdAt);
}

/** Encodes the text of a key file. */
function encodeKeys(keys: readonly IssuerKey[]): string {
  const written = keys.map(({ createdAt, ...key }) => ({ createdAt: new Date(createdAt).toISOString(), ...key }));
  return `${JSON.stringify({ keys: written }, null, 2)}\n`;
}

/**
 * Creates a store in a file, which several servers may share. The file is created with the first key, and only its owner can
 * read it.
 */
export function createFileKeyStore(path: string): KeyStore {
  const file = watchFile(path, (text) => decodeKeys(path, text), []);
  return {
    read: async () => ({ keys: await file.read(), isComplete: true }),
    change: (change) =>
      withLock(path, async () => {
        await replaceFile(path, encodeKeys(await change(await file.read())));
      }),
  };
}

/** How long the first read and a change wait for a store that does not answer, in ms, and the pause between their attempts. */
const storeWait = 2_000;
const storePause = 20;

/** How long keys stay in the store, in ms. They are written once a day. */
const keyTime = 30 * 24 * 60 * 60_000;

const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/** Encrypts and decrypts with a key that is derived from a secret for a purpose. `open` throws if the bytes were not sealed with this secret. */
export function createSeal(secret: string, purpose: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  return {
    seal(text: string): Uint8Array {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(bytes: Uint8Array): string {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString();
    },
  };
}

/** The keys that are kept: a key signs for a day, and its tokens are valid for a day at most. */
const maxKeys = 4;

/** The newest keys of both lists, each once, the oldest first. */
function union(one: readonly IssuerKey[], other: readonly IssuerKey[]): readonly IssuerKey[] {
  const all = new Map([...one, ...other].map((key) => [key.kid, key]));
  return [...all.values()].toSorted((a, b) => a.createdAt - b.createdAt).slice(-maxKeys);
}

/**
 * Creates a store of keys that several processes share. They are encrypted with a key that is derived from `secret`; processes with another
 * secret have other keys. While the store cannot be used, a process goes on with the keys that it knows, and stores them when it is back.
 * The first read and a change wait for the store, so that a process that starts under load signs with no key that the others lack.
 */
export function createSharedKeyStore(store: SharedStore, secret: string): KeyStore {
  const group = `keys ${createHash('sha256').update(`stele key group ${secret}`).digest('base64url')}`;
  const { seal, open } = createSeal(secret, 'stele signing keys');
  let knownKeys: readonly IssuerKey[] = [];
  let firstReadUntil = performance.now() + storeWait;
  let isAlone = false;

  function write(keys: readonly IssuerKey[]): Promise<boolean> {
    return store.put(group, 'keys', seal(encodeKeys(keys)), keyTime, 'lock');
  }

  /** The sealed keys. null if there are none. undefined if the store does not answer. */
  async function sealedKeys(): Promise<Uint8Array | null | undefined> {
    for (;;) {
      const sealed = store.isUsable() ? await store.get(group, 'keys') : undefined;
      if (sealed !== undefined || performance.now() >= firstReadUntil) return sealed;
      await pause(storePause);
    }
  }

  async function read(): Promise<StoredKeys> {
    const sealed = await sealedKeys();
    firstReadUntil = 0;
    isAlone = sealed === undefined;
    if (sealed === undefined) return { keys: knownKeys, isComplete: false };
    const stored = sealed === null ? [] : decodeKeys('the shared store', open(sealed));
    const all = union(stored, knownKeys);
    // The store has lost keys.
    if (all.some(({ kid }) => !stored.some((key) => key.kid === kid))) await write(all);
    knownKeys = all;
    return { keys: all, isComplete: true };
  }

  return {
    read,
    async change(change) {
      for (const end = performance.now() + (isAlone ? 0 : storeWait); ; ) {
        const lock = await store.find(group, ['lock'], 'lock');
        const isLast = performance.now() >= end;
        if (lock?.kind === 'claimed' || (isLast && lock === undefined)) {
          knownKeys = await change((await read()).keys);
          if ((await write(knownKeys)) || isLast) return true;
        } else if (isLast) return false;
        await pause(storePause);
      }
    },
  };
}
