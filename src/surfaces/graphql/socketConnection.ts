import type { Duplex } from 'node:stream';
import type { Context, Server as Protocol } from 'graphql-ws';
import type { RawData, WebSocket } from 'ws';
import { joinSmall } from '../../answers/answer.ts';
import type { BacklogPlace, RequestRecord } from '../../answers/caller.ts';
import { jsonBoundsOf, jsonExcess } from '../../answers/errors.ts';
import type { NamedHeights } from '../../answers/pickHeight.ts';
import { asObject, checkJson, JsonBoundError, type JsonBounds, quoteLongIntegers } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { RequestError } from '../../reads/errors.ts';
import type { Session } from '../../reads/viewer.ts';
import type { Lifetime } from '../../server/lifetime.ts';
import { contain, type FaultOwner, type Faults } from '../../server/observability/faults.ts';
import type { ClientLimits } from '../../server/rateLimits/clientLimits.ts';
import { createTokenBucket, type TokenBucket } from '../../server/rateLimits/tokenBucket.ts';
import type { Turns } from '../../server/rateLimits/turns.ts';
import { createTurnQueues } from '../../server/rateLimits/turns.ts';
import { bytesOf, closeWith, type OpenSocket, sendFrames } from '../../server/sockets/openSockets.ts';
import { createRounds, type Rounds } from '../../server/sockets/rounds.ts';

/** The result of the authentication of an upgrade. */
export interface UpgradeSession {
  /** The session. undefined without a token: the client must then send it in its first message. */
  readonly session: Session | undefined;
  /** The token in the header of the upgrade. */
  readonly token: string | undefined;
}

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
interface Admission {
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
interface ProtocolSocket extends ConnectedSocket, SocketConnection {
  /** Handles a message in its turn. */
  handle(bytes: Buffer, received: number): void;
  /** Pings the client. Terminates the socket if it has not responded to the last ping. */
  ping(): void;
}

/** An accepted upgrade. */
interface AcceptedSocket {
  readonly socket: WebSocket;
  /** The connection under the socket. */
  readonly duplex: Duplex;
  readonly named: NamedHeights;
  /** The id of the request. */
  readonly id: string;
  readonly upgrade: UpgradeSession;
  readonly address: string;
}

/** Returns the text of a message with long integers as strings, or the error if its JSON exceeds a bound. */
function textOf(bytes: Buffer, bounds: JsonBounds): string | RequestError {
  try {
    checkJson(bytes, bounds);
  } catch (error) {
    if (error instanceof JsonBoundError) return jsonExcess(error);
    throw error;
  }
  return quoteLongIntegers(bytes.toString());
}

/** The types of messages that only servers send. */
const serverTypes: readonly unknown[] = ['connection_ack', 'next', 'error'];

/** Whether a message has a type that only servers send. */
function isServerMessage(text: string): boolean {
  try {
    return serverTypes.includes(asObject(JSON.parse(text), 'message').type);
  } catch {
    return false;
  }
}

/** Sends the messages to the client of one WebSocket, except those of streams. Counts unread messages in the backlog of the caller. */
interface Outbox {
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
interface OutboxConnection {
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
function createOutbox(connection: OutboxConnection): Outbox {
  return new SocketOutbox(connection);
}

/** What all connections share. */
interface SharedByConnections {
  readonly protocol: Protocol<SocketConnection>;
  readonly limits: Limits;
  readonly jsonBounds: JsonBounds;
  readonly faults: Faults;
  readonly pings: Rounds<ProtocolSocket>;
  /** Handles a message once it is the turn of its caller. */
  readonly inTurn: (connection: ProtocolSocket, bytes: Buffer, received: number) => void;
}

/** How long a client may take to read the last messages and to confirm the close of a socket, in ms. */
const closeTimeout = 5_000;

const now = (): number => performance.now();

/**
 * A socket, as its listeners, the protocol library and its operations know it. It is a class because every subscriber has one:
 * a function for each method would take several kilobytes of each. What a quiet subscriber does not need is created on use.
 */
class Connection implements ProtocolSocket, FaultOwner {
  readonly socket: WebSocket;
  readonly duplex: Duplex;
  readonly named: NamedHeights;
  readonly id: string;
  readonly upgrade: UpgradeSession;
  readonly address: string;
  begun = 0;
  received = 0;
  receivedBytes = 0;
  receivedText = '';
  admission: Admission | undefined;
  streams = 0;
  readonly #shared: SharedByConnections;
  readonly #outbox: Outbox;
  /** Passes a message to the protocol library, and notes there that the socket is closed. */
  #deliver: ((text: string) => Promise<void>) | undefined;
  readonly #libraryClosed: (code: number, reason: string) => Promise<void>;
  /** The limit of messages. undefined while it is untouched. */
  #messages: TokenBucket | undefined;
  /** Ends the wait for the first message. undefined after it. */
  #initTimer: NodeJS.Timeout | undefined;
  /** Its state in the protocol library. undefined until its first message. */
  #context: Socket | undefined;
  #operations: Map<object, RunningOperation> | undefined;
  #slot: { end(): void } | undefined;
  #stopWaiting: (() => void) | undefined;
  /** When the client last had an operation. Rounded, because such numbers need no memory of their own. */
  #lastActive = Math.round(now());
  #isAlive = true;
  #isRetired = false;
  /** How many streams messages wait for. */
  #holds = 0;

