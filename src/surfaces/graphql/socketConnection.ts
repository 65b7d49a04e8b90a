import type { Duplex } from 'node:stream';
import type { Context } from 'graphql-ws';
import type { RawData, WebSocket } from 'ws';
import type { RequestRecord } from '../../answers/caller.ts';
import type { NamedHeights } from '../../answers/pickHeight.ts';
import type { Session } from '../../reads/viewer.ts';
import type { Lifetime } from '../../server/lifetime.ts';
import type { ClientLimits } from '../../server/rateLimits/clientLimits.ts';
import type { OpenSocket } from '../../server/sockets/openSockets.ts';
import type { UpgradeSession } from '../../server/sockets/socketAuth.ts';

/** An operation on a socket, until it is over. */
export interface RunningOperation {
  /** The id from its client. The client may complete the operation and use the id again before it is over here. */
  readonly id: string;
  /** Collects what the log and the metrics report of it. */
  readonly record: RequestRecord;
  /** Writes its log line and counts it. Called when it is over. */
  readonly end: () => void;
  /** Whether its client waits for its result: until the result is sent or the socket closes. */
  readonly presence: Lifetime;
  /** How long it may wait for a block: until its client completes it, or the socket closes. */
  readonly waits: Lifetime;
  /** Whether it has its result, has started to stream, or was refused before it began. */
  isAnswered: boolean;
  /** Whether it is a subscription. */
  isSubscription: boolean;
  /** Releases its slot of `rate.concurrent`. May be called several times. undefined while it has none. */
  releaseSlot: (() => void) | undefined;
}

/** A socket in the protocol library. Its `subscriptions` has the ids of the operations that the client has not completed. */
export type Socket = Context<undefined, SocketConnection>;

/** The state of one WebSocket of a client. */
export interface SocketConnection {
  /** The heights in the headers of its upgrade, for every operation on it. */
  readonly named: NamedHeights;
  /** The id of its upgrade, which is the prefix of the ids of its operations. */
  readonly id: string;
  /** Number of operations started on it. */
  begun: number;
  /** The result of the authentication of its upgrade. */
  readonly upgrade: UpgradeSession;
  /** The address of its client. */
  readonly address: string;
  /** Time of arrival of the current message by the clock of `performance`, its length in bytes, and its text. */
  readonly received: number;
  readonly receivedBytes: number;
  readonly receivedText: string;
  /** The session and the caller, once its first message was accepted. */
  readonly admission: Admission | undefined;
  /** Number of streams on it. */
  streams: number;
  /** Notes that its first message has arrived, so that the wait for it ends. */
  initialized(context: Socket): void;
  /** Accepts its first message. The slot is ended when the socket is closed. */
  admit(admission: Admission, slot: { end(): void }): void;
  /** Adds an operation, by the request object of the protocol library. */
  add(request: object, operation: RunningOperation): void;
  /** Removes an operation that is over or has become a stream. undefined if it was removed before. */
  remove(request: object): RunningOperation | undefined;
  /** Its operations that are neither over nor streams, by the request object of the protocol library. */
  running(): Iterable<readonly [object, RunningOperation]>;
  /** Notes that an operation has its result, or has started to stream. */
  answered(operation: RunningOperation): void;
  /** Sends the result of the query or mutation `id`, in pieces of JSON. Resolves when it was written to the network. */
  sendResult(id: string, json: readonly Buffer[]): Promise<void>;
  /** Handles no message until the next tick. */
  holdMessages(): void;
  /** The WebSocket, and the connection under it. */
  readonly socket: WebSocket;
  readonly duplex: Duplex;
  /** Runs the handler of an event of the socket. An exception is noted as a fault of this server and ends the socket. */
  contain(handler: () => void): void;
  /** Notes where a subscription can resume on another socket. It is sent before the socket is closed. */
  resumes(id: string, position: Readonly<Record<string, unknown>>): void;
  /** Resolves when the socket is closed. */
  whenClosed(): Promise<void>;
  /** Closes the socket. First sends where its interrupted subscriptions resume. */
  close(code?: number, reason?: string): void;
}

/** The result of an accepted first message. */
export interface Admission {
  readonly session: Session;
  /** The limits that the connection counts towards. */
  readonly caller: ClientLimits;
}

/** A socket on which the protocol runs. */
export interface ConnectedSocket extends OpenSocket {
  /** Takes a message of the client. */
  message(data: RawData): void;
  /** Notes that the client has responded to a ping. */
  pong(): void;
}

/** A connected socket, as the function that connects it knows it. */
export interface ProtocolSocket extends ConnectedSocket, SocketConnection {
  /** Handles a message in its turn. */
  handle(bytes: Buffer, received: number): void;
  /** Pings the client. Terminates the socket if it has not responded to the last ping. */
  ping(): void;
}

/** An accepted upgrade. */
export interface AcceptedSocket {
  readonly socket: WebSocket;
  /** The connection under the socket. */
  readonly duplex: Duplex;
  readonly named: NamedHeights;
  /** The id of the request. */
  readonly id: string;
  readonly upgrade: UpgradeSession;
  readonly address: string;
}
