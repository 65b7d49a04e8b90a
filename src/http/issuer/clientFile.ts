import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { knownScopes, type Scope, scopesAmong } from '../../reads/viewer.ts';
import type { RegisteredClient } from './clients.ts';
import { hashSecret, secretHashPattern } from './secretHash.ts';
import { readJson, replaceFile, watchFile, withLock } from './watchedFile.ts';

const fileSchema = z.object({
  clients: z
    .array(
      z.object({
        id: z.string().min(1).max(128),
        name: z.string(),
        scopes: z.array(z.enum(knownScopes)).min(1),
        secretHash: z.string().regex(secretHashPattern),
      }),
    )
    .refine((clients) => new Set(clients.map(({ id }) => id)).size === clients.length, {
      error: 'has two clients with the same id',
    }),
});

/** The content of a client file. */
type ClientFile = z.infer<typeof fileSchema>;

function decode(path: string, text: string): ClientFile {
  const parsed = fileSchema.safeParse(readJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // Names the wrong member, never its value, which may be secret.
  throw new Error(`${path} is not a valid client file: ${issue?.path.join('.') || 'content'}: ${issue?.code ?? 'invalid'}`);
}

/**
 * Returns a function that reads the clients of a file. It reads the file again only after a change. Rejects if the file is
 * missing or invalid.
 */
export function readClientFile(path: string): () => Promise<readonly RegisteredClient[]> {
  const file = watchFile<ClientFile | undefined>(path, (text) => decode(path, text), undefined);
  return async () => {
    const content = await file.read();
    if (content === undefined) throw new Error(`${path} does not exist`);
    return content.clients;
  };
}

/** A new client, with the only copy of its secret. */
export interface NewClient {
  readonly id: string;
  readonly secret: string;
  readonly scopes: readonly Scope[];
}

/** Creates a client and adds it to a file, which is created if absent. The file contains only the hash of the secret. */
export async function addClient(path: string, name: string, scopes: readonly Scope[]): Promise<NewClient> {
  const id = `${name}-${randomBytes(4).toString('hex')}`;
  const secret = randomBytes(32).toString('base64url');
  const client = { id, name, scopes: scopesAmong(scopes), secretHash: await hashSecret(secret) };
  const isDone = await withLock(path, async () => {
    const content = await watchFile<ClientFile>(path, (text) => decode(path, text), { clients: [] }).read();
    await replaceFile(path, `${JSON.stringify({ clients: [...content.clients, client] }, null, 2)}\n`);
  });
  if (!isDone) throw new Error(`${path} is locked by another process`);
  return { id, secret, scopes: client.scopes };
}
