import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import { makeServer, type SubscribePayload } from 'graphql-ws';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import {
  createOperationContext,
  minHeightHeader,
  minHeightIn,
  type OperationContext,
  pickHeight,
} from '../../graphql/operation/context.ts';
import type { ScopeCheck } from '../../graphql/plugins/scopeCheck.ts';
import { limitFull, pointsOf, rateLimited } from '../../graphql/request/caller.ts';
import { bare, toGraphQLError, withoutHttp } from '../../graphql/request/errors.ts';
import { leftError } from '../../graphql/request/leftError.ts';
import { asksForPersisted, noPersistedQueries } from '../../graphql/request/requestParams.ts';
import { noteErrors, noteOperation } from '../../graphql/request/requestRecord.ts';
import { schema } from '../../graphql/schema.ts';
import { withExtensions, type Yoga } from '../../graphql/yoga.ts';
import type { Authenticator } from '../auth/auth.ts';
import { countRefusal } from '../auth/authRefusal.ts';
import { Lifetime } from '../handlers/lifetime.ts';
import { clientAddress } from '../messages/clientAddress.ts';
import { closeWithError, graphqlShape } from '../messages/errors.ts';
import { headerOf, requestedHeight } from '../messages/headers.ts';
import type { Faults } from '../observability/faults.ts';
import { type Requests, requestIdOf } from '../observability/requestLog.ts';
import { callerName } from '../rateLimits/callerName.ts';
import type { Rates } from '../rateLimits/rates.ts';
import type { Turns } from '../rateLimits/turns.ts';
import { createOpenSockets, stopping } from '../sockets/openSockets.ts';
import { admit, enter } from '../sockets/socketAuth.ts';
import { connect, type RunningOperation, type SocketConnection } from './socketConnection.ts';
import { beginStream, type Socket } from './socketStream.ts';

/** GraphQL over WebSocket, in the protocol graphql-transport-ws. */
export interface GraphQLSockets {
  /** Takes over a connection that asked to be a WebSocket, or refuses it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Sockets that are open. */
  open(): number;
  /**
   * Refuses new sockets and operations. Each socket is closed, 1012, as soon as every query and mutation on it has its answer;
   * resolves when all are. Subscriptions are ended by whoever runs them.
   */
  drain(): Promise<void>;
  /** Closes every socket: 1012, the service restarts. Resolves when all are closed; those that do not answer are cut off after a second. */
  close(): Promise<void>;
}

type Enveloped = ReturnType<Yoga['getEnveloped']>;

/** An operation that is about to run, in the engine that its context was made for. */
interface PreparedOperation {
  readonly engine: Enveloped;
  readonly context: OperationContext;
  readonly args: ExecutionArgs;
  /** Where its events go. */
  readonly socket: Socket;
  readonly operation: RunningOperation;
}

/**
 * Holds an answer back until the socket is closed. An operation that a server which stops did not begin gets no answer: its client sends it
 * again when the socket is closed, but would take an error as final.
 */
async function untilClosed<T>({ closed }: SocketConnection, answer: T): Promise<T> {
  await closed;
  return answer;
}

/** An operation is over, with these errors. One that was never begun, or is over already, is none. */
function settle(connection: SocketConnection, request: object, errors?: readonly GraphQLError[]): void {
  const operation = connection.operations.get(request);
  if (operation === undefined) return;
  noteErrors(operation.record, errors);
  connection.operations.delete(request);
  operation.end();
  connection.answered(operation);
}

