import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Limits } from '../../config/limits/limits.ts';
import { closeRefused } from './refusedConnection.ts';

/** Handles the requests of each connection one at a time. */
export interface Pipelines {
  /**
   * Runs `handle` once the client has taken the responses to all earlier requests of the connection, and never if the connection ends before that.
   * While a request waits, nothing is read from its connection.
   */
  run(request: IncomingMessage, response: ServerResponse, handle: () => void): void;
  /** Whether the next bytes on a connection must be those of a response to a request that came whole. */
  isAnswering(socket: Duplex): boolean;
  /** Reads nothing more of a connection, and closes it after the response under way, or at once if there is none or part of it is sent. */
  closeAfterResponse(socket: Duplex): void;
}

/** What a request takes in memory beside its headers and body, bytes. */
const requestBytes = 4 * 1024;

/** The most bytes of a body that can be in memory with its headers: Node reads a connection in chunks of this size. */
const chunkBytes = 64 * 1024;

/** An estimate of what a parsed request takes in memory. */
function bytesOf({ rawHeaders, url = '', headers }: IncomingMessage): number {
  const { 'content-length': length = 0, 'transfer-encoding': encoding } = headers;
  const body = encoding === undefined ? Number(length) : chunkBytes;
  return rawHeaders.reduce((sum, text) => sum + text.length, requestBytes + url.length) + Math.min(body, chunkBytes);
}

interface Handled {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Waiting extends Handled {
  readonly bytes: number;
  readonly handle: () => void;
}

/** The requests of one connection: one is handled, the others wait. Each is parsed already, as it came in one chunk with the first. */
interface Pipeline {
  readonly waiting: Waiting[];
  current: Handled | undefined;
  /** Whether the connection has waited before, and so has the listeners for that. */
  isFollowed: boolean;
}

/**
 * Makes the pipelines. Node parses all requests of a chunk before it stops reading, so those behind the first are kept here; `http.pipelined` limits
 * what they take in all connections together.
 */
export function createPipelines(limits: Limits): Pipelines {
  const pipelines = new WeakMap<Duplex, Pipeline>();
  const max = limits['http.pipelined'];
  let kept = 0;

  function follow(socket: Socket, pipeline: Pipeline): void {
    if (pipeline.isFollowed) return;
    pipeline.isFollowed = true;
    // Node resumes a connection for reasons of its own.
    socket.on('resume', () => {
      if (pipeline.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => {
      for (const { bytes } of pipeline.waiting.splice(0)) kept -= bytes;
    });
  }

  function begin(socket: Socket, pipeline: Pipeline, next: Omit<Waiting, 'bytes'>): void {
    const { response } = next;
    pipeline.current = next;
    // It closes when the connection does, or when the system has taken all of it.
    response.once('close', () => {
      pipeline.current = undefined;
      const next = pipeline.waiting.shift();
      if (next === undefined) return;
      kept -= next.bytes;
      // The last response may have ended the connection.
      if (!socket.writable) return;
      begin(socket, pipeline, next);
      if (pipeline.waiting.length === 0) socket.resume();
    });
    next.handle();
  }

  return {
    run(request, response, handle) {
      const { socket } = request;
      let pipeline = pipelines.get(socket);
      if (pipeline === undefined) {
        pipeline = { waiting: [], current: undefined, isFollowed: false };
        pipelines.set(socket, pipeline);
      }
      if (pipeline.current === undefined) return begin(socket, pipeline, { request, response, handle });
      if (socket.destroyed) return;
      const bytes = bytesOf(request);
      if (kept + bytes > max) return void socket.destroy();
      kept += bytes;
      follow(socket, pipeline);
      pipeline.waiting.push({ request, response, bytes, handle });
      socket.pause();
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
  };
}
