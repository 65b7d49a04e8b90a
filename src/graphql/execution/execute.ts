import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNullableType,
  getVariableValues,
  isLeafType,
  type OperationDefinitionNode,
  typeFromAST,
  visit,
} from 'graphql';
import {
  addError,
  type Execution,
  type JsonResult,
  joinJson,
  nullJson,
  runSelection,
  runSerially,
  type Source,
  type Values,
} from './execution.ts';
import { createPlanner, type Planner } from './plan.ts';

/** A variable whose type is a scalar or an enum. */
interface LeafVariable {
  readonly name: string;
  readonly type: GraphQLLeafType;
}

/** Errors of variables that are reported for one request. */
const maxErrors = 50;

/**
 * The coerced values, as `getVariableValues` of graphql-js returns them. undefined if a value is absent, null or invalid, or if the operation has
 * other variables: graphql-js then coerces all of them.
 */
function coerceLeaves(variables: readonly LeafVariable[] | undefined, inputs: Values): Record<string, unknown> | undefined {
  if (variables === undefined) return undefined;
  const coerced: Record<string, unknown> = {};
  for (const { name, type } of variables) {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (input === undefined || input === null) return undefined;
    let value: unknown;
    try {
      value = type.parseValue(input);
    } catch {
      return undefined;
    }
    if (value === undefined) return undefined;
    coerced[name] = value;
  }
  return coerced;
}

/** An operation of a document, compiled for a schema. */
interface CompiledOperation {
  readonly source: Source;
  /** Its variables, if all of them are scalars or enums. */
  readonly leaves: readonly LeafVariable[] | undefined;
  /** Returns the planner for these coerced variables. */
  plannerFor(variables: Values): Planner;
}

/** Planners of one operation that are kept: combinations of the values of variables in `@skip` and `@include`. */
const maxPlanners = 4;

/** Bytes of a compiled operation besides its selections. The largest measured value is 1,300, for one with variables and fragments. */
const operationBytes = 2_000;

/**
 * Compiles an operation. Selections are planned when they are executed for the first time, and `onGrown` is called with their memory, which is
 * negative for what is dropped. Throws a GraphQLError if the document has no such operation.
 */
function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  keptBytes: number,
  onGrown: OnGrown,
): CompiledOperation {
  const source = readSource(schema, document, operationName);
  let leaves: LeafVariable[] | undefined = [];
  for (const { variable, type: node } of source.operation.variableDefinitions ?? []) {
    const type = getNullableType(typeFromAST(schema, node));
    if (isLeafType(type)) leaves?.push({ name: variable.name.value, type });
    else leaves = undefined;
  }
  /** The variables that occur in `@skip` and `@include`. */
  const names = new Set<string>();
  visit(document, {
    Directive(node) {
      if (node.name.value !== 'skip' && node.name.value !== 'include') return;
      for (const { value } of node.arguments ?? []) if (value.kind === 'Variable') names.add(value.name.value);
    },
  });
  const planners = new Map<string, Planner>();
  /** Memory of the planners. */
  let planned = 0;
  const grow = (bytes: number): void => {
    planned += bytes;
    onGrown(document.definitions, bytes);
  };
  onGrown(document.definitions, operationBytes);
  return {
    source,
    leaves,
    plannerFor(variables) {
      let id = '';
      // Only these variables are kept, because the others belong to one request.
      const conditions: Record<string, unknown> = {};
      for (const name of names) {
        const isGiven = Object.hasOwn(variables, name);
        id += conditionId(isGiven ? variables[name] : undefined);
        if (isGiven) conditions[name] = variables[name];
      }
      const knownPlanner = planners.get(id);
      if (knownPlanner !== undefined) return knownPlanner;
      if (planners.size >= maxPlanners) {
        planners.clear();
        grow(-planned);
      }
      const planner = createPlanner(source, conditions, keptBytes, grow);
      planners.set(id, planner);
      return planner;
    },
  };
}

