import type { GraphQLError } from 'graphql';
import type { NamedHeights } from '../../graphql/operation/pickHeight.ts';
import type { RequestRecord } from '../../graphql/request/requestRecord.ts';
import type { Sink } from '../../graphql/subscriptions/subscriber.ts';
import type { Session } from '../../reads/viewer.ts';
import type { Lifetime } from '../handlers/lifetime.ts';
import type { ClientLimits } from '../rateLimits/rates.ts';
import type { UpgradeSession } from '../sockets/socketAuth.ts';

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
  /** Releases its slot of `rate.concurrent`. May be called several times. undefined while it has none. */
  releaseSlot: (() => void) | undefined;
}

/** The state of one WebSocket of a client. */
export interface SocketConnection {
  /** The heights in the headers of its upgrade, for every operation on it. */
  readonly named: NamedHeights;
  /** The id of its upgrade, which is the prefix of the ids of its operations. */
  readonly requestId: string;
  /** Number of operations started on it. */
  begun: number;
  /** Its operations, by the request object of the protocol library. */
  readonly operations: Map<object, RunningOperation>;
  /** The operations without a result that have not started to stream either, by id. */
  readonly answering: Map<string, RunningOperation>;
  /** The result of the authentication of its upgrade. */
  readonly upgrade: UpgradeSession;
  /** Its session, once its first message was accepted. */
  session: Session | undefined;
  /** The limits that it counts towards, once its first message was accepted. */
  caller: ClientLimits | undefined;
  /** The address of its client. */
  readonly address: string;
  /** Returns the name of the caller for a session. */
  readonly callerName: (session: Session) => string;
  /** The ids of its subscriptions. Some may be over. */
  readonly streams: Set<string>;
  /** Releases its slot of `socket.connections`. */
  releaseSlot: (() => void) | undefined;
  /** Whether an operation is running on it. */
  isActive: () => boolean;
  /** Whether the operation with this id is running and was not completed by the client. */
  isOpen: (id: string) => boolean;
  /** Stops waiting for the end of the session. */
  stopWaiting: (() => void) | undefined;
  /** Time of arrival of the current message by the clock of `performance`, its length in bytes, and its text. */
  received: number;
  receivedBytes: number;
  receivedText: string;
  /** Notes that an operation has its result, or has started to stream. */
  answered(operation: RunningOperation): void;
  /** Sends the result of the query or mutation `id`, in pieces of JSON. Resolves when it was written to the network. */
  sendResult(id: string, json: readonly Buffer[]): Promise<void>;
  /** Creates the sink of the subscription `id`. `onEnd` is called when it is over, after the error message if there is one. */
  sink(id: string, onEnd: (errors: readonly GraphQLError[] | undefined) => void): Sink;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  /** Closes the socket. First sends where its interrupted subscriptions resume. */
  close(code: number, reason: string): void;
}
