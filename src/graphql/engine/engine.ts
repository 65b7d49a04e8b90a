import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  validate,
} from 'graphql';
import { noteOperation, type Refused, rateHeaders, rateLimited, timed } from '../../answers/caller.ts';
import type { Report } from '../../answers/errors.ts';
import { signalOf } from '../../chain/base/waiting.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import type { DocumentCache } from '../documents/documentCache.ts';
import { createDocumentReader } from '../documents/documentReader.ts';
import { createLiveCheck } from '../documents/fieldChecks.ts';
import { createLocate } from '../documents/tokenLocations.ts';
import type { Execute, ExecutionRequest } from '../execution/execute.ts';
import type { JsonResult } from '../execution/result.ts';
import { createCostOf, type OperationCost } from '../limits/cost.ts';
import { refusal, tooComplex } from '../limits/limitError.ts';
import { createVariableCheck } from '../limits/variableLimits.ts';
import { isLiveQuery } from '../live/liveDirective.ts';
import type { LiveQueries } from '../live/liveQueries.ts';
import type { OperationContext } from '../operation/context.ts';
import { briefly, toGraphQLErrors } from '../request/errors.ts';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';
import { openStream } from './openStream.ts';
import type { ScopeCheck } from './scopeCheck.ts';

/** An operation of a valid document. */
export interface Operation {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
}

/** The GraphQL engine, for operations over HTTP and over sockets. It applies the limits and charges the caller. */
export interface Engine {
  /**
   * Parses a document within the limits. Throws OPERATION_TOO_COMPLEX, BAD_USER_INPUT or GRAPHQL_PARSE_FAILED. A cached document is not
   * parsed again.
   */
  parse(text: string, context: OperationContext): DocumentNode;
  /** Returns the validation errors of a parsed document. */
  validate(document: DocumentNode, context: OperationContext): readonly GraphQLError[];
  /**
   * Charges for an operation and executes it, or opens its stream, which is then in the outcome of the context. `check` is called after the
   * charge and may throw. The errors of the result are those that the caller sees. Throws a refusal.
   */
  execute(
    operation: Operation,
    context: OperationContext,
    check?: (document: DocumentNode) => void,
  ): JsonResult | Promise<JsonResult>;
}

/** Options of {@link createEngine}. */
export interface EngineOptions {
  readonly schema: GraphQLSchema;
  /** Runs the subscriptions. */
  readonly subscriptions: Subscriptions;
  /** Runs the queries with `@live`. */
  readonly liveQueries: LiveQueries;
  /** Logs unexpected failures: one line for each operation. */
  readonly report: Report;
  /** Whether `broadcastTxCommit` is enabled. */
  readonly broadcastCommit: boolean;
  readonly limits: Limits;
  /** Executes queries and mutations. */
  readonly execute: Execute;
  /** The cache of parsed and validated documents. */
  readonly documents: DocumentCache;
  /** Rejects operations whose scope the viewer does not have. */
  readonly scopeCheck: ScopeCheck;
}

/** The error as one of validation, with the status of GraphQL over HTTP. */
function asInvalid(error: GraphQLError): GraphQLError {
  const { code = 'GRAPHQL_VALIDATION_FAILED', http = { status: 400, spec: true } } = error.extensions;
  Object.assign(error.extensions, { code, http });
  return error;
}

