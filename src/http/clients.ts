import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../graphql/viewer.ts';
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
   * The client whose secret it is; `wrong` when there is no such client or it is another secret, which takes the same time; `busy`
   * when too many secrets wait to be looked at.
   */
  authenticate(id: string, secret: string): Promise<RegisteredClient | 'wrong' | 'busy'>;
  /** Secrets that were wrong. */
  failures(): number;
}

/** Hashes made at once: each takes a thread of four for tens of milliseconds, and 16 MiB. */
const maxAtOnce = 2;

/** Secrets that wait for that: two seconds' worth. */
const maxWaiting = 100;

/** Makes a gate that runs so much at once, lets so much wait, and turns away the rest with undefined. */
function createGate(): <T>(work: () => Promise<T>) => Promise<T | undefined> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < maxAtOnce) running += 1;
    else if (waiting.length >= maxWaiting) return undefined;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The place goes on to the next one, uncounted.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/**
 * Makes the clients over a list that may change. A secret that was right is known again by a keyed digest, at no cost: whoever
 * floods the issuer with wrong ones delays only those who were never here.
 */
export function createClients(list: () => Promise<readonly RegisteredClient[]>): Clients {
  const gate = createGate();
  const digestKey = randomBytes(32);
  const right = new Map<string, Buffer>();
  const nobody = hashSecret(randomBytes(32).toString('base64'));
  let failures = 0;

  const digestOf = (secret: string): Buffer => createHmac('sha256', digestKey).update(secret).digest();

  return {
    async authenticate(id, secret) {
      const client = (await list()).find((each) => each.id === id);
      const digest = client && right.get(client.secretHash);
      if (client !== undefined && digest !== undefined && timingSafeEqual(digest, digestOf(secret))) return client;
      const hash = client?.secretHash ?? (await nobody);
      const isRight = await gate(() => isSecretOf(secret, hash));
      if (isRight === undefined) return 'busy';
      if (client === undefined || !isRight) {
        failures += 1;
        return 'wrong';
      }
      right.set(client.secretHash, digestOf(secret));
      return client;
    },
    failures: () => failures,
  };
}