  constructor({ socket, duplex, named, id, upgrade, address }: AcceptedSocket, shared: SharedByConnections) {
    this.socket = socket;
    this.duplex = duplex;
    this.named = named;
    this.id = id;
    this.upgrade = upgrade;
    this.address = address;
    this.#shared = shared;
    this.#outbox = createOutbox(this);
    const { limits, pings, protocol } = shared;
    // Each subscription waits for a full socket to drain.
    duplex.setMaxListeners(0);
    const wait = limits['socket.init'];
    if (wait > 0) this.#initTimer = setTimeout(() => this.close(4408, 'Connection initialisation timeout'), wait);
    pings.add(this);
    this.#libraryClosed = protocol.opened(this, this);
  }

  // For the protocol library.

  get protocol(): string {
    return this.socket.protocol;
  }

  send(text: string): Promise<void> {
    return this.#outbox.send(text);
  }

  close(code?: number, reason?: string): void {
    this.#outbox.sendResume();
    closeWith(this.socket, code, reason);
  }

  onMessage(deliver: (text: string) => Promise<void>): void {
    this.#deliver = deliver;
  }

  // For the operations.

  initialized(context: Socket): void {
    this.#context = context;
    this.#stopInitTimer();
  }

  admit(admission: Admission, slot: { end(): void }): void {
    // It was closed while its token was verified.
    if (this.socket.readyState === this.socket.CLOSED) {
      slot.end();
      return;
    }
    this.admission = admission;
    this.#slot = slot;
    // After its streams, which end with the session as well.
    this.#stopWaiting = admission.session.onEnd(() => setImmediate(() => this.close(4403, 'SUBSCRIPTION_JWT_EXPIRED')));
  }

  add(request: object, operation: RunningOperation): void {
    this.#operations ??= new Map();
    this.#operations.set(request, operation);
  }

