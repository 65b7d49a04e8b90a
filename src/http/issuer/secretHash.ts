import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** log2 of N, r and p of new hashes. Secrets are 256 random bits, so the cost is for those that people choose (RFC 7914; 16 MiB, 30 ms). */
const cost = { ln: 14, r: 8, p: 1 } as const;

const saltBytes = 16;
const hashBytes = 32;

/** Form of a hash: the string format of PHC, `$scrypt$ln=14,r=8,p=1$salt$hash`, with costs that a check may take. */
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

/** Hashes a secret with a salt of its own. */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const { ln, r, p } = cost;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(await derive(secret, salt, cost))}`;
}

/** Whether a secret is the one of a hash, in a time that does not tell how much of it is right. Rejects when it is no hash. */
export async function isSecretOf(secret: string, hash: string): Promise<boolean> {
  const [, ln, r, p, salt = '', key = ''] = secretHashPattern.exec(hash) ?? [];
  if (ln === undefined) throw new Error('not a hash of a secret');
  const derived = await derive(secret, Buffer.from(salt, 'base64'), { ln: Number(ln), r: Number(r), p: Number(p) });
  return timingSafeEqual(derived, Buffer.from(key, 'base64'));
}
