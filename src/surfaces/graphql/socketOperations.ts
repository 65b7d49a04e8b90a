import { type ExecutionArgs, type ExecutionResult, GraphQLError, parse } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { fillBody, graphqlTexts, plainBody, splitBody } from '../../answers/answer.ts';
import type { AnswerCache, AnswerKey, Made, MakeAnswer } from '../../answers/answerCache.ts';
import { limitFull, noteErrors, noteOperation, pointsOf, rateLimited, shownCost } from '../../answers/caller.ts';
import { leftError } from '../../answers/errors.ts';
import { heightsIn, type Picked, pickHeight } from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { toGraphQLError, withoutHttp } from '../../graphql/documents/errors.ts';
import type { NamedDocuments } from '../../graphql/documents/namedDocuments.ts';
import { createOperationContext, type OperationContext, withExtensions } from '../../graphql/engine/context.ts';
import type { Engine } from '../../graphql/engine/engine.ts';
import { type JsonResult, resultJson } from '../../graphql/execution/execution.ts';
import { schema } from '../../graphql/schema.ts';
import type { OpenSubscription } from '../../graphql/subscriptions/subscriber.ts';
import { RequestError } from '../../reads/errors.ts';
import type { Session } from '../../reads/viewer.ts';
import { Lifetime, readShared } from '../../server/lifetime.ts';
import type { Requests, TraceHeaders } from '../../server/observability/requestLog.ts';
import { stopping } from '../../server/sockets/openSockets.ts';
import type { RunningOperation, Socket, SocketConnection } from './socketConnection.ts';
import { beginStream } from './socketStream.ts';

/** An executed operation of a socket. */
interface Executed {
  /** The answer of a query or mutation. Otherwise empty and not kept. */
  readonly made: Made;
  /** The errors that refuse the operation. The client gets them as an `error` message. */
  readonly refused?: GraphQLError[];
  /** A subscription or live query, or the result with the errors that it could not be opened for. */
  readonly opened?: OpenSubscription | Pick<JsonResult, 'errors'>;
}

/** Executes an operation. */
type ExecuteOperation = (context: OperationContext) => Promise<Executed>;

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
function createSocketExecution(engine: Engine): ExecuteOperation {
  return async (context) => {
    const { record, outcome, dependencies } = context;
    const result = withoutHttp(await engine.run(context));
    const { errors } = result;
    if (errors !== undefined && !outcome.isAdmitted) return { made: nothing, refused: [...errors] };
    if (outcome.subscription !== undefined) return { made: nothing, opened: outcome.subscription };
    noteErrors(record, errors);
    if (outcome.isStream) return { made: nothing, opened: errors === undefined ? {} : { errors } };
    const json = jsonOf(await withExtensions(result, context));
    const answer = { status: 200, operation: record.operation, headers: [], body: splitBody(Buffer.from(json)) };
    return { made: { answer, keep: outcome.immutable && errors === undefined, carried: dependencies.carried() } };
  };
}

/** Runs the operations of sockets, as the callbacks of the protocol library. */
interface SocketOperations {
  /**
   * Finds the answer of a query or mutation, or executes it, or opens a subscription or live query. Returns the arguments that the library
   * passes on, or the errors that refuse the operation.
   */
  prepare(socket: Socket, id: string, request: SubscribePayload): Promise<ExecutionArgs | GraphQLError[]>;
  /** Sends the answer of a query or mutation. Returns no results, because the library would print them again. */
  execute(prepared: ExecutionArgs): Promise<AsyncIterableIterator<ExecutionResult>>;
  /** Starts a prepared subscription or live query. Returns an empty result if it has begun, or the errors that refuse it. */
  subscribe(prepared: ExecutionArgs): Promise<ExecutionResult>;
}

/** An operation that was executed, or whose answer was found. */
interface PreparedOperation {
  /** The socket that gets its results. */
  readonly socket: Socket;
  /** The request object of the protocol library. */
  readonly request: object;
  readonly operation: RunningOperation;
  /** The JSON of the result of a query or mutation, in pieces. */
  readonly json: readonly Buffer[];
  readonly opened: Executed['opened'];
}

/** The library needs a document to tell the kinds of operations apart. Most are not parsed, because their answers are cached. */
const documents = { answer: parse('{ __typename }'), subscription: parse('subscription { __typename }') };

async function* noResults(): AsyncGenerator<ExecutionResult> {}

/**
 * The key of an answer. Equal messages share it, whatever their ids. The text of the id is left out where it occurs first: if that is
 * not the id itself, another message has the same rest only if it has the same id.
 */
