import { randomUUID } from 'node:crypto';
import { type LazySignal, signalOf } from '../chain/base/time.ts';
import type { Client, RecordedChain } from '../chain/client.ts';
import type { Descriptors } from '../chain/descriptors/descriptors.ts';
import type { Dependencies, StateAt } from '../chain/state/state.ts';
import { type StoreWait, TotalWait } from '../chain/state/stateEntries.ts';
import { type Bounds, defaultBounds } from '../config/bounds.ts';

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

/**
 * Makes the factory of a module's loaders. Each loader is made when it is first used, because most operations use few. `makers` gets the source and
 * all loaders.
 */
export function lazyLoaders<L extends object>(
  makers: {
    readonly [K in keyof L]: (source: Source, loaders: L) => L[K];
  },
): LoaderFactory<L> {
  const accessors: object = {};
  for (const [index, [name, make]] of Object.entries<(source: Source, loaders: L) => unknown>(makers).entries()) {
    Object.defineProperty(accessors, name, {
      get(this: Loaders & L): unknown {
        this.made[index] ??= make(this.source, this);
        return this.made[index];
      },
    });
  }
  return (source) => Object.assign(Object.create(accessors), { source, made: [] });
}

/** The loaders of one pin that were used, by their index. */
interface Loaders {
  readonly source: Source;
  readonly made: unknown[];
}

/**
 * Reads values by key, each key once for one pin. Keys are equal if their `keyText` is. A failed read is kept as well, for its key.
 * It does not batch: reads start at once, and the transport combines the calls of a tick.
 * It is a class because a pin has many of them, and a stream a pin for each event: functions would take three times the memory.
 */
export class ReadOnce<K, V> {
  readonly #read: (key: K) => Awaitable<V>;
  readonly #keyText: (key: K) => string;
  /** Created on first use, because few loaders of a pin are used. */
  #values: Map<string, Awaitable<V>> | undefined;
  /** Most lists are never asked for a single item, so their keys are computed when the first value is read. */
  #primed: ((values: Map<string, Awaitable<V>>) => void)[] | undefined;

