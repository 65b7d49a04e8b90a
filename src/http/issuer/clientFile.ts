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
    .refine((clients) => new Set(clients.map(({ id }) => id)).size === clients.length, { error: 'has two clients of one id' }),
});

/** What a file of clients holds. */
type ClientFile = z.infer<typeof fileSchema>;

function decode(path: string, text: string): ClientFile {
  const parsed = fileSchema.safeParse(readJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // Which of its values is wrong, and never the value.
  throw new Error(`${path} is no file of clients: ${issue?.path.join('.') || 'it'} ${issue?.code ?? 'is wrong'}`);
}

/** Reads the clients of a file, each time that it has changed. Rejects when it is missing or holds something else. */
export function readClientFile(path: string): () => Promise<readonly RegisteredClient[]> {
  const file = watchFile<ClientFile | undefined>(path, (text) => decode(path, text), undefined);
  return async () => {
    const held = await file.read();
    if (held === undefined) throw new Error(`${path} does not exist`);
    return held.clients;
  };
}

/** A client that was just made, with the one copy of its secret. */
export interface NewClient {
  readonly id: string;
  readonly secret: string;
  readonly scopes: readonly Scope[];
}

/** Makes a client and puts it into a file, which is made if there is none. Only the hash of its secret is kept. */
export async function addClient(path: string, name: string, scopes: readonly Scope[]): Promise<NewClient> {
  const id = `${name}-${randomBytes(4).toString('hex')}`;
  const secret = randomBytes(32).toString('base64url');
  const client = { id, name, scopes: scopesAmong(scopes), secretHash: await hashSecret(secret) };
  const isDone = await withLock(path, async () => {
    const held = await watchFile<ClientFile>(path, (text) => decode(path, text), { clients: [] }).read();
    await replaceFile(path, `${JSON.stringify({ clients: [...held.clients, client] }, null, 2)}\n`);
  });
  if (!isDone) throw new Error(`${path} is being written by somebody else`);
  return { id, secret, scopes: client.scopes };
}
