import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Refused } from '../answers/caller.ts';
import { createRounds } from '../chain/base/rounds.ts';
import type { Limits } from '../config/limits/limits.ts';
import type { CollectedRequest } from './messages/body.ts';
import { closeRefused, type ErrorResponse, isRefused, rateLimitResponse } from './messages/errors.ts';
import { clientAddress, networkOf, type TrustedProxies } from './messages/requestHeaders.ts';
import type { IdentifiedResponse } from './observability/requestLog.ts';
import { refusal } from './rateLimits/clientLimits.ts';
import type { Turns } from './rateLimits/turns.ts';

/**
 * Minimum size of a piece that is parsed at once, and of one that waits, in bytes. The shortest request has 18 bytes, so these
 * limit the requests parsed at once to about 15 and 120. Smaller pieces would cost more than they save.
 */
const least = 256;
const leastWaiting = 2 * 1024;

const endOfHeaders = Buffer.from('\r\n\r\n');

const ignore = (): void => undefined;

/** What all connections are read into, one chunk after another. Node reads at most 64 KiB at once. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** The members of a socket that its option `onread` sets: the buffer that it is read into, and what is called after a read. */
const [bufferKey, callbackKey] = keysOfReading();

function keysOfReading(): readonly (symbol | undefined)[] {
  const callback = (): boolean => true;
  // The types of Node.js do not name the option here.
  const options = { allowHalfOpen: false, onread: { buffer: readBuffer, callback } };
  const socket = new Socket(options);
  const keys = Object.getOwnPropertySymbols(socket);
  return [readBuffer, callback].map((value) => keys.find((key) => Reflect.get(socket, key) === value));
}

/**
 * Reads a connection into {@link readBuffer} from now on. Otherwise Node allocates 64 KiB for each read, which takes longer than to read a request.
 * `callback` gets the length of each chunk. Node has this option, but not for the connections of a server. A release of Node.js that sets it in another
 * way allocates the memory.
 */
function readIntoBuffer(socket: Socket, callback: (this: Socket, length: number) => boolean): void {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (bufferKey === undefined || callbackKey === undefined || typeof handle !== 'object' || handle === null) return;
  if (!('useUserBuffer' in handle) || typeof handle.useUserBuffer !== 'function') return;
  Object.assign(socket, { [bufferKey]: readBuffer, [callbackKey]: callback });
  handle.useUserBuffer(readBuffer);
}

/** Bytes that stay as they are: a copy if they are in {@link readBuffer}. */
export function lasting(bytes: Buffer): Buffer {
  return bytes.buffer === readBuffer.buffer ? Buffer.from(bytes) : bytes;
}

/** A connection that is read in pieces. */
interface ReadConnection {
  /** The requests that wait. While there are any, the connection stays paused, although Node resumes it after each request. */
  readonly waiting: readonly unknown[] | undefined;
  /** Length of the last chunk, and of those before it that are not handled yet. */
  received: number;
}

/**
 * Creates the reading of connections in pieces. Node reads up to 64 KiB at once and parses all of it before a pause of the
 * connection takes effect, which can be 3,000 requests. A piece ends at the end of headers, so it rarely splits a request, and
 * a body stays whole. While a connection is paused, the remaining pieces wait in its buffer. All connections share the same
 * functions, because functions of their own would take memory for as long as a stream or a WebSocket is open.
 */