  constructor(read: (key: K) => Awaitable<V>, keyText: (key: K) => string = String) {
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
    let value: Awaitable<V>;
    try {
      value = this.#read(key);
    } catch (error) {
      value = Promise.reject(error);
    }
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

/** Access to the chain for reads that have no height. */
export interface ChainAccess {
  readonly client: Client;
  /** Aborts the reads; undefined if nothing does. */
  readonly signal: AbortSignal | undefined;
}

/**
 * A snapshot of the chain at one height. The root of an operation has a pin; each `at(height:)` and each event has its own.
 *
 * The answer of an operation may be valid at other heights, too. The pin notes what makes it depend on its own height: any use
 * of `height` and `client`, and reads of the state that may not be carried.
 */
export interface Pin extends ChainAccess {
  readonly height: bigint;
  /** The height, for a read from elsewhere whose result changes only in blocks that change these stores, which are in alphabetical order. */
  heightOf(stores: readonly string[]): bigint;
  readonly state: StateAt;
  /** The protobuf types that the chain describes. They do not depend on the height. */
  readonly descriptors: Descriptors;
  /** The loaders of a module at this height: `pin.loaders(createGroupLoaders)`. They are made on the first call and reused. */
  loaders<L>(create: LoaderFactory<L>): L;
  /** The pin of another height. The caller checks the height first. */
  at(height: bigint): Pin;
  /** The limits of pages. */
  readonly bounds: Bounds;
  /** The height for an answer to print. It is a {@link heightPlace} if the answer may be sent at several heights. */
  printedHeight(): bigint | HeightPlace;
  /**
   * The time of the block at this height for an answer to print: a {@link timePlace} if the answer may be sent at several heights. undefined if the block
   * has to be read for it.
   */
  printedTime(): string | undefined;
  /** Number of reads through this pin. A value that was computed without a read does not depend on the height. */
  uses(): number;
  /** Counts a use of something that this pin does not know of. */
  use(): void;
}

/** Stands for the height in an answer that may be sent at several heights. */
export interface HeightPlace {
  readonly isPlace: true;
  /** The text in the answer where the height is written. */
  toString(): string;
}

const placeText = `height-${randomUUID()}`;

/** Where the height is written when an answer is sent. Its text is random, so that no value of the chain or of a request contains it. */
export const heightPlace: HeightPlace = { isPlace: true, toString: () => placeText };

/** The text in an answer where the time of its block is written when it is sent. Random, like that of {@link heightPlace}. */
export const timePlace = `time-${randomUUID()}`;

/** Options of {@link createPin}. */
interface PinOptions {
  /** Aborts the reads. */
  readonly signal?: AbortSignal | LazySignal | undefined;
  /** The name of the caller that it reads for. Its reads of the archive take turns with those of others. */
  readonly caller?: string | undefined;
  readonly bounds?: Bounds;
  /** Notes what the operation depends on. If present, the height is printed as a {@link heightPlace}. */
  readonly dependencies?: Dependencies | undefined;
  /** Whether the answer may contain a {@link timePlace}. Default false. */
  readonly printsTime?: boolean;
  /** How long the request has waited for the shared store. Default: not yet. */
  readonly storeWait?: StoreWait;
}

/** Creates the pin at a height. Reads nothing. */
export function createPin(client: Client, height: bigint, options: PinOptions = {}): Pin {
  return new ChainPin(client, height, options);
}

/** It is a class because each request has one: the accessors of an object literal would cost more than all else of a small request. */
class ChainPin implements Pin, Source {
  readonly #client: Client;
  readonly #height: bigint;
  readonly #options: PinOptions;
  readonly #state: StateAt;
  readonly #storeWait: StoreWait;
  /** The loaders of each module that was used, by their factory. */
  #loaders: Map<LoaderFactory<unknown>, unknown> | undefined;
  #uses = 0;
  readonly bounds: Bounds;
  readonly caller: string | undefined;

  constructor(client: Client, height: bigint, options: PinOptions) {
    this.#client = client;
    this.#height = height;
    this.#options = options;
    this.#storeWait = options.storeWait ?? new TotalWait();
    this.#state = client.at(height, options.signal, options.dependencies, this.#storeWait);
    this.bounds = options.bounds ?? defaultBounds;
    this.caller = options.caller;
  }

  get client(): Client {
    this.#uses += 1;
    this.#options.dependencies?.dependsOnHeight();
    return this.#client;
  }

  get archive(): RecordedChain | undefined {
    this.#uses += 1;
    return this.#client.archive();
  }

  get height(): bigint {
    this.#uses += 1;
    this.#options.dependencies?.dependsOnHeight();
    return this.#height;
  }

  heightOf(stores: readonly string[]): bigint {
    this.#uses += 1;
    this.#options.dependencies?.read(stores);
    return this.#height;
  }

  get state(): StateAt {
    this.#uses += 1;
    return this.#state;
  }

  get signal(): AbortSignal | undefined {
    this.#uses += 1;
    return signalOf(this.#options.signal);
  }

  get descriptors(): Descriptors {
    this.#uses += 1;
    return this.#client.descriptors;
  }

  loaders<L>(create: LoaderFactory<L>): L {
    this.#uses += 1;
    this.#loaders ??= new Map();
    // The map holds under each factory the value that this factory returned.
    const knownLoaders = this.#loaders.get(create) as L | undefined;
    if (knownLoaders !== undefined) return knownLoaders;
    const loaders = create(this);
    this.#loaders.set(create, loaders);
    return loaders;
  }

  at(height: bigint): Pin {
    this.#uses += 1;
    const { signal, caller, bounds, dependencies } = this.#options;
    dependencies?.dependsOnHeight();
    return createPin(this.#client, height, { signal, caller, storeWait: this.#storeWait, ...(bounds && { bounds }) });
  }

  printedHeight(): bigint | HeightPlace {
    this.#uses += 1;
    const { dependencies } = this.#options;
    if (dependencies === undefined) return this.#height;
    dependencies.hasPrintedHeight = true;
    return heightPlace;
  }

  printedTime(): string | undefined {
    this.#uses += 1;
    const { dependencies, printsTime = false } = this.#options;
    if (!printsTime || dependencies === undefined || this.#client.head.timeAt(this.#height) === undefined) return undefined;
    dependencies.hasPrintedHeight = true;
    return timePlace;
  }

  uses(): number {
    return this.#uses;
  }

  use(): void {
    this.#uses += 1;
  }
}

const pinKey = Symbol('pin');
const accessKey = Symbol('access');

/** The pin of a value, and the value that it is a copy of. */
interface Pinning {
  readonly pin: Pin;
  readonly origin: object;
  /** The copy, so that a copy of the copy, which may have other members, is not taken for it. */
  copy: object | undefined;
}

/** A value together with the pin that it was read at. */
export type Pinned<T> = T & { readonly [pinKey]: Pinning; readonly [accessKey]?: ChainAccess };

/** A copy of `value` that carries `pin`. */
export function pinned<T extends object>(pin: Pin, value: T): Pinned<T> {
  const pinning: Pinning = { pin, origin: value, copy: undefined };
  // V8 copies into an object that has the pin already five times faster than it adds the pin to a copy.
  const copy = pinKey in value ? { ...value, [pinKey]: pinning } : Object.assign({ [pinKey]: pinning }, value);
  pinning.copy = copy;
  return copy;
}

/** A pinned copy of a value that is read; null if the value is. */
export function pinnedValue<T extends object>(pin: Pin, value: Awaitable<T | null>): Awaitable<Pinned<T> | null> {
  return andThen(value, (knownValue) => knownValue && pinned(pin, knownValue));
}

/** A value of the state that an object was made of, and the pin that it was read at. */
export interface Derivation {
  readonly pin: Pin | undefined;
  readonly origin: object;
}

/** The derivation of an object that {@link Derived} describes. */
export const derivedKey = Symbol('derived');

/**
 * An object that is made of one value of the state: what is read of it without a use of the pin is the same for the same value. The derivation is
 * undefined if it is not known.
 */
export interface Derived {
  readonly [derivedKey]: Derivation | undefined;
}

/** A value of the state and its pin, which is pinned when it is needed: the response may be known without it. */
export class Unread<T extends object> {
  readonly pin: Pin;
  readonly origin: T;

  constructor(pin: Pin, origin: T) {
    this.pin = pin;
    this.origin = origin;
  }

  /** Returns a pinned copy. */
  read(): Pinned<T> {
    return pinned(this.pin, this.origin);
  }
}

/**
 * A pinned copy's pin and the value that it is a copy of, those of a {@link Derived} object, or a frozen value itself, without a pin. undefined
 * unless the value is frozen, as values of the state are: they are shared by all operations, and never change.
 */
export function sharedOrigin(value: object): Derivation | undefined {
  if (accessKey in value) return undefined;
  const { [pinKey]: pinning, [derivedKey]: derivation }: { readonly [pinKey]?: Pinning } & Partial<Derived> = value;
  if (pinning !== undefined) return pinning.copy === value && Object.isFrozen(pinning.origin) ? pinning : undefined;
  if (Object.isFrozen(value)) return { pin: undefined, origin: value };
  return derivation !== undefined && Object.isFrozen(derivation.origin) ? derivation : undefined;
}

/** A root without a pin: {@link pinOf} throws `error`. Introspection and {@link chainAccessOf} still work. */
export function unpinned(error: unknown, access: ChainAccess): Pinned<object> {
  return {
    [accessKey]: access,
    get [pinKey](): Pinning {
      throw error;
    },
  };
}

/** The height that a value is pinned to; undefined for a value without a pin. */
export function heightOf(value: unknown): bigint | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { [pinKey]: pinning }: { readonly [pinKey]?: Pinning } = value;
  return pinning?.pin.height;
}

/** The pin of a resolved object. Resolvers take the height from here, never from the context. */
export function pinOf(parent: Pinned<object>): Pin {
  return parent[pinKey].pin;
}

/** Access to the chain for a field that has no height. Works also while no height is known. */
export function chainAccessOf(parent: Pinned<object>): ChainAccess {
  return parent[accessKey] ?? pinOf(parent);
}
