import type {
  FieldNode,
  FragmentDefinitionNode,
  GraphQLObjectType,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
  ResponsePath,
} from 'graphql';
import type { Pin } from '../../reads/pin.ts';
import type { FieldErrors } from './errors.ts';
import type { Completed } from './json.ts';

/** Values of variables or arguments, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The operation that is executed, and what it is resolved with. */
export interface Source {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
}

/** The JSON of a selection on a value under a pin. */
export interface Repeated {
  readonly pin: Pin | undefined;
  readonly json: string;
}

/** What one execution notes, so that the JSON of a selection on a value is written once. */
export interface Sharing {
  /** Counts what resolvers used besides their object, its pin and constant arguments: the context, variables, and other information. */
  varied: number;
  /** Counts the errors. */
  failures: number;
  /** What was written in this execution, by the selection and the value. undefined as long as nothing was. */
  repeated: Map<object, Map<object, Repeated>> | undefined;
}

/** The state of one execution. */
export interface Execution {
  readonly source: Source;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  /** The coerced variables. */
  readonly variables: { readonly [variable: string]: unknown };
  /** The arguments that depend on variables, by the slot of their field. All objects of a list share them. */
  readonly args: (Values | undefined)[];
  readonly errors: FieldErrors;
  readonly sharing: Sharing;
}

/** A field of an operation on one object type: the nodes with the same key in the response. */
export interface SelectedField {
  /** Its key in the response. */
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly fieldName: string;
  readonly returnType: GraphQLResolveInfo['returnType'];
}

/** Completes the value of a field or of a list item. Returns a promise if anything below it is one. Throws what makes the value null. */
export type Complete = (execution: Execution, value: unknown, path: ResponsePath) => Completed;

/** What GraphQL passes to a resolver as its fourth argument. `path` may be the path of an item of the field. */
export function resolveInfo(
  { source, rootValue, variables }: Execution,
  { nodes, parentType, fieldName, returnType }: SelectedField,
  path: ResponsePath,
): GraphQLResolveInfo {
  let at = path;
  while (typeof at.key === 'number' && at.prev !== undefined) at = at.prev;
  return {
    fieldName,
    fieldNodes: nodes,
    returnType,
    parentType,
    path: at,
    schema: source.schema,
    fragments: source.fragments,
    rootValue,
    operation: source.operation,
    variableValues: variables,
  };
}
