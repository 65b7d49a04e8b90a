import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import type { AnswerCache } from '../../answers/answerCache.ts';
import { jsonBoundsOf } from '../../answers/errors.ts';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { NamedDocuments } from '../../graphql/documents/requestParams.ts';
import type { Engine } from '../../graphql/engine/engine.ts';
import type { Session } from '../../reads/viewer.ts';
import type { Authenticator } from '../../server/auth/auth.ts';
import { countRefusal, tokenIn, tokenOf } from '../../server/auth/bearer.ts';
import { closeWithError, graphqlShape } from '../../server/messages/errors.ts';
import { clientAddress, heightsInHeaders } from '../../server/messages/requestHeaders.ts';
import type { Faults } from '../../server/observability/faults.ts';
import type { Requests } from '../../server/observability/requestLog.ts';
import { callerOf, type Rates } from '../../server/rateLimits/rates.ts';
import type { Turns } from '../../server/rateLimits/turns.ts';
import type { SocketHandler } from '../../server/router.ts';
import { createSocketRules } from '../../server/sockets/clientSocket.ts';
import { createOpenSockets } from '../../server/sockets/openSockets.ts';
import { SocketConnection, type SocketProtocol, type UpgradeSession } from './socketConnection.ts';
import { createSocketOperations } from './socketOperations.ts';

/** The result of a first message: a session, or the reason why the socket is closed. */
type InitResult = { readonly session: Session } | { readonly close: 'forbidden' | 'invalidToken' | 'tryLater' };

const forbidden = { close: 'forbidden' } as const;

/**
 * Authenticates the first message by its `connectionParams`. If the header of the upgrade has a token as well, both must be
 * equal.
 */
async function authenticateInit(
  auth: Authenticator,
  { session, token }: UpgradeSession,
  connectionParams: unknown,
): Promise<InitResult> {
  const tokenResult = tokenIn(connectionParams);
  if (session !== undefined) {
    const isConsistent =
      'token' in tokenResult ? token === undefined || tokenResult.token === token : tokenResult.reason === 'noToken';
    return isConsistent ? { session } : forbidden;
  }
  if ('reason' in tokenResult) {
    if (tokenResult.reason === 'noToken' && auth.anonymous !== undefined) return { session: auth.anonymous };
    return tokenResult.reason === 'invalidToken' ? { close: 'invalidToken' } : forbidden;
  }
  const outcome = await auth.verify(tokenResult.token);
  if ('viewer' in outcome) return { session: outcome };
  if (outcome.reason === 'noKeys') return { close: 'tryLater' };
  return outcome.reason === 'expiredToken' ? forbidden : { close: 'invalidToken' };
}

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
  const { client, auth, rates, limits } = options;
  const sockets = createOpenSockets({
    shape: graphqlShape,
    maxPayload: limits['socket.message'],
    handleProtocols: (offered) => offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) && GRAPHQL_TRANSPORT_WS_PROTOCOL,
  });
  const protocol: SocketProtocol = {
    limits,
    jsonBounds: jsonBoundsOf(limits),
    rules: createSocketRules('socket', options),
    run: createSocketOperations({ ...options, isDraining: sockets.isDraining }),
    async connect(connection, params) {
      const { upgrade, address } = connection.request;
      const result = await authenticateInit(auth, upgrade, params);
      if ('close' in result) {
        if (result.close === 'tryLater') connection.close(1013, 'Try again later');
        if (result.close === 'invalidToken') await rates.freshFailures(address);
        const tooMany = result.close === 'invalidToken' ? rates.failedAuthentication(address) : undefined;
        if (tooMany !== undefined) connection.close(4429, `Too many failed authentications: at most ${tooMany.max} a minute`);
        return false;
      }
      const { session } = result;
      const caller = callerOf(rates, address, session);
      await caller.fresh();
      const slot = caller.connect();
      if (!('end' in slot)) {
        connection.close(4429, `Too many connections: at most ${slot.max}`);
        return false;
      }
      connection.admit({ session, caller, slot });
      const chain = client.head.fingerprint();
      return chain === undefined ? undefined : { chain };
    },
  };

  return {
    ...sockets,
    shape: graphqlShape,
    path: '/graphql',
    async upgrade(request, socket, head) {
      const outcome = await auth.authenticate(request);
      const isRefused = 'reason' in outcome;
      // An upgrade without a token is accepted, because browsers cannot set headers and send the token in the first message.
      if (isRefused && outcome.reason !== 'noToken') return closeWithError(socket, countRefusal(outcome, request, rates));
      const tokenResult = tokenOf(request);
      const token = !isRefused && 'token' in tokenResult ? tokenResult.token : undefined;
      const upgrade = { session: isRefused || outcome === auth.anonymous ? undefined : outcome, token };
      const heights = heightsInHeaders(request);
      const address = clientAddress(request);
      sockets.accept(
        request,
        socket,
        head,
        (accepted) => new SocketConnection(accepted, { upgrade, heights, address }, protocol),
      );
    },
  };
}
