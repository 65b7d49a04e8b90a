import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../reads/viewer.ts';
import type { CountAttempt, RefusedSecret, SecretAttempt } from '../rateLimits/secretAttempts.ts';
import { createHashQueue } from './hashQueue.ts';
import { hashSecret, isSecretOf } from './secretHash.ts';

/** A client that may ask the embedded issuer for tokens. */
export interface RegisteredClient {
  /** Its `client_id`. */
  readonly id: string;
  /** Of its secret, as {@link hashSecret} makes it. */
  readonly secretHash: string;
  /** What its tokens may allow. */
  readonly scopes: readonly Scope[];
  /** Whether everybody knows its secret: only local requests get tokens of it. */
  readonly isLocal?: boolean;
}

/** Tells clients by their secrets. */
export interface Clients {
  /**
   * The client whose secret it is; `wrong` when there is no such client or it is another secret, which takes the same time; a refusal
   * when too many secrets of its sender or for its client were wrong, and `busy` when too many wait to be checked. Without `count` none is counted.
   */
  authenticate(id: string, secret: string, count?: CountAttempt): Promise<RegisteredClient | RefusedSecret | 'wrong' | 'busy'>;
  /** Secrets that were checked and were wrong. */
  failures(): number;
}

const uncounted: SecretAttempt = { refused: undefined, succeed: () => undefined };

/**
 * Makes the clients over a list that may change. A secret that was right is known again by a keyed digest, at no cost. Every other one has to be hashed,
 * and is counted before that. Clients take turns in it, and all ids that do not exist are one of them: a flood of wrong secrets, of unknown ids or for one
 * client, leaves the others their turn. Beyond the limits few are hashed, so that a client behind the address of a flood still has a way in.
 */
export function createClients(list: () => Promise<readonly RegisteredClient[]>): Clients {
  const queue = createHashQueue();
  const digestKey = randomBytes(32);
  /** By the hash of the secret. */
  const right = new Map<string, Buffer>();
  const nobody = hashSecret(randomBytes(32).toString('base64'));
  let failures = 0;

  const digestOf = (secret: string): Buffer => createHmac('sha256', digestKey).update(secret).digest();

  /** Remembers a right secret, and none of clients that are not in the list any more. */
  function remember({ secretHash }: RegisteredClient, secret: string, clients: readonly RegisteredClient[]): void {
    right.set(secretHash, digestOf(secret));
    if (right.size <= clients.length) return;
    const current = new Set(clients.map((client) => client.secretHash));
    for (const hash of right.keys()) if (!current.has(hash)) right.delete(hash);
  }

  return {
    async authenticate(id, secret, count = () => uncounted) {
      const clients = await list();
      const client = clients.find((each) => each.id === id);
      const digest = client && right.get(client.secretHash);
      if (client !== undefined && digest !== undefined && timingSafeEqual(digest, digestOf(secret))) return client;
      const hash = client?.secretHash ?? (await nobody);
      const { refused, succeed } = count(client?.id);
      // Those for one client that come from an address over its own limit wait apart from all others.
      const lane = { name: JSON.stringify([client?.id, refused?.by]), isOverLimit: refused !== undefined };
      const isRight = await queue.run(lane, () => isSecretOf(secret, hash));
      if (isRight === undefined) return refused ?? 'busy';
      if (client === undefined || !isRight) {
        failures += 1;
        return refused ?? 'wrong';
      }
      succeed();
      remember(client, secret, clients);
      return client;
    },
    failures: () => failures,
  };
}
