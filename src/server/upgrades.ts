import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Limits } from '../config/limits/limits.ts';
import type { Session } from '../reads/viewer.ts';
import type { Authenticator } from './auth/auth.ts';
import { countRefusal } from './auth/authRefusal.ts';
import type { Connections } from './connections.ts';
import type { SocketHandler } from './handlers/handler.ts';
import { clientAddress, type TrustedProxies } from './messages/clientAddress.ts';
import { closeWithError, notFound } from './messages/errors.ts';
import { pathOf } from './messages/listen.ts';
import { contain, type FaultOwner } from './observability/faults.ts';
import type { Origins } from './origins.ts';
import { continueWithoutUpgrade, isWebSocketUpgrade } from './otherUpgrade.ts';
import type { Rates } from './rateLimits/rates.ts';
import { checkHost, checkSize } from './requestLimits.ts';

/** Handles a request to upgrade a connection. Does not throw. */
export type Upgrades = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Options of {@link createUpgrades}. */
export interface UpgradesOptions {
  readonly socketHandlers: readonly SocketHandler[];
  readonly auth: Authenticator;
  readonly rates: Rates;
  readonly trustedProxies: TrustedProxies;
  readonly origins: Origins;
  readonly limits: Limits;
}

/** A function of its own, because one created for a connection would keep its request in memory. */
function ignore(): void {}

/**
 * Creates the handler of upgrades to WebSocket. It checks the host, the size, the origin and the connections of the address,
 * then the handler of the path checks the token. GraphQL's clients may send it in the first message.
 */
export function createUpgrades(
  server: Server,
  connections: Connections,
  ownerOf: (request: IncomingMessage, socket: Duplex) => FaultOwner,
  options: UpgradesOptions,
): Upgrades {
  const { socketHandlers, auth, rates, trustedProxies, origins, limits } = options;

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const path = pathOf(request);
    const handler = socketHandlers.find((each) => each.matches(path));
    const refused =
      checkHost(request) ?? checkSize(request, limits) ?? origins.checkUpgrade(request) ?? connections.admit(request, socket);
    if (refused !== undefined) return closeWithError(socket, refused, handler?.shape);
    const authenticate = async (): Promise<Session | undefined> => {
      const session = await auth.authenticate(request);
      if (!('reason' in session)) return session;
      await rates.freshFailures(clientAddress(request));
      closeWithError(socket, countRefusal(session, request, rates), handler?.shape);
      return undefined;
    };
    if (handler !== undefined) return handler.upgrade(request, socket, head, authenticate);
    if ((await authenticate()) !== undefined) closeWithError(socket, notFound);
  }

  return (request, socket, head) => {
    const owner = ownerOf(request, socket);
    contain(owner, () => {
      // The response to an earlier request comes first, and the connection cannot wait for it as a WebSocket.
      if (connections.isAnswering(socket)) return void socket.destroy();
      if (!isWebSocketUpgrade(request)) return continueWithoutUpgrade(server, request, socket, head);
      connections.detach(socket);
      trustedProxies.identify(request);
      // The connection may break before a WebSocket handles its errors.
      socket.on('error', ignore);
      upgrade(request, socket, head).catch((error: unknown) =>
        contain(owner, () => {
          throw error;
        }),
      );
    });
  };
}
