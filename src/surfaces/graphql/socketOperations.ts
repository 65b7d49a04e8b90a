import { GraphQLError } from 'graphql';
import { CloseCode, type SubscribePayload } from 'graphql-ws';
import { fillBody, graphqlTexts, plainBody, splitBody } from '../../answers/answer.ts';
import type { AnswerCache, AnswerKey, Made, MakeAnswer } from '../../answers/answerCache.ts';
import { proofInExtensions } from '../../answers/assurance.ts';
import { limitFull, noteErrors, noteOperation, pointsOf, type Refused, rateLimited, shownCost } from '../../answers/caller.ts';
import { leftError } from '../../answers/errors.ts';
import { heightsIn, type Picked, pickHeight } from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { toGraphQLError, withoutHttp } from '../../graphql/documents/errors.ts';
import type { NamedDocuments } from '../../graphql/documents/requestParams.ts';
import { createOperationContext, type OperationContext, withExtensions } from '../../graphql/engine/context.ts';
import type { Engine } from '../../graphql/engine/engine.ts';
import { resultJson } from '../../graphql/execution/execution.ts';
import type { OpenSubscription } from '../../graphql/subscriptions/subscriber.ts';
import { RequestError } from '../../reads/errors.ts';
import type { Session } from '../../reads/viewer.ts';
import { Lifetime, readShared } from '../../server/lifetime.ts';
import type { Requests, TraceHeaders, TrackedOperation } from '../../server/observability/requestLog.ts';
import type { ClientLimits, Slot } from '../../server/rateLimits/clientLimits.ts';
import type { Admission } from '../../server/sockets/clientSocket.ts';
import { stopping } from '../../server/sockets/openSockets.ts';
import type { ReceivedMessage, SocketConnection, SocketOperation, SocketProtocol } from './socketConnection.ts';
import { SocketStream } from './subscriptionStreams.ts';

/**
 * What an operation has come to: its result as JSON in pieces, a subscription or live query, or the errors that refuse it. `isRefusedStream`: the
 * result of a stream that could not be opened.
 */
type Prepared = { readonly json: readonly Buffer[]; readonly isRefusedStream?: true } | OpenSubscription | GraphQLError[];

/** The execution for one caller. */
interface Execution {
  isBegun: boolean;
  /** A stream, or the errors that refuse the operation or stream. Nothing of it is shared with other callers. */
  prepared?: Prepared;
}

/** The answer of an execution that only its caller gets. */
const nothing: Made = {
  answer: { status: 200, operation: undefined, headers: [], body: plainBody(Buffer.alloc(0)) },
  keep: false,
  carried: undefined,
};

/** Executes an operation in the engine. Notes in `execution` what only its caller gets. */
async function execute(engine: Engine, context: OperationContext, execution: Execution): Promise<Made> {
  const { record, outcome, dependencies } = context;
  const result = withoutHttp(await engine.run(context));
  const { errors } = result;
  if (errors !== undefined && !outcome.isAdmitted) execution.prepared = [...errors];
  else if (outcome.subscription !== undefined) execution.prepared = outcome.subscription;
  else noteErrors(record, errors);
  if (outcome.isStream) {
    execution.prepared ??= { json: [Buffer.from(JSON.stringify({ errors }))], isRefusedStream: true };
  }
  if (execution.prepared !== undefined) return nothing;
  // The errors are at the end, as graphql-ws writes them.
  const { errors: lastErrors, ...extended } = await withExtensions(result, context);
  const json = resultJson(lastErrors === undefined ? extended : { ...extended, errors: lastErrors });
  const answer = { status: 200, operation: record.operation, headers: [], body: splitBody(Buffer.from(json)) };
  return { answer, keep: outcome.immutable && errors === undefined, carried: dependencies.carried() };
}

/**
 * The key of an answer. Equal messages share it, whatever their ids. The text of the id is left out where it occurs first: if that is
 * not the id itself, another message has the same rest only if it has the same id.
 */
function keyOf(
  text: string,
  id: string,
  { viewer: { scopes } }: Session,
  picked: Picked,
  namedHash: string | undefined,
): AnswerKey | undefined {
  if ('error' in picked) return undefined;
  const idText = JSON.stringify(id);
  const start = text.indexOf(idText);
  const message = start < 0 ? text : `${text.slice(0, start)}${text.slice(start + idText.length)}`;
  // The id of a document may not identify its text.
  const body = namedHash === undefined ? message : `${namedHash}\n${message}`;
  const { chain, height } = picked;
  return { chain, height, scopes, method: 'SUBSCRIBE', url: '', accept: '', contentType: '', body };
}

