import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Limits } from '../../config/limits/limits.ts';
import { clientAddress, type TrustedProxies } from '../messages/clientAddress.ts';
import { closeRefused } from '../messages/refusedConnection.ts';
import type { Turns } from '../rateLimits/turns.ts';

/** Handles the requests of each connection one at a time. */
export interface Pipelines {
  /** Follows a connection from its start. */
  accept(socket: Socket): void;
  /**
   * Handles the request once the client has taken the responses to all earlier requests of the connection, and never if the connection ends before
   * that. A request that had to wait for these also waits for the turn of its address. While a request waits, nothing is read from its connection.
   */
  run(request: IncomingMessage, response: ServerResponse): void;
  /** Whether the next bytes on a connection must be those of a response to a request that came whole. */
  isAnswering(socket: Duplex): boolean;
  /** Reads nothing more of a connection, and closes it after the response under way, or at once if there is none or part of it is sent. */
  closeAfterResponse(socket: Duplex): void;
  /** No further request comes on a connection: it becomes a WebSocket. */
  leave(socket: Duplex): void;
}

/** How a connection is read. */
export interface Pieces {
  /** Passes on each later chunk as it arrives, because another protocol than HTTP follows. */
  stop(): void;
}

/**
 * Least size of a piece, bytes: of one that is parsed as it arrives, and of one that waits. They bound the requests that are parsed at once: about 15
 * and 120, as the shortest has 18 bytes. More pieces would cost more than they save.
 */
const least = 256;
const leastWaiting = 2 * 1024;

const endOfHeaders = '\r\n\r\n';

const ignore = (): void => undefined;

/** Where a piece ends: behind the first headers that end `size` bytes or more from its beginning, or with the chunk if no further headers end in it. */
function endOfPiece(chunk: Buffer, begin: number, size: number): number {
  const found = chunk.indexOf(endOfHeaders, begin + size - endOfHeaders.length);
  const end = found + endOfHeaders.length;
  return found === -1 || chunk.indexOf(endOfHeaders, end) === -1 ? chunk.length : end;
}

/**
 * Passes the bytes of a connection to the HTTP parser in pieces. Node reads up to 64 KiB at once and parses all of it before a pause of the connection
 * takes effect, which can be 3,000 requests. A piece ends at the end of headers, so it rarely splits a request, and a body stays whole. While the
 * connection is paused, the remaining pieces wait in its buffer.
 *
 * Call it when the connection is accepted. `received` is called with the length of each chunk before the chunk is parsed. While `isWaiting` returns
 * true, the connection stays paused although Node resumes it after each request.
 */
export function readInPieces(
  socket: Socket,
  { received, isWaiting }: { readonly received: (bytes: number) => void; readonly isWaiting: () => boolean },
): Pieces {
  // Node's parser reads the connection itself, past the methods of the socket, until a listener for data is added.
  socket.on('data', ignore).off('data', ignore);
  const { push, resume } = socket;
  let isStopped = false;

  socket.push = (chunk: Buffer | null) => {
    if (chunk === null || isStopped) return push.call(socket, chunk);
    received(chunk.length);
    let takesMore = true;
    for (let begin = 0; begin < chunk.length && !socket.destroyed; ) {
      const size = socket.isPaused() ? leastWaiting : least;
      const end = isStopped ? chunk.length : endOfPiece(chunk, begin, size);
      takesMore = push.call(socket, begin === 0 && end === chunk.length ? chunk : chunk.subarray(begin, end));
      begin = end;
    }
    return takesMore;
  };
  socket.resume = () => (isWaiting() ? socket : resume.call(socket));

  return {
    stop() {
      isStopped = true;
    },
  };
}

/** Memory of a parsed request, bytes, without its path, its headers, and its body, which is part of a chunk. */
const requestBytes = 4 * 1024;

/** Memory of a waiting request, estimated, bytes. */
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

/** The requests of one connection: one is handled, the others wait. Each is parsed already, as it came in one piece with the first. */
interface Pipeline {
  readonly waiting: Waiting[];
  current: Handled | undefined;
  readonly pieces: Pieces;
  /** Memory of the waiting requests, bytes. */
  parsed: number;
  /** Length of the chunks that they are part of, with the bytes behind them that are not parsed. */
  received: number;
  /** Bytes that count towards `http.pipelined`: both of these while requests wait. */
  kept: number;
}

