import { type FieldNode, type GraphQLError, locatedError, type ResponsePath, responsePathAsArray } from 'graphql';

/** The errors of one execution, in the order in which they were added. */
export interface FieldErrors {
  readonly list: readonly GraphQLError[];
  /** Adds the error that set the value at `path` to null. undefined is the path of the whole result. Ignores an error below a value that is null already. */
  add(error: GraphQLError, path: ResponsePath | undefined): void;
}

/** Creates an empty list of errors. */
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
