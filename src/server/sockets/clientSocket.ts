import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { BacklogPlace } from '../../answers/caller.ts';
import { createRounds } from '../../chain/base/rounds.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { Session } from '../../reads/viewer.ts';
import { Lifetime } from '../lifetime.ts';
import { onceSent } from '../messages/sendAnswer.ts';
import { contain, type FaultOwner, type Faults } from '../observability/faults.ts';
import type { ClientLimits, Slot } from '../rateLimits/clientLimits.ts';
import { TokenBucket } from '../rateLimits/counters.ts';
import type { Turns, WaitingTurn } from '../rateLimits/turns.ts';

/**
 * Payloads up to this size, in bytes, are copied into one frame. For larger ones, a copy for each client costs more than two
 * further frames.
 */
export const largestCopied = 16 * 1024;

/** Longest reason in a close frame, in bytes (RFC 6455, 5.5). */
const maxReason = 123;

/** Creates the rules that the sockets of GraphQL (`socket`) or of the node RPC (`rpc`) share. */
export function createSocketRules(
  surface: 'socket' | 'rpc',
  { limits, turns, faults }: { readonly limits: Limits; readonly turns: Turns; readonly faults: Faults },
) {
  const [burst, perMinute] = [limits[`${surface}.burst`], limits[`${surface}.messages`]];
  return {
    ...{ turns, faults },
    /** The limits of messages, and the code of the close frame of a socket that exceeds them. */
    messages: { burst, perMinute, code: surface === 'socket' ? 4429 : 1008 },
    /** How long a socket may be inactive, in ms. */
    idle: limits[`${surface}.idle`],
    /** Bytes of messages that may wait. With more, the socket is paused. */
    waiting: surface === 'socket' ? 0 : limits['rpc.message'],
    pings: createRounds<ClientSocket>(limits['socket.ping'], (client) => client.contain(() => client.ping())),
  };
}

/** A WebSocket after its upgrade. */
export interface AcceptedSocket {
  readonly socket: WebSocket;
  /** The connection under the socket. */
  readonly duplex: Duplex;
  /** The id of the request of the upgrade. */
  readonly requestId: string;
}

/** A message of a client. */
export interface ClientMessage {
  readonly bytes: Buffer;
  /** Time of arrival, by the clock of `performance`. */
  readonly received: number;
}

/** The result of the authentication of a socket. */
export interface Admission {
  readonly session: Session;
  /** The limits that the socket counts towards. */
  readonly caller: ClientLimits;
  /** The slot of the socket among those of its caller. */
  readonly slot: { end(): void };
}

const now = (): number => performance.now();

/**
 * The WebSocket of a client. This is what ends one of both protocols that is slow, silent or too busy:
 *
 * - Nothing has arrived from it between two pings (`socket.ping`): it is terminated.
 * - It has been inactive for too long (`socket.idle`, `rpc.idle`): it is closed with 1000.
 * - It sends too many messages (`socket.messages`, `rpc.messages`): it is closed with 4429 (GraphQL) or 1008 (node RPC).
 * - It does not read, and its caller has too many unread bytes (`subscriptions.bytes`): the backlog of the caller (`createBacklogs`)
 *   first ends what has the most queued events, then terminates the socket with the most unsent bytes.
 * - A subscription on it has too many queued events (`subscription.events`, `subscription.bytes`): GraphQL ends the subscription
 *   with SLOW_CONSUMER (`createSubscriber`), also when an event has waited for too long (`subscription.wait`). The node RPC ends it and closes the socket
 *   with 1008 (`SocketSubscriptions`).
 * - All callers together have too many unread bytes (`subscriptions.processBytes`, `createBacklogs`): those with the most end first.
 * - GraphQL: it sends no `connection_init` in time (`socket.init`): it is closed with 4408.
 * - It does not confirm a close within five seconds (`createOpenSockets`): it is terminated.
 *
 * It is a class because every subscriber has one: a function for each method would take several kilobytes of each. What a quiet
 * subscriber does not need is created on use.
 */
