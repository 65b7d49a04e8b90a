import { type DocumentNode, type GraphQLSchema, getOperationAST, type OperationDefinitionNode } from 'graphql';
import { limitFull, noteOperation, type Refused, rateHeaders, rateLimited, timed } from '../../answers/caller.ts';
import { signalOf } from '../../chain/base/time.ts';
import { type Span, setScope, type Tracer } from '../../chain/tracing/tracer.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import { createVariableCheck } from '../documents/documents.ts';
import { codeOf, refusal, tooComplex } from '../documents/errors.ts';
import {
  createCostOf,
  createFieldCheck,
  createScopeCheck,
  isLiveQuery,
  type OperationCost,
} from '../documents/operationChecks.ts';
import type { Execute, ExecutionRequest } from '../execution/execute.ts';
import type { JsonResult } from '../execution/execution.ts';
import type { LiveQueries } from '../live/liveQueries.ts';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';
import type { OperationContext } from './context.ts';

/** The context that resolvers and plugins get. */
export type RunningContext = OperationContext & GraphQLContext;

/** What {@link createOperations} needs. */
export interface OperationsOptions {
  readonly schema: GraphQLSchema;
  /** Executes queries and mutations. */
  readonly execute: Execute;
  readonly subscriptions: Pick<Subscriptions, 'open'>;
  /** Runs the queries with `@live`. */
  readonly liveQueries: Pick<LiveQueries, 'open'>;
  readonly limits: Limits;
  readonly tracer: Tracer;
}

/** The part of a context that the events of a subscription need, without the body of the request. */
function lastingContext({ viewer, broadcastCommit, limits }: GraphQLContext): GraphQLContext {
  return { viewer, broadcastCommit, limits, outcome: { immutable: false }, warnings: new Set() };
}

/**
 * Opens a subscription or live query, and puts it into the outcome of the request. Its bytes are created once for all subscribers and
 * go directly to each socket. Returns an empty result, or the errors that prevented it. Rejects with RATE_LIMITED.
 */
async function openStream(
  streams: Pick<Subscriptions, 'open'>,
  { schema, document, operationName, variableValues }: ExecutionRequest,
  { variableDefinitions = [] }: OperationDefinitionNode,
  context: RunningContext,
): Promise<JsonResult> {
  const { root, height, outcome, session, caller, record } = context;
  const slot = caller.openStream();
  if ('retryAfter' in slot) throw refusal(rateLimited(slot), { status: 429, headers: rateHeaders(slot) });
  if ('limit' in slot) throw refusal(limitFull(slot), { status: 429 });
  // Variables that are not declared are not kept while a subscription runs.
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  const variables = Object.entries(variableValues ?? {}).filter(([name]) => names.includes(name));
  const { wantsPatch, countsLists } = outcome;
  const stream = await streams
    .open({
      ...{ schema, document, operationName, variableValues: Object.fromEntries(variables) },
      ...{ root, height, session, caller, slot, wantsPatch, countsLists },
      contextValue: lastingContext(context),
      points: record.cost ?? 1,
    })
    .catch((error: unknown) => {
      slot.end();
      throw error;
    });
  if ('begin' in stream) {
    outcome.subscription = stream;
    return {};
  }
  slot.end();
  return { errors: stream.errors ?? [] };
}

/**
 * Creates the function that Yoga calls for every operation of a valid document, whatever its kind: it checks the scopes, charges the caller, and
 * executes a query or mutation, or opens a stream. Throws or rejects with what refuses the operation.
 */
