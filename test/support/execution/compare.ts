import { type DocumentNode, type ExecutionResult, execute, getOperationAST } from 'graphql';
import { expect } from 'vitest';
import type { Execute } from '../../../src/graphql/execution/execute.ts';
import type { JsonResult } from '../../../src/graphql/execution/execution.ts';
import type { FaultySchema } from './faultySchema.ts';
import type { FaultyContext } from './faultyValues.ts';

/** An operation and the behaviour of the resolvers. */
export interface Trial {
  readonly document: DocumentNode;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly context: FaultyContext;
}

/** What is compared: the text of the data, so that the order of keys counts, and all that a caller sees of each error, in order. */
export interface Outcome {
  readonly isPromise: boolean;
  readonly data: string | undefined;
  readonly errors: readonly unknown[];
}

/** Compiled execution quotes no values in the messages that only a defect of a schema causes. */
const quoted = / but got: .*\.$/s;

type Awaitable<T> = T | Promise<T>;

/** The outcome of an execution whose data is an object, or JSON already. */
async function outcomeOf(run: () => Awaitable<ExecutionResult> | Awaitable<JsonResult>): Promise<Outcome> {
  const result = run();
  const isPromise = result instanceof Promise;
  const { data, errors = [] } = await result;
  return {
    isPromise,
    data: typeof data === 'string' ? data : JSON.stringify(data),
    errors: errors.map(({ message, path, locations, nodes, extensions, originalError }) => ({
      message: message.replace(quoted, '.'),
      path,
      locations,
      nodes: nodes?.map(({ loc }) => loc?.start),
      extensions,
      originalError: originalError && `${originalError.name}: ${originalError.message.replace(quoted, '.')}`,
    })),
  };
}

/** Turns of the event loop after which no abandoned field is executing. */
const turns = 12;

/** Returns the result of `work`, and the number of rejections that nobody handled meanwhile. */
async function watched<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly unhandled: number }> {
  const listeners = process.listeners('unhandledRejection');
  let unhandled = 0;
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', () => {
    unhandled += 1;
  });
  try {
    const result = await work();
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return { result, unhandled };
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
}

/** Executes an operation by graphql-js and compiled. Fails unless the outcomes are equal. Returns the outcome. */
export async function compare(
  { schema, rootOf }: FaultySchema,
  executeCompiled: Execute,
  trial: Trial,
  name: string,
): Promise<Outcome> {
  const { document, operationName, variables = {}, context } = trial;
  const kind = getOperationAST(document, operationName)?.operation;
  const rootValue = kind && rootOf(kind, context);
  const request = { schema, document, operationName, variableValues: variables, contextValue: context, rootValue };
  const interpret = (): unknown => execute(request);
  // graphql-js leaves rejections unhandled in a list that failed before.
  const interpreted = await watched(() => outcomeOf(interpret as () => ExecutionResult));
  const compiled = await watched(() => outcomeOf(() => executeCompiled(request)));
  expect(compiled, name).toEqual({ result: interpreted.result, unhandled: 0 });
  return compiled.result;
}
