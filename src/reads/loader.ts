import type { Client, RecordedChain } from '../chain/client.ts';
import type { StateAt } from '../chain/state/state.ts';

/**
 * A value that is known now, or a promise of it. Functions that return one work without promises as long as everything that they
 * read is in memory.
 */
export type Awaitable<T> = T | Promise<T>;

/** Applies `f` to a value: at once if it is known, else when the promise resolves. What `f` throws rejects the result. */
export function andThen<T, R>(value: Awaitable<T>, f: (value: T) => Awaitable<R>): Awaitable<R> {
  if (value instanceof Promise) return value.then(f);
  try {
    return f(value);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Applies `f` to two values: at once if both are known, else when both promises resolve. What `f` throws rejects the result. */
export function both<A, B, R>(one: Awaitable<A>, other: Awaitable<B>, f: (one: A, other: B) => Awaitable<R>): Awaitable<R> {
  if (one instanceof Promise || other instanceof Promise) {
    return Promise.all([one, other]).then(([first, second]) => f(first, second));
  }
  return attempt(() => f(one, other));
}

/** The values: at once if all are known, else when all promises resolve. */
export function all<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return areKnown(values) ? values : Promise.all(values);
}

function areKnown<T>(values: readonly Awaitable<T>[]): values is readonly T[] {
  return !values.some((value) => value instanceof Promise);
}

/** The value of `f`. What it throws rejects the promise, so that a caller handles all errors in one place. */
export function attempt<T>(f: () => Awaitable<T>): Awaitable<T> {
  try {
    return f();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Returns the function that creates a value for each object once, and keeps it as long as the object lives. */
export function weakMemo<K extends WeakKey, V extends object>(create: (key: K) => V): (key: K) => V {
  const values = new WeakMap<K, V>();
  return (key) => {
    const value = values.get(key) ?? create(key);
    values.set(key, value);
    return value;
  };
}

/** The client, and the state at the height of the pin, that the loaders of one pin read from. */
export interface Source {
  readonly client: Client;
  /** The archive of the client. Other than the use of `client`, it makes no answer depend on its height. undefined if the server runs without one. */
  readonly archive: RecordedChain | undefined;
  readonly state: StateAt;
  /** The name of the caller that is read for; undefined if it is this server, or several callers. */
  readonly caller: string | undefined;
  /** Aborts the reads. */
  readonly signal: AbortSignal | undefined;
}

/** Makes the loaders of one module for one pin. */
type LoaderFactory<L> = (source: Source) => L;

/** Returns the loaders that a factory makes. They are made on the first call and reused. */
export type LoaderRegistry = <L>(create: LoaderFactory<L>) => L;

/**
 * Makes the factory of a module's loaders. Each loader is made when it is first used, because most operations use few. `makers` gets the source and
 * all loaders.
 */
export function lazyLoaders<L extends object>(
  makers: {
    readonly [K in keyof L]: (source: Source, loaders: L) => L[K];
  },
): LoaderFactory<L> {
  class Loaders {
    readonly source: Source;
    readonly made: unknown[] = [];

    constructor(source: Source) {
      this.source = source;
    }
  }
  for (const [index, [name, make]] of Object.entries<(source: Source, loaders: L) => unknown>(makers).entries()) {
    Object.defineProperty(Loaders.prototype, name, {
      get(this: Loaders & L): unknown {
        this.made[index] ??= make(this.source, this);
        return this.made[index];
      },
    });
  }
  // The accessors above are the members of L.
  return (source) => new Loaders(source) as Loaders & L;
}

/** Makes the registry of one pin. The loaders of a module are created when a request first uses them. */
export function createLoaderRegistry(source: Source): LoaderRegistry {
  const loadersByFactory = new Map<LoaderFactory<unknown>, unknown>();
  return <L>(create: LoaderFactory<L>): L => {
    // The map holds under each factory the value that this factory returned.
    const knownLoaders = loadersByFactory.get(create) as L | undefined;
    if (knownLoaders !== undefined) return knownLoaders;
    const loaders = create(source);
    loadersByFactory.set(create, loaders);
    return loaders;
  };
}

/**
 * Reads values by key, each key once for one pin. It does not batch: reads start at once, and the transport combines the calls of a tick.
 * It is a class because a pin has many of them, and a stream a pin for each event: functions would take three times the memory.
 */
export class ReadOnce<K, V> {
  readonly #read: (key: K) => Awaitable<V>;
  readonly #keyText: (key: K) => string;
  /** Created on first use, because few loaders of a pin are used. */
  #values: Map<string, Awaitable<V>> | undefined;
  /** Most lists are never asked for a single item, so their keys are computed when the first value is read. */
  #primed: ((values: Map<string, Awaitable<V>>) => void)[] | undefined;

  constructor(read: (key: K) => Awaitable<V>, keyText: (key: K) => string) {
    this.#read = read;
    this.#keyText = keyText;
  }

  /** The value, at once if it is known. Never throws: an error rejects the promise. */
  load(key: K): Awaitable<V> {
    this.#values ??= new Map();
    const values = this.#values;
    for (const prime of this.#primed ?? []) prime(values);
    this.#primed = undefined;
    const text = this.#keyText(key);
    const knownValue = values.get(text);
    if (knownValue !== undefined) return knownValue;
    const value = attempt(() => this.#read(key));
    values.set(text, value);
    // The next caller gets the value at once.
    if (value instanceof Promise) {
      value.then(
        (loaded) => values.set(text, loaded),
        () => undefined,
      );
    }
    return value;
  }

  /** Stores values that another read returned, so that they are not read again. Does not replace a value that is present. */
  prime<T extends V>(items: readonly T[], keyOf: (value: T) => K): void {
    this.#primed ??= [];
    this.#primed.push((values) => {
      for (const item of items) {
        const text = this.#keyText(keyOf(item));
        if (!values.has(text)) values.set(text, item);
      }
    });
  }
}

/** Keys are equal if their `keyText` is equal. A failed read is kept as well, for its key. */
export function readOnce<K, V>(read: (key: K) => Awaitable<V>, keyText: (key: K) => string = String): ReadOnce<K, V> {
  return new ReadOnce(read, keyText);
}
