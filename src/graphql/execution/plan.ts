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
  getNullableType,
  isAbstractType,
  isEnumType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
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
import { deepFrozen } from '../../chain/memory/memoryBudget.ts';
import { Unread } from '../../reads/pin.ts';
import { isContextUser, unreadOf } from '../../schema/builder.ts';
import {
  type Complete,
  type Completed,
  chain,
  createKeptJson,
  type Execution,
  failed,
  ignoreRejections,
  isPromiseLike,
  leafJson,
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

/** A field or an operation, which select the fields of an object. */
type SelectingNode = FieldNode | OperationDefinitionNode;

/** Returns the fields that these nodes together select on an object type. */
export type Planner = (type: GraphQLObjectType, nodes: readonly SelectingNode[]) => Selection;

/** The operation that is planned. */
interface Plan {
  readonly source: Source;
  /** The values of the variables in `@skip` and `@include`. */
  readonly conditions: Values;
  readonly select: Planner;
  /** The number of fields whose arguments depend on variables. */
  slots: number;
}

/** Called with the bytes by which the memory of an operation has grown. */
export type OnPlanned = (bytes: number) => void;

/** Bytes of a planned field. The largest measured value is 800, for an object with an argument. */
const fieldBytes = 1_000;

/** Bytes of a selection besides its fields. The largest measured value is 800. */
const selectionBytes = 1_000;

/**
 * Creates the planner of one operation for these values of the variables in `@skip` and `@include`. Selections are planned on first use and
 * kept: one for each type and combination of nodes. `keptBytes` bounds the JSON that is kept of values, see {@link createKeptJson}.
 */
export function createPlanner(source: Source, conditions: Values, keptBytes: number, onPlanned: OnPlanned): Planner {
  const keptJson = createKeptJson(keptBytes, onPlanned);
  const selections = new Map<string, Selection>();
  const ids = new Map<SelectingNode, number>();
  const plan: Plan = { source, conditions, select, slots: 0 };

  function select(type: GraphQLObjectType, nodes: readonly SelectingNode[]): Selection {
    let id = type.name;
    for (const node of nodes) {
      const nodeId = ids.get(node) ?? ids.size;
      ids.set(node, nodeId);
      id += ` ${nodeId}`;
    }
    const knownSelection = selections.get(id);
    if (knownSelection !== undefined) return knownSelection;
    const nodesByKey = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    for (const { selectionSet } of nodes)
      if (selectionSet !== undefined) collectFields(plan, type, selectionSet, nodesByKey, spread);
    const fields: PlannedField[] = [];
    for (const [key, fieldNodes] of nodesByKey) {
      // The nodes of a field have equal names and arguments.
      const [node] = fieldNodes;
      if (node === undefined) continue;
      const definition = definitionOf(source, type, node.name.value);
      if (definition === undefined) continue;
      const field = { key, nodes: fieldNodes, parentType: type, fieldName: definition.name, returnType: definition.type };
      fields.push({ head: `${fields.length === 0 ? '{' : ','}"${key}":`, run: planField(plan, field, definition, node) });
    }
    const selection = { fields, keptJson, newerJson: undefined, olderJson: undefined };
    selections.set(id, selection);
    onPlanned(selectionBytes + id.length + fields.length * fieldBytes);
    return selection;
  }

  return select;
}

/**
 * Adds the fields that a selection set selects on an object type, by their keys in the response. Each of the fragments counts once: `spread` has
 * those that were spread already. Throws if a condition is null.
 */
function collectFields(
  plan: Plan,
  type: GraphQLObjectType,
  { selections }: SelectionSetNode,
  fields: Map<string, FieldNode[]>,
  spread: Set<string>,
): void {
  for (const node of selections) {
    if (node.kind === 'FragmentSpread' && spread.has(node.name.value)) continue;
    if (node.directives?.length && !isIncluded(node, plan.conditions)) continue;
    if (node.kind === 'Field') {
      const key = (node.alias ?? node.name).value;
      const nodes = fields.get(key);
      if (nodes === undefined) fields.set(key, [node]);
      else nodes.push(node);
      continue;
    }
    if (node.kind === 'FragmentSpread') spread.add(node.name.value);
    const fragment = node.kind === 'FragmentSpread' ? plan.source.fragments[node.name.value] : node;
    if (fragment !== undefined && applies(plan.source, fragment, type))
      collectFields(plan, type, fragment.selectionSet, fields, spread);
  }
}

function isIncluded(node: SelectionNode, conditions: Values): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, conditions)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, conditions)?.if !== false;
}

