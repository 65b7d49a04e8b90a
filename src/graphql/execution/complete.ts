import {
  type FieldNode,
  GraphQLBoolean,
  GraphQLError,
  GraphQLID,
  type GraphQLLeafType,
  type GraphQLOutputType,
  GraphQLString,
  isLeafType,
  isListType,
  isNonNullType,
  type ResponsePath,
} from 'graphql';
import { chain, ignoreRejections, isPromiseLike, located } from './errors.ts';
import type { Complete, Execution, SelectedField } from './execution.ts';

/**
 * Creates the function that completes values of `type`. `createCompleteNamed` creates the one for objects: values of object, interface and union
 * types.
 */
export function createComplete(type: GraphQLOutputType, field: SelectedField, createCompleteNamed: () => Complete): Complete {
  if (isNonNullType(type)) {
    const complete = createComplete(type.ofType, field, createCompleteNamed);
    return (execution, value, path) => notNull(complete(execution, value, path), field);
  }
  if (isListType(type)) return completeList(type.ofType, createComplete(type.ofType, field, createCompleteNamed), field);
  if (!isLeafType(type)) return createCompleteNamed();
  const serialize = serializeLeaf(type);
  return (_, value) => serialize(value);
}

/** Creates the function that serializes values of `type`; undefined unless it is a scalar or an enum, or one that is not null. */
export function createSerialize(type: GraphQLOutputType, field: SelectedField): ((value: unknown) => unknown) | undefined {
  if (isLeafType(type)) return serializeLeaf(type);
  if (!isNonNullType(type) || !isLeafType(type.ofType)) return undefined;
  const serialize = serializeLeaf(type.ofType);
  return (value) => notNull(serialize(value), field);
}

function notNull(completed: unknown, { parentType, fieldName }: SelectedField): unknown {
  if (completed === null) throw new Error(`Cannot return null for non-nullable field ${parentType.name}.${fieldName}.`);
  return completed;
}

/** The types whose serialization returns this kind of value unchanged. */
const unchanged = new Map<GraphQLLeafType, string>([
  [GraphQLString, 'string'],
  [GraphQLID, 'string'],
  [GraphQLBoolean, 'boolean'],
]);

function serializeLeaf(type: GraphQLLeafType): (value: unknown) => unknown {
  const kind = unchanged.get(type);
  return (value) => {
    if (typeof value === kind) return value;
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return null;
    const serialized: unknown = type.serialize(value);
    // Only a defect of the schema has this result.
    if (serialized === null || serialized === undefined) throw new Error(`The type ${type.name} serialized a value as null.`);
    return serialized;
  };
}

function completeList(itemType: GraphQLOutputType, complete: Complete, field: SelectedField): Complete {
  const { nodes, parentType, fieldName } = field;
  const nullable = !isNonNullType(itemType);

  function fail(execution: Execution, error: unknown, path: ResponsePath): null {
    return failed(execution, error, nodes, path, nullable);
  }

  function completeItem(execution: Execution, item: unknown, path: ResponsePath): unknown {
    try {
      const completed = isPromiseLike(item)
        ? chain(item, (resolved) => complete(execution, resolved, path))
        : complete(execution, item, path);
      if (!(completed instanceof Promise)) return completed;
      return completed.then(undefined, (error: unknown) => fail(execution, error, path));
    } catch (error) {
      return fail(execution, error, path);
    }
  }

  return (execution, value, path) => {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return null;
    if (!isIterable(value))
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${parentType.name}.${fieldName}".`);
    const items: unknown[] = [];
    let pending = false;
    try {
      for (const item of value) {
        const completed = completeItem(execution, item, { prev: path, key: items.length, typename: undefined });
        if (completed instanceof Promise) pending = true;
        items.push(completed);
      }
    } catch (error) {
      // Nobody waits for these, nor for the items that were not reached.
      ignoreRejections(items);
      if (Array.isArray(value)) ignoreRejections(value);
      throw error;
    }
    return pending ? Promise.all(items) : items;
  };
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return (
    typeof value === 'object' && value !== null && Symbol.iterator in value && typeof value[Symbol.iterator] === 'function'
  );
}

/** Returns null for a failed value that may be null, and adds its error. Throws the error otherwise. */
export function failed(
  { errors }: Execution,
  error: unknown,
  nodes: readonly FieldNode[],
  path: ResponsePath,
  nullable: boolean,
): null {
  const own = located(error, nodes, path);
  if (!nullable) throw own;
  errors.add(own, path);
  return null;
}
