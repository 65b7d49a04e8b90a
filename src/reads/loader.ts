import DataLoader from 'dataloader';
import type { Client } from '../chain/client.ts';
import type { StateAt } from '../chain/state/state.ts';

/** The chain and the height that the loaders of one pin read at. */
export interface Source {
  readonly client: Client;
  readonly state: StateAt;
  /** Ends what is under way. */
  readonly signal: AbortSignal | undefined;
}

/** Makes the loaders of one module for one pin. */
export type LoaderFactory<L> = (source: Source) => L;

/** Returns the loaders that a factory makes, which are made on the first call and kept. */
export type LoaderRegistry = <L>(create: LoaderFactory<L>) => L;

/** Makes the registry of one pin: a module's loaders exist only once a request has used them. */
export function createLoaderRegistry(source: Source): LoaderRegistry {
  const made = new Map<LoaderFactory<unknown>, unknown>();
  return <L>(create: LoaderFactory<L>): L => {
    // The value under a factory is always of the type that the factory returns.
    const known = made.get(create) as L | undefined;
    if (known !== undefined) return known;
    const loaders = create(source);
    made.set(create, loaders);
    return loaders;
  };
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
