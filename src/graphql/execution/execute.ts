import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLSchema,
  getVariableValues,
  isLeafType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  visit,
} from 'graphql';
import {
  type Completed,
  createFieldErrors,
  createSharing,
  type Execution,
  type JsonResult,
  joinJson,
  nullJson,
  runSelection,
  runSerially,
  type Source,
  type Values,
} from './execution.ts';
import { createPlanner, type OnPlanned, type Planner } from './plan.ts';

/** Coerces the variables of a request. */
type CoerceVariables = (inputs: Values) => ReturnType<typeof getVariableValues>;

/** A variable whose type is a scalar or an enum. */
interface LeafVariable {
  readonly name: string;
  readonly type: GraphQLLeafType;
}

/** Errors of variables that are reported for one request. */
const maxErrors = 50;

/**
 * Creates the function that coerces the variables of an operation as `getVariableValues` of graphql-js does. It does so itself in the common case
 * that all variables are scalars or enums and have valid values.
 */
function createCoerceVariables(schema: GraphQLSchema, operation: OperationDefinitionNode): CoerceVariables {
  const { variableDefinitions = [] } = operation;
  const variables = variableDefinitions.flatMap(({ variable, type: node }): LeafVariable | [] => {
    const type = typeFromAST(schema, node);
    const nullable = isNonNullType(type) ? type.ofType : type;
    return isLeafType(nullable) ? { name: variable.name.value, type: nullable } : [];
  });
  const areLeaves = variables.length === variableDefinitions.length;
  return (inputs) => {
    const coerced = areLeaves ? coerceLeaves(variables, inputs) : undefined;
    return coerced === undefined ? getVariableValues(schema, variableDefinitions, inputs, { maxErrors }) : { coerced };
  };
}

/** The coerced values. undefined if a value is absent, null or invalid. */
function coerceLeaves(variables: readonly LeafVariable[], inputs: Values): Record<string, unknown> | undefined {
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
  readonly coerceVariables: CoerceVariables;
  /** Returns the planner for these coerced variables. */
  plannerFor(variables: Values): Planner;
}

/** Planners of one operation that are kept: combinations of the values of variables in `@skip` and `@include`. */
const maxPlanners = 4;

/** Bytes of a compiled operation besides its selections. The largest measured value is 1,300, for one with variables and fragments. */
const operationBytes = 2_000;

/**
 * Compiles the operation of a document with this name, or its only operation. Selections are planned when they are executed for the first
 * time, and `onPlanned` is called with their memory, which is negative for what is dropped. Throws a GraphQLError if the document has no such operation.
 */
function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  keptBytes: number,
  onPlanned: OnPlanned,
): CompiledOperation {
  const source = { schema, operation: operationOf(document, operationName), fragments: fragmentsOf(document) };
  const names = conditionNames(document);
  const planners = new Map<string, Planner>();
  /** Memory of the planners. */
  let planned = 0;
  const plan = (bytes: number): void => {
    planned += bytes;
    onPlanned(bytes);
  };
  onPlanned(operationBytes);
  return {
    source,
    coerceVariables: createCoerceVariables(schema, source.operation),
    plannerFor(variables) {
      let id = '';
      for (const name of names) id += conditionId(Object.hasOwn(variables, name) ? variables[name] : undefined);
      const knownPlanner = planners.get(id);
      if (knownPlanner !== undefined) return knownPlanner;
      // Only these variables are kept, because the others belong to one request.
      const conditions = Object.fromEntries(
        names.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]),
      );
      if (planners.size >= maxPlanners) {
        planners.clear();
        plan(-planned);
      }
      const planner = createPlanner(source, conditions, keptBytes, plan);
      planners.set(id, planner);
      return planner;
    },
  };
}