/** Whether a fragment selects fields of this type. */
function applies(
  { schema }: Source,
  { typeCondition }: Pick<Extract<SelectionNode, { kind: 'InlineFragment' }>, 'typeCondition'>,
  type: GraphQLObjectType,
): boolean {
  if (typeCondition === undefined) return true;
  const conditionType = typeFromAST(schema, typeCondition);
  return conditionType === type || (isAbstractType(conditionType) && schema.isSubType(conditionType, type));
}

/** The definition of a field, including the fields of introspection; undefined if none exists. */
function definitionOf({ schema }: Source, type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return type.getFields()[name];
}

/** An argument whose value is a variable, or is the same in each execution. */
interface PlainArgument {
  readonly name: string;
  readonly isNullable: boolean;
  /** The name of the variable; undefined for a value. */
  readonly variable: string | undefined;
  readonly value: unknown;
}

/** Arguments that depend on variables, or are invalid. */
interface VariableArguments {
  /** In the order of the definition. undefined if one of them is put together of variables, or if its value is invalid or missing. */
  readonly plain: readonly PlainArgument[] | undefined;
  /** Where an execution keeps the values. */
  readonly slot: number;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
}

/** The arguments of a field: the values, if they are the same in each execution. */
type PlannedArguments = { readonly constant: Values } | (VariableArguments & { readonly constant?: undefined });

const noArguments: PlannedArguments = { constant: Object.freeze({}) };

function planArguments(plan: Plan, definition: GraphQLField<unknown, unknown>, node: FieldNode): PlannedArguments {
  if (definition.args.length === 0) return noArguments;
  const nodes = new Map<string, ValueNode>();
  for (const { name, value } of node.arguments ?? []) nodes.set(name.value, value);
  const plain: PlainArgument[] = [];
  const constant: Record<string, unknown> = {};
  let [isPlain, isConstant] = [true, true];
  for (const { name, type, defaultValue } of definition.args) {
    const valueNode = nodes.get(name);
    if (valueNode !== undefined && hasVariable(valueNode)) {
      isConstant = false;
      if (valueNode.kind !== 'Variable') isPlain = false;
      else plain.push({ name, isNullable: !isNonNullType(type), variable: valueNode.name.value, value: undefined });
      continue;
    }
    const value: unknown = valueNode === undefined ? defaultValue : valueFromAST(valueNode, type);
    if (value !== undefined) {
      // Several executions share it.
      constant[name] = deepFrozen(value);
      plain.push({ name, isNullable: true, variable: undefined, value });
    } else if (valueNode !== undefined || isNonNullType(type)) {
      isPlain = false;
    }
  }
  if (isPlain && isConstant) return { constant: Object.freeze(constant) };
  const slot = plan.slots;
  plan.slots += 1;
  return { definition, node, plain: isPlain ? plain : undefined, slot };
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === 'Variable') return true;
  if (value.kind === 'ListValue') return value.values.some(hasVariable);
  return value.kind === 'ObjectValue' && value.fields.some((field) => hasVariable(field.value));
}

/**
 * The arguments of a field in an execution. They are coerced once if no variable occurs in them, and otherwise once for each execution. Resolvers
 * must not change them. Throws if a value is invalid.
 */