/** The operation with this name, or the only one, and the fragments. Throws a GraphQLError if the document has no such operation. */
function readSource(schema: GraphQLSchema, { definitions }: DocumentNode, name: string | undefined): Source {
  let operation: OperationDefinitionNode | undefined;
  // Without a prototype, because `__proto__` is a valid name.
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const definition of definitions) {
    if (definition.kind === 'FragmentDefinition') fragments[definition.name.value] = definition;
    if (definition.kind !== 'OperationDefinition') continue;
    if (name === undefined && operation !== undefined)
      throw new GraphQLError('Must provide operation name if query contains multiple operations.');
    if (name === undefined || definition.name?.value === name) operation = definition;
  }
  if (operation !== undefined) return { schema, operation, fragments };
  throw new GraphQLError(name === undefined ? 'Must provide an operation.' : `Unknown operation named "${name}".`);
}

/** A letter for each value of a condition that has an effect of its own. */
function conditionId(value: unknown): string {
  if (value === undefined) return 'u';
  if (value === null) return 'n';
  return value === true ? 't' : 'f';
}

/** An operation, and what it is executed with. */
export interface ExecutionRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly rootValue?: unknown;
  readonly contextValue?: unknown;
  /** The variables of the request, not coerced yet. */
  readonly variableValues?: { readonly [variable: string]: unknown } | null | undefined;
}

/**
 * Executes the operation of a valid document, as the function `execute` of graphql-js does, except that the data of the result is JSON. The result is a promise only if a resolver returned one.
 * The promise never rejects. A subscription is executed like a query: its root value is an event.
 */
export type Execute = (request: ExecutionRequest) => JsonResult | Promise<JsonResult>;

type Definitions = DocumentNode['definitions'];

/** Called when the memory of a document has grown by some bytes, because more of it was compiled. */
type OnGrown = (definitions: Definitions, bytes: number) => void;

/** Bytes of JSON that an operation keeps, unless it is given: those of a few large boards. */
const defaultKeptBytes = 1024 * 1024;

/**
 * Creates the function that executes operations. It keeps the compiled operations of a document as long as the document lives, and for each of
 * them up to twice `keptBytes` of the JSON of values of the state.
 */
export function createExecute(onGrown: OnGrown = () => undefined, keptBytes = defaultKeptBytes): Execute {
  /** By the name of each operation. Copies of a document share their definitions. */
  const operations = new WeakMap<Definitions, Map<string | undefined, CompiledOperation>>();

  return (request) => {
    const { schema, document, rootValue, contextValue } = request;
    const name = request.operationName ?? undefined;
    const inputs = request.variableValues ?? {};
    let operation = operations.get(document.definitions)?.get(name);
    if (operation === undefined || operation.source.schema !== schema) {
      try {
        operation = compileOperation(schema, document, name, keptBytes, onGrown);
      } catch (error) {
        if (error instanceof GraphQLError) return { errors: [error] };
        throw error;
      }
      const ofDocument = operations.get(document.definitions) ?? new Map<string | undefined, CompiledOperation>();
      operations.set(document.definitions, ofDocument.set(name, operation));
    }
    const { source, leaves, plannerFor } = operation;
    let variables = coerceLeaves(leaves, inputs);
    if (variables === undefined) {
      const values = getVariableValues(schema, source.operation.variableDefinitions ?? [], inputs, { maxErrors });
      if (values.errors !== undefined) return { errors: values.errors };
      variables = values.coerced;
    }
    const execution: Execution = {
      source,
      rootValue,
      contextValue,
      variables,
      args: [],
      errors: [],
      nulledPaths: undefined,
      varied: 0,
      failures: 0,
      repeated: undefined,
    };
    return run(execution, plannerFor(variables));
  };
}

function run(execution: Execution, select: Planner): JsonResult | Promise<JsonResult> {
  const { source, rootValue } = execution;
  const { schema, operation } = source;
  const fail = (error: unknown): JsonResult => {
    addError(execution, error instanceof GraphQLError ? error : new GraphQLError(String(error)), undefined);
    return resultOf(execution, nullJson);
  };
  try {
    const type = schema.getRootType(operation.operation);
    if (type == null)
      throw new GraphQLError(`Schema is not configured to execute ${operation.operation} operation.`, { nodes: operation });
    const selection = select(type, [operation]);
    const data =
      operation.operation === 'mutation'
        ? runSerially(execution, selection, rootValue)
        : runSelection(execution, selection, rootValue, undefined);
    if (typeof data === 'string') return resultOf(execution, data);
    return data.then((json) => resultOf(execution, joinJson(json)), fail);
  } catch (error) {
    return fail(error);
  }
}

function resultOf({ errors }: Execution, data: string): JsonResult {
  return errors.length === 0 ? { data } : { errors, data };
}