/** The trace of the caller that the `extensions` of an operation name. */
function traceIn(extensions: SubscribePayload['extensions']): TraceHeaders {
  const { traceparent, tracestate } = extensions ?? {};
  return {
    ...(typeof traceparent === 'string' && { traceparent }),
    ...(typeof tracestate === 'string' && { tracestate }),
  };
}

/** An operation from its message until it has its result or is a stream. Then its client may use its id again. */
class RunningOperation implements SocketOperation {
  readonly id: string;
  readonly tracked: TrackedOperation;
  readonly #connection: SocketConnection;
  /** Whether its client waits for its result: until the result is sent or the socket is closed. */
  readonly presence = new Lifetime();
  /** How long it may wait for a block: until its client completes it, or the socket is closed. */
  readonly waits = new Lifetime();
  isAnswering = true;
  isSubscription = false;
  /** Whether its client has completed it, or the socket is closed. */
  isCompleted = false;
  /** Its slot of `rate.concurrent`. undefined until it has one. */
  #slot: Slot | undefined;

  constructor(id: string, tracked: TrackedOperation, connection: SocketConnection) {
    this.id = id;
    this.tracked = tracked;
    this.#connection = connection;
  }

  complete(): void {
    this.isCompleted = true;
    this.isSubscription = false;
    this.waits.cancel();
  }

  leave(): void {
    this.complete();
    this.presence.cancel();
    this.settle();
  }