export function createPieces<C extends ReadConnection>(
  connections: ReadonlyMap<unknown, C>,
  /** Called before a chunk is parsed that arrived while requests or bytes of its connection wait. */
  countMore: (socket: Socket, connection: C) => void,
) {
  const { push, resume } = Socket.prototype;

  function pushInPieces(this: Socket, chunk: Buffer | null): boolean {
    if (chunk === null) return push.call(this, chunk);
    const connection = connections.get(this);
    if (connection !== undefined) {
      const isLater = connection.waiting !== undefined || this.readableLength > 0;
      connection.received = chunk.length + (isLater ? connection.received : 0);
      if (isLater) countMore(this, connection);
    }
    let acceptsMore = true;
    for (let begin = 0; begin < chunk.length && !this.destroyed; ) {
      const size = this.isPaused() ? leastWaiting : least;
      let end = chunk.length;
      if (this.push === pushInPieces && end - begin > size) {
        // The piece ends after the first headers that end at least `size` bytes from its start, unless they are the last ones.
        const index = chunk.indexOf(endOfHeaders, begin + size - endOfHeaders.length);
        const next = index + endOfHeaders.length;
        if (index !== -1 && chunk.indexOf(endOfHeaders, next) !== -1) end = next;
      }
      const piece = begin === 0 && end === chunk.length ? chunk : chunk.subarray(begin, end);
      if (this.readableFlowing === true && this.readableLength === 0 && this.listenerCount('data') > 0) {
        // `push` would also make the stream read again after each chunk, which the connection does by itself.
        this.emit('data', piece);
        acceptsMore = true;
      } else acceptsMore = push.call(this, lasting(piece));
      begin = end;
    }
    return acceptsMore;
  }

  function pushRead(this: Socket, length: number): boolean {
    const chunk = readBuffer.subarray(0, length);
    return this.push(this.push === pushInPieces ? chunk : lasting(chunk));
  }

  function resumeUnlessWaiting(this: Socket): Socket {
    return connections.get(this)?.waiting === undefined ? resume.call(this) : this;
  }

  return {
    /** Passes the bytes of a connection to the HTTP parser in pieces. Must be called when the connection is accepted. */
    start(socket: Socket): void {
      // Node's parser reads the connection directly, without the methods of the socket, until a `data` listener is added.
      socket.on('data', ignore).off('data', ignore);
      readIntoBuffer(socket, pushRead);
      socket.push = pushInPieces;
      socket.resume = resumeUnlessWaiting;
    },
    /** From now on, passes on each chunk of a connection as a whole, because its protocol is no longer HTTP. */
    stop(socket: Socket): void {
      socket.push = push;
      socket.resume = resume;
    },
  };
}

/** How long a connection has been idle. */
interface IdleConnection {
  /** The bytes that it had received and sent at the last visit. -1 if its idle time counts from the next one. */
  moved: number;
  /** The first visit that found this number, by the clock of `performance`, ms. */
  since: number;
}

/** The number of bytes that a connection has received, and of those that the operating system has accepted to send. */
function movedBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const queued: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0;
  return socket.bytesRead + socket.bytesWritten - (typeof queued === 'number' ? queued : 0);
}

/** Replaces `socket.setTimeout`: see {@link createIdleTimes}. With 0, there is no timeout. */
function setIdleTime(this: Socket & { timeout: number }, timeout: number, callback?: () => void): Socket {
  this.timeout = timeout;
  if (callback !== undefined) this.off('timeout', callback);
  if (callback !== undefined && timeout > 0) this.once('timeout', callback);
  return this;
}

/**
 * Creates the idle timeouts of connections, which Node sets by `socket.setTimeout`. A connection emits `timeout` when no bytes were received or sent
 * for that time, at most two intervals later. Node itself would create two timers for each request and reset them at each read and write, which takes
 * a twentieth of the time of a cached response. Here one timer serves all connections.
 */
export function createIdleTimes<C extends IdleConnection>(connections: ReadonlyMap<unknown, C>, interval: number) {
  const { setTimeout } = Socket.prototype;

  const sockets = createRounds<Socket>(interval, (socket) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    const moved = socket.timeout ? movedBytes(socket) : -1;
    if (moved !== connection.moved || moved === -1) {
      connection.moved = moved;
      connection.since = performance.now();
    } else if (performance.now() - connection.since >= (socket.timeout ?? 0)) {
      connection.moved = -1;
      socket.emit('timeout');
    }
  });

  /** Replaces `setTimeout` of a socket, whose timeout stays. */
  function replace(socket: Socket, method: Socket['setTimeout']): void {
    const { timeout = 0 } = socket;
    socket.setTimeout(0);
    socket.setTimeout = method;
    socket.setTimeout(timeout);
  }

  return {
    /** Must be called when the connection is accepted. */
    start(socket: Socket): void {
      replace(socket, setIdleTime);
      sockets.add(socket);
    },
    /** From now on, the timeout of the socket is Node's own, because the protocol of the connection is no longer HTTP. */
    stop(socket: Socket): void {
      sockets.delete(socket);
      replace(socket, setTimeout);
    },
    /** Must be called when the connection is closed. */
    end: sockets.delete,
  };
}

/** The interval of visits to a connection that may be idle, ms. */
const idleInterval = 1_000;

/** Memory of a parsed request without its path, its headers and its body, in bytes. The body is part of a chunk. */
const requestBytes = 4 * 1024;

