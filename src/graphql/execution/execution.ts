import {
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  locatedError,
  type OperationDefinitionNode,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import type { Pin } from '../../reads/pin.ts';

/** The errors of one execution, in the order in which they were added. */
interface FieldErrors {
  readonly list: readonly GraphQLError[];
  /** Adds the error that set the value at `path` to null. undefined is the path of the whole result. Ignores an error below a value that is null already. */
  add(error: GraphQLError, path: ResponsePath | undefined): void;
}

export function createFieldErrors(): FieldErrors {
  const list: GraphQLError[] = [];
  const nulled = new Set<ResponsePath | undefined>();

  function isBelowNull(path: ResponsePath | undefined): boolean {
    for (let at = path; at !== undefined; at = at.prev) if (nulled.has(at)) return true;
    return nulled.has(undefined);
  }

  return {
    list,
    add(error, path) {
      if (list.length > 0 && isBelowNull(path)) return;
      nulled.add(path);
      list.push(error);
    },
  };
}

/** The error with its path and nodes. An error that has a path already keeps it. */
export function located(error: unknown, nodes: readonly FieldNode[], path: ResponsePath): GraphQLError {
  return locatedError(error, nodes, responsePathAsArray(path));
}

/** Whether GraphQL treats this value of a resolver as a promise. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (value instanceof Promise) return true;
  const mayHaveMethods = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return mayHaveMethods && 'then' in value && typeof value.then === 'function';
}

/** What `next` returns for the result of a promise. */
export function chain<T>(promise: PromiseLike<unknown>, next: (result: unknown) => T | PromiseLike<T>): Promise<T> {
  const chained = promise.then(next);
  return chained instanceof Promise ? chained : Promise.resolve(chained);
}

/** Marks the rejections of promises whose results are not used as handled. */
export function ignoreRejections(values: readonly unknown[]): void {
  for (const value of values) if (isPromiseLike(value)) value.then(undefined, () => undefined);
}

/** A completed value as JSON. What promises resolve to may be a list: the JSON of its items, of which several may be in one text with commas. */
export type Json = string | readonly Json[];

/** A completed value, or a promise of it. */
export type Completed = string | Promise<Json>;

/** The JSON of null. No other value has this JSON. */
export const nullJson = 'null';

/** Texts without characters that JSON escapes. Surrogates are left to `JSON.stringify`, which escapes those without a pair. */
const plain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** The JSON of a text. */
export function textJson(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The JSON of frozen values, such as decoded messages, which many executions print. It lives as long as its value. */
const frozenJson = new WeakMap<object, string>();

/** The JSON of a serialized leaf. A value that JSON cannot express is null, as in a list. */
export function leafJson(value: unknown): string {
  if (typeof value === 'string') return textJson(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return JSON.stringify(value) ?? nullJson;
  const knownJson = frozenJson.get(value);
  if (knownJson !== undefined) return knownJson;
  const json = JSON.stringify(value) ?? nullJson;
  frozenJson.set(value, json);
  return json;
}

/** The JSON as one text. */
export function joinJson(json: Json): string {
  return typeof json === 'string' ? json : `[${json.map(joinJson).join()}]`;
}

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

/** The result of an execution, whose data is JSON. */
export interface JsonResult extends Omit<ExecutionResult, 'data'> {
  /** The JSON of the data: `null` if an error reached the root. undefined if nothing was executed. */
  readonly data?: string;
}

/** Whether a result has its data as JSON. */
export function isJsonResult(result: unknown): result is JsonResult {
  return typeof result === 'object' && result !== null && (!('data' in result) || typeof result.data === 'string');
}

/** The JSON of a result, with its members in their order. */
export function resultJson(result: JsonResult): string {
  let members = '';
  for (const [name, value] of Object.entries(result)) {
    const json = name === 'data' ? result.data : JSON.stringify(value);
    if (json !== undefined) members += `${members === '' ? '' : ','}"${name}":${json}`;
  }
  return `{${members}}`;
}
