import type { Client } from '../chain/client.ts';
import type { StateAt } from '../chain/state/state.ts';
import type { Bounds } from '../config/bounds.ts';
import type { LoaderRegistry } from './loader.ts';

/** The chain, for what is of no height. */
export interface Reach {
  readonly client: Client;
  /** Ends what is read; undefined when nothing does. */
  readonly signal: AbortSignal | undefined;
}

/** One height and all that is read at it. The root of an operation has one, each `at(height:)` and each event another. */
export interface Pin extends Reach {
  readonly height: bigint;
  readonly state: StateAt;
  /** The loaders of a module at this height, by their factory: `pin.loaders(createGroupLoaders)`. */
  readonly loaders: LoaderRegistry;
  /** The same chain at another height. The height must have been checked. */
  at(height: bigint): Pin;
  /** What its pages may be. */
  readonly bounds: Bounds;
}

const pinKey = Symbol('pin');
const reachKey = Symbol('reach');

/** A value that was read under a pin. */
export type Pinned<T> = T & { readonly [pinKey]: Pin; readonly [reachKey]?: Reach };

/** `value` as read under `pin`: a copy that carries it. */
export function pinned<T extends object>(pin: Pin, value: T): Pinned<T> {
  return { ...value, [pinKey]: pin };
}

/** A root without a pin: whatever asks for it fails with `error`, and what needs none (introspection, {@link reachOf}) still works. */
export function unpinned(error: unknown, reach: Reach): Pinned<object> {
  return {
    [reachKey]: reach,
    get [pinKey](): Pin {
      throw error;
    },
  };
}

/** The height that a value is pinned to; undefined for one that is of none. */
export function heightOf(value: unknown): bigint | undefined {
  return typeof value === 'object' && value !== null && isPinned(value) ? value[pinKey].height : undefined;
}

function isPinned(value: object): value is Pinned<object> {
  return pinKey in value;
}

/** The pin that a resolved object was read under. Resolvers ask this and never the context. */
export function pinOf(parent: Pinned<object>): Pin {
  return parent[pinKey];
}

/** The chain that a resolved object is of, for a field that is of no height: it works also while no height is known. */
export function reachOf(parent: Pinned<object>): Reach {
  return parent[reachKey] ?? pinOf(parent);
}
