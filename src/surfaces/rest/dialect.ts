import type { ServerResponse } from 'node:http';
import { heightHeader } from '../../answers/pickHeight.ts';
import type { ErrorShape } from '../../server/messages/errors.ts';
import { varyOfAnswers } from '../../server/messages/requestHeaders.ts';
import type { RequestContext } from '../../server/router.ts';
import {
  documentedBody,
  documentedFailure,
  documentedShape,
  nodeBody,
  nodeFailure,
  nodeShape,
  type RestFailure,
} from './failures.ts';
import { documentedPrinting, nodePrinting, type Printing } from './printer.ts';

/** A dialect of the REST API: how requests are decoded and responses encoded. */
export interface Dialect {
  readonly surface: 'rest' | 'rest-node';
  /** Prefix of the paths of all routes. */
  readonly base: '' | '/rest';
  readonly printing: Printing;
  /** Whether requests are decoded as by the node's gateway. */
  readonly asGo: boolean;
  /**
   * Whether lists follow the documented rules: every page has a size limit, and `reverse` and page keys work even where the
   * chain ignores them.
   */
  readonly enforcesPageRules: boolean;
  /** Serializes an error. `shape` does so for errors that precede the handler. */
  readonly body: (failure: RestFailure) => string;
  readonly shape: ErrorShape;
  failure(error: unknown, service: string, latest: bigint | undefined): RestFailure | undefined;
  /** Name of the response header with the height. */
  readonly heightHeader: string;
  /** Names of the headers with the height in successful responses. */
  readonly heightHeaders: readonly string[];
  /** Whether responses of live routes, which are not read at a height, contain the newest height, as on a node. */
  readonly sendsLiveHeight: boolean;
  /** Whether the routes of a service are served: those that the gateway of a node has. */
  hasRoutes(service: string): boolean;
  /** The error at a path without a route. */
  readonly noRoute: { readonly status: 404 | 501; readonly message: string };
}

/** The height header of grpc-gateway (recorded). */
export const gatewayHeader = 'Grpc-Metadata-X-Cosmos-Block-Height';

/** The `Vary` header of every response: either header of a request can specify the height. */
export const varyOfRest = `${varyOfAnswers}, ${gatewayHeader.toLowerCase()}`;

export const documentedDialect: Dialect = {
  surface: 'rest',
  base: '',
  printing: documentedPrinting,
  asGo: false,
  enforcesPageRules: true,
  body: documentedBody,
  shape: documentedShape,
  failure: documentedFailure,
  heightHeader,
  heightHeaders: [heightHeader],
  sendsLiveHeight: false,
  hasRoutes: () => true,
  noRoute: { status: 404, message: 'Not found.' },
};

export const nodeDialect: Dialect = {
  surface: 'rest-node',
  base: '/rest',
  printing: nodePrinting,
  asGo: true,
  enforcesPageRules: false,
  body: nodeBody,
  shape: nodeShape,
  failure: nodeFailure,
  heightHeader: gatewayHeader,
  // The gateway forwards the application's header with a prefix. The SDK adds the plain name to successful responses: a guess,
  // because recordings contain only the first.
  heightHeaders: [gatewayHeader, 'X-Cosmos-Block-Height'],
  sendsLiveHeight: true,
  // A node registers the reflection services for gRPC and `abci_query` only. Guess from the source of the SDK; no recording has such a path.
  hasRoutes: (service) => !service.startsWith('cosmos.base.reflection.'),
  noRoute: { status: 501, message: 'Not Implemented' },
};

/**
 * Sends an error response in a dialect. Rethrows unexpected errors, which the router masks. `service` is empty if no route was found, `height` is
 * that of the response if the chain rejected the read, and `latest` is the newest block.
 */
export function sendFailure(
  response: ServerResponse,
  context: RequestContext,
  dialect: Dialect,
  error: unknown,
  { service, height, latest }: { service: string; height: bigint | undefined; latest: bigint | undefined },
): void {
  const { req: request } = response;
  const failure = dialect.failure(error, service, latest);
  if (failure === undefined || response.headersSent) throw error;
  if (failure.isOfHeight === true && height !== undefined) response.setHeader(dialect.heightHeader, height.toString());
  // The rest of an unread body is not read.
  if (!request.complete) response.setHeader('connection', 'close');
  context.record.code = failure.reason;
  const body = dialect.body(failure);
  response.writeHead(failure.status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    vary: varyOfRest,
    'content-length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
