import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/**
 * log2 of N, r and p of new hashes (RFC 7914): 16 MiB and 30 ms. Generated secrets have 256 random bits. The cost protects
 * secrets that people choose.
 */
const cost = { ln: 14, r: 8, p: 1 } as const;

const saltBytes = 16;
const hashBytes = 32;

/** The PHC string format of a hash, `$scrypt$ln=14,r=8,p=1$salt$hash`, with an upper bound for each cost. */
export const secretHashPattern =
  /^\$scrypt\$ln=(1[0-7]),r=([1-9]|1[0-6]),p=([1-4])\$([A-Za-z0-9+/]{16,86})\$([A-Za-z0-9+/]{43})$/;

function derive(secret: string, salt: Buffer, { ln, r, p }: Readonly<Record<'ln' | 'r' | 'p', number>>): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 2 ** ln * r * 128 * 2 };
  return new Promise((resolve, reject) => {
    scrypt(secret.normalize('NFC'), salt, hashBytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Hashes a secret with a random salt. */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const { ln, r, p } = cost;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(await derive(secret, salt, cost))}`;
}

/** Whether a secret matches a hash. Compares in constant time. Rejects if `hash` is not a hash. */
export async function isSecretOf(secret: string, hash: string): Promise<boolean> {
  const [, ln, r, p, salt = '', key = ''] = secretHashPattern.exec(hash) ?? [];
  if (ln === undefined) throw new Error('not a secret hash');
  const derived = await derive(secret, Buffer.from(salt, 'base64'), { ln: Number(ln), r: Number(r), p: Number(p) });
  return timingSafeEqual(derived, Buffer.from(key, 'base64'));
}