export abstract class ClientSocket implements FaultOwner {
  readonly socket: WebSocket;
  readonly duplex: Duplex;
  readonly id: string;
  /** undefined until it is authenticated. */
  admission: Admission | undefined;
  protected isRetired = false;
  /** Whether the client has to read what was sent before its next message is handled. */
  protected isUnread = false;
  readonly #rules: ReturnType<typeof createSocketRules>;
  /** The limit of messages. undefined while it is untouched. */
  #messages: TokenBucket | undefined;
  /** The messages that wait for a turn of their caller or for the message before. undefined while no message is handled. */
  #waiting: ClientMessage[] | undefined;
  #waitingBytes = 0;
  #turn: WaitingTurn | undefined;
  /** The wait of its next message to begin. undefined while it does not wait. */
  #lifetime: Lifetime | undefined;
  /** The slot of the message that is handled, if its caller has no token. */
  #slot: Slot | undefined;
  /** The account of its unread bytes. undefined while there were none. */
  #backlogPlace: BacklogPlace | undefined;
  #stopWaiting: (() => void) | undefined;
  #isAlive = true;
  #bytesRead = 0;
  /** Rounded, because such numbers need no memory of their own. */
  #lastActive = Math.round(now());

  constructor({ socket, duplex, requestId }: AcceptedSocket, rules: ReturnType<typeof createSocketRules>) {
    this.socket = socket;
    this.duplex = duplex;
    this.id = requestId;
    this.#rules = rules;
    rules.pings.add(this);
  }

  /** Handles a message. The next one is handled when the result has resolved. */
  protected abstract handle(message: ClientMessage): void | Promise<void>;

  /** Whether a client waits for the result of a call or operation. */
  protected abstract isAnswering(): boolean;

  /** Whether it has operations, calls or subscriptions. */
  protected abstract isActive(): boolean;

  /** Called when the session is over, which the token limits. */
  protected abstract expire(): void;

  /** Ends the subscriptions with queued events, because the caller has too many unread bytes. */
  shed(): void {}

  // Its life.

  /** Counts the socket towards the limits of its caller. Not if it was closed during the authentication. */
  admit(admission: Admission): void {
    if (this.socket.readyState === this.socket.CLOSED) {
      admission.slot.end();
      return;
    }
    this.admission = admission;
    this.#stopWaiting = admission.session.onEnd(() => this.expire());
  }

  isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Closes the socket with 1012 once its running calls or operations have their results. */
  retire(): void {
    this.isRetired = true;
    this.closeIfDone();
  }

  closeIfDone(): void {
    if (this.isRetired && !this.isAnswering()) this.close(1012, 'Service restart');
  }

  /** Closes the socket. Cuts the reason to the size of a close frame, because it may contain text from the client. */
  close(code: number, reason: string): void {
    const bytes = Buffer.from(reason);
    // Removes the rest of a character that was cut.
    const cut = bytes.length <= maxReason ? reason : bytes.toString('utf8', 0, maxReason).replace(/\ufffd+$/, '');
    this.socket.close(code, cut);
  }

