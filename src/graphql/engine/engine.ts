import { type DocumentNode, type GraphQLError, getOperationAST, specifiedRules, type ValidationRule, validate } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { noteOperation, timed } from '../../answers/caller.ts';
import type { Report } from '../../answers/errors.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import { createDocumentReader, type DocumentCache } from '../documents/documents.ts';
import { briefly, createLocate, refusal, toGraphQLError, toGraphQLErrors } from '../documents/errors.ts';
import type { ExecutionRequest } from '../execution/execute.ts';
import { isJsonResult, type JsonResult } from '../execution/execution.ts';
import { noteWishes, type OperationContext, type Transport } from './context.ts';
import { createOperations, type OperationsOptions, type RunningContext } from './operation.ts';
import type { EnginePlugin } from './plugins.ts';

/** The engine of operations, over HTTP and over WebSockets. */
export interface Engine {
  /**
   * Runs the operation that `context.readParams` returns. What refuses it is in the errors of the result, which are as the caller sees them. The
   * opened stream of a subscription or live query is in the outcome of the context. Never throws or rejects.
   */
  run(context: OperationContext): JsonResult | Promise<JsonResult>;
}

interface EngineOptions extends OperationsOptions {
  /** The cache of parsed and validated documents. */
  readonly documents: DocumentCache;
  /** The plugins of the operator. */
  readonly plugins: readonly EnginePlugin[];
  /** Whether `broadcastTxCommit` is enabled. */
  readonly broadcastCommit: boolean;
  /** Logs unexpected failures: one line for each operation. */
  readonly report: Report;
}

/**
 * Creates the engine: a pipeline of GraphQL Yoga. Our own plugin comes first, then those of the operator, then those with which Yoga checks
 * parameters and mutations by GET. Yoga's HTTP is not used, because it takes 20 times as long.
 */
export function createEngine(options: EngineOptions): Engine {
  const { schema, report, plugins } = options;
  const { getResultForParams } = createYoga<OperationContext>({
    schema,
    plugins: [createPipeline(options), ...plugins],
    // `publicResult` masks each error with the id of its request.
    maskedErrors: false,
    // Documents are cached within the memory for documents.
    parserAndValidationCache: false,
    logging: false,
  });
  /** Without plugins, nobody looks at more of a request than its method. */
  const bareRequests = { GET: requestOf({ method: 'GET' }), POST: requestOf({ method: 'POST' }) };

  return {
    run(context) {
      const finish = (result: unknown): JsonResult => publicResult(jsonResultOf(result), context, report);
      const { transport, record, outcome } = context;
      const failure = (error: unknown): JsonResult => ({ errors: [toGraphQLError(error, record.id, report, outcome.locate)] });
      try {
        const request = plugins.length === 0 ? bareRequests[transport.method] : requestOf(transport);
        // The parameters are read in `onParams`.
        const result = getResultForParams({ params: {}, request }, context);
        return result instanceof Promise ? result.then(finish).catch(failure) : finish(result);
      } catch (error) {
        return failure(error);
      }
    },
  };
}

/** The request as plugins see it: without its body, which is in `params`. */
function requestOf({ method, url = '/graphql', headers = {} }: Transport): Request {
  const entries = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new Request(new URL(url, 'http://localhost'), { method, headers: entries });
}

/** The result of the pipeline. A plugin may have replaced it, or its data. */
function jsonResultOf(result: unknown): JsonResult {
  if (isJsonResult(result)) return result;
  if (typeof result !== 'object' || result === null || Symbol.asyncIterator in result)
    throw new Error('a plugin replaced a result with something else');
  return { ...result, ...('data' in result && { data: JSON.stringify(result.data) }) };
}

/** The result as the caller sees it: converted errors, and the warnings. */
function publicResult(result: JsonResult, context: OperationContext & Partial<GraphQLContext>, report: Report): JsonResult {
  const { record, outcome, dependencies, warnings } = context;
  const masked =
    result.errors === undefined
      ? result
      : { ...result, errors: toGraphQLErrors(result.errors, record.id, report, outcome.locate) };
  if (warnings === undefined || warnings.size === 0) return masked;
  // The chain may describe the types at a later height.
  dependencies.dependsOnHeight();
  return { ...masked, extensions: { ...masked.extensions, warnings: [...warnings] } };
}

/** Our plugin: what Yoga does with an operation at each stage. */
function createPipeline(options: EngineOptions): Plugin<RunningContext, OperationContext> {
  const { schema, documents, limits, broadcastCommit } = options;
  const reader = createDocumentReader(limits, documents);
  const runOperation = createOperations(options);
  const maxErrors = limits['graphql.validationErrors'];

  function parseText(text: string, context: OperationContext, operationName: string | undefined): DocumentNode {
    const { outcome, transport } = context;
    outcome.hasDocument = true;
    outcome.locate = createLocate(text);
    const document = timed(context, () => reader.parse(text));
    if (transport.admit !== undefined && !getOperationAST(document, operationName)) throw withoutOperation(document, context);
    return document;
  }

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
  ): GraphQLError[] {
    // For a rejected document. With several operations, the name is known only later.
    noteOperation(context.record, getOperationAST(document)?.name?.value);
    const validateBy = (chosen: readonly ValidationRule[]) =>
      validate(schema, document, chosen, { maxErrors, hideSuggestions: true });
    const errors = timed(context, () => {
      const invalid = reader.validate(document, () => validateBy(specifiedRules));
      return invalid.length > 0 || rules.length <= specifiedRules.length
        ? invalid
        : validateBy(rules.slice(specifiedRules.length));
    });
    // The last error reports that validation stopped.
    return errors.slice(0, maxErrors).map((error) => briefly(error, context.outcome.locate));
  }

  return {
    onParams({ context, params }) {
      Object.assign(params, readParams(context));
      // Envelop keeps the text as long as the document. That of the request may be a part of its body.
      if (typeof params.query === 'string') params.query = documents.copyOf(params.query) ?? params.query;
    },
    onParse({ context, setParseFn }) {
      setParseFn((text: string) => parseText(text, context, context.params.operationName));
    },
    onValidate({ context, setValidationFn }) {
      setValidationFn((_schema, document: DocumentNode, rules: readonly ValidationRule[] = []) =>
        validateDocument(document, rules, context),
      );
    },
    onContextBuilding({ context, extendContext }) {
      extendContext({ viewer: context.session.viewer, broadcastCommit, limits, warnings: new Set<string>() });
    },
    onExecute({ context, setExecuteFn }) {
      setExecuteFn((request: ExecutionRequest) => runOperation(request, context));
    },
    onSubscribe({ context, setSubscribeFn }) {
      setSubscribeFn((request: ExecutionRequest) => runOperation(request, context));
    },
  };
}

/** Reads the parameters, of which Yoga checks the types of the others. Throws if the transport refuses the request. */
function readParams({ readParams: read, outcome, record, transport }: OperationContext): Readonly<Record<string, unknown>> {
  const params = read();
  const { operationName } = params;
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    throw refusal(badInput('operationName', typeof operationName, 'a string'));
  noteOperation(record, operationName);
  // Its assignment would set a prototype. Yoga refuses other parameters that are unknown.
  if (Object.hasOwn(params, '__proto__'))
    throw refusal(new RequestError('BAD_USER_INPUT', 'Unexpected parameter "__proto__" in the request body.', {}), {
      status: 400,
    });
  noteWishes(outcome, params.extensions);
  transport.checkRequest?.();
  return params;
}
