import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import { createFieldErrors } from './errors.ts';
import type { Execution } from './execution.ts';
import { type Completed, joined, nullJson } from './json.ts';
import { type CompiledOperation, compileOperation } from './operation.ts';
import type { JsonResult } from './result.ts';
import { runSelection, runSerially } from './selection.ts';
import { createSharing } from './sharing.ts';

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
export type OnGrown = (definitions: Definitions, bytes: number) => void;

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
    const known = operations.get(name);
    if (known !== undefined) return known;
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
    return data instanceof Promise ? data.then((json) => result(joined(json)), fail) : result(data);
  } catch (error) {
    return fail(error);
  }
}
