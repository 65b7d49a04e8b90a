import type { GraphQLError } from 'graphql';
import { CloseCode, type Message, MessageType, parseMessage, type SubscribeMessage, stringifyMessage } from 'graphql-ws';
import { joinSmall } from '../../answers/answer.ts';
import { jsonExcess } from '../../answers/errors.ts';
import type { NamedHeights } from '../../answers/pickHeight.ts';
import { checkJson, JsonBoundError, type JsonBounds, quoteLongIntegers } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import type { Session } from '../../reads/viewer.ts';
import {
  type AcceptedSocket,
  type ClientMessage,
  ClientSocket,
  type createSocketRules,
} from '../../server/sockets/clientSocket.ts';

/** The result of the authentication of an upgrade. */
export interface UpgradeSession {
  /** The session. undefined without a token: the client must then send it in its first message. */
  readonly session: Session | undefined;
  /** The token in the header of the upgrade. */
  readonly token: string | undefined;
}

/** The request of a socket's upgrade. */
interface UpgradeRequest {
  readonly upgrade: UpgradeSession;
  /** The heights in its headers, for every operation on the socket. */
  readonly heights: NamedHeights;
  readonly address: string;
}

/** An operation on a socket. It has its id until it is over. */
export interface SocketOperation {
  readonly id: string;
  /** Whether its client waits for its result. A stream has none. */
  readonly isAnswering: boolean;
  /** Whether it counts toward `socket.subscriptions`. */
  readonly isSubscription: boolean;
  /** Its client has completed it and gets no further messages of it. */
  complete(): void;
  /** The socket is closed. */
  leave(): void;
}

/** What all sockets share. */
export interface SocketProtocol {
  readonly limits: Limits;
  readonly jsonBounds: JsonBounds;
  readonly rules: ReturnType<typeof createSocketRules>;
  /** Authenticates the first message. Returns the payload of its response, or false if the socket is refused. */
  connect(connection: SocketConnection, params: unknown): Promise<Record<string, unknown> | undefined | false>;
  /** Runs an operation, until it has sent its result or has become a stream. */
  run(connection: SocketConnection, message: SubscribeMessage, received: ReceivedMessage): Promise<void>;
}

/** The message of an operation as it arrived. Long integers in its text are quoted. */
export interface ReceivedMessage {
  readonly text: string;
  /** Its length in bytes. */
  readonly length: number;
  /** Time of arrival, by the clock of `performance`. */
  readonly received: number;
}

/** Reads a message, with its text. Returns the reason of the close if it is invalid. */
function readMessage(bytes: Buffer, bounds: JsonBounds): { readonly message: Message; readonly text: string } | string {
  try {
    checkJson(bytes, bounds);
  } catch (error) {
    if (error instanceof JsonBoundError) return jsonExcess(error).message;
    throw error;
  }
  const text = quoteLongIntegers(bytes.toString());
  try {
    return { message: parseMessage(text), text };
  } catch {
    return 'Invalid message received';
  }
}

/** A socket on which the protocol graphql-transport-ws runs. {@link ClientSocket} says what ends it. */
export class SocketConnection extends ClientSocket {
  readonly request: UpgradeRequest;
  /** Number of operations started on it. */
  begun = 0;
  readonly #protocol: SocketProtocol;
  #state: 'opened' | 'initialized' | 'acknowledged' = 'opened';
  /** Ends the wait for the first message. undefined after it. */
  #initTimer: NodeJS.Timeout | undefined;
  /** By id. undefined while there are none. */
  #operations: Map<string, SocketOperation> | undefined;
  /** The resume position of each subscription that the server has interrupted, by id, until it is sent to the client. */
  #resume: Map<string, Readonly<Record<string, unknown>>> | undefined;

  constructor(accepted: AcceptedSocket, request: UpgradeRequest, protocol: SocketProtocol) {
    super(accepted, protocol.rules);
    this.request = request;
    this.#protocol = protocol;
    // Each subscription waits for a full socket to drain.
    this.duplex.setMaxListeners(0);
    const wait = protocol.limits['socket.init'];
    const expired = (): void => this.close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout');
    if (wait > 0) this.#initTimer = setTimeout(expired, wait);
  }

