import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { knownScopes, type Scope, scopesAmong } from '../../reads/viewer.ts';
import type { ConfidentialClient, PublicClient, RegisteredClient } from './clients.ts';
import { hashSecret, secretHashPattern } from './secretHash.ts';
import { readJson, replaceFile, watchFile, withLock } from './watchedFile.ts';

/** Whether a text is a web origin as browsers send it, such as `https://board.example`. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const clientSchema = z
  .object({
    id: z.string().min(1).max(128),
    name: z.string(),
    scopes: z.array(z.enum(knownScopes)).min(1),
    secretHash: z.string().regex(secretHashPattern).optional(),
    origins: z.array(z.string().refine(isOrigin)).min(1).optional(),
  })
  .transform(({ secretHash, origins, ...client }, context) => {
    if (secretHash !== undefined && origins === undefined) return { ...client, secretHash };
    if (origins !== undefined && secretHash === undefined) return { ...client, origins };
    context.addIssue({ code: 'custom', path: ['secretHash'], message: 'A client has either a secret or origins.' });
    return z.NEVER;
  });

const fileSchema = z.object({
  clients: z.array(clientSchema).refine((clients) => new Set(clients.map(({ id }) => id)).size === clients.length, {
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
  const secret = randomBytes(32).toString('base64url');
  const client = { id: newId(name), name, scopes: scopesAmong(scopes), secretHash: await hashSecret(secret) };
  await append(path, client);
  return { id: client.id, secret, scopes: client.scopes };
}

/** Creates a public client for pages of these origins and adds it to a file, which is created if absent. */
export async function addPublicClient(
  path: string,
  name: string,
  { scopes, origins }: Pick<PublicClient, 'scopes' | 'origins'>,
): Promise<PublicClient> {
  const client = { id: newId(name), name, scopes: scopesAmong(scopes), origins: [...new Set(origins)] };
  await append(path, client);
  return client;
}

const newId = (name: string): string => `${name}-${randomBytes(4).toString('hex')}`;

/** Adds a client to a file. Rejects if another process is writing the file. */
async function append(path: string, client: (ConfidentialClient | PublicClient) & { readonly name: string }): Promise<void> {
  const isDone = await withLock(path, async () => {
    const content = await watchFile<ClientFile>(path, (text) => decode(path, text), { clients: [] }).read();
    await replaceFile(path, `${JSON.stringify({ clients: [...content.clients, client] }, null, 2)}\n`);
  });
  if (!isDone) throw new Error(`${path} is locked by another process`);
}
