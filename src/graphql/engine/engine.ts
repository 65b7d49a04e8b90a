import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { RequestQuorum } from '../../answers/assurance.ts';
import { limitFull, noteOperation, type Refused, rateHeaders, rateLimited, timed } from '../../answers/caller.ts';
import type { Report } from '../../answers/errors.ts';
import { abortable, signalOf } from '../../chain/base/time.ts';
import { type Span, setScope, type Tracer } from '../../chain/tracing/tracer.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import type { ChainSchema } from '../chainSchema.ts';
import { createDocumentReader, createVariableCheck, type DocumentCache } from '../documents/documents.ts';
import { briefly, codeOf, refusal, toGraphQLError, toGraphQLErrors, tooComplex } from '../documents/errors.ts';
import {
  checkScopes,
  createCostOf,
  createNeedsOf,
  differencesFor,
  type OperationCost,
  type OperationNeeds,
} from '../documents/operationChecks.ts';
import type { Execute, ExecutionRequest } from '../execution/execute.ts';
import { isJsonResult, type JsonResult } from '../execution/execution.ts';
import type { LiveQueries } from '../live/liveQueries.ts';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';
import type { OperationContext, Transport } from './context.ts';
import { type HistoryAnswers, historyRefused } from './historyAnswers.ts';
import type { EnginePlugin } from './plugins.ts';
import { checkProof, withProof } from './proof.ts';

/** The engine of operations, over HTTP and over WebSockets. */
export interface Engine {
  /**
   * Runs the operation that `context.readParams` returns. What refuses it is in the errors of the result, which are as the caller sees them. The
   * opened stream of a subscription or live query is in the outcome of the context. Never throws or rejects.
   */
  run(context: OperationContext): JsonResult | Promise<JsonResult>;
}

interface EngineOptions {
  readonly schema: ChainSchema;
  /** Executes queries and mutations. */
  readonly execute: Execute;
  /** Answers the queries that ask for a history. */
  readonly history: Pick<HistoryAnswers, 'page' | 'since'>;
  readonly subscriptions: Pick<Subscriptions, 'open'>;
  /** Runs the queries with `@live`. */
  readonly liveQueries: Pick<LiveQueries, 'open'>;
  /** The cache of parsed and validated documents. */
  readonly documents: DocumentCache;
  /** The plugins of the operator. */
  readonly plugins: readonly EnginePlugin[];
  /** Whether `broadcastTxCommit` is enabled. */
  readonly broadcastCommit: boolean;
  /** Whether a text is a document that the operator trusts. */
  isTrusted(text: string): boolean;
  readonly limits: Limits;
  readonly tracer: Tracer;
  /** Logs unexpected failures: one line for each operation. */
  readonly report: Report;
}

/**
 * Creates the engine: a pipeline of GraphQL Yoga. Our own plugin comes first, then those of the operator, then those with which Yoga checks
 * parameters and mutations by GET. Yoga's HTTP is not used, because it takes 20 times as long.
 */