/** Makes the sockets. Operations run through the same engine as those of HTTP: same pins, same errors. */
export function createGraphQLSockets(options: {
  readonly client: Client;
  readonly yoga: Yoga;
  readonly auth: Authenticator;
  readonly requests: Requests;
  /** Tells which operations a viewer may not run. */
  readonly scopeCheck: ScopeCheck;
  /** Logs each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
  /** Notes what goes wrong in this server outside of any operation. */
  readonly faults: Faults;
  readonly rates: Rates;
  readonly turns: Turns;
  readonly limits: Limits;
}): GraphQLSockets {
  const { client, yoga, auth, requests, scopeCheck, report, faults, rates, turns, limits } = options;
  const maxStreams = limits['socket.subscriptions'];
  const sockets = createOpenSockets({
    shape: graphqlShape,
    maxPayload: limits['socket.message'],
    handleProtocols: (offered) => (offered.has('graphql-transport-ws') ? 'graphql-transport-ws' : false),
  });

  /** By what the protocol knows of them, which stays in memory as long as they run. */
  const begun = new WeakMap<ExecutionArgs, PreparedOperation>();
  const take = (known: ExecutionArgs): PreparedOperation => {
    const prepared = begun.get(known);
    if (prepared === undefined) throw new Error('an operation that was not prepared here');
    begun.delete(known);
    return prepared;
  };

  async function prepare(socket: Socket, id: string, request: SubscribePayload): Promise<ExecutionArgs | GraphQLError[]> {
    const { query, variables, operationName, extensions } = request;
    const { extra } = socket;
    // The protocol holds the message as long as the operation runs. Nothing reads it again.
    Object.assign(request, { query: '', variables: null, extensions: null });
    const { named, operations, answering, session, caller, streams } = extra;
    if (session === undefined || caller === undefined) throw new Error('an operation before the first message');
    if (Buffer.byteLength(id) > limits['socket.id']) {
      const text = `The id of an operation has more than ${limits['socket.id']} bytes`;
      extra.close(4400, text);
      return [new GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT' } })];
    }
    extra.begun += 1;
    const tracked = requests.operation(`${extra.requestId}-${extra.begun}`, session.viewer);
    const { record } = tracked;
    const reads = new Lifetime(limits['request.deadline'], extra.received);
    const operation: RunningOperation = { id, ...tracked, reads, waits: new Lifetime(), leave: undefined };
    operations.set(request, operation);
    noteOperation(record, operationName);
    if (sockets.isDraining()) {
      const refused = [new GraphQLError('The server stops.', { extensions: { code: 'SERVER_SHUTDOWN' } })];
      noteErrors(record, refused);
      return untilClosed(extra, refused);
    }
    if (answering.has(id)) {
      // Its client has completed the other one, whose answer the protocol would give to this one.
      const text = `Subscriber for ${id} already exists`;
      extra.close(4409, text);
      return [new GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT' } })];
    }
    answering.set(id, operation);
    /** Counts it as under way, once; what refuses that. */
    const enter = (): GraphQLError[] | undefined => {
      if (operation.leave !== undefined) return undefined;
      const place = caller.enter();
      if (!('end' in place)) return [toGraphQLError(rateLimited(place), record.id, report)];
      operation.leave = place.end;
      // The socket may have been closed meanwhile.
      if (answering.get(id) !== operation) place.end();
      return undefined;
    };
    const points = pointsOf(extra.receivedBytes, limits);
    const refused = caller.take(points);
    if (refused !== undefined) return [toGraphQLError(rateLimited(refused), record.id, report)];
    record.cost = points;
    record.bytes = points - 1;
    if (asksForPersisted({ query, extensions })) return [toGraphQLError(noPersistedQueries(), record.id, report)];
    const heights = { height: named.height, minHeight: minHeightIn(extensions) ?? named.minHeight };
    const full = heights.minHeight === undefined ? undefined : enter();
    if (full !== undefined) return full;
    const picked = await pickHeight(client, heights, limits, operation.waits);
    // Completed, or closed, during the wait: nothing is executed.
    if (operation.waits.hasLeft) return [toGraphQLError(leftError(), record.id, report)];
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
    if (!chosen) {
      const text = 'The document has no such operation, or several and none is named.';
      return [new GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT', argument: 'operationName' } })];
    }
    if (chosen.operation === 'subscription') {
      for (const other of streams) if (!(other in socket.subscriptions)) streams.delete(other);
      if (streams.size >= maxStreams) {
        return [toGraphQLError(limitFull({ limit: 'socket.subscriptions', max: maxStreams }), record.id, report)];
      }
      streams.add(id);
      // Streams have a limit of their own.
      operation.leave?.();
    } else {
      const tooMany = enter();
      if (tooMany !== undefined) return tooMany;
    }
    const common = { schema, document, operationName: operationName ?? null };
    const args = { ...common, variableValues: variables ?? {}, contextValue: await engine.contextFactory() };
    const known: ExecutionArgs = { ...common, rootValue: undefined, contextValue: undefined };
    begun.set(known, { engine, context, args, socket, operation });
    return known;
  }

  /** What the engine gives, or refuses to begin with. */
  async function answered<R>(run: () => Promise<R> | R, { record }: OperationContext): Promise<R | ExecutionResult> {
    try {
      return await run();
    } catch (error) {
      return { errors: [bare(toGraphQLError(error, record.id, report))] };
    }
  }

  const protocol = makeServer<undefined, SocketConnection>({
    connectionInitWaitTimeout: limits['socket.init'],
    async onConnect({ extra, connectionParams, subscriptions }) {
      const admission = await admit(auth, extra.entered, connectionParams);
      extra.active = () => Object.keys(subscriptions).length > 0;
      extra.isOpen = (id) => id in subscriptions;
      if ('close' in admission) {
        if (admission.close === 'tryLater') extra.close(1013, 'Try again later');
        const tooMany = admission.close === 'invalidToken' ? rates.failedAuthentication(extra.address) : undefined;
        if (tooMany !== undefined) extra.close(4429, `Too many failed authentications: at most ${tooMany.max} a minute`);
        return false;
      }
      const { session } = admission;
      const caller = rates.of(extra.callerName(session));
      const place = caller.connect();
      if (!('end' in place)) {
        extra.close(4429, `Too many connections: at most ${place.max}`);
        return false;
      }
      extra.session = session;
      extra.caller = caller;
      extra.leave = place.end;
      // Behind the end of its streams, which wait for the same.
      extra.stopWaiting = session.onEnd(() => setImmediate(() => extra.close(4403, 'SUBSCRIPTION_JWT_EXPIRED')));
      return true;
    },
    async onSubscribe(socket, id, request) {
      const prepared = await prepare(socket, id, request);
      // Refused, and completed meanwhile: nobody is told.
      if (Array.isArray(prepared) && !(id in socket.subscriptions)) settle(socket.extra, request);
      return prepared;
    },
    async execute(known) {
      const { engine, args, context } = take(known);
      const result: ExecutionResult = await answered(() => engine.execute(args), context);
      noteErrors(context.record, result.errors);
      return withExtensions(withoutHttp(result), context, limits);
    },
    async subscribe(known) {
      const { engine, args, context, socket, operation } = take(known);
      const { id } = operation;
      const result = await answered(() => engine.subscribe(args), context);
      const { subscription } = context.outcome;
      socket.extra.answered(operation);
      if (subscription === undefined) {
        noteErrors(context.record, result.errors);
        return sockets.isDraining() ? untilClosed(socket.extra, result) : result;
      }
      if (id in socket.subscriptions) return beginStream(subscription, socket, id, context.record);
      // Completed, or closed, while it was opened.
      subscription.drop();
      return result;
    },
    onError: ({ extra }, _id, request, errors) => settle(extra, request, errors),
    onComplete: ({ extra }, _id, request) => settle(extra, request),
    onClose({ extra }) {
      extra.stopWaiting?.();
      extra.leave?.();
      for (const [request, { reads, waits }] of extra.operations) {
        waits.leave();
        reads.leave();
        settle(extra, request);
      }
    },
  });

  return {
    async upgrade(request, socket, head) {
      const entered = await enter(auth, request);
      if ('reason' in entered) return closeWithError(socket, countRefusal(entered, request, rates));
      if (sockets.isDraining()) return closeWithError(socket, stopping);
      const named = { height: requestedHeight(request), minHeight: headerOf(request, minHeightHeader) };
      const requestId = requestIdOf(request);
      sockets.accept({ request, duplex: socket, head, requestId }, (accepted) =>
        connect({
          protocol,
          socket: accepted,
          duplex: socket,
          named,
          requestId,
          entered,
          address: clientAddress(request),
          callerName: (session) => callerName(request, session),
          turns,
          limits,
          faults,
        }),
      );
    },
    open: sockets.count,
    drain: sockets.drain,
    close: sockets.close,
  };
}
