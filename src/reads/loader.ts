import DataLoader from 'dataloader';
import type { Client } from '../chain/client.ts';
import type { StateAt } from '../chain/state/state.ts';

/** What the loaders of one pin read from. */
export interface Source {
  readonly client: Client;
  readonly state: StateAt;
  /** Ends what is under way. */
  readonly signal: AbortSignal | undefined;
}

/** Reads by key, each key once for one pin. Joining calls into batches is the transport's work, so keys are read one by one. */
export interface Loader<K, V> {
  load(key: K): Promise<V>;
  /** Tells of a value that another read has brought: it is not read again. A value already there stays. */
  prime(key: K, value: V): void;
}

/** Makes a loader. Keys with equal `keyText` are one key; without it, keys are told apart by `String`. A failure stays with its key. */
export function createLoader<K, V>(read: (key: K) => Promise<V>, keyText: (key: K) => string = String): Loader<K, V> {
  const loader = new DataLoader<K, V, string>(
    (keys) =>
      Promise.all(
        keys.map((key) => read(key).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))),
      ),
    { cacheKeyFn: keyText },
  );
  return {
    load: (key) => loader.load(key),
    prime: (key, value) => {
      loader.prime(key, value);
    },
  };
}