  /** Takes a slot of `rate.concurrent`, once. Returns why there is none. */
  takeSlot(caller: ClientLimits): Refused | undefined {
    if (this.#slot !== undefined) return undefined;
    const slot = caller.enter();
    if (!('end' in slot)) return slot;
    this.#slot = slot;
    // The socket may have closed in the meantime.
    if (!this.isAnswering) slot.end();
    return undefined;
  }

  releaseSlot(): void {
    this.#slot?.end();
  }

  /** Its client waits no longer for a result. */
  answer(): void {
    this.isAnswering = false;
    this.presence.end();
    this.releaseSlot();
    this.#connection.closeIfDone();
  }

  /** Ends it, with these errors if any. Only the first call has an effect. */
  settle(errors?: readonly GraphQLError[]): void {
    if (!this.#connection.remove(this)) return;
    noteErrors(this.tracked.record, errors);
    this.tracked.end();
    this.answer();
  }
}

/** Creates the function that runs the operations of sockets, in the same engine as those over HTTP, with the same pins and errors. */
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
}): SocketProtocol['run'] {
  const { client, engine, answers, documents, requests, report, limits, isDraining } = options;
  const maxStreams = limits['socket.subscriptions'];

  /** Finds the answer of a query or mutation, or executes it, or opens a subscription or live query. */
  async function prepare(
    connection: SocketConnection,
    operation: RunningOperation,
    { session, caller }: Admission,
    payload: SubscribePayload,
    { text, length, received }: ReceivedMessage,
  ): Promise<Prepared> {
    const { variables, operationName, extensions } = payload;
    const { record } = operation.tracked;
    const refusalOf = (error: unknown): GraphQLError[] => [toGraphQLError(error, record.id, report)];
    const takeSlot = (): GraphQLError[] | undefined => {
      const full = operation.takeSlot(caller);
      return full && refusalOf(rateLimited(full));
    };
    const source = { query: payload.query, extensions, documentId: 'documentId' in payload ? payload.documentId : undefined };
    const points = pointsOf(length, limits);
    await Promise.all([caller.fresh(), documents.load(source)]);
    const unpaid = await caller.take(points);
    if (unpaid !== undefined) return refusalOf(rateLimited(unpaid));
    record.cost = points;
    record.bytes = points - 1;
    const document = documents.find(source, session.viewer.scopes);
    if (document instanceof RequestError) return refusalOf(document);
    const query = document.named ?? source.query;
    const { heights: upgradeHeights } = connection.request;
    const inExtensions = heightsIn(extensions);
    const proof = proofInExtensions(extensions);
    // A height or a time in the extensions replaces both of the connection.
    const { height, time: blockTime } = (inExtensions.height ?? inExtensions.time) ? inExtensions : upgradeHeights;
    const heights = {
      ...{ height, time: blockTime },
      minHeight: inExtensions.minHeight ?? upgradeHeights.minHeight,
      chain: inExtensions.chain,
      needsProof: proof !== undefined,
    };
    const isWaiting =
      proof !== undefined || heights.minHeight !== undefined || heights.chain !== undefined || blockTime !== undefined;
    let slotErrors = isWaiting ? takeSlot() : undefined;
    if (slotErrors !== undefined) return slotErrors;
    const picked = await pickHeight(client, heights, limits, operation.waits, caller);
    // An answer that prints the time is found only while it is known. It may be forgotten before the answer is sent.
    const time = ('height' in picked && client.head.timeAt(picked.height)) || '';
    // Completed or closed during the wait: nothing is executed.
    if (operation.isCompleted) return refusalOf(leftError());

    /** Counts the operation toward the limits of its kind. Throws if one is reached. */
    const admit = (isStream: boolean): void => {
      if (!isStream) {
        const [error] = takeSlot() ?? [];
        if (error !== undefined) throw error;
        return;
      }
      if (connection.subscriptions() >= maxStreams) throw limitFull({ limit: 'socket.subscriptions', max: maxStreams });
      operation.isSubscription = !operation.isCompleted;
      // Subscriptions have their own limits.
      operation.releaseSlot();
    };
    const execution: Execution = { isBegun: false };
    const make: MakeAnswer = (making) => {
      execution.isBegun = true;
      // Other callers may wait for the same answer, so the reads run until all of them have disconnected.
      const deadline = { milliseconds: limits['request.deadline'], startedAt: received, scope: record.span };
      return readShared(new Lifetime(deadline), making, (signal) => {
        const common = {
          client,
          session,
          record,
          caller,
          picked,
          limits,
          proof,
          quorum: extensions?.quorum,
          transport: { method: 'POST', admit },
        } as const;
        const readParams = () => ({ query, variables, operationName, extensions });
        return execute(engine, createOperationContext({ ...common, readParams, signal, making }), execution);
      });
    };
    const key = keyOf(text, operation.id, session, picked, document.named);
    const answering = answers.answer(key, operation.presence, make);
    // An operation that is executed takes its slot once its kind is known.
    slotErrors = execution.isBegun ? undefined : takeSlot();
    if (slotErrors !== undefined) {
      operation.presence.cancel();
      return slotErrors;
    }
    const result = await answering;
    // The socket was closed during the wait for another caller's answer.
    if (result === undefined) return refusalOf(leftError());
    if (execution.prepared !== undefined) return execution.prepared;
    const { answer } = result;
    record.operation = answer.operation;
    const cost = (): string => JSON.stringify(shownCost(record, caller, limits));
    const timeAt = (): string => ('height' in picked && client.head.timeAt(picked.height)) || time;
    return { json: fillBody(answer.body, graphqlTexts('height' in picked ? picked.height.toString() : '', timeAt, cost)) };
  }

  return async (connection, { id, payload }, received) => {
    const { admission } = connection;
    if (admission === undefined) throw new Error('an operation before the connection was initialized');
    if (Buffer.byteLength(id) > limits['socket.id']) {
      return connection.close(CloseCode.BadRequest, `The id of an operation has more than ${limits['socket.id']} bytes`);
    }
    connection.begun += 1;
    const { viewer } = admission.session;
    const requestId = `${connection.id}-${connection.begun}`;
    const tracked = requests.operation(requestId, viewer, 'graphql-ws', traceIn(payload.extensions));
    const operation = new RunningOperation(id, tracked, connection);
    connection.add(operation);
    noteOperation(tracked.record, payload.operationName);
    // An operation that a stopping server has not begun gets no result: the client sends it again when the socket closes, but
    // would treat an error as final.
    if (isDraining()) {
      noteErrors(tracked.record, [new GraphQLError(stopping.message, { extensions: { code: 'SERVER_SHUTDOWN' } })]);
      return operation.answer();
    }
    const prepared = await prepare(connection, operation, admission, payload, received);
    if (Array.isArray(prepared)) {
      // A client that has too many streams must end some. That it asks again later is no flood.
      const isTooFast = prepared.some(({ extensions }) => extensions.code === 'RATE_LIMITED' && 'retryAfter' in extensions);
      if (isTooFast) admission.caller.refused();
      if (operation.isCompleted) return operation.settle();
      connection.sendEnd(id, prepared);
      return operation.settle(prepared);
    }
    if ('begin' in prepared) {
      operation.answer();
      if (!operation.isCompleted) return new SocketStream(id, tracked, connection).begin(prepared);
      prepared.drop();
      return operation.settle();
    }
    if (prepared.isRefusedStream) {
      operation.answer();
      if (isDraining()) return;
    }
    if (!operation.isCompleted) await connection.sendResult(id, prepared.json);
    if (!operation.isCompleted) connection.sendEnd(id, undefined);
    return operation.settle();
  };
}