/** Makes the pipelines. `http.pipelined` limits the memory of waiting requests and of the bytes behind them, in all connections together. */
export function createPipelines({
  limits,
  trustedProxies,
  turns,
  handle,
}: {
  readonly limits: Limits;
  readonly trustedProxies: TrustedProxies;
  readonly turns: Turns;
  /** Handles a request whose client {@link TrustedProxies.identify} has read. Must not throw. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}): Pipelines {
  const pipelines = new WeakMap<Duplex, Pipeline>();
  const max = limits['http.pipelined'];
  let kept = 0;

  function count(pipeline: Pipeline): void {
    const bytes = pipeline.waiting.length === 0 ? 0 : pipeline.parsed + pipeline.received;
    kept += bytes - pipeline.kept;
    pipeline.kept = bytes;
  }

  function forget(pipeline: Pipeline): void {
    pipeline.waiting.length = 0;
    pipeline.parsed = 0;
    count(pipeline);
  }

  /** Counts more for a connection, and closes it over the limit. */
  function countMore(socket: Socket, pipeline: Pipeline): void {
    count(pipeline);
    if (pipeline.kept === 0 || kept <= max) return;
    forget(pipeline);
    socket.destroy();
  }

  function begin(socket: Socket, pipeline: Pipeline, handled: Handled): void {
    pipeline.current = handled;
    trustedProxies.identify(handled.request);
    // It closes when the connection does, or when the system has taken all of it.
    handled.response.once('close', () => next(socket, pipeline));
  }

  function next(socket: Socket, pipeline: Pipeline): void {
    pipeline.current = undefined;
    const waiting = pipeline.waiting.shift();
    if (waiting === undefined) return;
    pipeline.parsed -= waiting.bytes;
    count(pipeline);
    // The last response may have ended the connection.
    if (!socket.writable) return;
    begin(socket, pipeline, waiting);
    handleInTurn(waiting);
    if (pipeline.waiting.length === 0) socket.resume();
  }

  function handleInTurn({ request, response }: Handled): void {
    const turn = turns.take(clientAddress(request));
    if (turn === undefined) {
      handle(request, response);
      return;
    }
    response.once('close', turn.leave);
    void turn.begun.then(() => {
      response.off('close', turn.leave);
      handle(request, response);
    });
  }

  return {
    accept(socket) {
      const waiting: Waiting[] = [];
      const pieces = readInPieces(socket, {
        received(bytes) {
          const isBehind = waiting.length > 0 || socket.readableLength > 0;
          pipeline.received = bytes + (isBehind ? pipeline.received : 0);
          countMore(socket, pipeline);
        },
        isWaiting: () => waiting.length > 0,
      });
      const pipeline: Pipeline = { waiting, current: undefined, pieces, parsed: 0, received: 0, kept: 0 };
      pipelines.set(socket, pipeline);
      socket.once('close', () => forget(pipeline));
    },
    run(request, response) {
      const { socket } = request;
      const pipeline = pipelines.get(socket);
      // The parser goes on to the end of a piece though the connection is closed already.
      if (pipeline === undefined || socket.destroyed) return;
      if (pipeline.current === undefined) {
        begin(socket, pipeline, { request, response });
        return handle(request, response);
      }
      const bytes = bytesOf(request);
      pipeline.waiting.push({ request, response, bytes });
      pipeline.parsed += bytes;
      socket.pause();
      countMore(socket, pipeline);
    },
    isAnswering(socket) {
      const current = pipelines.get(socket)?.current;
      return current !== undefined && (current.request.complete || current.response.headersSent);
    },
    closeAfterResponse(socket) {
      const response = pipelines.get(socket)?.current?.response;
      if (response?.writableEnded === true) return closeRefused(socket, '');
      if (response === undefined || response.headersSent) return void socket.destroy();
      socket.pause();
      // The header tells the client, and Node closes the connection after the response.
      response.shouldKeepAlive = false;
    },
    leave(socket) {
      pipelines.get(socket)?.pieces.stop();
    },
  };
}
