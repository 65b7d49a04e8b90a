import {
  type FieldNode,
  GraphQLBoolean,
  GraphQLError,
  GraphQLID,
  type GraphQLLeafType,
  type GraphQLOutputType,
  GraphQLString,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  type ResponsePath,
} from 'graphql';
import { chain, ignoreRejections, isPromiseLike, located } from './errors.ts';
import type { Complete, Execution, SelectedField } from './execution.ts';
import { type Completed, leafJson, nullJson, textJson } from './json.ts';

/**
 * Creates the function that completes values of `type`. `createCompleteNamed` creates the one for objects: values of object, interface and union
 * types.
 */
export function createComplete(type: GraphQLOutputType, field: SelectedField, createCompleteNamed: () => Complete): Complete {
  const leaf = createLeaf(type, field);
  if (leaf !== undefined) return (_, value) => leaf(value);
  if (isNonNullType(type)) {
    const complete = createComplete(type.ofType, field, createCompleteNamed);
    return (execution, value, path) => notNull(complete(execution, value, path), field);
  }
  if (isListType(type)) return completeList(type.ofType, createComplete(type.ofType, field, createCompleteNamed), field);
  return createCompleteNamed();
}

/** Creates the function that completes values of `type`; undefined unless it is a scalar or an enum, or one that is not null. */
export function createLeaf(type: GraphQLOutputType, field: SelectedField): ((value: unknown) => string) | undefined {
  if (isLeafType(type)) return completeLeaf(type, () => nullJson);
  if (!isNonNullType(type) || !isLeafType(type.ofType)) return undefined;
  return completeLeaf(type.ofType, () => notNull(nullJson, field));
}

function notNull<T extends Completed>(completed: T, { parentType, fieldName }: SelectedField): T {
  if (completed === nullJson) throw new Error(`Cannot return null for non-nullable field ${parentType.name}.${fieldName}.`);
  return completed;
}

/** The types whose serialization returns this kind of value unchanged. */
const unchanged = new Map<GraphQLLeafType, string>([
  [GraphQLString, 'string'],
  [GraphQLID, 'string'],
  [GraphQLBoolean, 'boolean'],
]);

/** `onNull` returns the JSON of null, or throws. */
function completeLeaf(type: GraphQLLeafType, onNull: () => string): (value: unknown) => string {
  const kind = unchanged.get(type);
  const known = isEnumType(type) ? new Map(type.getValues().map(({ name, value }) => [value, textJson(name)])) : undefined;
  return (value) => {
    const json = known?.get(value);
    if (json !== undefined) return json;
    if (typeof value === kind) return leafJson(value);
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return onNull();
    const serialized: unknown = type.serialize(value);
    // Only a defect of the schema has this result.
    if (serialized === null || serialized === undefined) throw new Error(`The type ${type.name} serialized a value as null.`);
    return leafJson(serialized);
  };
}

function completeList(itemType: GraphQLOutputType, complete: Complete, field: SelectedField): Complete {
  const { nodes, parentType, fieldName } = field;
  const nullable = !isNonNullType(itemType);

  function fail(execution: Execution, error: unknown, path: ResponsePath): string {
    return failed(execution, error, nodes, path, nullable);
  }

  function completeItem(execution: Execution, item: unknown, path: ResponsePath): Completed {
    try {
      const completed = isPromiseLike(item)
        ? chain(item, (resolved) => complete(execution, resolved, path))
        : complete(execution, item, path);
      if (typeof completed === 'string') return completed;
      return completed.then(undefined, (error: unknown) => fail(execution, error, path));
    } catch (error) {
      return fail(execution, error, path);
    }
  }

  return (execution, value, path) => {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return nullJson;
    if (!isIterable(value))
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${parentType.name}.${fieldName}".`);
    /** The items since the last promise, separated by commas. */
    let text = '';
    /** The items before, if one of them is a promise. */
    let before: Completed[] | undefined;
    let key = 0;
    try {
      for (const item of value) {
        const completed = completeItem(execution, item, { prev: path, key, typename: undefined });
        key += 1;
        if (typeof completed === 'string') {
          text = text === '' ? completed : `${text},${completed}`;
        } else {
          before ??= [];
          if (text !== '') before.push(text);
          before.push(completed);
          text = '';
        }
      }
    } catch (error) {
      // Nothing waits for these, nor for the items that were not reached.
      ignoreRejections(before ?? []);
      if (Array.isArray(value)) ignoreRejections(value);
      throw error;
    }
    if (before === undefined) return `[${text}]`;
    if (text !== '') before.push(text);
    return Promise.all(before);
  };
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return (
    typeof value === 'object' && value !== null && Symbol.iterator in value && typeof value[Symbol.iterator] === 'function'
  );
}

/** Returns the JSON of null for a failed value that may be null, and adds its error. Throws the error otherwise. */
export function failed(
  { errors, sharing }: Execution,
  error: unknown,
  nodes: readonly FieldNode[],
  path: ResponsePath,
  nullable: boolean,
): string {
  sharing.failures += 1;
  const own = located(error, nodes, path);
  if (!nullable) throw own;
  errors.add(own, path);
  return nullJson;
}
