import SchemaBuilder, { InterfaceRef, ObjectRef } from '@pothos/core';
import type { Limits } from '../config/limits/limits.ts';
import type { Pinned } from '../reads/pin.ts';
import type { Viewer } from '../reads/viewer.ts';
import { addScalars, type Scalars } from './scalars.ts';

/** What is one for the whole operation. Heights are not here: resolvers ask `pinOf(parent)`. */
export interface GraphQLContext {
  /** Who asks. The events of a subscription are told to everybody who may do the same: of it only the scopes hold there. */
  readonly viewer: Viewer;
  /** Whether broadcastTxCommit may be used. */
  readonly broadcastCommit: boolean;
  readonly limits: Limits;
  /** What the caller is told beside the data, in `extensions.warnings`. Of one operation; of a subscription nobody is told. */
  readonly warnings: Set<string>;
  /** A resolver that reads what is of no height says so here: the answer is then not kept. */
  readonly outcome: { immutable: boolean };
}

/** The types that every part of the schema is built with. */
export interface SchemaTypes {
  Scalars: Scalars;
  Context: GraphQLContext;
  Root: Pinned<object>;
}

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>;

/** By the name of each key field: the object of a key's value under the pin of the root; null when the chain has none. */
export type EntityKeys<T extends object> = Readonly<
  Record<string, (root: Pinned<object>, value: string) => Pinned<T> | null | Promise<Pinned<T> | null>>
>;

/** A type that other subgraphs can name objects of. */
export interface Entity {
  readonly ref: Ref<Pinned<object>>;
  /** Names of its key fields. */
  readonly keys: readonly string[];
  /**
   * The object of these keys, of which there is at least one; null when the chain has none. Fails with BAD_USER_INPUT for a malformed key, and
   * for keys of different objects.
   */
  readonly find: (root: Pinned<object>, values: ReadonlyMap<string, string>) => Promise<Pinned<object> | null>;
}

/** What the schema is as a part of a larger one (Apollo Federation). */
export interface Subgraph {
  /** Its entities, by name. */
  readonly entities: Map<string, Entity>;
  /** Federation directives by schema coordinate (`PageInfo`, `Query.at`), as text. */
  readonly directives: Map<string, string>;
}

/** A schema under construction. */
export type Builder = PothosSchemaTypes.SchemaBuilder<Types> & { readonly subgraph: Subgraph };

/** The name of an object type together with the shape of its values. Any module can add fields to it. */
export type Ref<T> = ObjectRef<Types, T>;

/** Makes the ref of an object type. It is only a name: the type is made when a module gives it to the builder. */
export function createRef<T>(name: string): Ref<T> {
  return new ObjectRef<Types, T>(name);
}

/** Makes the ref of an interface type. */
export function createInterfaceRef<T>(name: string): InterfaceRef<Types, T> {
  return new InterfaceRef<Types, T>(name);
}

/** Makes an empty schema with the scalars. */
export function createBuilder(): Builder {
  const subgraph: Subgraph = { entities: new Map(), directives: new Map() };
  const builder = Object.assign(new SchemaBuilder<SchemaTypes>({}), { subgraph });
  addScalars(builder);
  return builder;
}