export function createEngine(options: EngineOptions): Engine {
  const { schema, report, plugins, broadcastCommit, documents, limits } = options;
  const yogaOf = (current: GraphQLSchema) =>
    createYoga<OperationContext>({
      schema: current,
      plugins: [createPipeline(current, options), ...plugins],
      // `finish` masks each error with the id of its request.
      maskedErrors: false,
      // Documents are cached within the memory for documents.
      parserAndValidationCache: false,
      logging: false,
    });
  let yoga = yogaOf(schema.current());
  schema.onReplaced((replacement) => {
    documents.clear();
    yoga = yogaOf(replacement);
  });
  /** Without plugins, nobody looks at more of a request than its method. */
  const bareRequests = { GET: requestOf({ method: 'GET' }), POST: requestOf({ method: 'POST' }) };

  /** The result as the caller sees it: converted errors, and the warnings. A plugin may have replaced it, or its data. */
  function finish(result: unknown, { record, outcome, dependencies, warnings }: OperationContext): JsonResult {
    let finished: JsonResult;
    if (isJsonResult(result)) finished = result;
    else if (typeof result !== 'object' || result === null || Symbol.asyncIterator in result)
      throw new Error('a plugin replaced a result with something else');
    else finished = { ...result, ...('data' in result && { data: JSON.stringify(result.data) }) };
    const { errors } = finished;
    if (errors !== undefined) finished = { ...finished, errors: toGraphQLErrors(errors, record.id, report, outcome.locate) };
    outcome.span?.end(errors?.[0] && codeOf(errors[0]));
    if (warnings.size === 0) return finished;
    // The chain may describe the types at a later height.
    dependencies.dependsOnHeight();
    return { ...finished, extensions: { ...finished.extensions, warnings: [...warnings] } };
  }

  function failed(error: unknown, { record, outcome }: OperationContext): JsonResult {
    outcome.span?.end(codeOf(error));
    return { errors: [toGraphQLError(error, record.id, report, outcome.locate)] };
  }

  /** Whether a document has another result with the types of the chain: it is not valid without them, or reads the schema. */
  function needsChainTypes(text: unknown): boolean {
    if (typeof text !== 'string') return false;
    if (/__schema|__type\b|_service/.test(text)) return true;
    try {
      return differencesFor(schema.current(), createDocumentReader(limits, documents).parse(text)).length > 0;
    } catch {
      return false;
    }
  }

  function run(context: OperationContext): JsonResult | Promise<JsonResult> {
    context.broadcastCommit = broadcastCommit;
    const fail = (error: unknown): JsonResult => failed(error, context);
    try {
      const params = readParams(context);
      const loading = schema.pending();
      if (loading !== undefined && needsChainTypes(params.query))
        return abortable(loading, signalOf(context.signal)).then(() => run(context), fail);
      // Envelop keeps the text as long as the document. That of the request may be a part of its body.
      if (typeof params.query === 'string') params.query = documents.ofText(params.query)?.text ?? params.query;
      const { transport } = context;
      const request = plugins.length === 0 ? bareRequests[transport.method] : requestOf(transport);
      const result = yoga.getResultForParams({ params, request }, context);
      if (context.proof !== undefined)
        return Promise.resolve(result)
          .then((ended) => withProof(finish(ended, context), context, report))
          .catch(fail);
      return result instanceof Promise ? result.then((ended) => finish(ended, context)).catch(fail) : finish(result, context);
    } catch (error) {
      return fail(error);
    }
  }

  return { run };
}

/** The request as plugins see it: without its body, which is in `params`. */
function requestOf({ method, url = '/graphql', headers = {} }: Transport): Request {
  const entries = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new Request(new URL(url, 'http://localhost'), { method, headers: entries });
}

/** Reads the parameters, of which Yoga checks the types of the others. Throws if the transport refuses the request. */
function readParams({ readParams: read, outcome, record, transport, quorum }: OperationContext): Record<string, unknown> {
  const params = read();
  const { operationName, extensions } = params;
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    throw refusal(badInput('operationName', typeof operationName, 'a string'));
  noteOperation(record, operationName);
  // Its assignment would set a prototype. Yoga refuses other parameters that are unknown.
  if (Object.hasOwn(params, '__proto__'))
    throw refusal(new RequestError('BAD_USER_INPUT', 'Unexpected parameter "__proto__" in the request body.', {}), {
      status: 400,
    });
  if (typeof extensions === 'object' && extensions !== null) {
    outcome.wantsCost = 'cost' in extensions && extensions.cost === true;
    outcome.wantsTime = 'time' in extensions && extensions.time === true;
    outcome.wantsPatch = 'patch' in extensions && extensions.patch === true;
    if ('history' in extensions && extensions.history != null) {
      if (typeof extensions.history !== 'object') throw refusal(badInput('extensions.history', '', 'an object with `from`'));
      outcome.history = extensions.history;
    }
    if ('since' in extensions && extensions.since != null) {
      if (typeof extensions.since === 'object') throw refusal(badInput('extensions.since', '', 'a height as text, or a time'));
      outcome.since = String(extensions.since);
    }
  }
  if (transport.notAcceptable !== undefined) throw refusal(transport.notAcceptable, { status: 406 });
  if (quorum instanceof RequestError) throw refusal(quorum);
  return { ...params };
}

/**
 * Our plugin: what Yoga does with an operation at each stage. The context is complete before, and the parameters are read, because each hook costs
 * as much as most of what it would do.
 */
