import { randomUUID } from 'node:crypto';
import type { Client } from '../chain/client.ts';
import type { Descriptors } from '../chain/descriptors/descriptors.ts';
import type { Dependencies } from '../chain/state/dependencies.ts';
import type { StateAt } from '../chain/state/state.ts';
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

/** Options of {@link createPin}. */
export interface PinOptions {
  /** Aborts the reads. */
  readonly signal?: AbortSignal | undefined;
  readonly bounds?: Bounds;
  /** Notes what the operation depends on. If present, the height is printed as a {@link heightPlace}. */
  readonly dependencies?: Dependencies | undefined;
}

/** Creates the pin at a height. Reads nothing. */
export function createPin(client: Client, height: bigint, options: PinOptions = {}): Pin {
  const { signal, bounds = defaultBounds, dependencies } = options;
  const state = client.at(height, signal, dependencies);
  const source: Source = {
    get client() {
      dependencies?.dependsOnHeight();
      return client;
    },
    clientKey: client,
    state,
    signal,
  };
  return {
    get client() {
      return source.client;
    },
    get height() {
      dependencies?.dependsOnHeight();
      return height;
    },
    state,
    signal,
    bounds,
    descriptors: client.descriptors,
    loaders: createLoaderRegistry(source),
    at(other) {
      dependencies?.dependsOnHeight();
      return createPin(client, other, { signal, bounds });
    },
    printedHeight: () => (dependencies === undefined ? height : heightPlace),
  };
}

const pinKey = Symbol('pin');
const accessKey = Symbol('access');

/** A value together with the pin that it was read at. */
export type Pinned<T> = T & { readonly [pinKey]: Pin; readonly [accessKey]?: ChainAccess };

/** A copy of `value` that carries `pin`. */
export function pinned<T extends object>(pin: Pin, value: T): Pinned<T> {
  // V8 copies into an object that has the pin already five times faster than it adds the pin to a copy.
  return pinKey in value ? { ...value, [pinKey]: pin } : Object.assign({ [pinKey]: pin }, value);
}

/** A root without a pin: {@link pinOf} throws `error`. Introspection and {@link chainAccessOf} still work. */
export function unpinned(error: unknown, access: ChainAccess): Pinned<object> {
  return {
    [accessKey]: access,
    get [pinKey](): Pin {
      throw error;
    },
  };
}

/** The height that a value is pinned to; undefined for a value without a pin. */
export function heightOf(value: unknown): bigint | undefined {
  return typeof value === 'object' && value !== null && isPinned(value) ? value[pinKey].height : undefined;
}

function isPinned(value: object): value is Pinned<object> {
  return pinKey in value;
}

/** The pin of a resolved object. Resolvers take the height from here, never from the context. */
export function pinOf(parent: Pinned<object>): Pin {
  return parent[pinKey];
}

/** Access to the chain for a field that has no height. Works also while no height is known. */
export function chainAccessOf(parent: Pinned<object>): ChainAccess {
  return parent[accessKey] ?? pinOf(parent);
}