function keyOf(
  text: string,
  id: string,
  { viewer: { scopes } }: Session,
  picked: Picked,
  named: string | undefined,
): AnswerKey | undefined {
  if ('error' in picked) return undefined;
  const written = JSON.stringify(id);
  const start = text.indexOf(written);
  const message = start < 0 ? text : `${text.slice(0, start)}${text.slice(start + written.length)}`;
  // The id of a document may not identify its text.
  const body = named === undefined ? message : `${named}\n${message}`;
  const { chain, height } = picked;
  return { chain, height, scopes, method: 'SUBSCRIBE', url: '', accept: '', contentType: '', body };
}

/**
 * Delays a result until the socket is closed. An operation that a stopping server has not begun gets no result: the client
 * sends it again when the socket closes, but would treat an error as final.
 */
async function untilClosed<T>(connection: SocketConnection, result: T): Promise<T> {
  await connection.whenClosed();
  return result;
}

/** Ends an operation with these errors. Does nothing if it was never begun or is over. */
export function settle(connection: SocketConnection, request: object, errors?: readonly GraphQLError[]): void {
  const operation = connection.remove(request);
  if (operation === undefined) return;
  noteErrors(operation.record, errors);
  operation.end();
  connection.answered(operation);
}

/** Returns the number of subscriptions on a socket that its client has not completed. */
function streamsOf({ subscriptions, extra }: Socket): number {
  let count = extra.streams;
  for (const [, { id, isSubscription }] of extra.running()) if (isSubscription && id in subscriptions) count += 1;
  return count;
}

/** The trace of the caller that the `extensions` of an operation name. */
function traceIn(extensions: SubscribePayload['extensions']): TraceHeaders {
  const { traceparent, tracestate } = extensions ?? {};
  return {
    ...(typeof traceparent === 'string' && { traceparent }),
    ...(typeof tracestate === 'string' && { tracestate }),
  };
}

