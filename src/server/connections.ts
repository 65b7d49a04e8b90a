import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Refused } from '../answers/caller.ts';
import type { Limits } from '../config/limits/limits.ts';
import { clientAddress, peerAddress, type TrustedProxies } from './messages/clientAddress.ts';
import { closeRefused, type ErrorResponse, isRefused, rateLimitResponse } from './messages/errors.ts';
import type { Turns } from './rateLimits/turns.ts';

/** The reading of connections in pieces. */
interface Pieces {
  /** Passes the bytes of a connection to the HTTP parser in pieces. Must be called when the connection is accepted. */
  start(socket: Socket): void;
  /** From now on, passes on each chunk of a connection as a whole, because its protocol is no longer HTTP. */
  stop(socket: Socket): void;
}

/**
 * Minimum size of a piece that is parsed at once, and of one that waits, in bytes. The shortest request has 18 bytes, so these
 * limit the requests parsed at once to about 15 and 120. Smaller pieces would cost more than they save.
 */
const least = 256;
const leastWaiting = 2 * 1024;

const endOfHeaders = Buffer.from('\r\n\r\n');

const ignore = (): void => undefined;

/**
 * Returns the end of a piece: after the first headers that end at least `size` bytes from its start, or the end of the chunk if
 * no later headers end in it.
 */
function endOfPiece(chunk: Buffer, begin: number, size: number): number {
  const found = chunk.indexOf(endOfHeaders, begin + size - endOfHeaders.length);
  const end = found + endOfHeaders.length;
  return found === -1 || chunk.indexOf(endOfHeaders, end) === -1 ? chunk.length : end;
}

/**
 * Creates the reading of connections in pieces. Node reads up to 64 KiB at once and parses all of it before a pause of the
 * connection takes effect, which can be 3,000 requests. A piece ends at the end of headers, so it rarely splits a request, and
 * a body stays whole. While a connection is paused, the remaining pieces wait in its buffer. All connections share the same
 * functions, because functions of their own would take memory for as long as a stream or a WebSocket is open.
 */
export function createPieces({
  received,
  isWaiting,
}: {
  /** Called with the length of each chunk before the chunk is parsed. */
  readonly received: (socket: Socket, bytes: number) => void;
  /** While it returns true, the connection stays paused, although Node resumes it after each request. */
  readonly isWaiting: (socket: Socket) => boolean;
}): Pieces {
  const { push, resume } = Socket.prototype;

  /** Passes bytes on. `push` would also make the stream read again after each chunk, which the connection does by itself. */
  function pass(socket: Socket, bytes: Buffer): boolean {
    if (socket.readableFlowing !== true || socket.readableLength > 0 || socket.listenerCount('data') === 0)
      return push.call(socket, bytes);
    socket.emit('data', bytes);
    return true;
  }

  function pushInPieces(this: Socket, chunk: Buffer | null): boolean {
    if (chunk === null) return push.call(this, chunk);
    received(this, chunk.length);
    // Most requests arrive in one chunk of their own.
    if (chunk.length <= least) return this.destroyed || pass(this, chunk);
    let acceptsMore = true;
    for (let begin = 0; begin < chunk.length && !this.destroyed; ) {
      const size = this.isPaused() ? leastWaiting : least;
      const isStopped = this.push !== pushInPieces;
      const end = isStopped ? chunk.length : endOfPiece(chunk, begin, size);
      acceptsMore = pass(this, begin === 0 && end === chunk.length ? chunk : chunk.subarray(begin, end));
      begin = end;
    }
    return acceptsMore;
  }

  function resumeUnlessWaiting(this: Socket): Socket {
    return isWaiting(this) ? this : resume.call(this);
  }

  return {
    start(socket) {
      // Node's parser reads the connection directly, without the methods of the socket, until a `data` listener is added.
      socket.on('data', ignore).off('data', ignore);
      socket.push = pushInPieces;
      socket.resume = resumeUnlessWaiting;
    },
    stop(socket) {
      socket.push = push;
      socket.resume = resume;
    },
  };
}

