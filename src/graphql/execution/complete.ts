import {
  defaultTypeResolver,
  type FieldNode,
  type GraphQLAbstractType,
  GraphQLBoolean,
  GraphQLError,
  GraphQLID,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type ResponsePath,
} from 'graphql';
import { Unread } from '../../reads/pin.ts';
import {
  type Complete,
  type Completed,
  chain,
  type Execution,
  ignoreRejections,
  isPromiseLike,
  leafJson,
  located,
  nullJson,
  resolveInfo,
  type SelectedField,
  textJson,
} from './execution.ts';
import { runSelection, runShared, type Selection } from './selection.ts';

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
  const knownValues = isEnumType(type)
    ? new Map(type.getValues().map(({ name, value }) => [value, textJson(name)]))
    : undefined;
  return (value) => {
    const json = knownValues?.get(value);
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
  const ownError = located(error, nodes, path);
  if (!nullable) throw ownError;
  errors.add(ownError, path);
  return nullJson;
}

/** Returns what a field selects on an object type. Compiled on first use. */
type SelectionOf = (type: GraphQLObjectType) => Selection;

export function completeObject(type: GraphQLObjectType, field: SelectedField, selectionOf: SelectionOf): Complete {
  let selection: Selection | undefined;

  function complete(execution: Execution, value: unknown, path: ResponsePath): Completed {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return nullJson;
    selection ??= selectionOf(type);
    if (value instanceof Unread) return selection.kept.get(value.origin) ?? complete(execution, value.read(), path);
    if (type.isTypeOf) return runChecked(execution, type, field, selection, value, path);
    return typeof value === 'object'
      ? runShared(execution, selection, value, path)
      : runSelection(execution, selection, value, path);
  }

  return complete;
}

/** Executes the fields of an object if `isTypeOf` accepts it. */
function runChecked(
  execution: Execution,
  type: GraphQLObjectType,
  field: SelectedField,
  selection: Selection,
  value: unknown,
  path: ResponsePath,
): Completed {
  const run = (isType: unknown): Completed => {
    if (isType === true || isType) return runSelection(execution, selection, value, path);
    throw new GraphQLError(`Expected value of type "${type.name}".`, { nodes: field.nodes });
  };
  execution.sharing.varied += 1;
  const checked: unknown = type.isTypeOf?.(value, execution.contextValue, resolveInfo(execution, field, path));
  return isPromiseLike(checked) ? chain(checked, run) : run(checked);
}

export function completeAbstract(type: GraphQLAbstractType, field: SelectedField, selectionOf: SelectionOf): Complete {
  const byName = new Map<string, Complete>();

  function completeAs(execution: Execution, name: unknown, value: unknown, path: ResponsePath): Completed {
    const knownType = typeof name === 'string' ? byName.get(name) : undefined;
    if (knownType !== undefined) return knownType(execution, value, path);
    const runtimeType = runtimeTypeOf(execution, name, type, field);
    const complete = completeObject(runtimeType, field, selectionOf);
    byName.set(runtimeType.name, complete);
    return complete(execution, value, path);
  }

  function complete(execution: Execution, value: unknown, path: ResponsePath): Completed {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return nullJson;
    if (value instanceof Unread) return complete(execution, value.read(), path);
    const resolveType = type.resolveType ?? defaultTypeResolver;
    execution.sharing.varied += 1;
    const name: unknown = resolveType(value, execution.contextValue, resolveInfo(execution, field, path), type);
    if (isPromiseLike(name)) return chain(name, (resolved) => completeAs(execution, resolved, value, path));
    return completeAs(execution, name, value, path);
  }

  return complete;
}

/** The object type that a type resolver returned the name of. Throws if it is not one of `type`. */
function runtimeTypeOf(
  { source: { schema } }: Execution,
  name: unknown,
  type: GraphQLAbstractType,
  { nodes, parentType, fieldName }: SelectedField,
): GraphQLObjectType {
  const at = `${parentType.name}.${fieldName}`;
  if (name === null || name === undefined)
    throw new GraphQLError(
      `Abstract type "${type.name}" must resolve to an Object type at runtime for field "${at}". Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`,
      { nodes },
    );
  if (typeof name !== 'string')
    throw new GraphQLError(
      `Abstract type "${type.name}" must resolve to the name of an Object type at runtime for field "${at}".`,
    );
  const namedType = schema.getType(name);
  const was = `Abstract type "${type.name}" was resolved to a`;
  if (namedType === undefined)
    throw new GraphQLError(`${was} type "${name}" that does not exist inside the schema.`, { nodes });
  if (!isObjectType(namedType)) throw new GraphQLError(`${was} non-object type "${name}".`, { nodes });
  if (!schema.isSubType(type, namedType))
    throw new GraphQLError(`Runtime Object type "${name}" is not a possible type for "${type.name}".`, { nodes });
  return namedType;
}
