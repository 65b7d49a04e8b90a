import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Connections, createConnections } from './connections.ts';
import { CollectedRequest } from './messages/collectedRequest.ts';
import { endTracked, IdentifiedResponse } from './messages/identifiedResponse.ts';
import { connectionTimes, pathOf } from './messages/listen.ts';
import { contain, type FaultOwner, type Faults } from './observability/faults.ts';
import type { Health } from './observability/health.ts';
import { type Requests, requestIdOf } from './observability/requestLog.ts';
import type { Turns } from './rateLimits/turns.ts';
import { idleTimeoutOf, refuseInvalidRequest } from './requestLimits.ts';
import { createRouter, type RouterOptions } from './router.ts';
import { createUpgrades, type UpgradesOptions } from './upgrades.ts';

/** An HTTP server and its connections. */
export interface HttpServer {
  /** The server, which does not listen yet. */
  readonly server: Server;
  readonly connections: Connections;
}

/** Options of {@link createHttpServer}. */
export interface HttpServerOptions extends Omit<RouterOptions, 'connections'>, UpgradesOptions {
  readonly health: Health;
  readonly requests: Requests;
  readonly faults: Faults;
  readonly turns: Turns;
}

/**
 * Creates the HTTP server. Each request of a connection passes the pipeline of the connection, then the probes, then the
 * router. An exception in the handling of an event is a fault, and closes the response or the connection of the event.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
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

  function handle(request: IncomingMessage, response: ServerResponse): void {
    try {
      if (health.answer(pathOf(request), request, response)) return;
      // Each response of this server is one.
      if (!(response instanceof IdentifiedResponse)) return;
      const tracked = requests.http(request, response);
      route(request, response, tracked);
    } catch (error) {
      fail(error, request, response);
    }
  }

  const server = createServer(
    {
      IncomingMessage: CollectedRequest,
      ServerResponse: IdentifiedResponse,
      ...connectionTimes(limits),
      maxHeaderSize: limits['http.headers'] + limits['http.uri'],
      // The router refuses a request without a host. Node's response would have no body.
      requireHostHeader: false,
    },
    (request, response) => {
      try {
        connections.run(request, response);
      } catch (error) {
        fail(error, request, response);
      }
    },
  );
  const connections = createConnections(server, { limits, trustedProxies, turns, handle, closed: endTracked });
  const route = createRouter({ ...options, connections });

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
