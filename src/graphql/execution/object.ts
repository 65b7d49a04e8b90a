import {
  defaultTypeResolver,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLObjectType,
  isObjectType,
  type ResponsePath,
} from 'graphql';
import { Unread } from '../../reads/pin.ts';
import { chain, isPromiseLike } from './errors.ts';
import { type Complete, type Execution, resolveInfo, type SelectedField } from './execution.ts';
import { type Completed, nullJson } from './json.ts';
import { runSelection, type Selection } from './selection.ts';
import { runShared } from './sharing.ts';

/** Returns what a field selects on an object type. Compiled on first use. */
export type SelectionOf = (type: GraphQLObjectType) => Selection;

/** Creates the function that completes objects of `type`. */
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

/** Creates the function that completes objects of an interface or union type. */
export function completeAbstract(type: GraphQLAbstractType, field: SelectedField, selectionOf: SelectionOf): Complete {
  const byName = new Map<string, Complete>();

  function completeAs(execution: Execution, name: unknown, value: unknown, path: ResponsePath): Completed {
    const known = typeof name === 'string' ? byName.get(name) : undefined;
    if (known !== undefined) return known(execution, value, path);
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
    if (resolveType.length > 1) execution.sharing.varied += 1;
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
  const found = schema.getType(name);
  const was = `Abstract type "${type.name}" was resolved to a`;
  if (found === undefined) throw new GraphQLError(`${was} type "${name}" that does not exist inside the schema.`, { nodes });
  if (!isObjectType(found)) throw new GraphQLError(`${was} non-object type "${name}".`, { nodes });
  if (!schema.isSubType(type, found))
    throw new GraphQLError(`Runtime Object type "${name}" is not a possible type for "${type.name}".`, { nodes });
  return found;
}
