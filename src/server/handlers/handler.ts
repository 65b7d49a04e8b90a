import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestRecord } from '../../answers/caller.ts';
import type { Session } from '../../reads/viewer.ts';
import type { ErrorShape } from '../messages/errors.ts';
import type { Surface } from '../observability/requestStats.ts';
import type { ClientLimits } from '../rateLimits/clientLimits.ts';

/** A request whose token was verified, as a handler gets it. */
export interface RequestContext {
  /** The path without its query. */
  readonly path: string;
  readonly session: Session;
  /** The limits of the caller. The request holds a slot of `rate.concurrent`, and its first points are taken. */
  readonly caller: ClientLimits;
  /**
   * Reads the body and waits for the turn of the caller. null if the body has more than `max` bytes. Large bodies of one caller
   * are read a few at a time (`rate.bodies`). Never resolves if the client disconnects.
   */
  body(max: number): Promise<Buffer | null>;
  /**
   * Waits for the turn of the caller, once for each request. The router has done so for all methods but POST. undefined if the
   * turn begins at once. Never resolves if the client disconnects.
   */
  turn(): Promise<void> | undefined;
  /** Time at which the request was complete, by the clock of `performance`. Its deadline counts from there. */
  readonly arrived: number;
  /** Releases the slot of `rate.concurrent`, because the request has become a stream, which has its own limits. */
  releaseSlot(): void;
  /** Collects what the log and the metrics report of the request. */
  readonly record: RequestRecord;
}

/** A surface of the server: one protocol at its own paths. Requests need a token. */
export interface Handler {
  readonly surface: Surface;
  /** The format of its errors. */
  readonly shape: ErrorShape;
  /** Whether a path belongs to this handler. */
  matches(path: string): boolean;
  /**
   * Whether a body at this path may be as large as `http.body`. The handler then enforces that limit itself. If absent, the
   * limit is `http.otherBody`.
   */
  acceptsLargeBody?(path: string): boolean;
  /** Responds to a request whose token was verified. Rejects with unexpected errors, which the router masks. */
  handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void>;
}

/** A handler whose paths need no token. Its responses contain no data of the chain. */
export interface PublicHandler {
  readonly surface: Surface;
  /** Whether it is a page that links on any site may open. */
  readonly isPage?: true;
  /** The format of its errors. That of GraphQL if absent. */
  readonly shape?: ErrorShape;
  matches(path: string, request: IncomingMessage): boolean;
  /** Returns origins whose pages may send requests to a path, in addition to those of `--allowed-origin`. Never rejects. */
  origins?(path: string): Promise<readonly string[]>;
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
}

/** A surface of the server over WebSocket, at its own paths. */
export interface SocketHandler {
  readonly shape: ErrorShape;
  matches(path: string): boolean;
  /**
   * Takes over a connection. `authenticate` verifies the token of the upgrade: undefined if it is invalid, and the connection is closed. Rejects with
   * unexpected errors.
   */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    authenticate: () => Promise<Session | undefined>,
  ): Promise<void>;
  /** Returns the number of open sockets. */
  open(): number;
  /**
   * Refuses new calls, and closes each socket with 1012 once its running calls have responses. Resolves when all sockets are
   * closed.
   */
  drain(): Promise<void>;
  /** Closes every socket with 1012 (service restart). Resolves when all are closed. */
  close(): Promise<void>;
}
