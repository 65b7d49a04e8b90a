import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { checkSignature, type SignatureCheck, toHex } from '../../../packages/verify/src/index.ts';

/** The SPKI document of an ed25519 key, without its last 32 bytes (RFC 8410). */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex');

/** The most keys that are kept. The largest sets of the public chains have 200 validators. */
const maxKeys = 1_000;

/**
 * Creates a check of signatures by OpenSSL, which keeps the keys that it has parsed. It takes about 0.1 ms for ed25519. A signature that OpenSSL refuses is checked again by the
 * rules of CometBFT, which are less strict; so are those of other key types.
 */
export function createNodeSignatures(): SignatureCheck {
  const keys = new Map<string, KeyObject>();

  function keyOf(bytes: Uint8Array): KeyObject {
    const name = toHex(bytes);
    const cachedKey = keys.get(name);
    if (cachedKey !== undefined) return cachedKey;
    const key = createPublicKey({ key: Buffer.concat([spkiHead, bytes]), format: 'der', type: 'spki' });
    if (keys.size >= maxKeys) keys.clear();
    keys.set(name, key);
    return key;
  }

  function checkNatively(bytes: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    try {
      return verify(null, message, keyOf(bytes), signature);
    } catch {
      // Bytes that OpenSSL accepts as no key.
      return false;
    }
  }

  return (key, message, signature) =>
    (key.type === 'ed25519' && checkNatively(key.bytes, message, signature)) || checkSignature(key, message, signature);
}
