import type { Client } from '../chain/client.ts';
import type { StateAt } from '../chain/state/state.ts';
import { type Bounds, defaultBounds } from '../config/bounds.ts';
import { createLoaderRegistry, type LoaderRegistry } from './loader.ts';

/** Access to the chain for reads that have no height. */
export interface ChainAccess {
  readonly client: Client;
  /** Aborts the reads; undefined if nothing does. */
  readonly signal: AbortSignal | undefined;
}

/** A snapshot of the chain at one height. The root of an operation has a pin; each `at(height:)` and each event has its own. */
export interface Pin extends ChainAccess {
  readonly height: bigint;
  readonly state: StateAt;
  /** The loaders of a module at this height: `pin.loaders(createGroupLoaders)`. */
  readonly loaders: LoaderRegistry;
  /** The pin of another height. The caller checks the height first. */
  at(height: bigint): Pin;
  /** The limits of pages. */
  readonly bounds: Bounds;
}

/** Creates the pin at a height. Reads nothing. `signal` aborts its reads. */
export function createPin(client: Client, height: bigint, signal?: AbortSignal, bounds: Bounds = defaultBounds): Pin {
  const state = client.at(height, signal);
  return {
    height,
    state,
    client,
    signal,
    bounds,
    loaders: createLoaderRegistry({ client, state, signal }),
    at: (other) => createPin(client, other, signal, bounds),
  };
}

const pinKey = Symbol('pin');
const accessKey = Symbol('access');

/** A value together with the pin that it was read at. */
export type Pinned<T> = T & { readonly [pinKey]: Pin; readonly [accessKey]?: ChainAccess };

/** A copy of `value` that carries `pin`. */
export function pinned<T extends object>(pin: Pin, value: T): Pinned<T> {
  return { ...value, [pinKey]: pin };
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