function createPipeline(schema: GraphQLSchema, options: EngineOptions): Plugin<OperationContext, OperationContext> {
  const { documents, limits } = options;
  const reader = createDocumentReader(limits, documents);
  const runOperation = createOperations(schema, options);
  const maxErrors = limits['graphql.validationErrors'];

  /** Why a document without the chosen operation is refused over a WebSocket. Over HTTP, Yoga refuses it before it is valid. */
  function withoutOperation(document: DocumentNode, context: OperationContext): Error {
    const errors = validateDocument(document, [], context);
    for (const { extensions } of errors) extensions.code ??= 'GRAPHQL_VALIDATION_FAILED';
    if (errors.length > 0) return new AggregateError(errors);
    const text = 'The document has no operation with this name, or it has several operations and `operationName` is missing.';
    return new RequestError('BAD_USER_INPUT', text, { argument: 'operationName' });
  }

  /** The validation errors, as the caller sees them. The first rules are those of GraphQL. Others are those of plugins. */
  function validateDocument(
    document: DocumentNode,
    rules: readonly ValidationRule[],
    context: OperationContext,
  ): readonly GraphQLError[] {
    // For a rejected document. With several operations, the name is known only later.
    noteOperation(context.record, getOperationAST(document)?.name?.value);
    const options = { maxErrors, hideSuggestions: true };
    let errors = reader.validate(document, () => timed(context, validate, schema, document, specifiedRules, options));
    const added = rules.slice(specifiedRules.length);
    if (errors.length === 0 && added.length > 0) errors = timed(context, validate, schema, document, added, options);
    // The last error reports that validation stopped.
    return errors.length === 0 ? errors : errors.slice(0, maxErrors).map((error) => briefly(error, context.outcome.locate));
  }

  return {
    onParse({ context, setParseFn }) {
      setParseFn((text: string) => {
        const { outcome, transport, params } = context;
        outcome.hasDocument = true;
        outcome.text = text;
        // To find a document in the cache takes no time worth charging for.
        const isCached = documents.ofText(text) !== undefined;
        const document = isCached ? reader.parse(text) : timed(context, reader.parse, text);
        if (transport.admit !== undefined && !getOperationAST(document, params.operationName))
          throw withoutOperation(document, context);
        return document;
      });
    },
    onValidate({ context, setValidationFn }) {
      setValidationFn((_schema, document: DocumentNode, rules: readonly ValidationRule[] = []) =>
        validateDocument(document, rules, context),
      );
    },
    onExecute({ context, setExecuteFn }) {
      setExecuteFn((request: ExecutionRequest) => runOperation(request, context));
    },
    onSubscribe({ context, setSubscribeFn }) {
      setSubscribeFn((request: ExecutionRequest) => runOperation(request, context));
    },
  };
}

/**
 * Opens a subscription or live query, and puts it into the outcome of the request. Its bytes are created once for all subscribers and
 * go directly to each socket. Returns an empty result, or the errors that prevented it. Rejects with RATE_LIMITED.
 */
