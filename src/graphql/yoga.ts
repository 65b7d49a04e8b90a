import { randomUUID } from 'node:crypto';
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { Limits } from '../config/limits/limits.ts';
import { heightPlace } from '../reads/pin.ts';
import type { GraphQLContext } from '../schema/builder.ts';
import type { DocumentCache } from './documents/documentCache.ts';
import { createLiveCheck } from './documents/fieldChecks.ts';
import type { Execute } from './execution/execute.ts';
import { refusal } from './limits/limitError.ts';
import { isLiveQuery } from './live/liveDirective.ts';
import type { LiveQueries } from './live/liveQueries.ts';
import { noteWishes, type OperationContext } from './operation/context.ts';
import { acceptPlugin } from './plugins/acceptPlugin.ts';
import { limitsPlugin } from './plugins/limitsPlugin.ts';
import { paramsPlugin } from './plugins/paramsPlugin.ts';
import { postOnlyPlugin } from './plugins/postOnlyPlugin.ts';
import { type ScopeCheck, scopesPlugin } from './plugins/scopeCheck.ts';
import { timePlugin } from './plugins/timePlugin.ts';
import { costPlace } from './request/answer.ts';
import { limitFull, rateHeaders, rateLimited, timed } from './request/caller.ts';
import { type Report, toGraphQLError, toGraphQLErrors, withoutHttp, withStatus } from './request/errors.ts';
import { noteErrors, noteOperation } from './request/requestRecord.ts';
import { schema } from './schema.ts';
import { streamFormatOf, streamTypes } from './subscriptions/streamFormat.ts';
import type { Subscriptions } from './subscriptions/subscriptions.ts';

/** The GraphQL engine: takes a fetch request and its context, returns a fetch response. */
export type Yoga = YogaServerInstance<OperationContext, GraphQLContext>;

/** Options of the engine. */
export interface YogaOptions {
  /** Runs the subscriptions. */
  readonly subscriptions: Subscriptions;
  /** Runs the queries with `@live`. */
  readonly liveQueries: LiveQueries;
  /** Logs unexpected failures: one line for each operation. */
  readonly report: Report;
  /** Whether `broadcastTxCommit` is enabled. */
  readonly broadcastCommit: boolean;
  readonly limits: Limits;
  /** Executes queries and mutations, over HTTP and over sockets. */
  readonly execute: Execute;
  /** The cache of parsed and validated documents. */
  readonly documents: DocumentCache;
  /** Rejects operations whose scope the viewer does not have. */
  readonly scopeCheck: ScopeCheck;
}

/** Headers of a stream, besides its content type. */
const streamHeaders = {
  connection: 'keep-alive',
  'content-encoding': 'none',
};

/** Creates the engine for the schema. */
export function createGraphQLYoga(options: YogaOptions): Yoga {
  const { subscriptions, liveQueries, execute, report, broadcastCommit, scopeCheck, limits, documents } = options;
  const shown = new WeakSet<GraphQLError>();
  const isShown = (error: unknown): error is GraphQLError => error instanceof GraphQLError && shown.has(error);
  return createYoga<OperationContext, GraphQLContext>({
    schema,
    context: ({ outcome, session: { viewer } }) => ({ viewer, outcome, broadcastCommit, limits, warnings: new Set() }),
    graphqlEndpoint: '/graphql',
    landingPage: false,
    logging: false,
    multipart: false,
    // The engine's own cache keeps errors too, and is bounded by count and not by bytes.
    parserAndValidationCache: false,
    // The router handles CORS.
    cors: false,
    graphiql: false,
    maskedErrors: { maskError: (error) => (isShown(error) ? error : toGraphQLError(error, randomUUID(), report)) },
    plugins: [
      paramsPlugin(),
      recordPlugin(report, shown),
      // Before the limits, which make executions wait.
      executePlugin(execute),
      limitsPlugin(schema, limits, documents),
      timePlugin(),
      pinPlugin(),
      postOnlyPlugin(schema),
      scopesPlugin(scopeCheck),
      warningsPlugin(),
      subscriptionPlugin({ subscriptions, liveQueries, report, shown }),
      // The last plugin: it responds if no other plugin has an accepted media type.
      acceptPlugin(),
    ],
  });
}

/**
 * A result with the height that it was read at, and with its cost if the request asked for it. Both are places, which are filled
 * when the answer is sent.
 */
export function withExtensions(result: ExecutionResult, { height, outcome, record }: OperationContext): ExecutionResult {
  const wantsCost = outcome.wantsCost && record.cost !== undefined;
  if (height === undefined && !wantsCost) return result;
  return {
    ...result,
    extensions: {
      ...result.extensions,
      ...(height !== undefined && { height: heightPlace.toString() }),
      ...(wantsCost && { cost: costPlace }),
    },
  };
}

/**
 * Executes operations, over HTTP and over sockets. Charges the caller for the time of execution up to the first wait for a node, and not for the time
 * that limits make it wait.
 */
function executePlugin(execute: Execute): Plugin<OperationContext> {
  return {
    onExecute: ({ args, setExecuteFn }) => setExecuteFn((given) => timed(args.contextValue, () => execute(given))),
  };
}

