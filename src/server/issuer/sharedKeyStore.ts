import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { pause } from '../../chain/base/waiting.ts';
import type { SharedStore } from '../../shared/sharedStore.ts';
import type { IssuerKey, KeyStore } from './issuerKeys.ts';
import { decodeKeys, encodeKeys } from './keyFile.ts';

/** How long keys stay in the store, in ms. They are written once a day. */
const keyTime = 30 * 24 * 60 * 60_000;

const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/** Encrypts and decrypts with a key that is derived from a secret. `open` throws if the bytes were not sealed with this secret. */
function createSeal(secret: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'stele signing keys', 32));
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
 */
export function createSharedKeyStore(store: SharedStore, secret: string): KeyStore {
  const group = `keys ${createHash('sha256').update(`stele key group ${secret}`).digest('base64url')}`;
  const { seal, open } = createSeal(secret);
  let known: readonly IssuerKey[] = [];

  async function write(keys: readonly IssuerKey[]): Promise<void> {
    await store.put(group, 'keys', seal(encodeKeys(keys)), keyTime, 'lock');
  }

  async function read(): Promise<readonly IssuerKey[]> {
    if (!store.isUsable()) return known;
    const sealed = await store.get(group, 'keys');
    const stored = sealed === undefined ? [] : decodeKeys('the shared store', open(sealed));
    const all = union(stored, known);
    // The store has lost keys.
    if (all.some(({ kid }) => !stored.some((key) => key.kid === kid))) await write(all);
    known = all;
    return all;
  }

  return {
    read,
    async change(change) {
      for (const end = performance.now() + 2 * store.claimTime; ; ) {
        const lock = await store.find(group, ['lock'], 'lock');
        if (lock?.kind !== 'elsewhere') break;
        if (performance.now() > end) return false;
        await pause(store.claimTime / 10);
      }
      known = await change(await read());
      await write(known);
      return true;
    },
  };
}
