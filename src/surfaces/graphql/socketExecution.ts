import { type DocumentNode, GraphQLError, getOperationAST } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { plainBody, splitBody } from '../../answers/answer.ts';
import type { Made } from '../../answers/answerCache.ts';
import { noteErrors } from '../../answers/caller.ts';
import { bare, toGraphQLError, withoutHttp } from '../../graphql/documents/errors.ts';
import { isLiveQuery, type ScopeCheck } from '../../graphql/documents/operationChecks.ts';
import { type OperationContext, withExtensions } from '../../graphql/engine/context.ts';
import type { Engine, Operation } from '../../graphql/engine/engine.ts';
import { type JsonResult, resultJson } from '../../graphql/execution/execution.ts';
import type { OpenSubscription } from '../../graphql/subscriptions/subscriber.ts';

/** An executed operation of a socket. */
export interface Executed {
  /** The answer of a query or mutation. Otherwise empty and not kept. */
  readonly made: Made;
  /** The errors that refuse the operation. The client gets them as an `error` message. */
  readonly refused?: GraphQLError[];
  /** A subscription or live query, or the result with the errors that it could not be opened for. */
  readonly opened?: OpenSubscription | Pick<JsonResult, 'errors'>;
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
function jsonOf({ errors, ...result }: JsonResult): string {
  return resultJson(errors === undefined ? result : { ...result, errors });
}

/** Creates the execution of operations in the same engine as those over HTTP. */
export function createSocketExecution(options: {
  readonly engine: Engine;
  /** Returns the error for an operation that a viewer may not run. */
  readonly scopeCheck: ScopeCheck;
  /** Logs each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
}): ExecuteOperation {
  const { engine, scopeCheck, report } = options;

  /** Parses and validates the document of an operation. Returns it and what to do with the chosen operation, or the errors. */
  function readDocument(
    { query, operationName }: OperationRequest,
    context: OperationContext,
  ): { readonly document: DocumentNode; readonly isStream: boolean } | GraphQLError[] {
    const { record, session } = context;
    let document: DocumentNode;
    try {
      document = engine.parse(query, context);
    } catch (error) {
      return [bare(toGraphQLError(error, record.id, report))];
    }
    const errors = engine.validate(document, context);
    if (errors.length > 0) return errors.map(bare);
    const forbidden = scopeCheck(document, operationName, session.viewer);
    if (forbidden !== undefined) return [bare(toGraphQLError(forbidden, record.id, report))];
    const chosen = getOperationAST(document, operationName);
    if (chosen) {
      return { document, isStream: chosen.operation === 'subscription' || isLiveQuery(document, operationName) };
    }
    const text = 'The document has no operation with this name, or it has several operations and `operationName` is missing.';
    return [new GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT', argument: 'operationName' } })];
  }

  /** Executes an operation. Returns a refusal as a result with errors. */
  async function resultOf(operation: Operation, context: OperationContext): Promise<JsonResult> {
    try {
      return await engine.execute(operation, context);
    } catch (error) {
      return { errors: [bare(toGraphQLError(error, context.record.id, report))] };
    }
  }

  return async (request, context, admit) => {
    const { record, outcome, dependencies } = context;
    const read = readDocument(request, context);
    const refused = Array.isArray(read) ? read : admit(read.isStream);
    if (Array.isArray(read) || refused !== undefined) return { made: nothing, refused: refused ?? [] };
    const { document, isStream } = read;
    const { operationName, variables } = request;
    const result = await resultOf({ document, operationName, variables }, context);
    if (isStream) {
      if (outcome.subscription !== undefined) return { made: nothing, opened: outcome.subscription };
      const { errors } = result;
      noteErrors(record, errors);
      return { made: nothing, opened: errors === undefined ? {} : { errors } };
    }
    noteErrors(record, result.errors);
    const json = jsonOf(await withExtensions(withoutHttp(result), context));
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
