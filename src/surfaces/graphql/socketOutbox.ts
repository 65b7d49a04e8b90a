import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { joinSmall } from '../../answers/answer.ts';
import type { BacklogPlace } from '../../answers/caller.ts';
import { sendFrames } from '../../server/sockets/socketFrames.ts';
import type { Admission } from './socketConnection.ts';

/** Sends the messages to the client of one WebSocket, except those of streams. Counts unread messages in the backlog of the caller. */
export interface Outbox {
  /** Sends a message. Resolves when it was written to the network, or dropped because the socket is closed. */
  send(text: string): Promise<void>;
  /** Sends the result of the query or mutation `id`, in pieces of JSON. Resolves like {@link send}. */
  sendResult(id: string, json: readonly Buffer[]): Promise<void>;
  /** Notes where a subscription can resume on another socket. */
  resumes(id: string, position: Readonly<Record<string, unknown>>): void;
  /**
   * Sends where the interrupted subscriptions resume, as the payload of a `ping`. Clients treat an `error` message as final,
   * but subscribe again when the socket closes.
   */
  sendResume(): void;
}

/** The connection of an outbox. */
export interface OutboxConnection {
  readonly socket: WebSocket;
  readonly duplex: Duplex;
  readonly admission: Admission | undefined;
}

/** It is a class because every subscriber has one: a function for each method would take half a kilobyte of each. */
class SocketOutbox implements Outbox {
  readonly #connection: OutboxConnection;
  /** The resume position of each subscription that the server has interrupted, by id, until it is sent to the client. */
  #resume: Map<string, Readonly<Record<string, unknown>>> | undefined;
  /** The place in the caller's backlog that counts unread results. */
  #backlogPlace: BacklogPlace | undefined;

  constructor(connection: OutboxConnection) {
    this.#connection = connection;
  }

  send(text: string): Promise<void> {
    return this.#sending((sent) => {
      this.#connection.socket.send(text, sent);
      return text.length;
    });
  }

  sendResult(id: string, json: readonly Buffer[]): Promise<void> {
    return this.#sending((sent) => {
      const pieces = joinSmall([
        Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`),
        ...json,
        Buffer.from('}'),
      ]);
      sendFrames(this.#connection.socket, pieces, sent);
      return pieces.reduce((sum, { length }) => sum + length, 0);
    });
  }

  resumes(id: string, position: Readonly<Record<string, unknown>>): void {
    this.#resume ??= new Map();
    this.#resume.set(id, position);
  }

  sendResume(): void {
    const { socket } = this.#connection;
    if (this.#resume !== undefined && socket.readyState === socket.OPEN)
      socket.send(JSON.stringify({ type: 'ping', payload: { resume: Object.fromEntries(this.#resume) } }));
    this.#resume = undefined;
  }

  /** Resolves when a message was written to the network. Counts it as unread if the socket is full. `write` returns its length. */
  #sending(write: (sent: () => void) => number): Promise<void> {
    const { socket, duplex } = this.#connection;
    return new Promise((resolve) => {
      // The socket is closed: the message is dropped.
      if (socket.readyState !== socket.OPEN) return resolve();
      let release: (() => void) | undefined;
      const length = write(() => {
        release?.();
        resolve();
      });
      if (duplex.writableNeedDrain) release = this.#backlog()?.send({}, length);
    });
  }

  #backlog(): BacklogPlace | undefined {
    const { socket, admission } = this.#connection;
    this.#backlogPlace ??= admission?.caller.backlog.open({
      shed: () => undefined,
      destroy: () => socket.terminate(),
    });
    return this.#backlogPlace;
  }
}

/** Creates the outbox of a connection. It holds no memory of messages that were sent. */
export function createOutbox(connection: OutboxConnection): Outbox {
  return new SocketOutbox(connection);
}
