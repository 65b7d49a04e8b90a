import SchemaBuilder, { InputObjectRef, InterfaceRef, ObjectRef } from '@pothos/core';
import type { Limits } from '../config/limits/limits.ts';
import type { Awaitable } from '../reads/awaitable.ts';
import type { Pinned } from '../reads/pin.ts';
import type { Viewer } from '../reads/viewer.ts';
import type { Scalars } from './scalarTypes.ts';

/** The context of an operation. It has no height: resolvers take the height from `pinOf(parent)`. */
export interface GraphQLContext {
  /** The caller. Subscribers with the same scopes share the events of a subscription, so there only the scopes are reliable. */
  readonly viewer: Viewer;
  /** Whether broadcastTxCommit is enabled. */
  readonly broadcastCommit: boolean;
  readonly limits: Limits;
  /** Warnings of the operation, returned in `extensions.warnings`. Subscriptions do not return them. */
  readonly warnings: Set<string>;
  /** A resolver that reads data without a height sets `immutable` to false, so that the answer is not cached. */
  readonly outcome: { immutable: boolean };
}

/** The types that Pothos builds the schema with. */
export interface SchemaTypes {
  Scalars: Scalars;
  Context: GraphQLContext;
  Root: Pinned<object>;
}

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>;

/**
 * For each key field, the function that finds the object with a value of that key at the height of the root; null if none
 * exists.
 */
export type EntityKeys<T extends object> = Readonly<
  Record<string, (root: Pinned<object>, value: string, context: GraphQLContext) => Awaitable<Pinned<T> | null>>
>;

/** A type whose objects other subgraphs can reference. */
export interface Entity {
  readonly ref: Ref<Pinned<object>>;
  /** Names of its key fields. */
  readonly keys: readonly string[];
  /**
   * Finds the object with these keys, at least one; null if none exists. Fails with BAD_USER_INPUT for a malformed key, and for
   * keys of different objects.
   */
  readonly find: (
    root: Pinned<object>,
    values: ReadonlyMap<string, string>,
    context: GraphQLContext,
  ) => Awaitable<Pinned<object> | null>;
}

/** The federation parts of the schema (Apollo Federation). */
export interface Subgraph {
  /** Its entities, by name. */
  readonly entities: Map<string, Entity>;
  /** Federation directives by schema coordinate (`PageInfo`, `Query.at`), as text. */
  readonly directives: Map<string, string>;
}

/** A schema under construction. */
export type Builder = PothosSchemaTypes.SchemaBuilder<Types> & { readonly subgraph: Subgraph };

/** A reference to an object type by its name, with the shape of its values. Any module can add fields to the type. */
export type Ref<T> = ObjectRef<Types, T>;

/** Makes the ref of an object type. The type itself is defined when a module passes the ref to the builder. */
export function createRef<T>(name: string): Ref<T> {
  return new ObjectRef<Types, T>(name);
}

/** Makes the ref of an interface type. */
export function createInterfaceRef<T>(name: string): InterfaceRef<Types, T> {
  return new InterfaceRef<Types, T>(name);
}

/** Makes the ref of an input type whose values have the shape `T`. */
export function createInputRef<T>(name: string): InputObjectRef<Types, T> {
  return new InputObjectRef<Types, T>(name);
}

/** Makes an empty schema. */
export function createBuilder(): Builder {
  const subgraph: Subgraph = { entities: new Map(), directives: new Map() };
  return Object.assign(new SchemaBuilder<SchemaTypes>({}), { subgraph });
}
