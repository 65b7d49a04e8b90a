import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  validate,
} from 'graphql';
import { limitFull, noteOperation, type Refused, rateHeaders, rateLimited, timed } from '../../answers/caller.ts';
import type { Report } from '../../answers/errors.ts';
import { signalOf } from '../../chain/base/waiting.ts';
import { codeOf, type Span, setScope, type Tracer } from '../../chain/tracing/tracer.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import { createCostOf, type OperationCost } from '../documents/cost.ts';
import { createVariableCheck } from '../documents/documentLimits.ts';
import { createDocumentReader, type DocumentCache } from '../documents/documents.ts';
import { briefly, createLocate, refusal, toGraphQLError, toGraphQLErrors, tooComplex } from '../documents/errors.ts';
import { createLiveCheck, isLiveQuery, type ScopeCheck } from '../documents/operationChecks.ts';
import type { Execute, ExecutionRequest } from '../execution/execute.ts';
import type { JsonResult } from '../execution/execution.ts';
import type { LiveQueries } from '../live/liveQueries.ts';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';
import type { OperationContext } from './context.ts';

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
async function openStream(
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
interface EngineOptions {
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

/** The code of the first error of a result. */
function codeIn({ errors: [first] = [] }: JsonResult): string | undefined {
  if (first === undefined) return undefined;
  const { code } = first.extensions;
  return typeof code === 'string' ? code : codeOf(first);
}

/** Records each operation in a span of its own, by the conventions for GraphQL. Without a tracer that is on, it is the engine itself. */
export function traced(engine: Engine, tracer: Tracer): Engine {
  if (!tracer.isOn) return engine;

  function run(span: Span, execute: () => JsonResult | Promise<JsonResult>): JsonResult | Promise<JsonResult> {
    const ended = (result: JsonResult): JsonResult => {
      span.end(codeIn(result));
      return result;
    };
    const failed = (error: unknown): never => {
      span.end(codeOf(error));
      throw error;
    };
    try {
      const result = execute();
      return result instanceof Promise ? result.then(ended, failed) : ended(result);
    } catch (error) {
      return failed(error);
    }
  }

  return {
    ...engine,
    execute(operation, context, check) {
      const parent = context.record.span;
      if (parent === undefined) return engine.execute(operation, context, check);
      const chosen = getOperationAST(operation.document, operation.operationName);
      if (!chosen) return engine.execute(operation, context, check);
      const name = chosen.name?.value;
      const span = parent.child(name === undefined ? chosen.operation : `${chosen.operation} ${name.slice(0, 128)}`, {
        attributes: {
          'graphql.operation.type': chosen.operation,
          ...(name !== undefined && { 'graphql.operation.name': name.slice(0, 128) }),
          ...(context.height !== undefined && { 'stele.height': Number(context.height) }),
        },
      });
      setScope(signalOf(context.signal), span);
      return run(span, () => engine.execute(operation, context, check));
    },
  };
}
