/** The public key of a validator: 32 bytes for ed25519, 33 for secp256k1. */
export interface PublicKey {
  readonly type: 'ed25519' | 'secp256k1';
  readonly bytes: Uint8Array;
}

/** Returns whether a signature of `message` is valid. It never throws, and rejects only if a curve cannot be loaded. */
export type SignatureCheck = (key: PublicKey, message: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

/** The length of a signature of both key types. */
export const signatureLength = 64;

/**
 * Checks a signature with @noble/curves, by the rules of CometBFT: ed25519 by ZIP 215; secp256k1 over SHA-256, with the lower of both
 * values of S. A curve is loaded when it is needed: most browsers need none.
 */
export async function checkSignature({ type, bytes }: PublicKey, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (signature.length !== signatureLength) return false;
  const curve = type === 'ed25519' ? await import('@noble/curves/ed25519.js') : await import('@noble/curves/secp256k1.js');
  try {
    if ('ed25519' in curve) return curve.ed25519.verify(signature, message, bytes, { zip215: true });
    return curve.secp256k1.verify(signature, message, bytes, { prehash: true, lowS: true, format: 'compact' });
  } catch {
    // A key that is no point of the curve.
    return false;
  }
}

/**
 * Creates a check by Web Crypto, which is several times as fast. Where it has no Ed25519, and for secp256k1, it is
 * {@link checkSignature}. A signature that Web Crypto refuses is checked again: it is stricter than ZIP 215, and all that it accepts is valid.
 */
export function createSignatureCheck(subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle): SignatureCheck {
  let isSupported = subtle !== undefined;

  async function checkNatively(key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
    if (!isSupported || subtle === undefined) return false;
    let publicKey: CryptoKey;
    try {
      publicKey = await subtle.importKey('raw', Uint8Array.from(key), 'Ed25519', false, ['verify']);
    } catch (error) {
      if (error instanceof Error && error.name === 'NotSupportedError') isSupported = false;
      return false;
    }
    try {
      return await subtle.verify('Ed25519', publicKey, Uint8Array.from(signature), Uint8Array.from(message));
    } catch {
      return false;
    }
  }

  return (key, message, signature) => {
    if (key.type !== 'ed25519' || signature.length !== signatureLength || !isSupported)
      return checkSignature(key, message, signature);
    return checkNatively(key.bytes, message, signature).then((isValid) => isValid || checkSignature(key, message, signature));
  };
}