function argumentsOf(execution: Execution, planned: PlannedArguments): Values {
  if (planned.constant !== undefined) return planned.constant;
  execution.varied += 1;
  const { args, variables } = execution;
  const { definition, node, plain, slot } = planned;
  const knownArgs = args[slot];
  if (knownArgs !== undefined) return knownArgs;
  const values: Record<string, unknown> = {};
  let isComplete = plain !== undefined;
  for (const { name, isNullable, variable, value: constant } of plain ?? []) {
    let value = constant;
    if (variable !== undefined) value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    // A variable may be absent, or null where it must not be.
    if (value === undefined || (value === null && !isNullable)) isComplete = false;
    values[name] = value;
  }
  const argValues = Object.freeze(isComplete ? values : getArgumentValues(definition, node, variables));
  args[slot] = argValues;
  return argValues;
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

/** The path of a field of the object at `prev`. */
function pathOf({ key, parentType }: SelectedField, prev: ResponsePath | undefined): ResponsePath {
  return { prev, key, typename: parentType.name };
}

function hasProperties(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Creates the function that gets the arguments of a field and calls its resolver. Without one, the field is a property or method of its object. */
function createResolve(plan: Plan, field: SelectedField, definition: GraphQLField<unknown, unknown>, node: FieldNode): Resolve {
  const args = planArguments(plan, definition, node);
  const { resolve } = definition;
  if (resolve === undefined)
    return (execution, object, prev) => {
      const values = argumentsOf(execution, args);
      if (!hasProperties(object)) return undefined;
      const value = object[field.fieldName];
      if (typeof value !== 'function') return value;
      execution.varied += 1;
      return value.call(object, values, execution.contextValue, resolveInfo(execution, field, pathOf(field, prev)));
    };
  if (!isBrief(resolve, field))
    return (execution, object, prev) => {
      execution.varied += 1;
      const values = argumentsOf(execution, args);
      return resolve(object, values, execution.contextValue, resolveInfo(execution, field, pathOf(field, prev)));
    };
  const unread = unreadOf(resolve);
  if (unread === undefined) return (execution, object) => resolve(object, argumentsOf(execution, args));
  return (execution, object) => unread(object) ?? resolve(object, argumentsOf(execution, args));
}

/** Plans how a field is resolved and completed. */
function planField(
  plan: Plan,
  field: SelectedField,
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
): PlannedField['run'] {
  if (definition === TypeNameMetaFieldDef) {
    const json = textJson(field.parentType.name);
    return () => json;
  }
  const resolve = createResolve(plan, field, definition, node);
  const isNullable = !isNonNullType(field.returnType);
  const type = getNullableType(field.returnType);
  if (isLeafType(type)) {
    const complete = createLeaf(type, isNullable, field);
    return (execution, object, prev) => {
      try {
        const value = resolve(execution, object, prev);
        if (typeof value !== 'object' || !isPromiseLike(value)) return complete(value);
        // The path is only needed for an error.
        const fail = (error: unknown): string => failed(execution, error, field, pathOf(field, prev), isNullable);
        return chain(value, complete).then(undefined, fail);
      } catch (error) {
        return failed(execution, error, field, pathOf(field, prev), isNullable);
      }
    };
  }
  const complete = createComplete(field.returnType, field, plan.select);
  return (execution, object, prev) => {
    const path = pathOf(field, prev);
    try {
      const value = resolve(execution, object, prev);
      const completed = isPromiseLike(value)
        ? chain(value, (resolved) => complete(execution, resolved, path))
        : complete(execution, value, path);
      if (typeof completed === 'string') return completed;
      return completed.then(undefined, (error: unknown) => failed(execution, error, field, path, isNullable));
    } catch (error) {
      return failed(execution, error, field, path, isNullable);
    }
  };
}

/** Creates the function that completes values of `type`. `select` plans the fields of objects when the first one is completed. */
function createComplete(type: GraphQLOutputType, field: SelectedField, select: Planner): Complete {
  const isNullable = !isNonNullType(type);
  const nullableType = getNullableType(type);
  if (isListType(nullableType)) return completeList(nullableType.ofType, isNullable, field, select);
  if (isObjectType(nullableType)) return completeObject(nullableType, isNullable, field, select);
  if (isAbstractType(nullableType)) return completeAbstract(nullableType, isNullable, field, select);
  const leaf = createLeaf(nullableType, isNullable, field);
  return (_, value) => leaf(value);
}

/** The JSON of null. Throws if the field or its items must not be null. */
function nullOf(isNullable: boolean, { parentType, fieldName }: SelectedField): string {
  if (isNullable) return nullJson;
  throw new Error(`Cannot return null for non-nullable field ${parentType.name}.${fieldName}.`);
}

/** The types whose serialization returns this kind of value unchanged. */
const unchanged = new Map<GraphQLLeafType, string>([
  [GraphQLString, 'string'],
  [GraphQLID, 'string'],
  [GraphQLBoolean, 'boolean'],
]);

/** Creates the function that completes values of a scalar or an enum. */
function createLeaf(type: GraphQLLeafType, isNullable: boolean, field: SelectedField): (value: unknown) => string {
  const kind = unchanged.get(type);
  const enumJson = new Map<unknown, string>();
  if (isEnumType(type)) for (const { name, value } of type.getValues()) enumJson.set(value, textJson(name));
  return (value) => {
    if (typeof value === kind) return leafJson(value);
    const json = enumJson.get(value);
    if (json !== undefined) return json;
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return nullOf(isNullable, field);
    const serialized: unknown = type.serialize(value);
    // Only a defect of the schema has this result.
    if (serialized === null || serialized === undefined) throw new Error(`The type ${type.name} serialized a value as null.`);
    return leafJson(serialized);
  };
}

function completeList(itemType: GraphQLOutputType, isNullable: boolean, field: SelectedField, select: Planner): Complete {
  const completeItem = createComplete(itemType, field, select);
  const isItemNullable = !isNonNullType(itemType);

  return (execution, value, listPath) => {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return nullOf(isNullable, field);
    if (!Array.isArray(value) && !isIterable(value)) {
      const name = `${field.parentType.name}.${field.fieldName}`;
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${name}".`);
    }
    const items: Iterable<unknown> = value;
    /** The items since the last promise, separated by commas. */
    let text = '';
    /** The items before, if one of them is a promise. */
    let before: Completed[] | undefined;
    let key = 0;
    try {
      for (const item of items) {
        const path = { prev: listPath, key, typename: undefined };
        key += 1;
        let completed: Completed;
        try {
          completed = isPromiseLike(item)
            ? chain(item, (resolved) => completeItem(execution, resolved, path))
            : completeItem(execution, item, path);
        } catch (error) {
          completed = failed(execution, error, field, path, isItemNullable);
        }
        if (typeof completed === 'string') {
          text = text === '' ? completed : `${text},${completed}`;
          continue;
        }
        before ??= [];
        if (text !== '') before.push(text);
        before.push(completed.then(undefined, (error: unknown) => failed(execution, error, field, path, isItemNullable)));
        text = '';
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

function completeObject(type: GraphQLObjectType, isNullable: boolean, field: SelectedField, select: Planner): Complete {
  let selection: Selection | undefined;

  function complete(execution: Execution, value: unknown, path: ResponsePath): Completed {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return nullOf(isNullable, field);
    selection ??= select(type, field.nodes);
    if (value instanceof Unread)
      return selection.keptJson.get(selection, value.origin) ?? complete(execution, value.read(), path);
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
  execution.varied += 1;
  const checked: unknown = type.isTypeOf?.(value, execution.contextValue, resolveInfo(execution, field, path));
  return isPromiseLike(checked) ? chain(checked, run) : run(checked);
}

function completeAbstract(type: GraphQLAbstractType, isNullable: boolean, field: SelectedField, select: Planner): Complete {
  const byName = new Map<string, Complete>();

  function completeAs(execution: Execution, name: unknown, value: unknown, path: ResponsePath): Completed {
    const knownType = typeof name === 'string' ? byName.get(name) : undefined;
    if (knownType !== undefined) return knownType(execution, value, path);
    const runtimeType = runtimeTypeOf(execution, name, type, field);
    const complete = completeObject(runtimeType, isNullable, field, select);
    byName.set(runtimeType.name, complete);
    return complete(execution, value, path);
  }

  return function complete(execution, value, path): Completed {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return nullOf(isNullable, field);
    if (value instanceof Unread) return complete(execution, value.read(), path);
    const resolveType = type.resolveType ?? defaultTypeResolver;
    execution.varied += 1;
    const name: unknown = resolveType(value, execution.contextValue, resolveInfo(execution, field, path), type);
    if (isPromiseLike(name)) return chain(name, (resolved) => completeAs(execution, resolved, value, path));
    return completeAs(execution, name, value, path);
  };
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
