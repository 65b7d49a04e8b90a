import {
  defaultTypeResolver,
  type FieldNode,
  type GraphQLAbstractType,
  GraphQLBoolean,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLID,
  GraphQLIncludeDirective,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSkipDirective,
  GraphQLString,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isEnumType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type NamedTypeNode,
  type ResponsePath,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  typeFromAST,
  type ValueNode,
  valueFromAST,
} from 'graphql';
import { Unread } from '../../reads/pin.ts';
import { isContextUser, unreadOf } from '../../schema/builder.ts';
import {
  type Complete,
  type Completed,
  chain,
  createSelection,
  type Execution,
  ignoreRejections,
  isPromiseLike,
  KeptSelections,
  leafJson,
  located,
  nullJson,
  type PlannedField,
  resolveInfo,
  runSelection,
  runShared,
  type SelectedField,
  type Selection,
  type Source,
  textJson,
  type Values,
} from './execution.ts';

/**
 * Creates the function that completes values of `type`. `createCompleteNamed` creates the one for objects: values of object, interface and union
 * types.
 */
function createComplete(type: GraphQLOutputType, field: SelectedField, createCompleteNamed: () => Complete): Complete {
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
function createLeaf(type: GraphQLOutputType, field: SelectedField): ((value: unknown) => string) | undefined {
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
function failed(
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

function completeObject(type: GraphQLObjectType, field: SelectedField, selectionOf: SelectionOf): Complete {
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

function completeAbstract(type: GraphQLAbstractType, field: SelectedField, selectionOf: SelectionOf): Complete {
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

/** The nodes of each field, by the key in the response, in the order of the response. */
type Fields = ReadonlyMap<string, readonly FieldNode[]>;

/**
 * Collects the fields that selection sets select on an object type. `conditions` are the variables of `@skip` and `@include`. Throws if
 * one of them is null.
 */
function collectFields(
  { schema, fragments }: Source,
  conditions: Values,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
): Fields {
  const fields = new Map<string, FieldNode[]>();
  /** The fragments that were spread already. Each one counts once. */
  const spread = new Set<string>();

  function isIncluded(node: SelectionNode): boolean {
    if (node.directives === undefined || node.directives.length === 0) return true;
    if (getDirectiveValues(GraphQLSkipDirective, node, conditions)?.if === true) return false;
    return getDirectiveValues(GraphQLIncludeDirective, node, conditions)?.if !== false;
  }

  function applies(condition: NamedTypeNode | undefined): boolean {
    if (condition === undefined) return true;
    const conditionType = typeFromAST(schema, condition);
    return conditionType === type || (isAbstractType(conditionType) && schema.isSubType(conditionType, type));
  }

  function collect({ selections }: SelectionSetNode): void {
    for (const node of selections) {
      if (node.kind === 'FragmentSpread') {
        const name = node.name.value;
        if (spread.has(name) || !isIncluded(node)) continue;
        spread.add(name);
        const fragment = fragments[name];
        if (fragment !== undefined && applies(fragment.typeCondition)) collect(fragment.selectionSet);
      } else if (isIncluded(node)) {
        if (node.kind === 'Field') add(node);
        else if (applies(node.typeCondition)) collect(node.selectionSet);
      }
    }
  }

  function add(node: FieldNode): void {
    const key = (node.alias ?? node.name).value;
    const nodes = fields.get(key);
    if (nodes === undefined) fields.set(key, [node]);
    else nodes.push(node);
  }

  for (const set of selectionSets) collect(set);
  return fields;
}

/** Returns the arguments of a field. Throws if a value is invalid. */
type Arguments = (execution: Execution) => Values;

const noArguments: Values = Object.freeze({});

function hasVariable(value: ValueNode): boolean {
  if (value.kind === 'Variable') return true;
  if (value.kind === 'ListValue') return value.values.some(hasVariable);
  return value.kind === 'ObjectValue' && value.fields.some((field) => hasVariable(field.value));
}

/** Freezes lists and plain objects, which several executions share. Other objects, such as bytes, are left alone. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/** An argument whose value is a variable, or is the same in each execution. */
type PlainArgument =
  | { readonly name: string; readonly value: unknown }
  | { readonly name: string; readonly variable: string; readonly isNullable: boolean };

/**
 * The arguments of a field in the order of its definition. undefined if one of them is put together of variables, or if its value is invalid
 * or missing.
 */
function plainArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): readonly PlainArgument[] | undefined {
  const plain: PlainArgument[] = [];
  for (const { name, type, defaultValue } of field.args) {
    const argumentNode = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (argumentNode?.kind === 'Variable') {
      plain.push({ name, variable: argumentNode.name.value, isNullable: !isNonNullType(type) });
      continue;
    }
    if (argumentNode !== undefined && hasVariable(argumentNode)) return undefined;
    const value: unknown = argumentNode === undefined ? defaultValue : valueFromAST(argumentNode, type);
    if (value !== undefined) plain.push({ name, value: frozen(value) });
    else if (argumentNode !== undefined || isNonNullType(type)) return undefined;
  }
  return plain;
}

/** The values of these arguments. undefined if a variable is absent, or null where it must not be. */
function plainValues(plain: readonly PlainArgument[], variables: Values): Values | undefined {
  const values: Record<string, unknown> = {};
  for (const argument of plain) {
    if ('value' in argument) {
      values[argument.name] = argument.value;
      continue;
    }
    const { name, variable, isNullable } = argument;
    const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    if (value === undefined || (value === null && !isNullable)) return undefined;
    values[name] = value;
  }
  return values;
}

/**
 * Creates the function that returns the arguments of a field. They are coerced once if no variable occurs in them, and otherwise
 * once for each execution, kept in `slot`. Resolvers must not change them.
 */
function createArguments(field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[], slot: () => number): Arguments {
  // The nodes of a field have equal arguments.
  const [node] = nodes;
  if (field.args.length === 0 || node === undefined) return () => noArguments;
  if (node.arguments?.some(({ value }) => hasVariable(value)) === true) {
    const index = slot();
    const plain = plainArguments(field, node);
    return (execution) => {
      execution.sharing.varied += 1;
      const knownArgs = execution.args[index];
      if (knownArgs !== undefined) return knownArgs;
      const foundValues = plain && plainValues(plain, execution.variables);
      const values = Object.freeze(foundValues ?? getArgumentValues(field, node, execution.variables));
      execution.args[index] = values;
      return values;
    };
  }
  let knownValues: Values | undefined;
  return () => {
    knownValues ??= frozen(getArgumentValues(field, node));
    return knownValues;
  };
}

/** Resolves a field of an object. `prev` is the path of the object. May return a promise. */
type Resolve = (execution: Execution, object: unknown, prev: ResponsePath | undefined) => unknown;

/** A resolver that is not marked by {@link usesContext}. It gets neither the context nor the selection. */
type BriefResolver = (object: unknown, args: Values) => unknown;

/** Resolvers of introspection are those of graphql-js. Those with a fourth parameter read the schema from it. */
function isBrief(
  resolver: GraphQLFieldResolver<unknown, unknown> | BriefResolver,
  { returnType }: SelectedField,
): resolver is BriefResolver {
  return !isContextUser(resolver) && !(resolver.length > 3 && isIntrospectionType(getNamedType(returnType)));
}

/** Creates the function that coerces the arguments of a field and calls its resolver. */
function createResolve(field: SelectedField, definition: GraphQLField<unknown, unknown>, slot: () => number): Resolve {
  const unread = unreadOf(definition.extensions);
  const resolve = createCall(field, definition, slot);
  return unread === undefined ? resolve : (execution, object, prev) => unread(object) ?? resolve(execution, object, prev);
}

function createCall(field: SelectedField, definition: GraphQLField<unknown, unknown>, slot: () => number): Resolve {
  const args = createArguments(definition, field.nodes, slot);
  const { resolve } = definition;
  if (resolve === undefined) return readProperty(field, args);
  if (isBrief(resolve, field)) return (execution, object) => resolve(object, args(execution));
  return (execution, object, prev) => {
    execution.sharing.varied += 1;
    const argValues = args(execution);
    return resolve(object, argValues, execution.contextValue, infoAt(execution, field, prev));
  };
}

function infoAt(execution: Execution, field: SelectedField, prev: ResponsePath | undefined) {
  return resolveInfo(execution, field, { prev, key: field.key, typename: field.parentType.name });
}

/** A field without a resolver is a property of its object, or the result of a method. */
function readProperty(field: SelectedField, args: Arguments): Resolve {
  const { fieldName } = field;
  return (execution, object, prev) => {
    const argValues = args(execution);
    if (!hasProperties(object)) return undefined;
    const value = object[fieldName];
    if (typeof value !== 'function') return value;
    execution.sharing.varied += 1;
    return value.call(object, argValues, execution.contextValue, infoAt(execution, field, prev));
  };
}

function hasProperties(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Plans `__typename`: always the name of the object's type. */
function planTypename(key: string, name: string): PlannedField {
  const json = textJson(name);
  return { key, run: () => json };
}

/**
 * Plans a field. `slot` returns the next free slot for arguments. `createCompleteNamed` creates the function that completes objects. It is only
 * called for types that are made of objects.
 */
function planField(
  field: SelectedField,
  definition: GraphQLField<unknown, unknown>,
  slot: () => number,
  createCompleteNamed: () => Complete,
): PlannedField {
  const resolve = createResolve(field, definition, slot);
  const leaf = createLeaf(field.returnType, field);
  if (leaf !== undefined) return planLeaf(field, resolve, leaf);
  return planComposite(field, resolve, createComplete(field.returnType, field, createCompleteNamed));
}

/** Plans a scalar or an enum. Its path is only needed for an error. */
function planLeaf(field: SelectedField, resolve: Resolve, complete: (value: unknown) => string): PlannedField {
  const { key, nodes, parentType, returnType } = field;
  const typename = parentType.name;
  const nullable = !isNonNullType(returnType);
  return {
    key,
    run(execution, object, prev) {
      try {
        const value = resolve(execution, object, prev);
        if (typeof value !== 'object' || !isPromiseLike(value)) return complete(value);
        const fail = (error: unknown): string => failed(execution, error, nodes, { prev, key, typename }, nullable);
        return chain(value, complete).then(undefined, fail);
      } catch (error) {
        return failed(execution, error, nodes, { prev, key, typename }, nullable);
      }
    },
  };
}

/** Plans an object or a list. */
function planComposite(field: SelectedField, resolve: Resolve, complete: Complete): PlannedField {
  const { key, nodes, parentType, returnType } = field;
  const typename = parentType.name;
  const nullable = !isNonNullType(returnType);
  return {
    key,
    run(execution, object, prev) {
      const path = { prev, key, typename };
      try {
        const value = resolve(execution, object, prev);
        const completed = isPromiseLike(value)
          ? chain(value, (resolved) => complete(execution, resolved, path))
          : complete(execution, value, path);
        if (!(completed instanceof Promise)) return completed;
        return completed.then(undefined, (error: unknown) => failed(execution, error, nodes, path, nullable));
      } catch (error) {
        return failed(execution, error, nodes, path, nullable);
      }
    },
  };
}

/** Returns the fields that selection sets select on an object type. */
export type Planner = (type: GraphQLObjectType, selectionSets: readonly SelectionSetNode[]) => Selection;

/** Called with the bytes by which the memory of an operation has grown. */
export type OnPlanned = (bytes: number) => void;

/** Bytes of a planned field. The largest measured value is 800, for an object with an argument. */
const fieldBytes = 1_000;

/** Bytes of a selection besides its fields. The largest measured value is 800. */
const selectionBytes = 1_000;

/**
 * Creates the planner of one operation for these values of the variables in `@skip` and `@include`. Selections are planned on first use and
 * kept: one for each type and combination of selection sets. `keptBytes` bounds the JSON that is kept of values, see {@link KeptSelections}.
 */
export function createPlanner(source: Source, conditions: Values, keptBytes: number, onPlanned: OnPlanned): Planner {
  const keptSelections = new KeptSelections(keptBytes, onPlanned);
  const selections = new Map<string, Selection>();
  const ids = new Map<SelectionSetNode, number>();
  let slots = 0;

  const slot = (): number => {
    slots += 1;
    return slots - 1;
  };

  function idOf(set: SelectionSetNode): number {
    const setId = ids.get(set) ?? ids.size;
    ids.set(set, setId);
    return setId;
  }

  function select(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Selection {
    const id = `${type.name} ${sets.map(idOf).join(' ')}`;
    const knownSelection = selections.get(id);
    if (knownSelection !== undefined) return knownSelection;
    const fields = collectFields(source, conditions, type, sets);
    const planned = [...fields].flatMap(([key, nodes]) => plan(type, key, nodes));
    const selection = createSelection(planned, keptSelections.create());
    selections.set(id, selection);
    onPlanned(selectionBytes + id.length + planned.length * fieldBytes);
    return selection;
  }

  function plan(parentType: GraphQLObjectType, key: string, nodes: SelectedField['nodes']): PlannedField | [] {
    const name = nodes[0]?.name.value ?? '';
    if (name === TypeNameMetaFieldDef.name) return planTypename(key, parentType.name);
    const definition = definitionOf(source, parentType, name);
    if (definition === undefined) return [];
    const field = { key, nodes, parentType, fieldName: definition.name, returnType: definition.type };
    return planField(field, definition, slot, () => createCompleteNamed(field));
  }

  function createCompleteNamed(field: SelectedField): Complete {
    const type = getNamedType(field.returnType);
    const sets = field.nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const selectionOf = (objectType: GraphQLObjectType): Selection => select(objectType, sets);
    if (isObjectType(type)) return completeObject(type, field, selectionOf);
    if (isAbstractType(type)) return completeAbstract(type, field, selectionOf);
    throw new Error(`${type.name} is no type of objects`);
  }

  return select;
}

/** The definition of a field, including the fields of introspection; undefined if none exists. */
function definitionOf({ schema }: Source, type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return type.getFields()[name];
}
