import { z } from 'zod';
import type { IssuerKey, KeyStore } from './issuerKeys.ts';
import { readJson, replaceFile, watchFile, withLock } from './watchedFile.ts';

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
export function decodeKeys(place: string, text: string): readonly IssuerKey[] {
  const parsed = fileSchema.safeParse(readJson(text));
  // The message must not contain any of the content, which is secret.
  if (!parsed.success) throw new Error(`${place} is not a valid key file`);
  return parsed.data.keys
    .map(({ createdAt, ...key }) => ({ ...key, createdAt: Date.parse(createdAt) }))
    .toSorted((one, other) => one.createdAt - other.createdAt);
}

/** Encodes the text of a key file. */
export function encodeKeys(keys: readonly IssuerKey[]): string {
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
    read: file.read,
    change: (change) =>
      withLock(path, async () => {
        await replaceFile(path, encodeKeys(await change(await file.read())));
      }),
  };
}