  protected isAnswering(): boolean {
    for (const { isAnswering } of this.#operations?.values() ?? []) if (isAnswering) return true;
    return false;
  }

  protected isActive(): boolean {
    return this.#operations !== undefined;
  }

  protected expire(): void {
    // After its streams, which end with the session as well.
    setImmediate(() => this.close(CloseCode.Forbidden, 'SUBSCRIPTION_JWT_EXPIRED'));
  }

  override retire(): void {
    this.#sendResume();
    super.retire();
  }

  override close(code: number, reason: string): void {
    this.#sendResume();
    super.close(code, reason);
  }

  override closed(): void {
    super.closed();
    clearTimeout(this.#initTimer);
    for (const operation of [...(this.#operations?.values() ?? [])]) operation.leave();
  }

  // Its operations.

  /** Adds an operation. A stream replaces the operation that it was. */
  add(operation: SocketOperation): void {
    this.#operations ??= new Map();
    this.#operations.set(operation.id, operation);
  }

  /** Removes an operation that is over. Returns whether it was there. */
  remove(operation: SocketOperation): boolean {
    if (this.#operations?.get(operation.id) !== operation) return false;
    this.#operations.delete(operation.id);
    if (this.#operations.size === 0) this.#operations = undefined;
    return true;
  }

  subscriptions(): number {
    let count = 0;
    for (const { isSubscription } of this.#operations?.values() ?? []) if (isSubscription) count += 1;
    return count;
  }

  // Its messages.

  /** Sends the result of a query or mutation, in pieces of JSON. Resolves when it was written to the network. */
  sendResult(id: string, json: readonly Buffer[]): Promise<void> {
    return this.sendPieces(
      joinSmall([Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`), ...json, Buffer.from('}')]),
    );
  }

  /** Ends an operation or stream at the client, with these errors if any. */
  sendEnd(id: string, errors: readonly GraphQLError[] | undefined): void {
    const message: Message =
      errors === undefined
        ? { id, type: MessageType.Complete }
        : { id, type: MessageType.Error, payload: errors.map((error) => error.toJSON()) };
    this.send(stringifyMessage(message));
  }

  /** Notes where a subscription can resume on another socket. It is sent before the socket is closed. */
  resumes(id: string, position: Readonly<Record<string, unknown>>): void {
    this.#resume ??= new Map();
    this.#resume.set(id, position);
  }

  /**
   * Sends where the interrupted subscriptions resume, as the payload of a `ping`. Clients treat an `error` message as final,
   * but subscribe again when the socket closes.
   */
  #sendResume(): void {
    if (this.#resume === undefined) return;
    const resume = Object.fromEntries(this.#resume);
    this.#resume = undefined;
    this.send(stringifyMessage({ type: MessageType.Ping, payload: { resume } }));
  }

  protected handle({ bytes, received }: ClientMessage): void {
    this.contain(() => {
      if (!this.isOpen()) return;
      const incoming = readMessage(bytes, this.#protocol.jsonBounds);
      if (typeof incoming === 'string') return this.close(CloseCode.BadRequest, incoming);
      const { message, text } = incoming;
      this.#react(message, { text, length: bytes.length, received }).catch((error: unknown) => {
        this.faults.note('socket', error, this.id);
        this.close(CloseCode.InternalServerError, 'Internal server error');
      });
    });
  }

  async #react(message: Message, received: ReceivedMessage): Promise<void> {
    switch (message.type) {
      case MessageType.ConnectionInit:
        return this.#init(message.payload);
      case MessageType.Ping: {
        const { payload } = message;
        return this.send(stringifyMessage({ type: MessageType.Pong, ...(payload && { payload }) }));
      }
      case MessageType.Pong:
        return;
      case MessageType.Subscribe: {
        const { id } = message;
        if (this.#state !== 'acknowledged') return this.close(CloseCode.Unauthorized, 'Unauthorized');
        if (this.#operations?.has(id) === true) {
          return this.close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`);
        }
        return this.#protocol.run(this, message, received);
      }
      case MessageType.Complete:
        return this.#operations?.get(message.id)?.complete();
      default:
        // Only servers send it.
        return this.close(CloseCode.BadRequest, 'Invalid message received');
    }
  }

  async #init(params: unknown): Promise<void> {
    if (this.#state !== 'opened')
      return this.close(CloseCode.TooManyInitialisationRequests, 'Too many initialisation requests');
    this.#state = 'initialized';
    clearTimeout(this.#initTimer);
    this.#initTimer = undefined;
    const payload = await this.#protocol.connect(this, params);
    if (payload === false) return this.close(CloseCode.Forbidden, 'Forbidden');
    this.#state = 'acknowledged';
    this.send(stringifyMessage({ type: MessageType.ConnectionAck, ...(payload && { payload }) }));
  }
}