  remove(request: object): RunningOperation | undefined {
    const operation = this.#operations?.get(request);
    this.#operations?.delete(request);
    if (this.#operations?.size === 0) this.#operations = undefined;
    return operation;
  }

  running(): Iterable<readonly [object, RunningOperation]> {
    return this.#operations ?? [];
  }

  sendResult(id: string, json: readonly Buffer[]): Promise<void> {
    return this.#outbox.sendResult(id, json);
  }

  answered(operation: RunningOperation): void {
    operation.isAnswered = true;
    operation.presence.end();
    operation.releaseSlot?.();
    this.#closeIfDone();
  }

  holdMessages(): void {
    this.#holds += 1;
    process.nextTick(() => {
      this.#holds -= 1;
    });
  }

  contain(handler: () => void): void {
    contain(this, handler);
  }

  resumes(id: string, position: Readonly<Record<string, unknown>>): void {
    this.#outbox.resumes(id, position);
  }

  whenClosed(): Promise<void> {
    const { socket } = this;
    if (socket.readyState === socket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => socket.once('close', () => resolve()));
  }

  // For faults.

  get faults(): Faults {
    return this.#shared.faults;
  }

  requestId(): string {
    return this.id;
  }

  abandon(): void {
    this.socket.terminate();
  }

  // For the listeners of the socket.

  message(data: RawData): void {
    contain(this, () => {
      const { socket } = this;
      // Messages that arrive after the close are ignored.
      if (socket.readyState !== socket.OPEN) return;
      const { limits, inTurn } = this.#shared;
      this.#messages ??= createTokenBucket(limits['socket.burst'], limits['socket.messages'], now);
      if (this.#messages.take(1) > 0)
        return socket.close(4429, `Too many messages: at most ${limits['socket.messages']} a minute`);
      inTurn(this, bytesOf(data), now());
    });
  }

  handle(bytes: Buffer, received: number): void {
    if (this.#holds > 0) {
      process.nextTick(() => contain(this, () => this.handle(bytes, received)));
      return;
    }
    const { socket, id } = this;
    const { jsonBounds, faults } = this.#shared;
    if (socket.readyState !== socket.OPEN) return;
    const message = textOf(bytes, jsonBounds);
    if (typeof message !== 'string') {
      socket.close(4400, message.message);
      return;
    }
    this.received = received;
    this.receivedBytes = bytes.length;
    this.receivedText = message;
    this.#deliver?.(message).catch((error: unknown) => {
      // The protocol library throws for these types only, and before it does anything.
      if (isServerMessage(message)) return socket.close(4400, 'Invalid message received');
      faults.note('socket', error, id);
      socket.close(4500, 'Internal server error');
    });
    // An operation has read it.
    this.receivedText = '';
    // The protocol library has no callback for operations that are completed before they have a result.
    for (const [, { id: own, waits, isAnswered }] of this.running())
      if (!isAnswered && this.#context !== undefined && !(own in this.#context.subscriptions)) waits.cancel();
  }

  pong(): void {
    this.#isAlive = true;
  }

  ping(): void {
    const { socket } = this;
    const { limits } = this.#shared;
    if (!this.#isAlive) {
      socket.terminate();
      return;
    }
    this.#isAlive = false;
    if (this.#messages?.isFull() === true) this.#messages = undefined;
    if (Object.keys(this.#context?.subscriptions ?? {}).length > 0) this.#lastActive = Math.round(now());
    else if (now() - this.#lastActive >= limits['socket.idle']) {
      socket.close(1000, 'Idle');
      return;
    }
    if (socket.readyState === socket.OPEN) socket.ping();
  }

  closed(code: number, reason: Buffer): void {
    const { faults, pings } = this.#shared;
    pings.delete(this);
    this.#stopInitTimer();
    this.#stopWaiting?.();
    this.#slot?.end();
    this.#libraryClosed(code, String(reason)).catch((error: unknown) => faults.note('socket', error, this.id));
  }

  retire(): void {
    this.#isRetired = true;
    this.#outbox.sendResume();
    this.#closeIfDone();
  }

  #stopInitTimer(): void {
    clearTimeout(this.#initTimer);
    this.#initTimer = undefined;
  }

  #isAnswering(): boolean {
    for (const [, { isAnswered }] of this.running()) if (!isAnswered) return true;
    return false;
  }

  #closeIfDone(): void {
    if (!this.#isRetired || this.#isAnswering()) return;
    // The protocol library sends a result after the callback for it.
    setImmediate(() => {
      if (this.#isAnswering()) return;
      this.close(1012, 'Service restart');
      setTimeout(() => this.socket.terminate(), closeTimeout).unref();
    });
  }
}

/** Creates the connection of an accepted upgrade. */
function createConnection(accepted: AcceptedSocket, shared: SharedByConnections): ProtocolSocket {
  return new Connection(accepted, shared);
}

/**
 * Creates the function that runs the protocol on a socket: passes it each message, pings the client, and terminates a socket
 * that has not responded by the next ping. A connection that retires closes its socket with 1012 (service restart) once every
 * query and mutation on it has its result.
 */
export function createConnect(options: {
  readonly protocol: Protocol<SocketConnection>;
  readonly turns: Turns;
  readonly limits: Limits;
  /** Notes faults of this server, never errors of a client. */
  readonly faults: Faults;
}): (accepted: AcceptedSocket) => ConnectedSocket {
  const { protocol, turns, limits, faults } = options;
  const shared: SharedByConnections = {
    ...{ protocol, limits, faults },
    jsonBounds: jsonBoundsOf(limits),
    pings: createRounds(limits['socket.ping'], (connection) => connection.contain(() => connection.ping())),
    inTurn: createTurnQueues({
      turns,
      socket: ({ socket }) => socket,
      caller: ({ admission }) => admission?.caller.name,
      handle: (connection, bytes, received) => connection.contain(() => connection.handle(bytes, received)),
    }),
  };
  return (accepted) => createConnection(accepted, shared);
}