/** Sets the root value of each operation and the height of each result. */
function pinPlugin(): Plugin<OperationContext, OperationContext> {
  const isLive = createLiveCheck(schema);
  return {
    onParams({ params, context }) {
      noteWishes(context.outcome, params.extensions);
    },
    onExecute({ args }) {
      const { contextValue, document } = args;
      args.rootValue = contextValue.root;
      const isQuery = getOperationAST(document, args.operationName)?.operation === 'query';
      contextValue.outcome.immutable = isQuery && !isLive(document) && !isLiveQuery(document, args.operationName);
    },
    onSubscribe({ args }) {
      args.contextValue.outcome.immutable = false;
    },
    onExecutionResult({ result, setResult, context }) {
      if (result === undefined || Symbol.asyncIterator in result) return;
      if (result.errors !== undefined) context.outcome.immutable = false;
      const final = withStatus(withExtensions(result, context));
      // The engine's serializer would look locations up in the source, which cached documents do not have.
      setResult(final.errors === undefined ? final : { ...final, stringify: () => JSON.stringify(withoutHttp(final)) });
    },
  };
}

/**
 * Fills in the record of a request, and converts failures with the request id, which the engine's own masking does not have. `shown` marks
 * converted errors, so that they are not masked again.
 */
function recordPlugin(report: Report, shown: WeakSet<GraphQLError>): Plugin<OperationContext, OperationContext> {
  const note = ({ document, operationName, contextValue }: Noted): void =>
    noteOperation(contextValue.record, getOperationAST(document, operationName)?.name?.value);
  return {
    onParams: ({ params, context }) => noteOperation(context.record, params.operationName),
    // For a rejected document. With several operations, the name is known only later.
    onValidate: ({ params, context }) => noteOperation(context.record, getOperationAST(params.documentAST)?.name?.value),
    onExecute({ args }) {
      note(args);
      const { record, outcome }: OperationContext = args.contextValue;
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result || result.errors === undefined) return;
          // A live query that could not be opened.
          if (result.errors.every((error) => shown.has(error))) return;
          const errors = toGraphQLErrors(result.errors, record.id, report, outcome.locate);
          for (const error of errors) shown.add(error);
          setResult({ ...result, errors });
        },
      };
    },
    onSubscribe: ({ args }) => note(args),
    onExecutionResult({ result, context }) {
      if (result !== undefined && !(Symbol.asyncIterator in result)) noteErrors(context.record, result.errors);
    },
  };
}

/** The parts of a request that name its operation. */
interface Noted {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly contextValue: OperationContext;
}

/** Adds `extensions.warnings` to a result. */
function warningsPlugin(): Plugin<GraphQLContext & OperationContext, OperationContext> {
  return {
    onExecute: ({ args }) => ({
      onExecuteDone({ result, setResult }) {
        const { warnings, dependencies }: GraphQLContext & OperationContext = args.contextValue;
        if (warnings.size === 0 || Symbol.asyncIterator in result) return;
        // The chain may describe the types at a later height.
        dependencies.dependsOnHeight();
        setResult({ ...result, extensions: { ...result.extensions, warnings: [...warnings] } });
      },
    }),
  };
}

/** The part of a context that the events of a subscription need, without the body of the request. */
function lastingContext({ viewer, broadcastCommit, limits }: GraphQLContext): GraphQLContext {
  return { viewer, broadcastCommit, limits, outcome: { immutable: false }, warnings: new Set() };
}

/** The declared variables of an operation. Others are not kept while a subscription runs. */
function declaredVariables(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: ExecutionArgs['variableValues'],
): Record<string, unknown> {
  const names = getOperationAST(document, operationName)?.variableDefinitions?.map(({ variable }) => variable.name.value);
  return Object.fromEntries(Object.entries(variables ?? {}).filter(([name]) => names?.includes(name) === true));
}

/** The result of a subscription inside the engine, which never sees the events. */
async function* elsewhere(): AsyncGenerator<ExecutionResult> {}

/** The arguments that the engine executes an operation with. */
type OpenArgs = Omit<ExecutionArgs, 'contextValue'> & { readonly contextValue: OperationContext & GraphQLContext };

/**
 * Opens subscriptions and live queries, and puts them into the outcome of the request. Their bytes are created once for all
 * subscribers and go directly to each socket, not through the engine or fetch streams.
 */
function subscriptionPlugin({
  subscriptions,
  liveQueries,
  report,
  shown,
}: Pick<YogaOptions, 'subscriptions' | 'liveQueries' | 'report'> & { readonly shown: WeakSet<GraphQLError> }): Plugin<
  GraphQLContext & OperationContext,
  OperationContext
> {
  async function open(
    streams: Pick<Subscriptions, 'open'>,
    { schema, document, variableValues, operationName, contextValue }: OpenArgs,
  ) {
    const { root, height, outcome, session, caller, record } = contextValue;
    const slot = caller.openStream();
    if ('retryAfter' in slot) throw refusal(rateLimited(slot), { status: 429, headers: rateHeaders(slot) });
    if ('limit' in slot) throw refusal(limitFull(slot), { status: 429 });
    const operation = {
      schema,
      document,
      operationName,
      variableValues: declaredVariables(document, operationName, variableValues),
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
    if (!('begin' in opened)) {
      slot.end();
      const errors = opened.errors?.map((error) => toGraphQLError(error, record.id, report, outcome.locate)) ?? [];
      for (const error of errors) shown.add(error);
      return { ...opened, errors };
    }
    outcome.subscription = opened;
    return elsewhere();
  }

  return {
    onExecute({ args, setExecuteFn }) {
      if (isLiveQuery(args.document, args.operationName)) setExecuteFn(() => open(liveQueries, args));
    },
    onSubscribe: ({ args, setSubscribeFn }) => setSubscribeFn(() => open(subscriptions, args)),
    onResultProcess({ request, serverContext, setResultProcessor }) {
      if (serverContext.outcome.subscription === undefined) return;
      const format = streamFormatOf(request.headers.get('accept'));
      if (format === undefined) return;
      const headers = { 'content-type': streamTypes[format], ...streamHeaders };
      setResultProcessor((_, { Response }) => new Response(null, { headers }), streamTypes[format]);
    },
  };
}
