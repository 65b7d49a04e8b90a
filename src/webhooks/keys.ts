import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { Webhook as HmacSigner } from 'standardwebhooks';
import { z } from 'zod';
import type { WebhookKeys, WebhookSigning } from '../archive/webhooks.ts';
import { createSeal } from '../server/issuer/issuerKeys.ts';

/** How long replaced keys still sign, in ms. */
const rotation = 24 * 3_600_000;

/** A key: the base64 of the bytes of an HMAC secret, or of a private key in PKCS #8. `until`: when it was replaced, and until when it signs, in ms. */
const keySchema = z.object({ signing: z.enum(['ED25519', 'HMAC']), secret: z.string(), until: z.number().optional() });
const ringSchema = z.array(keySchema).min(1);
type Key = z.infer<typeof keySchema>;

/** The keys of a webhook, the newest first. */
export type KeyRing = readonly Key[];

/** Signs a delivery: the value of `webhook-signature`, with one signature for each key that is valid. */
export type Sign = (id: string, time: Date, body: string) => string;

function createKey(signing: WebhookSigning): Key {
  if (signing === 'HMAC') return { signing, secret: randomBytes(32).toString('base64') };
  const { privateKey } = generateKeyPairSync('ed25519');
  return { signing, secret: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64') };
}

export const createRing = (signing: WebhookSigning): KeyRing => [createKey(signing)];

/** The ring with a new key. The newest of the old ones signs for 24 hours more. */
export function rotated([newest]: KeyRing, signing: WebhookSigning, now: number): KeyRing {
  return [createKey(signing), ...(newest === undefined ? [] : [{ ...newest, until: now + rotation }])];
}

const privateKeyOf = (secret: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' });

/** What the owner gets to see of the newest key, once. */
export function shownKeys([newest]: KeyRing): WebhookKeys {
  if (newest === undefined) return { secret: null, publicKey: null };
  if (newest.signing === 'HMAC') return { secret: `whsec_${newest.secret}`, publicKey: null };
  // The last 32 bytes of the SPKI of an Ed25519 key are the key.
  const spki = createPublicKey(privateKeyOf(newest.secret)).export({ format: 'der', type: 'spki' });
  return { secret: null, publicKey: `whpk_${spki.subarray(-32).toString('base64')}` };
}

/** Makes the function that signs with a ring, by the Standard Webhooks specification: `v1` is HMAC, `v1a` Ed25519, which the library does not have. */
export function signerOf(ring: KeyRing, now: () => number): Sign {
  const signers = ring.map(({ signing, secret, until = Number.POSITIVE_INFINITY }) => {
    if (signing === 'HMAC') {
      const signer = new HmacSigner(secret);
      return { until, sign: (id: string, time: Date, body: string) => signer.sign(id, time, body) };
    }
    const key = privateKeyOf(secret);
    return {
      until,
      sign: (id: string, time: Date, body: string) =>
        `v1a,${sign(null, Buffer.from(`${id}.${Math.floor(time.getTime() / 1_000)}.${body}`), key).toString('base64')}`,
    };
  });
  return (id, time, body) =>
    signers
      .filter(({ until }) => until > now())
      .map((signer) => signer.sign(id, time, body))
      .join(' ');
}

/** Encrypts rings with a key that is derived from a secret. `open` throws if the text was not sealed with this secret. */
export function createKeySafe(secret: string) {
  const { seal, open } = createSeal(secret, 'stele webhook keys');
  return {
    seal: (ring: KeyRing): string => Buffer.from(seal(JSON.stringify(ring))).toString('base64'),
    open: (text: string): KeyRing => ringSchema.parse(JSON.parse(open(Buffer.from(text, 'base64')))),
  };
}
export type KeySafe = ReturnType<typeof createKeySafe>;
