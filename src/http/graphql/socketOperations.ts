import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  type OperationTypeNode,
} from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { createOperationContext, type OperationContext } from '../../graphql/operation/context.ts';
import { minHeightIn, pickHeight } from '../../graphql/operation/pickHeight.ts';
import type { ScopeCheck } from '../../graphql/plugins/scopeCheck.ts';
import { limitFull, pointsOf, rateLimited } from '../../graphql/request/caller.ts';
import { bare, toGraphQLError, withoutHttp } from '../../graphql/request/errors.ts';
import { leftError } from '../../graphql/request/leftError.ts';
import { asksForPersisted, noPersistedQueries } from '../../graphql/request/requestParams.ts';
import { noteErrors, noteOperation } from '../../graphql/request/requestRecord.ts';
import { schema } from '../../graphql/schema.ts';
import { withExtensions, type Yoga } from '../../graphql/yoga.ts';
import { Lifetime } from '../handlers/lifetime.ts';
import type { Requests } from '../observability/requestLog.ts';
import { stopping } from '../sockets/openSockets.ts';
import type { RunningOperation, Socket, SocketConnection } from './socketConnection.ts';
import { beginStream } from './socketStream.ts';

/** Runs the operations of sockets, as the callbacks of the protocol library. */
export interface SocketOperations {
  /** Checks and parses an operation. Returns the arguments to run it with, or the errors that refuse it. */
  prepare(socket: Socket, id: string, request: SubscribePayload): Promise<ExecutionArgs | GraphQLError[]>;
  /** Executes a prepared query or mutation. */
  execute(prepared: ExecutionArgs): Promise<ExecutionResult>;
  /** Starts a prepared subscription. Returns an empty result if it has begun, or the errors that refuse it. */
  subscribe(prepared: ExecutionArgs): Promise<ExecutionResult>;
}

type Enveloped = ReturnType<Yoga['getEnveloped']>;