/** Handles the requests of each connection one at a time. */
interface Pipelines {
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
function createPipelines({
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

/** Counts the connections of each address, up to `http.connectionsPerAddress`. */
interface ConnectionSlots {
  /** Takes a slot for a connection from an address. Returns an error if there is none. */
  take(address: string): Refused | undefined;
  /** Frees a slot of an address. Must be called once for each slot that was taken. */
  release(address: string): void;
}

/** Creates the counters, all zero. Only addresses with open connections are stored. */
function createConnectionSlots(limits: Limits): ConnectionSlots {
  const limit = 'http.connectionsPerAddress';
  const max = limits[limit];
  const taken = new Map<string, number>();
  return {
    take(address) {
      const count = taken.get(address) ?? 0;
      if (max > 0 && count >= max) return { limit, max, retryAfter: 1, remaining: 0 };
      taken.set(address, count + 1);
      return undefined;
    },
    release(address) {
      const left = (taken.get(address) ?? 1) - 1;
      if (left === 0) taken.delete(address);
      else taken.set(address, left);
    },
  };
}

/** The connections of an HTTP server: their number for each address, the order of their requests, and their end. */
export interface Connections {
  /**
   * Handles the request once all earlier requests of its connection have complete responses. Never if the connection ends
   * before that.
   */
  run(request: IncomingMessage, response: ServerResponse): void;
  /** Whether the next bytes on a connection must be a response: the current request is complete, or its response has begun. */
  isAnswering(socket: Duplex): boolean;
  /**
   * Stops reading a connection, and closes it after the current response. Closes it at once if there is none, or if the
   * response is partly written.
   */
  closeAfterResponse(socket: Duplex): void;
  /** Notes that a connection becomes a WebSocket, so that no further request follows. */
  detach(socket: Duplex): void;
  /**
   * Counts a request from a trusted proxy as a connection of its client until `work`, its response or WebSocket, closes.
   * Returns an error over the limit. Requests from other peers are not counted, because their connections are.
   */
  admit(request: IncomingMessage, work: ServerResponse | Duplex): ErrorResponse | undefined;
  /** From now on, each response closes its connection, so that clients connect elsewhere. */
  retire(): void;
  /**
   * Accepts no more connections, and closes idle and refused ones. Closes the others after their current response. Resolves
   * when all are closed.
   */
  drain(): Promise<void>;
  /** Closes every connection at once. Resolves when all are closed. */
  close(): Promise<void>;
}

/**
 * Follows the connections of a server from its start. At a shutdown, Node itself does not close connections that never sent a
 * request or whose upgrade was refused, and keeps others open for the keep-alive time after their last response.
 */
export function createConnections(
  server: Server,
  {
    limits,
    trustedProxies,
    turns,
    handle,
    closed,
  }: {
    readonly limits: Limits;
    readonly trustedProxies: TrustedProxies;
    readonly turns: Turns;
    /** Handles a request. Must not throw. */
    readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
    /** Called when a response closes, before the next request of its connection begins. Must not throw. */
    readonly closed: (response: ServerResponse) => void;
  },
): Connections {
  /**
   * The open connections, each with the address whose slot of `http.connectionsPerAddress` it holds. Those of trusted proxies
   * hold none.
   */
  const sockets = new Map<Socket, string | undefined>();
  const slots = createConnectionSlots(limits);
  const pipelines = createPipelines({ limits, trustedProxies, turns, handle: handleNext, closed: onResponseClose });
  let isRetired = false;
  let isDraining = false;

  const closeAfter = (response: ServerResponse): void => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  };

  server.on('connection', (socket) => {
    // Node emits the event again for a connection that continues after an ignored upgrade.
    if (sockets.has(socket)) return;
    const address = trustedProxies.includes(socket.remoteAddress) ? undefined : peerAddress(socket);
    if (address !== undefined && slots.take(address) !== undefined) return void socket.destroy();
    sockets.set(socket, address);
    pipelines.accept(socket);
    socket.on('close', onClose).on('finish', onFinish);
  });

  // These functions serve all connections and responses. Functions of their own would take memory for as long as a stream or a
  // WebSocket is open.

  function onClose(this: Socket): void {
    const address = sockets.get(this);
    if (address !== undefined) slots.release(address);
    sockets.delete(this);
    pipelines.closed(this);
  }

  function onFinish(this: Socket): void {
    if (isDraining && isRefused(this)) this.destroy();
  }

  function onResponseClose(response: ServerResponse): void {
    closed(response);
    // Its headers may have been sent with keep-alive before `retire`.
    if (isRetired && !server.listening) setImmediate(() => server.closeIdleConnections());
  }

  function retire(): void {
    isRetired = true;
    for (const socket of sockets.keys()) {
      const response = pipelines.responseOn(socket);
      if (response !== undefined) closeAfter(response);
    }
  }

  function handleNext(request: IncomingMessage, response: ServerResponse): void {
    if (isRetired) closeAfter(response);
    handle(request, response);
  }

  return {
    run: pipelines.run,
    isAnswering: pipelines.isAnswering,
    closeAfterResponse: pipelines.closeAfterResponse,
    detach: pipelines.detach,
    admit(request, work) {
      if (!trustedProxies.includes(request.socket.remoteAddress)) return undefined;
      const address = clientAddress(request);
      const refused = slots.take(address);
      if (refused !== undefined) return rateLimitResponse(refused);
      work.once('close', () => slots.release(address));
      return undefined;
    },
    retire,
    drain() {
      retire();
      isDraining = true;
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        for (const socket of sockets.keys())
          if (socket.bytesRead === 0 || (isRefused(socket) && socket.writableFinished)) socket.destroy();
      });
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets.keys()) socket.destroy();
      });
    },
  };
}