async function openStream(
  streams: Pick<Subscriptions, 'open'>,
  { schema, document, operationName, variableValues }: ExecutionRequest,
  { variableDefinitions = [] }: OperationDefinitionNode,
  context: OperationContext,
): Promise<JsonResult> {
  const { root, height, outcome, session, caller, record, viewer, broadcastCommit, limits } = context;
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
      // What events need of the context, without the body of the request.
      contextValue: {
        viewer,
        broadcastCommit,
        limits,
        outcome: { immutable: false },
        warnings: new Set(),
      } satisfies GraphQLContext,
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
function createOperations(
  schema: GraphQLSchema,
  { execute, history, subscriptions, liveQueries, isTrusted, limits, tracer }: EngineOptions,
) {
  const checkVariables = createVariableCheck(limits);
  const costOf = createCostOf(schema, limits['page.size.max']);
  const needsOf = createNeedsOf(schema);

  /** Executes a query or mutation. Charges for the time up to the first wait for a node, without the time that limits make it wait. */
  function executeNow(operation: ExecutionRequest, context: OperationContext): JsonResult | Promise<JsonResult> {
    const { document, operationName, variableValues } = operation;
    const request = { schema, document, operationName, variableValues, rootValue: context.root, contextValue: context };
    const result = timed(context, execute, request);
    // It waits for something, so its deadline begins to count. What ends at once needs none.
    if (result instanceof Promise) signalOf(context.signal);
    return result;
  }

  /** Executes an operation that counts lists, in its turn of `rate.counts`. */
  async function executeCounting(request: ExecutionRequest, points: number, context: OperationContext): Promise<JsonResult> {
    const { caller, signal } = context;
    const end = await caller.counting(signalOf(signal));
    try {
      await caller.turn(points, signal);
      return await executeNow(request, context);
    } finally {
      end();
    }
  }

  /** Begins an operation once its caller is charged, unless that was refused, and the event loop has time for it. */
  function begin(
    unpaid: Refused | undefined,
    request: ExecutionRequest,
    chosen: OperationDefinitionNode,
    needs: OperationNeeds,
    { points, counts }: OperationCost,
    context: OperationContext,
  ): JsonResult | Promise<JsonResult> {
    const { caller, signal, outcome, transport } = context;
    if (unpaid !== undefined) throw refusal(rateLimited(unpaid), { status: 429, headers: rateHeaders(unpaid) });
    if (transport.method === 'GET' && needs.isPostOnly) {
      const text = 'GET does not allow this operation. Send it with POST or over a WebSocket.';
      throw refusal(new RequestError('BAD_USER_INPUT', text, {}), { status: 405, headers: { allow: 'POST' } });
    }
    checkScopes(needs, context.viewer);
    if (outcome.isStream)
      return openStream(chosen.operation === 'subscription' ? subscriptions : liveQueries, request, chosen, context);
    if (outcome.history !== undefined) return history.page(request, context, outcome.history);
    if (outcome.since !== undefined) return history.since(request, context, outcome.since);
    if (counts) return executeCounting(request, points, context);
    const turn = caller.turn(points, signal);
    return turn === undefined ? executeNow(request, context) : turn.then(() => executeNow(request, context));
  }

  function runOperation(request: ExecutionRequest, context: OperationContext): JsonResult | Promise<JsonResult> {
    const { document, operationName, variableValues } = request;
    const { outcome, caller, transport, record } = context;
    const chosen = getOperationAST(document, operationName);
    if (!chosen) throw new Error('the document has no such operation');
    noteOperation(record, chosen.name?.value);
    if (tracer.isOn && record.span !== undefined) outcome.span = spanOf(record.span, chosen, context);
    const isSubscription = chosen.operation === 'subscription';
    const needs = needsOf(document, chosen);
    const { isStream } = needs;
    const isOfPast = outcome.history !== undefined || outcome.since !== undefined;
    const isSingleQuery = chosen.operation === 'query' && !isStream && !isOfPast;
    if (context.proof !== undefined) checkProof(context.proof, isSingleQuery);
    if (!isSingleQuery) checkNoQuorum(context);
    if (transport.admit !== undefined) {
      checkScopes(needs, context.viewer);
      transport.admit(isStream);
    }
    const isAllowed =
      chosen.operation === 'query' && !isStream && !(outcome.history !== undefined && outcome.since !== undefined);
    if (isOfPast && !isAllowed) throw historyRefused(outcome.history === undefined ? 'extensions.since' : 'extensions.history');
    outcome.isStream = isStream;
    outcome.isAdmitted = true;
    const variables = variableValues ?? {};
    checkVariables(document, chosen, variables);
    const ownCost = costOf(document, chosen, variables);
    const cost = context.quorum === undefined ? ownCost : timesQuorum(ownCost, context);
    record.cost = cost.points + record.bytes;
    if (cost.points > limits['graphql.cost']) throw tooComplex(limits, 'graphql.cost', 'points', cost.points);
    const readsSchemaAlone = needs.scopes.size === 1 && needs.scopes.has('introspect');
    const isBounded = context.viewer.isAnonymous === true && !readsSchemaAlone;
    if (isBounded && cost.points > limits['anonymous.cost'] && !isTrusted(outcome.text ?? ''))
      throw tooComplex(limits, 'anonymous.cost', 'points without a token', cost.points);
    context.counted.begin(cost);
    outcome.immutable = chosen.operation === 'query' && !isStream && !needs.isLive;
    if (!isSubscription) outcome.countsLists = cost.counts;
    // The first point was taken when the request arrived.
    const charging = caller.take(cost.points - 1, cost.broadcasts);
    return charging instanceof Promise
      ? charging.then((unpaid) => begin(unpaid, request, chosen, needs, cost, context))
      : begin(charging, request, chosen, needs, cost, context);
  }

  return runOperation;
}

/** The cost of an operation that several nodes must agree on: as often as there are nodes. */
function timesQuorum(cost: OperationCost, { quorum }: OperationContext): OperationCost {
  const factor = quorum instanceof RequestQuorum ? quorum.factor : 1;
  return factor === 1 ? cost : { ...cost, points: cost.points * factor };
}

/** Throws if an operation that is no query names more nodes than agree by default. A stream reads what all its subscribers share. */
function checkNoQuorum({ quorum }: OperationContext): void {
  if (!(quorum instanceof RequestQuorum) || quorum.factor === 1) return;
  const bound = `at most ${quorum.base.quorum} for mutations, subscriptions and live queries (--quorum)`;
  throw badInput('extensions.quorum', String(quorum.factor), bound);
}

/** A span of the operation, by the conventions for GraphQL. */
function spanOf(parent: Span, { operation, name }: OperationDefinitionNode, { height, signal }: OperationContext): Span {
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