/** Creates the operations of sockets. They run in the same engine as those over HTTP, with the same pins and errors. */
export function createSocketOperations(options: {
  readonly client: Client;
  readonly engine: Engine;
  readonly answers: AnswerCache;
  readonly documents: NamedDocuments;
  readonly requests: Requests;
  /** Logs each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
  readonly limits: Limits;
  /** Whether the server is shutting down. */
  readonly isDraining: () => boolean;
}): SocketOperations {
  const { client, answers, documents: namedDocuments, requests, report, limits, isDraining } = options;
  const execute = createSocketExecution(options.engine);
  const maxStreams = limits['socket.subscriptions'];

  /** Prepared operations, by the arguments object that the protocol library holds while they run. */
  const begun = new WeakMap<ExecutionArgs, PreparedOperation>();
  const take = (known: ExecutionArgs): PreparedOperation => {
    const prepared = begun.get(known);
    if (prepared === undefined) throw new Error('the operation was not prepared');
    begun.delete(known);
    return prepared;
  };

  async function prepare(socket: Socket, id: string, request: SubscribePayload): Promise<ExecutionArgs | GraphQLError[]> {
    const { variables, operationName, extensions } = request;
    const given = { query: request.query, extensions, documentId: 'documentId' in request ? request.documentId : undefined };
    const { extra } = socket;
    const { received, receivedText } = extra;
    // The protocol library holds the message while the operation runs, and does not read it again.
    Object.assign(request, { query: '', variables: null, extensions: null });
    const { named, admission } = extra;
    if (admission === undefined) throw new Error('an operation before the connection was initialized');
    const { session, caller } = admission;
    if (Buffer.byteLength(id) > limits['socket.id']) {
      const text = `The id of an operation has more than ${limits['socket.id']} bytes`;
      extra.close(4400, text);
      return [new GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT' } })];
    }
    extra.begun += 1;
    const tracked = requests.operation(`${extra.id}-${extra.begun}`, session.viewer, 'graphql-ws', traceIn(extensions));
    const { record } = tracked;
    const presence = new Lifetime();
    const operation: RunningOperation = {
      ...{ id, presence, waits: new Lifetime(), isAnswered: true, isSubscription: false, releaseSlot: undefined },
      ...tracked,
    };
    const isIdInUse = [...extra.running()].some(([, other]) => !other.isAnswered && other.id === id);
    extra.add(request, operation);
    noteOperation(record, operationName);
    if (isDraining()) {
      const refused = [new GraphQLError(stopping.message, { extensions: { code: 'SERVER_SHUTDOWN' } })];
      noteErrors(record, refused);
      return untilClosed(extra, refused);
    }
    if (isIdInUse) {
      // The client has completed the other operation. The protocol library would send its result for this one.
      const text = `Subscriber for ${id} already exists`;
      extra.close(4409, text);
      return [new GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT' } })];
    }
    operation.isAnswered = false;
    /** Takes a slot of `rate.concurrent`, once. Returns the errors if there is none. */
    const takeSlot = (): GraphQLError[] | undefined => {
      if (operation.releaseSlot !== undefined) return undefined;
      const slot = caller.enter();
      if (!('end' in slot)) return [toGraphQLError(rateLimited(slot), record.id, report)];
      operation.releaseSlot = slot.end;
      // The socket may have closed in the meantime.
      if (operation.isAnswered) slot.end();
      return undefined;
    };
    const points = pointsOf(extra.receivedBytes, limits);
    await Promise.all([caller.fresh(), namedDocuments.load(given)]);
    const unpaid = await caller.take(points);
    if (unpaid !== undefined) return [toGraphQLError(rateLimited(unpaid), record.id, report)];
    record.cost = points;
    record.bytes = points - 1;
    const asked = namedDocuments.find(given, session.viewer.scopes);
    if (asked instanceof RequestError) return [toGraphQLError(asked, record.id, report)];
    const query = asked.named ?? given.query;
    const inExtensions = heightsIn(extensions);
    const heights = {
      height: inExtensions.height ?? named.height,
      minHeight: inExtensions.minHeight ?? named.minHeight,
      chain: inExtensions.chain,
    };
    const full = heights.minHeight === undefined && heights.chain === undefined ? undefined : takeSlot();
    if (full !== undefined) return full;
    const picked = await pickHeight(client, heights, limits, operation.waits);
    // An answer that prints the time is found only while it is known. It may be forgotten before the answer is sent.
    const time = ('height' in picked && client.head.timeAt(picked.height)) || '';
    // Completed or closed during the wait: nothing is executed.
    if (operation.waits.isCancelled) return [toGraphQLError(leftError(), record.id, report)];

    /** Takes the place of an operation among those of its caller. Throws if there is none. */
    const admit = (isStream: boolean): void => {
      if (!isStream) {
        const [full] = takeSlot() ?? [];
        if (full !== undefined) throw full;
        return;
      }
      if (streamsOf(socket) >= maxStreams) throw limitFull({ limit: 'socket.subscriptions', max: maxStreams });
      operation.isSubscription = true;
      // Subscriptions have their own limits.
      operation.releaseSlot?.();
    };
    const own: { isBegun: boolean; executed?: Executed } = { isBegun: false };
    const make: MakeAnswer = (making) => {
      own.isBegun = true;
      // Other callers may wait for the same answer, so the reads run until all of them have disconnected.
      return readShared(new Lifetime(limits['request.deadline'], received, record.span), making, async (signal) => {
        const common = { client, session, record, caller, picked, limits, transport: { method: 'POST', admit } } as const;
        const readParams = () => ({ query, variables, operationName, extensions });
        own.executed = await execute(createOperationContext({ ...common, readParams, signal, making }));
        return own.executed.made;
      });
    };
    const key = keyOf(receivedText, id, session, picked, asked.named);
    const finding = answers.answer(key, presence, make);
    // An operation that is executed takes its slot once its kind is known.
    const tooMany = own.isBegun ? undefined : takeSlot();
    if (tooMany !== undefined) {
      presence.cancel();
      return tooMany;
    }
    const found = await finding;
    // The socket was closed during the wait for another caller's answer.
    if (found === undefined) return [toGraphQLError(leftError(), record.id, report)];
    const { refused, opened } = own.executed ?? {};
    if (refused !== undefined) return refused;
    const { answer } = found;
    if (opened === undefined) record.operation = answer.operation;
    const cost = (): string => JSON.stringify(shownCost(record, caller, limits));
    const timeAt = (): string => ('height' in picked && client.head.timeAt(picked.height)) || time;
    const json = fillBody(answer.body, graphqlTexts('height' in picked ? picked.height.toString() : '', timeAt, cost));
    const document = opened === undefined ? documents.answer : documents.subscription;
    const known: ExecutionArgs = { schema, document, rootValue: undefined, contextValue: undefined };
    begun.set(known, { socket, request, operation, json, opened });
    return known;
  }

  return {
    prepare,
    async execute(known) {
      const { socket, operation, json } = take(known);
      // Completed by the client: it gets no result.
      if (operation.id in socket.subscriptions) await socket.extra.sendResult(operation.id, json);
      return noResults();
    },
    async subscribe(known) {
      const { opened, socket, request, operation } = take(known);
      const { id } = operation;
      socket.extra.answered(operation);
      if (opened === undefined) throw new Error('the operation is not a subscription');
      if (!('begin' in opened)) return isDraining() ? untilClosed(socket.extra, opened) : opened;
      if (id in socket.subscriptions) {
        // The stream ends the operation.
        socket.extra.remove(request);
        beginStream(opened, socket, operation);
        return {};
      }
      // Completed or closed while it was opened.
      opened.drop();
      return {};
    },
  };
}
