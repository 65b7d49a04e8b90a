import type { Duplex } from 'node:stream';
import type { Server as Protocol } from 'graphql-ws';
import type { RawData, WebSocket } from 'ws';
import type { NamedHeights } from '../../answers/pickHeight.ts';
import type { JsonBounds } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { contain, type FaultOwner, type Faults } from '../../server/observability/faults.ts';
import { createTokenBucket, type TokenBucket } from '../../server/rateLimits/tokenBucket.ts';
import type { Rounds } from '../../server/sockets/rounds.ts';
import type { UpgradeSession } from '../../server/sockets/socketAuth.ts';
import { closeWith } from '../../server/sockets/socketFrames.ts';
import { bytesOf } from '../../server/sockets/socketMessage.ts';
import { isServerMessage, textOf } from './clientMessage.ts';
import type {
  AcceptedSocket,
  Admission,
  ProtocolSocket,
  RunningOperation,
  Socket,
  SocketConnection,
} from './socketConnection.ts';
import { createOutbox, type Outbox } from './socketOutbox.ts';

/** What all connections share. */
export interface SharedByConnections {
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
export function createConnection(accepted: AcceptedSocket, shared: SharedByConnections): ProtocolSocket {
  return new Connection(accepted, shared);
}
