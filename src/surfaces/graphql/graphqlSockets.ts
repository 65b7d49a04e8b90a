import type { IncomingMessage } from 'node:http';
import { makeServer } from 'graphql-ws';
import type { RawData, WebSocket } from 'ws';
import type { AnswerCache } from '../../answers/answerCache.ts';
import { minHeightHeader } from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { NamedDocuments } from '../../graphql/documents/namedDocuments.ts';
import type { Engine } from '../../graphql/engine/engine.ts';
import type { Session } from '../../reads/viewer.ts';
import type { Authenticator } from '../../server/auth/auth.ts';
import { countRefusal, type Refusal, tokenIn, tokenOf } from '../../server/auth/bearer.ts';
import { clientAddress } from '../../server/messages/clientAddress.ts';
import { closeWithError, graphqlShape } from '../../server/messages/errors.ts';
import { headerOf, requestedHeight } from '../../server/messages/headers.ts';
import type { Faults } from '../../server/observability/faults.ts';
import { type Requests, requestIdOf } from '../../server/observability/requestLog.ts';
import type { Rates } from '../../server/rateLimits/rates.ts';
import { callerOf } from '../../server/rateLimits/rates.ts';
import type { Turns } from '../../server/rateLimits/turns.ts';
import type { SocketHandler } from '../../server/router.ts';
import { createOpenSockets, stopping } from '../../server/sockets/openSockets.ts';
import { type ConnectedSocket, createConnect, type SocketConnection, type UpgradeSession } from './socketConnection.ts';
import { createSocketOperations, settle } from './socketOperations.ts';

/** The result of a first message: a session, or the reason why the socket is closed. */
type InitResult = { readonly session: Session } | { readonly close: 'forbidden' | 'invalidToken' | 'tryLater' };

const forbidden = { close: 'forbidden' } as const;

/**
 * Authenticates an upgrade. An upgrade without a token is accepted, because browsers cannot set headers and send the token in
 * the first message.
 */
async function authenticateUpgrade(auth: Authenticator, request: IncomingMessage): Promise<UpgradeSession | Refusal> {
  const outcome = await auth.authenticate(request);
  if ('reason' in outcome) return outcome.reason === 'noToken' ? { session: undefined, token: undefined } : outcome;
  const sent = tokenOf(request);
  return { session: outcome, token: 'token' in sent ? sent.token : undefined };
}

/**
 * Authenticates the first message by its `connectionParams`. If the header of the upgrade has a token as well, both must be
 * equal.
 */
async function authenticateInit(
  auth: Authenticator,
  { session, token }: UpgradeSession,
  connectionParams: unknown,
): Promise<InitResult> {
  const sent = tokenIn(connectionParams);
  if (session !== undefined) {
    const isConsistent = 'token' in sent ? token === undefined || sent.token === token : sent.reason === 'noToken';
    return isConsistent ? { session } : forbidden;
  }
  if ('reason' in sent) return sent.reason === 'invalidToken' ? { close: 'invalidToken' } : forbidden;
  const outcome = await auth.verify(sent.token);
  if ('viewer' in outcome) return { session: outcome };
  if (outcome.reason === 'noKeys') return { close: 'tryLater' };
  return outcome.reason === 'expiredToken' ? forbidden : { close: 'invalidToken' };
}

/** Invalid frames: the socket closes itself with the code for the error. */
function ignore(): void {}

/**
 * Creates GraphQL over WebSocket, in the protocol graphql-transport-ws. Its clients may send the token in the first message. `drain` does not end
 * subscriptions: {@link Subscriptions.close} does.
 */
