import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { isLiveQuery } from '../../graphql/live/liveDirective.ts';
import type { OperationContext } from '../../graphql/operation/context.ts';
import type { ScopeCheck } from '../../graphql/plugins/scopeCheck.ts';
import { plainBody, splitBody } from '../../graphql/request/answer.ts';
import type { Made } from '../../graphql/request/answerCache.ts';
import { bare, toGraphQLError, withoutHttp } from '../../graphql/request/errors.ts';
import { noteErrors } from '../../graphql/request/requestRecord.ts';
import { schema } from '../../graphql/schema.ts';
import type { OpenSubscription } from '../../graphql/subscriptions/operation.ts';
import { withExtensions, type Yoga } from '../../graphql/yoga.ts';

/** An executed operation of a socket. */
export interface Executed {
  /** The answer of a query or mutation. Otherwise empty and not kept. */
  readonly made: Made;
  /** The errors that refuse the operation. The client gets them as an `error` message. */
  readonly refused?: GraphQLError[];
  /** A subscription or live query, or the result with the errors that it could not be opened for. */
  readonly opened?: OpenSubscription | ExecutionResult;
}

/** The parameters of an operation. */
export type OperationRequest = Pick<SubscribePayload, 'query' | 'variables' | 'operationName'>;

/** Executes an operation. Calls `admit` when it is known whether it is a stream; errors from there refuse it. */
export type ExecuteOperation = (
  request: OperationRequest,
  context: OperationContext,
  admit: (isStream: boolean) => GraphQLError[] | undefined,
) => Promise<Executed>;

const nothing: Made = {
  answer: { status: 200, operation: undefined, headers: [], body: plainBody(Buffer.alloc(0)) },
  keep: false,
  carried: undefined,
};

/** The JSON of a result as the protocol library writes it, with the errors at the end. */
function jsonOf({ errors, ...result }: ExecutionResult): string {
  return JSON.stringify(errors === undefined ? result : { ...result, errors });
}

/** Creates the execution of operations in the same engine as those over HTTP. */
export function createSocketExecution(options: {
  readonly yoga: Yoga;
  /** Returns the error for an operation that a viewer may not run. */
  readonly scopeCheck: ScopeCheck;
  /** Logs each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
}): ExecuteOperation {
  const { yoga, scopeCheck, report } = options;
  type Engine = ReturnType<Yoga['getEnveloped']>;

  /** Parses and validates the document of an operation. Returns it and what to do with the chosen operation, or the errors. */
  function readDocument(
    engine: Engine,
    { query, operationName }: OperationRequest,
    { record, session }: OperationContext,
  ): { readonly document: DocumentNode; readonly run: 'execute' | 'subscribe'; readonly isStream: boolean } | GraphQLError[] {
    let document: DocumentNode;
    try {
      document = engine.parse(query);
    } catch (error) {
      return [bare(toGraphQLError(error, record.id, report))];
    }
    const errors: readonly GraphQLError[] = engine.validate(schema, document);
    if (errors.length > 0) return errors.map(bare);
    const forbidden = scopeCheck(document, operationName, session.viewer);
    if (forbidden !== undefined) return [bare(toGraphQLError(forbidden, record.id, report))];
    const chosen = getOperationAST(document, operationName);
    if (chosen?.operation === 'subscription') return { document, run: 'subscribe', isStream: true };
    if (chosen) return { document, run: 'execute', isStream: isLiveQuery(document, operationName) };
    const text = 'The document has no operation with this name, or it has several operations and `operationName` is missing.';
    return [new GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT', argument: 'operationName' } })];
  }

  /** Runs a function of the engine. Returns what it throws as a result with errors. */
  async function resultOf<R>(run: () => Promise<R> | R, { record }: OperationContext): Promise<R | ExecutionResult> {
    try {
      return await run();
    } catch (error) {
      return { errors: [bare(toGraphQLError(error, record.id, report))] };
    }
  }

  return async (request, context, admit) => {
    const { record, outcome, dependencies } = context;
    const engine = yoga.getEnveloped(context);
    const read = readDocument(engine, request, context);
    const refused = Array.isArray(read) ? read : admit(read.isStream);
    if (Array.isArray(read) || refused !== undefined) return { made: nothing, refused: refused ?? [] };
    const { document, run, isStream } = read;
    const { operationName = null, variables } = request;
    const contextValue = await engine.contextFactory();
    const args = { schema, document, operationName, variableValues: variables ?? {}, contextValue };
    if (isStream) {
      const result: ExecutionResult = await resultOf(() => engine[run](args), context);
      if (outcome.subscription !== undefined) return { made: nothing, opened: outcome.subscription };
      noteErrors(record, result.errors);
      return { made: nothing, opened: result };
    }
    const result: ExecutionResult = await resultOf(() => engine.execute(args), context);
    noteErrors(record, result.errors);
    const json = jsonOf(withExtensions(withoutHttp(result), context));
    const answer = { status: 200, operation: record.operation, headers: [], body: splitBody(Buffer.from(json)) };
    return {
      made: {
        answer,
        keep: outcome.immutable && result.errors === undefined,
        carried: dependencies.carried(),
      },
    };
  };
}
