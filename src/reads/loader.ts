import DataLoader from 'dataloader';
import type { Client } from '../chain/client.ts';
import type { StateAt } from '../chain/state/state.ts';

/** The client, and the state at the height of the pin, that the loaders of one pin read from. */
export interface Source {
  readonly client: Client;
  readonly state: StateAt;
  /** Aborts the reads. */
  readonly signal: AbortSignal | undefined;
}

/** Makes the loaders of one module for one pin. */
export type LoaderFactory<L> = (source: Source) => L;

/** Returns the loaders that a factory makes. They are made on the first call and reused. */
export type LoaderRegistry = <L>(create: LoaderFactory<L>) => L;

/** Makes the registry of one pin. The loaders of a module are created when a request first uses them. */
export function createLoaderRegistry(source: Source): LoaderRegistry {
  const made = new Map<LoaderFactory<unknown>, unknown>();
  return <L>(create: LoaderFactory<L>): L => {
    // The map holds under each factory the value that this factory returned.
    const known = made.get(create) as L | undefined;
    if (known !== undefined) return known;
    const loaders = create(source);
    made.set(create, loaders);
    return loaders;
  };
}

/**
 * Reads values by key, each key once for one pin. Keys are read one by one, because the transport combines calls into batches.
 */
export interface Loader<K, V> {
  load(key: K): Promise<V>;
  /** Stores a value that another read returned, so that it is not read again. Does not replace a value that is present. */
  prime(key: K, value: V): void;
}

/** Makes a loader. Keys are equal if their `keyText` is equal. A failed read is cached as well, for its key. */
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
