import {
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isIntrospectionType,
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
import { isContextUser, unreadOf } from '../../schema/builder.ts';
import { completeAbstract, completeObject, createComplete, createLeaf, failed } from './complete.ts';
import {
  type Complete,
  chain,
  type Execution,
  isPromiseLike,
  resolveInfo,
  type SelectedField,
  type Source,
  textJson,
  type Values,
} from './execution.ts';
import { createSelection, KeptSelections, type PlannedField, type Selection } from './selection.ts';

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