function operationOf({ definitions }: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operations = definitions.filter((definition) => definition.kind === 'OperationDefinition');
  const [first, second] = operations;
  if (name === undefined) {
    if (first === undefined) throw new GraphQLError('Must provide an operation.');
    if (second !== undefined) throw new GraphQLError('Must provide operation name if query contains multiple operations.');
    return first;
  }
  const namedOperation = operations.findLast((operation) => operation.name?.value === name);
  if (namedOperation === undefined) throw new GraphQLError(`Unknown operation named "${name}".`);
  return namedOperation;
}

function fragmentsOf({ definitions }: DocumentNode): Source['fragments'] {
  // Without a prototype, because `__proto__` is a valid name.
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const definition of definitions) {
    if (definition.kind === 'FragmentDefinition') fragments[definition.name.value] = definition;
  }
  return fragments;
}

/** The variables that occur in `@skip` and `@include` of a document. */
function conditionNames(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive(node) {
      if (node.name.value !== 'skip' && node.name.value !== 'include') return;
      for (const { value } of node.arguments ?? []) if (value.kind === 'Variable') names.add(value.name.value);
    },
  });
  return [...names];
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
  const operationOf = createCompiler(onGrown, keptBytes);
  return (request) => {
    let operation: CompiledOperation;
    try {
      operation = operationOf(request);
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [error] };
      throw error;
    }
    const variables = operation.coerceVariables(request.variableValues ?? {});
    if (variables.errors !== undefined) return { errors: variables.errors };
    return run(operation, request, variables.coerced);
  };
}

/** Creates the function that compiles operations and keeps them. It throws a GraphQLError if the document has no such operation. */
function createCompiler(onGrown: OnGrown, keptBytes: number): (request: ExecutionRequest) => CompiledOperation {
  const bySchema = new WeakMap<GraphQLSchema, WeakMap<Definitions, Map<string | undefined, CompiledOperation>>>();

  /** The operations of a document, by name. Copies of a document share their definitions. */
  function operationsOf(schema: GraphQLSchema, definitions: Definitions): Map<string | undefined, CompiledOperation> {
    let documents = bySchema.get(schema);
    if (documents === undefined) {
      documents = new WeakMap();
      bySchema.set(schema, documents);
    }
    let operations = documents.get(definitions);
    if (operations === undefined) {
      operations = new Map();
      documents.set(definitions, operations);
    }
    return operations;
  }

  return ({ schema, document, operationName }) => {
    const operations = operationsOf(schema, document.definitions);
    const name = operationName ?? undefined;
    const knownOperation = operations.get(name);
    if (knownOperation !== undefined) return knownOperation;
    const { definitions } = document;
    const operation = compileOperation(schema, document, name, keptBytes, (bytes) => onGrown(definitions, bytes));
    operations.set(name, operation);
    return operation;
  };
}

function run(
  { source, plannerFor }: CompiledOperation,
  { rootValue, contextValue }: ExecutionRequest,
  variables: Execution['variables'],
): JsonResult | Promise<JsonResult> {
  const errors = createFieldErrors();
  const execution = { source, rootValue, contextValue, variables, args: [], errors, sharing: createSharing() };
  const { schema, operation } = source;

  function start(): Completed {
    const type = schema.getRootType(operation.operation);
    if (type == null)
      throw new GraphQLError(`Schema is not configured to execute ${operation.operation} operation.`, { nodes: operation });
    const selection = plannerFor(variables)(type, [operation.selectionSet]);
    if (operation.operation === 'mutation') return runSerially(execution, selection, rootValue);
    return runSelection(execution, selection, rootValue, undefined);
  }

  const result = (data: string): JsonResult => (errors.list.length === 0 ? { data } : { errors: errors.list, data });
  const fail = (error: unknown): JsonResult => {
    errors.add(error instanceof GraphQLError ? error : new GraphQLError(String(error)), undefined);
    return result(nullJson);
  };

  try {
    const data = start();
    return data instanceof Promise ? data.then((json) => result(joinJson(json)), fail) : result(data);
  } catch (error) {
    return fail(error);
  }
}