function bytesOf({ rawHeaders, url = '' }: IncomingMessage): number {
  let bytes = requestBytes + url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

interface Waiting {
  readonly request: CollectedRequest;
  readonly response: IdentifiedResponse;
  readonly bytes: number;
}

/** One connection. Of its parsed requests one is handled: `current` is its response. The others wait. They arrived in one piece with the first. */
interface Connection extends IdleConnection {
  /** The address whose slot of `http.connectionsPerAddress` it holds. undefined for a trusted proxy. */
  readonly address: string | undefined;
  /** The requests that wait. undefined if none does. */
  waiting: Waiting[] | undefined;
  current: IdentifiedResponse | undefined;
  /** Memory of the waiting requests, in bytes. */
  parsed: number;
  /** Length of the chunks that contain them, including later bytes that are not parsed yet. */
  received: number;
  /** Bytes that count towards `http.pipelined`: `parsed` and `received` while requests wait, else 0. */
  counted: number;
}

/** The connections of an HTTP server: their number for each address, the order of their requests, and their end. */
export type Connections = ReturnType<typeof createConnections>;

/**
 * Follows the connections of a server from its start. At a shutdown, Node itself does not close connections that never sent a
 * request or whose upgrade was refused, and keeps others open for the keep-alive time after their last response.
 * `http.pipelined` limits the memory of waiting requests and of the unparsed bytes after them, for all connections together.
 */
export function createConnections(
  server: Server,
  {
    limits,
    trustedProxies,
    turns,
    handle,
    fail,
    closed,
  }: {
    readonly limits: Limits;
    readonly trustedProxies: TrustedProxies;
    readonly turns: Turns;
    /** Handles a request after {@link TrustedProxies.identify}. Must not throw. */
    readonly handle: (request: IncomingMessage, response: IdentifiedResponse) => void;
    /** Called with an exception in the handling of a request here. */
    readonly fail: (error: unknown, request: IncomingMessage, response: ServerResponse) => void;
    /** Called when a response closes, before the next request of its connection begins. Must not throw. */
    readonly closed: (response: IdentifiedResponse) => void;
  },
) {
  const connections = new Map<Duplex, Connection>();
  /** The number of connections of each address. Only addresses with open connections are stored. */
  const ofAddress = new Map<string, number>();
  let countedSockets = 0;
  let isRetired = false;
  let isDraining = false;

  function takeSlot(address: string): Refused | undefined {
    const limit = 'http.connectionsPerAddress';
    const count = ofAddress.get(address) ?? 0;
    if (limits[limit] > 0 && count >= limits[limit]) return refusal(limits, limit, 0);
    ofAddress.set(address, count + 1);
    return undefined;
  }

  function releaseSlot(address: string): void {
    const count = (ofAddress.get(address) ?? 1) - 1;
    if (count === 0) ofAddress.delete(address);
    else ofAddress.set(address, count);
  }

  const pieces = createPieces(connections, countMore);
  const idleTimes = createIdleTimes(connections, idleInterval);

  function count(connection: Connection): void {
    const bytes = connection.waiting !== undefined ? connection.parsed + connection.received : 0;
    countedSockets += bytes - connection.counted;
    connection.counted = bytes;
  }

  function clear(connection: Connection): void {
    connection.waiting = undefined;
    connection.parsed = 0;
    count(connection);
  }

  /** Updates the count of a connection, and closes it if all together exceed the limit. */
  function countMore(socket: Socket, connection: Connection): void {
    count(connection);
    if (connection.counted === 0 || countedSockets <= limits['http.pipelined']) return;
    clear(connection);
    socket.destroy();
  }

  const closeAfter = (response: ServerResponse): void => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  };

  server.on('connection', (socket) => {
    // Node emits the event again for a connection that continues after an ignored upgrade.
    if (connections.has(socket)) return;
    const address = trustedProxies.includes(socket.remoteAddress) ? undefined : networkOf(socket.remoteAddress ?? '');
    if (address !== undefined && takeSlot(address) !== undefined) return void socket.destroy();
    connections.set(socket, {
      address,
      waiting: undefined,
      current: undefined,
      parsed: 0,
      received: 0,
      counted: 0,
      moved: -1,
      since: 0,
    });
    pieces.start(socket);
    idleTimes.start(socket);
    socket.on('close', onClose).on('finish', onFinish);
  });

  // These functions serve all connections and responses. Functions of their own would take memory for as long as a stream or a
  // WebSocket is open.

  function onClose(this: Socket): void {
    const connection = connections.get(this);
    if (connection === undefined) return;
    connections.delete(this);
    idleTimes.end(this);
    if (connection.address !== undefined) releaseSlot(connection.address);
    clear(connection);
  }

  function onFinish(this: Socket): void {
    if (isDraining && isRefused(this)) this.destroy();
  }

  function onResponseClose(this: IdentifiedResponse): void {
    closed(this);
    // Its headers may have been sent with keep-alive before `retire`.
    if (isRetired && !server.listening) setImmediate(() => server.closeIdleConnections());
    const { socket } = this.req;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.current = undefined;
    const next = connection.waiting?.shift();
    if (next === undefined) return;
    if (connection.waiting?.length === 0) connection.waiting = undefined;
    connection.parsed -= next.bytes;
    count(connection);
    // The last response may have ended the connection.
    if (!socket.writable) return;
    const { request, response } = next;
    begin(connection, request, response);
    const turn = turns.take(clientAddress(request));
    if (turn === undefined) handle(request, response);
    else {
      response.once('close', turn.cancel);
      void turn.begun.then(() => {
        response.off('close', turn.cancel);
        handle(request, response);
      });
    }
    if (connection.waiting === undefined) socket.resume();
  }

  function begin(connection: Connection, request: CollectedRequest, response: IdentifiedResponse): void {
    connection.current = response;
    // Only a trusted proxy has no address.
    if (connection.address === undefined) trustedProxies.identify(request);
    else request.client = connection.address;
    // A response closes when its connection does, or when the operating system has accepted all of it.
    response.on('close', onResponseClose);
    if (isRetired) closeAfter(response);
  }

  /** From now on, each response closes its connection, so that clients connect elsewhere. */
  function retire(): void {
    isRetired = true;
    for (const { current } of connections.values()) if (current !== undefined) closeAfter(current);
  }

  return {
    /**
     * Handles the request once all earlier requests of its connection have complete responses. Never if the connection ends
     * before that.
     */
    run(request: CollectedRequest, response: IdentifiedResponse): void {
      try {
        const { socket } = request;
        const connection = connections.get(socket);
        // The parser continues to the end of a piece even if the connection is closed.
        if (connection === undefined || socket.destroyed) return;
        if (connection.current === undefined) {
          begin(connection, request, response);
          handle(request, response);
          return;
        }
        const bytes = bytesOf(request);
        connection.waiting ??= [];
        connection.waiting.push({ request, response, bytes });
        connection.parsed += bytes;
        socket.pause();
        countMore(socket, connection);
      } catch (error) {
        fail(error, request, response);
      }
    },
    /** Whether the next bytes on a connection must be a response: the current request is complete, or its response has begun. */
    isAnswering(socket: Duplex): boolean {
      const current = connections.get(socket)?.current;
      return current !== undefined && (current.req.complete || current.headersSent);
    },
    /**
     * Stops reading a connection, and closes it after the current response. Closes it at once if there is none, or if the
     * response is partly written.
     */
    closeAfterResponse(socket: Duplex): void {
      const response = connections.get(socket)?.current;
      if (response?.writableEnded === true) closeRefused(socket, '');
      else if (response === undefined || response.headersSent) socket.destroy();
      else {
        socket.pause();
        // Node sends `connection: close`, and closes the connection after the response.
        response.shouldKeepAlive = false;
      }
    },
    /** Notes that a connection becomes a WebSocket, so that no further request follows. */
    detach(socket: Duplex): void {
      if (!(socket instanceof Socket)) return;
      pieces.stop(socket);
      idleTimes.stop(socket);
    },
    /**
     * Counts a request from a trusted proxy as a connection of its client until `work`, its response or WebSocket, closes.
     * Returns an error over the limit. Requests from other peers are not counted, because their connections are.
     */
    admit(request: IncomingMessage, work: ServerResponse | Duplex): ErrorResponse | undefined {
      const connection = connections.get(request.socket);
      // Only a trusted proxy has no address.
      if (connection === undefined || connection.address !== undefined) return undefined;
      const address = clientAddress(request);
      const slotRefusal = takeSlot(address);
      if (slotRefusal !== undefined) return rateLimitResponse(slotRefusal);
      work.once('close', () => releaseSlot(address));
      return undefined;
    },
    retire,
    /**
     * Accepts no more connections, and closes idle and refused ones. Closes the others after their current response. Resolves
     * when all are closed.
     */
    drain(): Promise<void> {
      retire();
      isDraining = true;
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        for (const socket of connections.keys())
          if ((socket instanceof Socket && socket.bytesRead === 0) || (isRefused(socket) && socket.writableFinished))
            socket.destroy();
      });
    },
    /** Closes every connection at once. Resolves when all are closed. */
    close(): Promise<void> {
      return new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of connections.keys()) socket.destroy();
      });
    },
  };
}
