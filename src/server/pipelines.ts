import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Limits } from '../config/limits/limits.ts';
import { clientAddress, type TrustedProxies } from './messages/clientAddress.ts';
import { closeRefused } from './messages/refusedConnection.ts';
import { createPieces } from './pieces.ts';
import type { Turns } from './rateLimits/turns.ts';

/** Handles the requests of each connection one at a time. */
export interface Pipelines {
  /** Follows a connection from its start. */
  accept(socket: Socket): void;
  /** Releases what waits on a connection. Must be called when it is closed. */
  closed(socket: Socket): void;
  /**
   * Handles the request once the client has received the responses to all earlier requests of the connection. Never if the
   * connection ends before that. A request that waits for earlier ones then also waits for the turn of its address. While a
   * request waits, its connection is not read.
   */
  run(request: IncomingMessage, response: ServerResponse): void;
  /** Returns the response to the current request of a connection. undefined if there is none. */
  responseOn(socket: Duplex): ServerResponse | undefined;
  /** Whether the next bytes on a connection must be a response: the current request is complete, or its response has begun. */
  isAnswering(socket: Duplex): boolean;
  /**
   * Stops reading a connection, and closes it after the current response. Closes it at once if there is none, or if the
   * response is partly written.
   */
  closeAfterResponse(socket: Duplex): void;
  /** Notes that a connection becomes a WebSocket, so that no further request follows. */
  detach(socket: Duplex): void;
}

/** Memory of a parsed request without its path, its headers and its body, in bytes. The body is part of a chunk. */
const requestBytes = 4 * 1024;

/** Estimates the memory of a waiting request, in bytes. */
function bytesOf({ rawHeaders, url = '' }: IncomingMessage): number {
  let bytes = requestBytes + url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

interface Handled {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Waiting extends Handled {
  readonly bytes: number;
}

/** The parsed requests of one connection: one is handled, the others wait. They arrived in one piece with the first. */
interface Pipeline {
  /** The requests that wait. undefined until one does. */
  waiting: Waiting[] | undefined;
  current: Handled | undefined;
  /** Memory of the waiting requests, in bytes. */
  parsed: number;
  /** Length of the chunks that contain them, including later bytes that are not parsed yet. */
  received: number;
  /** Bytes that count towards `http.pipelined`: `parsed` and `received` while requests wait, else 0. */
  counted: number;
}

/**
 * Creates the pipelines. `http.pipelined` limits the memory of waiting requests and of the unparsed bytes after them, for all
 * connections together.
 */
export function createPipelines({
  limits,
  trustedProxies,
  turns,
  handle,
  closed,
}: {
  readonly limits: Limits;
  readonly trustedProxies: TrustedProxies;
  readonly turns: Turns;
  /** Handles a request after {@link TrustedProxies.identify}. Must not throw. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called when a response closes, before the next request of its connection begins. Must not throw. */
  readonly closed: (response: ServerResponse) => void;
}): Pipelines {
  const pipelines = new WeakMap<Duplex, Pipeline>();
  const max = limits['http.pipelined'];
  let counted = 0;
  const isWaiting = ({ waiting }: Pipeline): boolean => waiting !== undefined && waiting.length > 0;

  const pieces = createPieces({
    received(socket, bytes) {
      const pipeline = pipelines.get(socket);
      if (pipeline === undefined) return;
      const isLater = isWaiting(pipeline) || socket.readableLength > 0;
      pipeline.received = bytes + (isLater ? pipeline.received : 0);
      countMore(socket, pipeline);
    },
    isWaiting(socket) {
      const pipeline = pipelines.get(socket);
      return pipeline !== undefined && isWaiting(pipeline);
    },
  });

  function count(pipeline: Pipeline): void {
    const bytes = isWaiting(pipeline) ? pipeline.parsed + pipeline.received : 0;
    counted += bytes - pipeline.counted;
    pipeline.counted = bytes;
  }

  function clear(pipeline: Pipeline): void {
    pipeline.waiting = undefined;
    pipeline.parsed = 0;
    count(pipeline);
  }

  /** Updates the count of a connection, and closes it if all together exceed the limit. */
  function countMore(socket: Socket, pipeline: Pipeline): void {
    count(pipeline);
    if (pipeline.counted === 0 || counted <= max) return;
    clear(pipeline);
    socket.destroy();
  }

  function begin(pipeline: Pipeline, handled: Handled): void {
    pipeline.current = handled;
    trustedProxies.identify(handled.request);
    // A response closes when its connection does, or when the operating system has accepted all of it.
    handled.response.on('close', onResponseClose);
  }

  // One function for all responses: one for each would take memory for as long as a stream is open.
  function onResponseClose(this: ServerResponse): void {
    closed(this);
    const { socket } = this.req;
    const pipeline = pipelines.get(socket);
    if (pipeline !== undefined) next(socket, pipeline);
  }

  function next(socket: Socket, pipeline: Pipeline): void {
    pipeline.current = undefined;
    const waiting = pipeline.waiting?.shift();
    if (waiting === undefined) return;
    pipeline.parsed -= waiting.bytes;
    count(pipeline);
    // The last response may have ended the connection.
    if (!socket.writable) return;
    begin(pipeline, waiting);
    handleInTurn(waiting);
    if (!isWaiting(pipeline)) socket.resume();
  }

  function handleInTurn({ request, response }: Handled): void {
    const turn = turns.take(clientAddress(request));
    if (turn === undefined) {
      handle(request, response);
      return;
    }
    response.once('close', turn.cancel);
    void turn.begun.then(() => {
      response.off('close', turn.cancel);
      handle(request, response);
    });
  }

  return {
    accept(socket) {
      pipelines.set(socket, { waiting: undefined, current: undefined, parsed: 0, received: 0, counted: 0 });
      pieces.start(socket);
    },
    closed(socket) {
      const pipeline = pipelines.get(socket);
      if (pipeline !== undefined) clear(pipeline);
    },
    run(request, response) {
      const { socket } = request;
      const pipeline = pipelines.get(socket);
      // The parser continues to the end of a piece even if the connection is closed.
      if (pipeline === undefined || socket.destroyed) return;
      if (pipeline.current === undefined) {
        begin(pipeline, { request, response });
        return handle(request, response);
      }
      const bytes = bytesOf(request);
      pipeline.waiting ??= [];
      pipeline.waiting.push({ request, response, bytes });
      pipeline.parsed += bytes;
      socket.pause();
      countMore(socket, pipeline);
    },
    responseOn: (socket) => pipelines.get(socket)?.current?.response,
    isAnswering(socket) {
      const current = pipelines.get(socket)?.current;
      return current !== undefined && (current.request.complete || current.response.headersSent);
    },
    closeAfterResponse(socket) {
      const response = pipelines.get(socket)?.current?.response;
      if (response?.writableEnded === true) return closeRefused(socket, '');
      if (response === undefined || response.headersSent) return void socket.destroy();
      socket.pause();
      // Node sends `connection: close`, and closes the connection after the response.
      response.shouldKeepAlive = false;
    },
    detach(socket) {
      if (socket instanceof Socket) pieces.stop(socket);
    },
  };
}
