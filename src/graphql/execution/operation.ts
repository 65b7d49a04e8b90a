import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import type { Source, Values } from './execution.ts';
import { createPlanner, type OnPlanned, type Planner } from './plan.ts';
import { type CoerceVariables, createCoerceVariables } from './variables.ts';

/** An operation of a document, compiled for a schema. */
export interface CompiledOperation {
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
export function compileOperation(
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
      const known = planners.get(id);
      if (known !== undefined) return known;
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
  const named = operations.findLast((operation) => operation.name?.value === name);
  if (named === undefined) throw new GraphQLError(`Unknown operation named "${name}".`);
  return named;
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