/** An operation that is about to run, with the engine that belongs to its context. */
interface PreparedOperation {
  readonly engine: Enveloped;
  readonly context: OperationContext;
  readonly args: ExecutionArgs;
  /** The socket that gets its results. */
  readonly socket: Socket;
  /** The request object of the protocol library. */
  readonly request: object;
  readonly operation: RunningOperation;
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

/** Creates the operations of sockets. They run in the same engine as those over HTTP, with the same pins and errors. */
export function createSocketOperations(options: {
  readonly client: Client;
  readonly yoga: Yoga;
  readonly requests: Requests;
  /** Returns the error for an operation that a viewer may not run. */
  readonly scopeCheck: ScopeCheck;
  /** Logs each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
  readonly limits: Limits;
  /** Whether the server is shutting down. */
  readonly isDraining: () => boolean;
}): SocketOperations {
  const { client, yoga, requests, scopeCheck, report, limits, isDraining } = options;
  const maxStreams = limits['socket.subscriptions'];

  /** Prepared operations, by the arguments object that the protocol library holds while they run. */
  const begun = new WeakMap<ExecutionArgs, PreparedOperation>();
  const take = (known: ExecutionArgs): PreparedOperation => {
    const prepared = begun.get(known);
    if (prepared === undefined) throw new Error('the operation was not prepared');
    begun.delete(known);
    return prepared;
  };

  /** Parses and validates the document of an operation. Returns it with the kind of the chosen operation, or the errors. */
  function readDocument(
    engine: Enveloped,
    { query, operationName }: Pick<SubscribePayload, 'query' | 'operationName'>,
    { record, session }: OperationContext,
  ): { readonly document: DocumentNode; readonly kind: OperationTypeNode } | GraphQLError[] {
    let document: DocumentNode;
    try {
      document = engine.parse(query);
    } catch (error) {
      return [bare(toGraphQLError(error, record.id, report))];
    }
    const errors: readonly GraphQLError[] = engine.validate(schema, document);
    if (errors.length > 0) return errors.map(bare);
    const forbidden = scopeCheck(document, operationName, session.viewer);
    if (forbidden !== undefined) return [bare(toGraphQLError(forbidden, record.id, report))];
    const chosen = getOperationAST(document, operationName);
    if (chosen) return { document, kind: chosen.operation };
    const text = 'The document has no operation with this name, or it has several operations and `operationName` is missing.';
    return [new GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT', argument: 'operationName' } })];
  }

  async function prepare(socket: Socket, id: string, request: SubscribePayload): Promise<ExecutionArgs | GraphQLError[]> {
    const { query, variables, operationName, extensions } = request;
    const { extra } = socket;
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
    const tracked = requests.operation(`${extra.id}-${extra.begun}`, session.viewer);
    const { record } = tracked;
    const reads = new Lifetime(limits['request.deadline'], extra.received);
    const operation: RunningOperation = {
      ...{ id, reads, waits: new Lifetime(), isAnswered: true, isSubscription: false, releaseSlot: undefined },
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
    const refused = caller.take(points);
    if (refused !== undefined) return [toGraphQLError(rateLimited(refused), record.id, report)];
    record.cost = points;
    record.bytes = points - 1;
    if (asksForPersisted({ query, extensions })) return [toGraphQLError(noPersistedQueries(), record.id, report)];
    const heights = { height: named.height, minHeight: minHeightIn(extensions) ?? named.minHeight };
    const full = heights.minHeight === undefined ? undefined : takeSlot();
    if (full !== undefined) return full;
    const picked = await pickHeight(client, heights, limits, operation.waits);
    // Completed or closed during the wait: nothing is executed.
    if (operation.waits.isCancelled) return [toGraphQLError(leftError(), record.id, report)];
    const { signal } = reads;
    const context = createOperationContext({
      client,
      session,
      record,
      caller,
      picked,
      params: () => ({ query }),
      signal,
      limits,
    });
    context.outcome.wantsCost = extensions?.cost === true;
    const engine = yoga.getEnveloped(context);
    const read = readDocument(engine, { query, operationName }, context);
    if (Array.isArray(read)) return read;
    if (read.kind === 'subscription') {
      if (streamsOf(socket) >= maxStreams) {
        return [toGraphQLError(limitFull({ limit: 'socket.subscriptions', max: maxStreams }), record.id, report)];
      }
      operation.isSubscription = true;
      // Subscriptions have their own limits.
      operation.releaseSlot?.();
    } else {
      const tooMany = takeSlot();
      if (tooMany !== undefined) return tooMany;
    }
    const common = { schema, document: read.document, operationName: operationName ?? null };
    const args = { ...common, variableValues: variables ?? {}, contextValue: await engine.contextFactory() };
    const known: ExecutionArgs = { ...common, rootValue: undefined, contextValue: undefined };
    begun.set(known, { engine, context, args, socket, request, operation });
    return known;
  }

  /** Runs a function of the engine. Returns what it throws as a result with errors. */
  async function resultOf<R>(run: () => Promise<R> | R, { record }: OperationContext): Promise<R | ExecutionResult> {
    try {
      return await run();
    } catch (error) {
      return { errors: [bare(toGraphQLError(error, record.id, report))] };
    }
  }

  return {
    prepare,
    async execute(known) {
      const { engine, args, context } = take(known);
      const result: ExecutionResult = await resultOf(() => engine.execute(args), context);
      noteErrors(context.record, result.errors);
      return withExtensions(withoutHttp(result), context, limits);
    },
    async subscribe(known) {
      const { engine, args, context, socket, request, operation } = take(known);
      const { id } = operation;
      const result = await resultOf(() => engine.subscribe(args), context);
      const { subscription } = context.outcome;
      socket.extra.answered(operation);
      if (subscription === undefined) {
        noteErrors(context.record, result.errors);
        return isDraining() ? untilClosed(socket.extra, result) : result;
      }
      if (id in socket.subscriptions) {
        // The stream ends the operation.
        socket.extra.remove(request);
        beginStream(subscription, socket, operation);
        return {};
      }
      // Completed or closed while it was opened.
      subscription.drop();
      return result;
    },
  };
}
