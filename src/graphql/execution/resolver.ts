import type { GraphQLField, GraphQLFieldResolver, ResponsePath } from 'graphql';
import { unreadOf } from '../../schema/builder.ts';
import { type Arguments, createArguments } from './arguments.ts';
import { type Execution, resolveInfo, type SelectedField, type Values } from './execution.ts';

/** Resolves a field of an object. `prev` is the path of the object. May return a promise. */
export type Resolve = (execution: Execution, object: unknown, prev: ResponsePath | undefined) => unknown;

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** A resolver that does not use the fourth argument. With fewer than three parameters, it does not use the context either. */
type BriefResolver = (object: unknown, args: Values, context: unknown) => unknown;

/** A resolver with fewer than four parameters must not read the fourth argument by a rest parameter, a default value or `arguments`. */
function isBrief(resolver: Resolver | BriefResolver): resolver is BriefResolver {
  return resolver.length < 4;
}

/** Creates the function that coerces the arguments of a field and calls its resolver. */
export function createResolve(field: SelectedField, definition: GraphQLField<unknown, unknown>, slot: () => number): Resolve {
  const unread = unreadOf(definition.extensions);
  const resolve = createCall(field, definition, slot);
  return unread === undefined ? resolve : (execution, object, prev) => unread(object) ?? resolve(execution, object, prev);
}

function createCall(field: SelectedField, definition: GraphQLField<unknown, unknown>, slot: () => number): Resolve {
  const args = createArguments(definition, field.nodes, slot);
  const { resolve } = definition;
  if (resolve === undefined) return readProperty(field, args);
  if (isBrief(resolve)) {
    if (resolve.length < 3) return (execution, object) => resolve(object, args(execution), undefined);
    return (execution, object) => {
      execution.sharing.varied += 1;
      return resolve(object, args(execution), execution.contextValue);
    };
  }
  return (execution, object, prev) => {
    execution.sharing.varied += 1;
    const given = args(execution);
    return resolve(object, given, execution.contextValue, infoAt(execution, field, prev));
  };
}

function infoAt(execution: Execution, field: SelectedField, prev: ResponsePath | undefined) {
  return resolveInfo(execution, field, { prev, key: field.key, typename: field.parentType.name });
}

/** A field without a resolver is a property of its object, or the result of a method. */
function readProperty(field: SelectedField, args: Arguments): Resolve {
  const { fieldName } = field;
  return (execution, object, prev) => {
    const given = args(execution);
    if (!hasProperties(object)) return undefined;
    const value = object[fieldName];
    if (typeof value !== 'function') return value;
    execution.sharing.varied += 1;
    return value.call(object, given, execution.contextValue, infoAt(execution, field, prev));
  };
}

function hasProperties(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
