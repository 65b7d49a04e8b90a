import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestRecord } from '../../graphql/request/requestRecord.ts';
import type { Session } from '../../reads/viewer.ts';
import type { ErrorShape } from '../messages/errors.ts';
import type { Surface } from '../observability/requestStats.ts';
import type { ClientLimits } from '../rateLimits/rates.ts';

/** Who is at a handler, and what is written down of the request. */
export interface RequestContext {
  /** The path, without its query. */
  readonly path: string;
  readonly session: Session;
  /** Whose limits it counts towards. The request is among those under way, and its first point is taken. */
  readonly caller: ClientLimits;
  /**
   * Reads the body, and waits for the turn of the caller; null if it has more than `max` bytes. Large bodies of one caller are read a few at a
   * time (`rate.bodies`). Never resolves when the client leaves.
   */
  body(max: number): Promise<Buffer | null>;
  /** Waits for the turn of the caller, once for each request. The router has done so for all methods but POST. Never resolves when the client leaves. */
  turn(): Promise<void>;
  /** When the request was whole, by the clock of `performance`: its deadline counts from there. */
  readonly arrived: number;
  /** Counts it among those under way no longer: from here on it is a stream, which others count. */
  releaseSlot(): void;
  readonly record: RequestRecord;
}

/** A part of the server that answers at paths of its own, one protocol each. */
export interface Handler {
  readonly surface: Surface;
  /** How its clients are told of failures. */
  readonly shape: ErrorShape;
  /** Whether it answers at a path. */
  matches(path: string): boolean;
  /** Whether a body at a path may be as large as `http.body`, which it then sees to itself; `http.otherBody` for all if absent. */
  acceptsLargeBody?(path: string): boolean;
  /** Answers a request whose token was verified. What it did not foresee rejects, and is masked. */
  handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void>;
}

/** A part of the server that asks nobody for a token: nothing of the chain is in its answers. */
export interface PublicHandler {
  readonly surface: Surface;
  /** Whether it is a page that a link of any site may open. */
  readonly isPage?: true;
  /** The shape of its errors; that of GraphQL if absent. */
  readonly shape?: ErrorShape;
  matches(path: string, request: IncomingMessage): boolean;
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
}

/** A part of the server that speaks over WebSocket at paths of its own. */
export interface SocketHandler {
  readonly shape: ErrorShape;
  matches(path: string): boolean;
  /** Takes over a connection whose upgrade carried a token that was verified. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, session: Session): void;
  /** Sockets that are open. */
  open(): number;
  /** Refuses new calls; each socket is closed, 1012, when those under way have their answers. Resolves when all are. */
  drain(): Promise<void>;
  /** Closes every socket: 1012, the service restarts. Resolves when all are closed. */
  close(): Promise<void>;
}