export function createGraphQLSockets(options: {
  readonly client: Client;
  readonly engine: Engine;
  /** The answers of `/graphql`. */
  readonly answers: AnswerCache;
  readonly documents: NamedDocuments;
  readonly auth: Authenticator;
  readonly requests: Requests;
  /** Logs each failure that callers see masked. */
  readonly report: (error: unknown, requestId: string) => void;
  /** Notes faults of this server outside of operations. */
  readonly faults: Faults;
  readonly rates: Rates;
  readonly turns: Turns;
  readonly limits: Limits;
}): SocketHandler {
  const { client, engine, answers, documents, auth, requests, report, faults, rates, turns, limits } = options;
  const sockets = createOpenSockets<ConnectedSocket>({
    shape: graphqlShape,
    maxPayload: limits['socket.message'],
    handleProtocols: (offered) => (offered.has('graphql-transport-ws') ? 'graphql-transport-ws' : false),
  });

  const operations = createSocketOperations({
    ...{ client, engine, answers, documents, requests, report, limits },
    isDraining: sockets.isDraining,
  });

  const protocol = makeServer<undefined, SocketConnection>({
    // Its timer would stay in memory as long as the socket, so the connection has its own.
    connectionInitWaitTimeout: 0,
    async onConnect(context) {
      const { extra, connectionParams } = context;
      extra.initialized(context);
      const admission = await authenticateInit(auth, extra.upgrade, connectionParams);
      if ('close' in admission) {
        if (admission.close === 'tryLater') extra.close(1013, 'Try again later');
        if (admission.close === 'invalidToken') await rates.freshFailures(extra.address);
        const tooMany = admission.close === 'invalidToken' ? rates.failedAuthentication(extra.address) : undefined;
        if (tooMany !== undefined) extra.close(4429, `Too many failed authentications: at most ${tooMany.max} a minute`);
        return false;
      }
      const { session } = admission;
      const caller = callerOf(rates, extra.address, session);
      await caller.fresh();
      const slot = caller.connect();
      if (!('end' in slot)) {
        extra.close(4429, `Too many connections: at most ${slot.max}`);
        return false;
      }
      extra.admit({ session, caller }, slot);
      const chain = client.head.fingerprint();
      return chain === undefined ? true : { chain };
    },
    async onSubscribe(socket, id, request) {
      const prepared = await operations.prepare(socket, id, request);
      // Refused, and completed by the client in the meantime: the library calls no further callback.
      if (Array.isArray(prepared) && !(id in socket.subscriptions)) settle(socket.extra, request);
      return prepared;
    },
    execute: operations.execute,
    subscribe: operations.subscribe,
    onError: ({ extra }, _id, request, errors) => settle(extra, request, errors),
    onComplete: ({ extra }, _id, request) => settle(extra, request),
    onClose({ extra }) {
      for (const [request, { presence, waits }] of extra.running()) {
        waits.cancel();
        presence.cancel();
        settle(extra, request);
      }
    },
  });

  const connect = createConnect({ protocol, turns, limits, faults });

  // The same listeners serve all sockets, because listeners of its own would take memory of each.

  function onMessage(this: WebSocket, data: RawData): void {
    sockets.of(this)?.message(data);
  }

  function onPong(this: WebSocket): void {
    sockets.of(this)?.pong();
  }

  function listen(socket: WebSocket, connection: ConnectedSocket): ConnectedSocket {
    socket.on('message', onMessage).on('pong', onPong).on('error', ignore);
    return connection;
  }

  return {
    shape: graphqlShape,
    path: '/graphql',
    async upgrade(request, socket, head) {
      const session = await authenticateUpgrade(auth, request);
      if ('reason' in session) return closeWithError(socket, countRefusal(session, request, rates));
      if (sockets.isDraining()) return closeWithError(socket, stopping);
      const named = { height: requestedHeight(request), minHeight: headerOf(request, minHeightHeader) };
      const id = requestIdOf(request);
      const address = clientAddress(request);
      sockets.accept({ request, duplex: socket, head, requestId: id }, (accepted) =>
        listen(accepted, connect({ socket: accepted, duplex: socket, named, id, upgrade: session, address })),
      );
    },
    open: sockets.count,
    drain: sockets.drain,
    close: sockets.close,
  };
}