export function createOperations({ schema, execute, subscriptions, liveQueries, limits, tracer }: OperationsOptions) {
  const checkVariables = createVariableCheck(limits);
  const costOf = createCostOf(schema, limits['page.size.max']);
  const isLive = createFieldCheck(schema, 'live');
  const isPostOnly = createFieldCheck(schema, 'postOnly');
  const missingScope = createScopeCheck(schema);

  /** The cost of the operation. Throws if it is too high. */
  function price({ document, variableValues }: ExecutionRequest, chosen: OperationDefinitionNode, context: RunningContext) {
    const variables = variableValues ?? {};
    checkVariables(document, chosen, variables);
    const cost = costOf(document, chosen, variables);
    const { points } = cost;
    context.record.cost = points + context.record.bytes;
    if (points > limits['graphql.cost']) throw tooComplex(limits, 'graphql.cost', 'points', points);
    context.counted.begin(cost);
    return cost;
  }

  function checkScopes({ document, operationName }: ExecutionRequest, { viewer }: RunningContext): void {
    const forbidden = missingScope(document, operationName, viewer);
    if (forbidden === undefined) return;
    const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${forbidden.facts.scope}"` };
    throw refusal(forbidden, { status: 403, headers });
  }

  /** Rejects a GET of a `postOnlyField`. */
  function checkMethod(document: DocumentNode, { transport: { method } }: RunningContext): void {
    if (method !== 'GET' || !isPostOnly(document)) return;
    const text = 'GET does not allow this operation. Send it with POST or over a WebSocket.';
    throw refusal(new RequestError('BAD_USER_INPUT', text, {}), { status: 405, headers: { allow: 'POST' } });
  }

  /** Executes a request once the event loop has time for it, and for one that counts lists, in its turn of `rate.counts`. */
  function executeInTurn(
    operation: ExecutionRequest,
    { points, counts }: OperationCost,
    context: RunningContext,
  ): JsonResult | Promise<JsonResult> {
    const { caller, signal, root } = context;
    const request = { ...operation, rootValue: root, contextValue: context };
    // Charged for execution up to the first wait for a node, and not for the time that limits make it wait.
    const run = () => {
      const result = timed(context, () => execute(request));
      // It waits for something, so its deadline begins to count. What ends at once needs none.
      if (result instanceof Promise) signalOf(signal);
      return result;
    };
    const inTurn = () => {
      const turn = caller.turn(points, signal);
      return turn === undefined ? run() : turn.then(run);
    };
    if (!counts) return inTurn();
    return caller.counting(signalOf(signal)).then(async (end) => {
      try {
        return await inTurn();
      } finally {
        end();
      }
    });
  }

  function runOperation(
    request: ExecutionRequest,
    chosen: OperationDefinitionNode,
    context: RunningContext,
  ): JsonResult | Promise<JsonResult> {
    const { document, operationName } = request;
    const { outcome, caller, transport } = context;
    const isSubscription = chosen.operation === 'subscription';
    const isStream = isSubscription || isLiveQuery(document, operationName);
    if (transport.admit !== undefined) {
      checkScopes(request, context);
      transport.admit(isStream);
    }
    outcome.isStream = isStream;
    outcome.isAdmitted = true;
    const cost = price(request, chosen, context);
    outcome.immutable = chosen.operation === 'query' && !isStream && !isLive(document);
    if (!isSubscription) outcome.countsLists = cost.counts;
    const afterCharge = (chargeRefusal: Refused | undefined): JsonResult | Promise<JsonResult> => {
      if (chargeRefusal !== undefined)
        throw refusal(rateLimited(chargeRefusal), { status: 429, headers: rateHeaders(chargeRefusal) });
      checkMethod(document, context);
      checkScopes(request, context);
      if (isStream) return openStream(isSubscription ? subscriptions : liveQueries, request, chosen, context);
      return executeInTurn(request, cost, context);
    };
    // The first point was taken when the request arrived.
    const charging = caller.take(cost.points - 1, cost.broadcasts);
    return charging instanceof Promise ? charging.then(afterCharge) : afterCharge(charging);
  }

  return (request: ExecutionRequest, context: RunningContext): JsonResult | Promise<JsonResult> => {
    const { document, operationName } = request;
    const chosen = getOperationAST(document, operationName);
    if (!chosen) throw new Error('the document has no such operation');
    noteOperation(context.record, chosen.name?.value);
    const parent = tracer.isOn ? context.record.span : undefined;
    return parent === undefined
      ? runOperation(request, chosen, context)
      : inSpan(spanOf(parent, chosen, context), () => runOperation(request, chosen, context));
  };
}

/** A span of the operation, by the conventions for GraphQL. */
function spanOf(parent: Span, { operation, name }: OperationDefinitionNode, { height, signal }: RunningContext): Span {
  const shortName = name?.value.slice(0, 128);
  const span = parent.child(shortName === undefined ? operation : `${operation} ${shortName}`, {
    attributes: {
      'graphql.operation.type': operation,
      ...(shortName !== undefined && { 'graphql.operation.name': shortName }),
      ...(height !== undefined && { 'stele.height': Number(height) }),
    },
  });
  setScope(signalOf(signal), span);
  return span;
}

/** Ends the span with the code of the first error. */
function inSpan(span: Span, run: () => JsonResult | Promise<JsonResult>): JsonResult | Promise<JsonResult> {
  const ended = (result: JsonResult): JsonResult => {
    const [error] = result.errors ?? [];
    span.end(error && codeOf(error));
    return result;
  };
  const failed = (error: unknown): never => {
    span.end(codeOf(error));
    throw error;
  };
  try {
    const result = run();
    return result instanceof Promise ? result.then(ended, failed) : ended(result);
  } catch (error) {
    return failed(error);
  }
}
