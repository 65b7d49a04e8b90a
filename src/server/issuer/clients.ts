import { createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { knownScopes, type Scope, scopesAmong } from '../../reads/viewer.ts';
import { TokenBucket } from '../rateLimits/counters.ts';
import type { CountAttempt, RefusedSecret, SecretAttempt } from '../rateLimits/rates.ts';
import { readJson, replaceFile, watchFile, withLock } from './watchedFile.ts';

/**
 * log2 of N, r and p of new hashes (RFC 7914): 16 MiB and 30 ms. Generated secrets have 256 random bits. The cost protects
 * secrets that people choose.
 */
const cost = { ln: 14, r: 8, p: 1 } as const;

const saltBytes = 16;
const hashBytes = 32;

/** The PHC string format of a hash, `$scrypt$ln=14,r=8,p=1$salt$hash`, with an upper bound for each cost. */
const secretHashPattern = /^\$scrypt\$ln=(1[0-7]),r=([1-9]|1[0-6]),p=([1-4])\$([A-Za-z0-9+/]{16,86})\$([A-Za-z0-9+/]{43})$/;

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
async function isSecretOf(secret: string, hash: string): Promise<boolean> {
  const [, ln, r, p, salt = '', key = ''] = secretHashPattern.exec(hash) ?? [];
  if (ln === undefined) throw new Error('not a secret hash');
  const derived = await derive(secret, Buffer.from(salt, 'base64'), { ln: Number(ln), r: Number(r), p: Number(p) });
  return timingSafeEqual(derived, Buffer.from(key, 'base64'));
}

/** Concurrent hashes. Each takes one of four threads for tens of milliseconds, and 16 MiB. */
const maxAtOnce = 2;

/** The most secrets that wait in a lane: about one second of work, and few beyond the limit of wrong secrets. */
const maxWaiting = { within: 50, over: 4 } as const;

/** The rate of hashes beyond the limit of wrong secrets: a burst, and a number each minute. They take an eighth of a core. */
const overLimit = { burst: 5, perMinute: 300 } as const;

/** Creates the waiting work by lane. The lane whose turn is next comes first. Empty lanes are not stored. */
function createLanes(max: number) {
  const lanes = new Map<string, (() => void)[]>();
  return {
    isEmpty: () => lanes.size === 0,
    /** Returns false if the lane is full. */
    add(name: string, begin: () => void): boolean {
      const lane = lanes.get(name) ?? [];
      if (lane.length >= max) return false;
      lane.push(begin);
      if (lane.length === 1) lanes.set(name, lane);
      return true;
    },
    /** Removes and returns the next work. undefined if nothing waits. */
    take(): (() => void) | undefined {
      for (const [name, lane] of lanes) {
        lanes.delete(name);
        const begin = lane.shift();
        if (lane.length > 0) lanes.set(name, lane);
        return begin;
      }
      return undefined;
    },
  };
}

/** Creates the queue. `now` is a monotonic clock in ms. */
function createHashQueue(now: () => number = () => performance.now()) {
  const within = createLanes(maxWaiting.within);
  const over = createLanes(maxWaiting.over);
  const allowance = new TokenBucket(overLimit.burst, overLimit.perMinute, now);
  let running = 0;
  let isRunningOver = false;
  let timer: NodeJS.Timeout | undefined;

  /** Starts one hash beyond the limits. Returns false if none waits, if one runs, or if the rate is used up. */
  function beginOver(): boolean {
    if (over.isEmpty() || isRunningOver || timer !== undefined) return false;
    const wait = allowance.take(1);
    if (wait > 0) {
      timer = setTimeout(() => {
        timer = undefined;
        beginNext();
      }, Math.ceil(wait)).unref();
      return false;
    }
    isRunningOver = true;
    over.take()?.();
    return true;
  }

  function beginNext(): void {
    while (running < maxAtOnce) {
      const begin = within.take();
      if (begin !== undefined) begin();
      else if (!beginOver()) return;
    }
  }

  return {
    /**
     * Runs `work` when its turn comes. Lanes take turns, so that a flood in one lane does not block the others. Secrets whose sender or client is
     * over the limit of wrong secrets are hashed after all others, and at a low rate. Returns undefined at once if the lane is full.
     */
    async run<T>(
      { name, isOverLimit }: { readonly name: string; readonly isOverLimit: boolean },
      work: () => Promise<T>,
    ): Promise<T | undefined> {
      const turnBegins = new Promise<boolean>((resolve) => {
        const begin = (): void => {
          running += 1;
          resolve(true);
        };
        if (!(isOverLimit ? over : within).add(name, begin)) resolve(false);
      });
      beginNext();
      if (!(await turnBegins)) return undefined;
      try {
        return await work();
      } finally {
        running -= 1;
        if (isOverLimit) isRunningOver = false;
        beginNext();
      }
    },
  };
}

export type RegisteredClient = ConfidentialClient | PublicClient;

/** A client with a secret. */
export interface ConfidentialClient {
  /** Its `client_id`. */
  readonly id: string;
  /** The hash of its secret, from {@link hashSecret}. */
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  /** Whether its secret is public. Only local requests then get its tokens. */
  readonly isLocal?: boolean;
}

/** A client without a secret, for web pages. */
export interface PublicClient {
  /** Its `client_id`. */
  readonly id: string;
  readonly scopes: readonly Scope[];
  /** The origins whose pages get its tokens, as browsers send them. */
  readonly origins: readonly string[];
}

const isConfidential = (client: RegisteredClient): client is ConfidentialClient => 'secretHash' in client;

export const isPublicClient = (client: RegisteredClient): client is PublicClient => 'origins' in client;

/** The authentication of clients. */
export type Clients = ReturnType<typeof createClients>;

const uncounted: SecretAttempt = { refused: undefined, succeed: () => undefined };

/**
 * Creates the authentication of clients over a list that may change. A correct secret is recognized later by a keyed digest,
 * without hashing. Every other secret is counted and then hashed. Clients take turns in hashing, and all unknown ids count as
 * one client, so that a flood of wrong secrets for one client or for unknown ids does not block other clients. Beyond the
 * limits, few secrets are hashed, so that a client behind the address of a flood can still authenticate.
 */
export function createClients(list: () => Promise<readonly RegisteredClient[]>) {
  const queue = createHashQueue();
  const digestKey = randomBytes(32);
  /** Keyed digests of correct secrets, by the hash of the secret. */
  const correct = new Map<string, Buffer>();
  const unknownClientHash = hashSecret(randomBytes(32).toString('base64'));
  let failures = 0;

  const digestOf = (secret: string): Buffer => createHmac('sha256', digestKey).update(secret).digest();

  /** Stores the digest of a correct secret, and removes those of clients that are no longer in the list. */
  function remember({ secretHash }: ConfidentialClient, secret: string, clients: readonly ConfidentialClient[]): void {
    correct.set(secretHash, digestOf(secret));
    if (correct.size <= clients.length) return;
    const current = new Set(clients.map((client) => client.secretHash));
    for (const hash of correct.keys()) if (!current.has(hash)) correct.delete(hash);
  }

  return {
    /**
     * Returns the client with this id and secret. Returns `wrong` if there is no such client or the secret differs, both in the
     * same time. Returns a refusal if too many secrets of the sender or for the client were wrong, and `busy` if too many wait to
     * be checked. Without `count`, nothing is counted.
     */
    async authenticate(
      id: string,
      secret: string,
      count: CountAttempt = () => uncounted,
    ): Promise<ConfidentialClient | RefusedSecret | 'wrong' | 'busy'> {
      const clients = (await list()).filter(isConfidential);
      const client = clients.find((each) => each.id === id);
      const digest = client && correct.get(client.secretHash);
      if (client !== undefined && digest !== undefined && timingSafeEqual(digest, digestOf(secret))) return client;
      const hash = client?.secretHash ?? (await unknownClientHash);
      const { refused, succeed } = count(client?.id);
      // Secrets from an address over its own limit wait in a separate queue, apart from others for the same client.
      const lane = { name: JSON.stringify([client?.id, refused?.by]), isOverLimit: refused !== undefined };
      const isCorrect = await queue.run(lane, () => isSecretOf(secret, hash));
      if (isCorrect === undefined) return refused ?? 'busy';
      if (client === undefined || !isCorrect) {
        failures += 1;
        return refused ?? 'wrong';
      }
      succeed();
      remember(client, secret, clients);
      return client;
    },
    publicClient: async (id: string): Promise<PublicClient | undefined> =>
      (await list()).filter(isPublicClient).find((each) => each.id === id),
    /** The scopes of a client; null if there is no such client. */
    scopesOf: async (id: string): Promise<readonly Scope[] | null> =>
      (await list()).find((each) => each.id === id)?.scopes ?? null,
    origins: async (): Promise<readonly string[]> => [
      ...new Set((await list()).filter(isPublicClient).flatMap(({ origins }) => origins)),
    ],
    /** Number of wrong secrets that were checked. */
    failures: (): number => failures,
  };
}

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

/** A new client and its secret. */
export type NewClient = Awaited<ReturnType<typeof addClient>>;

/** Creates a client and adds it to a file, which is created if absent. The file contains only the hash of the secret. */
export async function addClient(path: string, name: string, scopes: readonly Scope[]) {
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
