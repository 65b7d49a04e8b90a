import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Session } from '../reads/viewer.ts';
import { countRefusal } from './auth/bearer.ts';
import { type Connections, createConnections, lasting } from './connections.ts';
import { CollectedRequest } from './messages/body.ts';
import { closeWithError, notFound } from './messages/errors.ts';
import { connectionTimes } from './messages/listen.ts';
import { clientAddress, pathOf, type TrustedProxies } from './messages/requestHeaders.ts';
import { contain, type FaultOwner, type Faults } from './observability/faults.ts';
import { type Health, probePaths } from './observability/health.ts';
import { IdentifiedResponse, type Requests, requestIdOf } from './observability/requestLog.ts';
import { checkHead, idleTimeoutOf, refuseInvalidRequest } from './requestChecks.ts';
import { createRouter, type RouterOptions, type SocketHandler } from './router.ts';

/** Headers that request another protocol (RFC 9110, 7.8; RFC 7540, 3.2). */
const upgradeHeaders: readonly string[] = ['upgrade', 'http2-settings'];

/**
 * Continues in HTTP/1.1 after a request to upgrade to an unsupported protocol, as RFC 9110 allows. Java's HTTP client sends
 * such a request for HTTP/2 first. Node detaches the connection at every upgrade request, so the connection is passed back to
 * the server with the same request without its upgrade headers.
 */
function continueWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!upgradeHeaders.includes(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

interface HttpServerOptions extends Omit<RouterOptions, 'connections'> {
  readonly socketHandlers: readonly SocketHandler[];
  readonly trustedProxies: TrustedProxies;
  readonly health: Health;
  readonly requests: Requests;
  readonly faults: Faults;
}

/** A function of its own, because one created for a connection would keep its request in memory. */
function ignore(): void {}

/**
 * Creates the handler of upgrades to WebSocket. It checks the host, the size, the origin and the connections of the address,
 * then the handler of the path checks the token. Never throws. GraphQL's clients may send it in the first message.
 */
function createUpgrades(
  server: Server,
  connections: Connections,
  ownerOf: (request: IncomingMessage, socket: Duplex) => FaultOwner,
  options: HttpServerOptions,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const { auth, rates, trustedProxies, origins, limits } = options;
  const handlers = new Map(options.socketHandlers.map((handler) => [handler.path, handler]));

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const handler = handlers.get(pathOf(request));
    const refusal = checkHead(request, limits) ?? origins.checkUpgrade(request) ?? connections.admit(request, socket);
    if (refusal !== undefined) return closeWithError(socket, refusal, handler?.shape);
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
      // An upgrade to one of several protocols may be ignored (RFC 9110, 7.8).
      const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
      if (!isWebSocket) return continueWithoutUpgrade(server, request, socket, head);
      connections.detach(socket);
      trustedProxies.identify(request);
      // The connection may break before a WebSocket handles its errors.
      socket.on('error', ignore);
      upgrade(request, socket, lasting(head)).catch((error: unknown) =>
        contain(owner, () => {
          throw error;
        }),
      );
    });
  };
}

/**
 * Creates the HTTP server, which does not listen yet. Each request of a connection passes the pipeline of the connection, then the probes, then the
 * router. An exception in the handling of an event is a fault, and closes the response or the connection of the event.
 */
export function createHttpServer(options: HttpServerOptions): { readonly server: Server; readonly connections: Connections } {
  const { limits, trustedProxies, turns, health, requests, faults } = options;
  const ownerOf = (request: IncomingMessage, work: ServerResponse | Duplex): FaultOwner => ({
    faults,
    requestId: () => requestIdOf(request),
    abandon: () => work.destroy(),
  });
  // Not by `contain`, which would make objects for each request.
  const fail = (error: unknown, request: IncomingMessage, response: ServerResponse): void =>
    contain(ownerOf(request, response), () => {
      throw error;
    });

  function handle(request: IncomingMessage, response: IdentifiedResponse): void {
    try {
      const path = pathOf(request);
      if (probePaths.has(path)) health.answer(path, request, response);
      else route(request, response, requests.http(request, response), path);
    } catch (error) {
      fail(error, request, response);
    }
  }

  const server = createServer({
    IncomingMessage: CollectedRequest,
    ServerResponse: IdentifiedResponse,
    ...connectionTimes(limits),
    maxHeaderSize: limits['http.headers'] + limits['http.uri'],
    // The router refuses a request without a host. Node's response would have no body.
    requireHostHeader: false,
  });
  const connections = createConnections(server, { limits, trustedProxies, turns, handle, fail, closed: requests.end });
  const route = createRouter({ ...options, connections });
  server.on('request', connections.run);

  server.timeout = idleTimeoutOf(limits);
  server.maxConnections = limits['http.connections'];
  // `http.headers` limits their size. Node would drop headers after the first 2,000, and with them a second token or host.
  server.maxHeadersCount = 0;
  server.on('connection', turns.accepted);
  server.on('clientError', (error, socket) => {
    const owner = { faults, requestId: () => undefined, abandon: () => socket.destroy() };
    contain(owner, () => refuseInvalidRequest(error, socket, { limits, connections }));
  });
  // Expectations other than `100-continue` may be ignored (RFC 9110, 10.1.1). Node would refuse them with a response without a
  // body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('upgrade', createUpgrades(server, connections, ownerOf, options));
  return { server, connections };
}
