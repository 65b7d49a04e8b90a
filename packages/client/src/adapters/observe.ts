import type { Client, QueryOptions } from '../client.ts';
import { SteleError } from '../errors.ts';
import type { Result } from '../result.ts';

/** An operation of another GraphQL client. */
export interface ObservedOperation extends Pick<QueryOptions, 'height' | 'minHeight'> {
  readonly type: string;
  /** Whether it has the directive `@live`. */
  readonly isLive: boolean;
  readonly query: string;
  readonly variables: unknown;
}

/** A GraphQL result, as other clients read it. */
export interface FormattedResult {
  readonly data: Record<string, unknown> | null;
  readonly errors?: { message: string; path: (string | number)[]; extensions: Record<string, unknown> }[];
  readonly extensions: Record<string, unknown>;
}

/** What is done with the results of an operation. */
export interface ResultObserver {
  next(result: FormattedResult): void;
  /** The server was not reached. Nothing follows. */
  error(error: unknown): void;
  complete(): void;
}

function formatted({ data, errors, height }: Result<Record<string, unknown> | null>): FormattedResult {
  return {
    data,
    ...(errors !== undefined && {
      errors: errors.map(({ message, path, code, facts }) => ({ message, path: [...path], extensions: { code, ...facts } })),
    }),
    extensions: height === undefined ? {} : { height },
  };
}

async function* resultsOf(
  client: Client,
  { type, isLive, query, variables, height, minHeight }: ObservedOperation,
  signal: AbortSignal,
): AsyncGenerator<Result<Record<string, unknown> | null>> {
  if (type === 'subscription') yield* client.subscribe<Record<string, unknown>>(query, variables, { signal });
  else if (isLive) yield* client.live<Record<string, unknown>>(query, variables, { signal });
  else yield await client.query<Record<string, unknown>>(query, variables, { height, minHeight, signal });
}

/** Runs an operation and sends its results to an observer. Returns the function that ends it. */
export function observe(client: Client, operation: ObservedOperation, observer: ResultObserver): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const run = async (): Promise<void> => {
    try {
      for await (const result of resultsOf(client, operation, signal)) if (!signal.aborted) observer.next(formatted(result));
    } catch (error) {
      if (signal.aborted) return;
      const isOfServer = error instanceof SteleError && error.code !== 'CONNECTION_FAILED' && error.code !== 'TOKEN_FAILED';
      if (!isOfServer) return observer.error(error);
      observer.next(formatted({ data: null, errors: [error], height: undefined }));
    }
    if (!signal.aborted) observer.complete();
  };
  void run();
  return () => controller.abort();
}
