import { randomUUID } from 'node:crypto';
import { type LazySignal, signalOf } from '../chain/base/time.ts';
import type { Client, RecordedChain } from '../chain/client.ts';
import type { Descriptors } from '../chain/descriptors/descriptors.ts';
import type { StoreName } from '../chain/roots/gen/storesByMethod.ts';
import type { Dependencies, StateAt } from '../chain/state/state.ts';
import { type StoreWait, TotalWait } from '../chain/state/stateEntries.ts';
import { type Bounds, defaultBounds } from '../config/bounds.ts';
import { createLoaderRegistry, type LoaderRegistry, type Source } from './loader.ts';

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
  heightOf(stores: readonly StoreName[]): bigint;
  readonly state: StateAt;
  /** The protobuf types that the chain describes. They do not depend on the height. */
  readonly descriptors: Descriptors;
  /** The loaders of a module at this height: `pin.loaders(createGroupLoaders)`. */
  readonly loaders: LoaderRegistry;
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
  /** How often anything of this pin was used so far. What is computed meanwhile without a use is equal under every pin. */
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
export interface PinOptions {
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
  readonly #loaders: LoaderRegistry;
  readonly #storeWait: StoreWait;
  #uses = 0;

  constructor(client: Client, height: bigint, options: PinOptions) {
    this.#client = client;
    this.#height = height;
    this.#options = options;
    this.#storeWait = options.storeWait ?? new TotalWait();
    this.#state = client.at(height, options.signal, options.dependencies, this.#storeWait);
    this.#loaders = createLoaderRegistry(this);
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

  heightOf(stores: readonly StoreName[]): bigint {
    this.#uses += 1;
    this.#options.dependencies?.read(stores);
    return this.#height;
  }

  get state(): StateAt {
    this.#uses += 1;
    return this.#state;
  }

  get caller(): string | undefined {
    return this.#options.caller;
  }

  get signal(): AbortSignal | undefined {
    this.#uses += 1;
    return signalOf(this.#options.signal);
  }

  get bounds(): Bounds {
    this.#uses += 1;
    return this.#options.bounds ?? defaultBounds;
  }

  get descriptors(): Descriptors {
    this.#uses += 1;
    return this.#client.descriptors;
  }

  get loaders(): LoaderRegistry {
    this.#uses += 1;
    return this.#loaders;
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
class Pinning {
  readonly pin: Pin;
  readonly origin: object;
  /** The copy, so that a copy of the copy, which may have other members, is not taken for it. */
  copy: object | undefined;

  constructor(pin: Pin, origin: object) {
    this.pin = pin;
    this.origin = origin;
    this.copy = undefined;
  }
}

/** A value together with the pin that it was read at. */
export type Pinned<T> = T & { readonly [pinKey]: Pinning; readonly [accessKey]?: ChainAccess };

/** A copy of `value` that carries `pin`. */
export function pinned<T extends object>(pin: Pin, value: T): Pinned<T> {
  const pinning = new Pinning(pin, value);
  // V8 copies into an object that has the pin already five times faster than it adds the pin to a copy.
  const copy = pinKey in value ? { ...value, [pinKey]: pinning } : Object.assign({ [pinKey]: pinning }, value);
  pinning.copy = copy;
  return copy;
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
  if (!isPinned(value)) {
    if (Object.isFrozen(value)) return { pin: undefined, origin: value };
    const derivation = isDerived(value) ? value[derivedKey] : undefined;
    return derivation !== undefined && Object.isFrozen(derivation.origin) ? derivation : undefined;
  }
  if (accessKey in value) return undefined;
  const pinning = value[pinKey];
  return pinning.copy === value && Object.isFrozen(pinning.origin) ? pinning : undefined;
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
  return typeof value === 'object' && value !== null && isPinned(value) ? value[pinKey].pin.height : undefined;
}

function isDerived(value: object): value is Derived {
  return derivedKey in value;
}

function isPinned(value: object): value is Pinned<object> {
  return pinKey in value;
}

/** The pin of a resolved object. Resolvers take the height from here, never from the context. */
export function pinOf(parent: Pinned<object>): Pin {
  return parent[pinKey].pin;
}

/** Access to the chain for a field that has no height. Works also while no height is known. */
export function chainAccessOf(parent: Pinned<object>): ChainAccess {
  return parent[accessKey] ?? pinOf(parent);
}
