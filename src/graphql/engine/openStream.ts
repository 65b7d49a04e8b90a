import { type DocumentNode, type ExecutionResult, type GraphQLSchema, getOperationAST } from 'graphql';
import { limitFull, rateHeaders, rateLimited } from '../../answers/caller.ts';
import type { Report } from '../../answers/errors.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import { refusal } from '../limits/limitError.ts';
import type { OperationContext } from '../operation/context.ts';
import { toGraphQLError } from '../request/errors.ts';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';

/** The request of a stream. */
interface StreamRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly contextValue: OperationContext & GraphQLContext;
}

/** The part of a context that the events of a subscription need, without the body of the request. */
function lastingContext({ viewer, broadcastCommit, limits }: GraphQLContext): GraphQLContext {
  return { viewer, broadcastCommit, limits, outcome: { immutable: false }, warnings: new Set() };
}

/** The declared variables of an operation. Others are not kept while a subscription runs. */
function declaredVariables({ document, operationName, variableValues }: StreamRequest): Record<string, unknown> {
  const names = getOperationAST(document, operationName)?.variableDefinitions?.map(({ variable }) => variable.name.value);
  return Object.fromEntries(Object.entries(variableValues).filter(([name]) => names?.includes(name) === true));
}

/**
 * Opens a subscription or live query, and puts it into the outcome of the request. Its bytes are created once for all subscribers and
 * go directly to each socket. Returns an empty result, or the errors that it could not be opened for. Rejects with RATE_LIMITED.
 */
export async function openStream(
  streams: Pick<Subscriptions, 'open'>,
  request: StreamRequest,
  report: Report,
): Promise<Pick<ExecutionResult, 'errors'>> {
  const { schema, document, operationName, contextValue } = request;
  const { root, height, outcome, session, caller, record } = contextValue;
  const slot = caller.openStream();
  if ('retryAfter' in slot) throw refusal(rateLimited(slot), { status: 429, headers: rateHeaders(slot) });
  if ('limit' in slot) throw refusal(limitFull(slot), { status: 429 });
  const operation = {
    schema,
    document,
    operationName,
    variableValues: declaredVariables(request),
    contextValue: lastingContext(contextValue),
  };
  const { wantsPatch, countsLists } = outcome;
  const points = record.cost ?? 1;
  const opened = await streams
    .open({ ...operation, root, height, session, caller, slot, points, wantsPatch, countsLists })
    .catch((error: unknown) => {
      slot.end();
      throw error;
    });
  if ('begin' in opened) {
    outcome.subscription = opened;
    return {};
  }
  slot.end();
  const errors = opened.errors?.map((error) => toGraphQLError(error, record.id, report, outcome.locate)) ?? [];
  return { errors };
}
