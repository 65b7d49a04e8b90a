import SchemaBuilder, { InterfaceRef, ObjectRef } from '@pothos/core';
import type { Pinned } from '../modules/pin.ts';
import { addScalars, type Scalars } from './scalars.ts';

/** What is one for the whole operation. Heights are not here: resolvers ask `pinOf(parent)`. */
export interface GraphQLContext {
  /** Whether broadcastTxCommit may be used. */
  readonly broadcastCommit: boolean;
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

/** A schema under construction. */
export type Builder = PothosSchemaTypes.SchemaBuilder<Types>;

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
  const builder = new SchemaBuilder<SchemaTypes>({});
  addScalars(builder);
  return builder;
}