  /** Called once, when the socket is closed. */
  closed(): void {
    this.#rules.pings.delete(this);
    this.#stopWaiting?.();
    this.#turn?.cancel();
    this.#lifetime?.cancel();
    this.#slot?.end();
    if (this.#waiting !== undefined) this.#waiting.length = 0;
    this.admission?.slot.end();
  }

  // Its faults.

  get faults(): Faults {
    return this.#rules.faults;
  }

  requestId(): string {
    return this.id;
  }

  abandon(): void {
    this.socket.terminate();
  }

  contain(handler: () => void): void {
    contain(this, handler);
  }

  // Pings.

  pong(): void {
    this.#isAlive = true;
  }

  ping(): void {
    const { socket, duplex } = this;
    // A pong queues behind other data of the client, so any data counts as a sign of life, as on a node.
    if (duplex instanceof Socket && duplex.bytesRead > this.#bytesRead) {
      this.#bytesRead = duplex.bytesRead;
      this.#isAlive = true;
    }
    // While reading is paused because earlier messages wait, a client cannot be heard.
    const isHeard = this.#isAlive || (socket.isPaused && !this.isUnread);
    this.#isAlive = false;
    if (this.#messages?.isFull() === true) this.#messages = undefined;
    if (this.isActive()) this.noteActivity();
    if (!isHeard) socket.terminate();
    else if (now() - this.#lastActive >= this.#rules.idle) this.close(1000, 'Idle');
    else if (this.isOpen()) socket.ping();
  }

  protected noteActivity(): void {
    this.#lastActive = Math.round(now());
  }

  // Messages of the client.

  message(data: RawData): void {
    contain(this, () => {
      // Messages that arrive after the close are ignored.
      if (!this.isOpen()) return;
      const { burst, perMinute, code } = this.#rules.messages;
      this.#messages ??= new TokenBucket(burst, perMinute, now);
      if (this.#messages.take(1) > 0) return this.close(code, `Too many messages: at most ${perMinute} a minute`);
      const bytes = Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
      this.#wait({ bytes, received: now() });
    });
  }

  #wait(message: ClientMessage): void {
    this.#waitingBytes += message.bytes.length;
    if (this.#waiting === undefined) {
      this.#waiting = [message];
      this.#work(this.#waiting).catch((error: unknown) => {
        this.faults.note('socket', error, this.id);
        this.close(1011, 'Internal error');
      });
    } else this.#waiting.push(message);
    if (this.#waitingBytes > this.#rules.waiting) this.socket.pause();
  }

  /** Handles the messages in the order of their arrival, each in a turn of its caller. */
  async #work(waiting: ClientMessage[]): Promise<void> {
    const { turns, waiting: mostWaiting } = this.#rules;
    while (waiting.length > 0) {
      const caller = this.admission?.caller;
      const isSlow = this.admission?.session.viewer.isAnonymous === true || (caller?.pause() ?? 0) > 0;
      this.#slot = caller !== undefined && isSlow ? await this.#begin(caller) : undefined;
      this.#turn = caller === undefined ? undefined : turns.take(caller.name);
      if (this.#turn !== undefined) await this.#turn.begun;
      this.#turn = undefined;
      const message = waiting.shift();
      if (message === undefined) break;
      this.#waitingBytes -= message.bytes.length;
      const handling = this.handle(message);
      if (handling !== undefined) await handling;
      this.#slot?.end();
      if (this.socket.isPaused && this.#waitingBytes <= mostWaiting) {
        this.#isAlive = true;
        this.socket.resume();
      }
    }
    this.#slot?.end();
    this.#waiting = undefined;
    this.closeIfDone();
  }

  /** Waits until the next message of the caller may begin, as a request does, or until the socket is closed. */
  async #begin(caller: ClientLimits): Promise<Slot | undefined> {
    const lifetime = new Lifetime();
    this.#lifetime = lifetime;
    const slot = await caller.begin(lifetime).catch(() => undefined);
    this.#lifetime = undefined;
    lifetime.end();
    return slot;
  }

  protected isWorking(): boolean {
    return this.#waiting !== undefined;
  }

  // Messages to the client.

  /** Sends a text message, which counts as unread while the client does not read. It is dropped if the socket is closed. */
  send(text: string): void {
    if (!this.isOpen()) return;
    this.socket.send(text);
    this.countUnread({}, text.length);
  }

  /**
   * Sends a text message with a frame for each piece. Resolves when it was written to the network, or dropped because the
   * socket is closed. Until then it counts as unread if the client does not read.
   */
  sendPieces(pieces: readonly Buffer[]): Promise<void> {
    return new Promise((resolve) => {
      if (!this.isOpen()) return resolve();
      let release: (() => void) | undefined;
      const onWritten = (): void => {
        release?.();
        resolve();
      };
      const last = pieces.length - 1;
      pieces.forEach((piece, index) => {
        this.socket.send(piece, { binary: false, fin: index === last }, index === last ? onWritten : undefined);
      });
      if (!this.duplex.writableNeedDrain) return;
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      release = this.backlog()?.send({}, length);
    });
  }

  /**
   * Sends the text message `head` + `shared` + `tail`, in one frame or in three. `shared` is the same buffer for every socket. An
   * exception ends this socket, and not the others that get the same buffer.
   */
  sendShared(head: string, shared: Buffer, tail: string): void {
    const { socket, duplex } = this;
    if (!this.isOpen()) return;
    // The frames of one message leave in one system call.
    duplex.cork();
    contain(this, () => {
      if (shared.length > largestCopied) {
        socket.send(head, { fin: false });
        socket.send(shared, { binary: false, fin: false });
        socket.send(tail);
        return;
      }
      const [before, after] = [Buffer.byteLength(head), Buffer.byteLength(tail)];
      const message = Buffer.allocUnsafe(before + shared.length + after);
      message.write(head);
      shared.copy(message, before);
      message.write(tail, before + shared.length);
      socket.send(message, { binary: false });
    });
    duplex.uncork();
  }

  /** Counts bytes that were just sent as unread, if the client does not read, until they are written to the network. */
  countUnread(item: object, bytes: number): void {
    const { duplex } = this;
    const place = duplex.writableNeedDrain && duplex.writableLength > 0 ? this.backlog() : undefined;
    if (place !== undefined) onceSent(duplex, place.send(item, bytes));
  }

  backlog(): BacklogPlace | undefined {
    this.#backlogPlace ??= this.admission?.caller.backlog.open({
      shed: () => this.shed(),
      destroy: () => this.socket.terminate(),
    });
    return this.#backlogPlace;
  }
}
