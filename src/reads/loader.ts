import type { Client } from '../chain/client.ts';
import type { StateAt } from '../chain/state/state.ts';
import { type Awaitable, attempt } from './awaitable.ts';

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
 * Reads values by key, each key once for one pin. Reads start at once, because the transport combines the calls of a tick into
 * batches.
 */
export interface Loader<K, V> {
  /** The value, at once if it is known. Never throws: an error rejects the promise. */
  load(key: K): Awaitable<V>;
  /** Stores values that another read returned, so that they are not read again. Does not replace a value that is present. */
  prime<T extends V>(values: readonly T[], keyOf: (value: T) => K): void;
}

/** Makes a loader. Keys are equal if their `keyText` is equal. A failed read is cached as well, for its key. */
export function createLoader<K, V>(read: (key: K) => Awaitable<V>, keyText: (key: K) => string = String): Loader<K, V> {
  /** Created on first use, because a pin has many loaders and uses few of them. */
  let values: Map<string, Awaitable<V>> | undefined;
  /** Most lists are never asked for a single item, so their keys are computed when the first value is read. */
  let primed: ((into: Map<string, Awaitable<V>>) => void)[] | undefined;

  function valuesSoFar(): Map<string, Awaitable<V>> {
    const known = values ?? new Map<string, Awaitable<V>>();
    values = known;
    for (const apply of primed ?? []) apply(known);
    primed = undefined;
    return known;
  }

  return {
    load(key) {
      const loaded = valuesSoFar();
      const text = keyText(key);
      const known = loaded.get(text);
      if (known !== undefined) return known;
      const value = attempt(() => read(key));
      loaded.set(text, value);
      // The next caller gets the value at once.
      if (value instanceof Promise) {
        value.then(
          (result) => loaded.set(text, result),
          () => undefined,
        );
      }
      return value;
    },
    prime(items, keyOf) {
      primed ??= [];
      primed.push((into) => {
        for (const item of items) {
          const text = keyText(keyOf(item));
          if (!into.has(text)) into.set(text, item);
        }
      });
    },
  };
}