/** Creates the engine. */
export function createEngine(options: EngineOptions): Engine {
  const { schema, subscriptions, liveQueries, report, execute: run, broadcastCommit, limits, documents, scopeCheck } = options;
  const reader = createDocumentReader(limits, documents);
  const checkVariables = createVariableCheck(limits);
  const costOf = createCostOf(schema, limits['page.size.max']);
  const isLive = createLiveCheck(schema);
  const maxErrors = limits['graphql.validationErrors'];

  /** The cost of the operation. Throws if it is too high. */
  function price(
    { document, variables }: Operation,
    operation: OperationDefinitionNode,
    context: OperationContext,
  ): OperationCost {
    const given = variables ?? {};
    checkVariables(document, operation, given);
    const cost = costOf(document, operation, given);
    const { points } = cost;
    context.record.cost = points + context.record.bytes;
    if (points > limits['graphql.cost']) throw tooComplex(limits, 'graphql.cost', 'points', points);
    context.counted.begin(cost);
    return cost;
  }

  /** Executes a request once the event loop has time for it, and for one that counts lists, in its turn of `rate.counts`. */
  function runInTurn(
    request: ExecutionRequest,
    { points, counts }: OperationCost,
    context: OperationContext,
  ): JsonResult | Promise<JsonResult> {
    const { caller, signal } = context;
    // Charged for execution up to the first wait for a node, and not for the time that limits make it wait.
    const execute = () => {
      const result = timed(context, () => run(request));
      // It waits for something, so its deadline begins to count. What ends at once needs none.
      if (result instanceof Promise) signalOf(signal);
      return result;
    };
    const inTurn = () => {
      const turn = caller.turn(points, signal);
      return turn === undefined ? execute() : turn.then(execute);
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

  /** The result as the caller sees it: converted errors, and the warnings. */
  function shownResult(result: JsonResult, context: OperationContext, { warnings }: GraphQLContext): JsonResult {
    const { record, outcome, dependencies } = context;
    const shown =
      result.errors === undefined
        ? result
        : { ...result, errors: toGraphQLErrors(result.errors, record.id, report, outcome.locate) };
    if (warnings.size === 0) return shown;
    // The chain may describe the types at a later height.
    dependencies.dependsOnHeight();
    return { ...shown, extensions: { ...shown.extensions, warnings: [...warnings] } };
  }

  return {
    parse(text, context) {
      const { outcome } = context;
      outcome.hasDocument = true;
      outcome.locate = createLocate(text);
      return timed(context, () => reader.parse(text));
    },
    validate(document, context) {
      const { outcome, record } = context;
      // For a rejected document. With several operations, the name is known only later.
      noteOperation(record, getOperationAST(document)?.name?.value);
      // The last error reports that validation stopped.
      const validateWithin = () => validate(schema, document, undefined, { maxErrors, hideSuggestions: true });
      const errors = timed(context, () => reader.validate(document, validateWithin));
      return errors.slice(0, maxErrors).map((error) => asInvalid(briefly(error, outcome.locate)));
    },
    execute(operation, context, check) {
      const { document, operationName } = operation;
      const { record, outcome, session } = context;
      const chosen = getOperationAST(document, operationName);
      if (!chosen) throw new Error('the document has no such operation');
      noteOperation(record, chosen.name?.value);
      const cost = price(operation, chosen, context);
      const isSubscription = chosen.operation === 'subscription';
      const isStream = isSubscription || isLiveQuery(document, operationName);
      outcome.immutable = chosen.operation === 'query' && !isStream && !isLive(document);
      if (!isSubscription) outcome.countsLists = cost.counts;
      const admitted = (refused: Refused | undefined): JsonResult | Promise<JsonResult> => {
        if (refused !== undefined) throw refusal(rateLimited(refused), { status: 429, headers: rateHeaders(refused) });
        check?.(document);
        const forbidden = scopeCheck(document, operationName, session.viewer);
        if (forbidden !== undefined) {
          const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${forbidden.facts.scope}"` };
          throw refusal(forbidden, { status: 403, headers });
        }
        const { viewer } = session;
        const { params, caller, signal, dependencies, height, root, counted } = context;
        const warnings = new Set<string>();
        const contextValue: OperationContext & GraphQLContext = {
          session,
          record,
          params,
          caller,
          signal,
          outcome,
          counted,
          dependencies,
          height,
          root,
          viewer,
          broadcastCommit,
          limits,
          warnings,
        };
        const request = { schema, document, operationName, variableValues: operation.variables ?? {}, contextValue };
        if (isStream) return openStream(isSubscription ? subscriptions : liveQueries, request, report);
        const result = runInTurn({ ...request, rootValue: context.root }, cost, context);
        return result instanceof Promise
          ? result.then((ended) => shownResult(ended, context, contextValue))
          : shownResult(result, context, contextValue);
      };
      // The first point was taken when the request arrived.
      const paying = context.caller.take(cost.points - 1, cost.broadcasts);
      return paying instanceof Promise ? paying.then(admitted) : admitted(paying);
    },
  };
}
