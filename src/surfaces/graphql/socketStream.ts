import type { ExecutionResult, GraphQLError } from 'graphql';
import { noteErrors } from '../../answers/caller.ts';
import type { Payload } from '../../graphql/subscriptions/payload.ts';
import type { Leavable, OpenSubscription, Sink } from '../../graphql/subscriptions/subscriber.ts';
import { onceSent } from '../../server/messages/sendAnswer.ts';
import { largestCopied, sendAround } from '../../server/sockets/openSockets.ts';
import type { RunningOperation, Socket } from './socketConnection.ts';

const over = { done: true, value: undefined } as const;

/**
 * A subscription on a socket. It sends all its messages itself. In the protocol library it is an iterator that is never read:
 * the library calls `return` when the client completes the subscription or the socket is closed.
 *
 * It is a class because every subscriber has one: a function for each method would take more than a kilobyte of each.
 */
class SocketStream implements Sink, AsyncIterableIterator<ExecutionResult> {
  readonly #context: Socket;
  readonly #id: string;
  readonly #record: RunningOperation['record'];
  readonly #end: RunningOperation['end'];
  #subscription: Leavable | undefined;
  #isOver = false;

  constructor(context: Socket, { id, record, end }: RunningOperation) {
    this.#context = context;
    this.#id = id;
    this.#record = record;
    this.#end = end;
    context.extra.streams += 1;
  }

  begin(subscription: OpenSubscription): void {
    this.#subscription = subscription.begin(this);
  }

  /** Adds it to the subscriptions of the protocol library. */
  register(): void {
    const { extra, subscriptions } = this.#context;
    if (extra.socket.readyState === extra.socket.CLOSED) void this.return();
    else if (!this.#isOver) subscriptions[this.#id] = this;
  }

  // The iterator.

  async next(): Promise<IteratorResult<ExecutionResult>> {
    return over;
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#subscription?.leave();
    this.#over();
    return over;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  // The sink.

  send({ json }: Payload): void {
    const { extra } = this.#context;
    const { socket } = extra;
    if (socket.readyState !== socket.OPEN) return;
    const head = `{"id":${JSON.stringify(this.#id)},"type":"next","payload":`;
    // The same payload is sent to other sockets, so a fault here must not affect them.
    // The frames of one message leave in one system call.
    extra.duplex.cork();
    extra.contain(() => sendAround(socket, head, json, '}'));
    extra.duplex.uncork();
  }

  isFull(): boolean {
    return this.#context.extra.duplex.writableNeedDrain;
  }

  onceDrained(wake: () => void): () => void {
    const { duplex } = this.#context.extra;
    duplex.once('drain', wake);
    return () => duplex.off('drain', wake);
  }

  copies({ json }: Payload): boolean {
    return json.length <= largestCopied;
  }

  unsent(): number {
    return this.#context.extra.duplex.writableLength;
  }

  onceSent(sent: () => void): void {
    onceSent(this.#context.extra.duplex, sent);
  }

  destroy(): void {
    this.#context.extra.socket.terminate();
  }

  end(errors: readonly GraphQLError[] | undefined): void {
    const { socket } = this.#context.extra;
    const id = this.#id;
    const message = errors === undefined ? { id, type: 'complete' } : { id, type: 'error', payload: errors };
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
    this.#endWith(errors);
  }

  interrupt(error: GraphQLError): void {
    this.#context.extra.resumes(this.#id, error.extensions);
    this.#endWith([error]);
  }

  #endWith(errors: readonly GraphQLError[] | undefined): void {
    noteErrors(this.#record, errors);
    const { subscriptions } = this.#context;
    if (subscriptions[this.#id] === this) delete subscriptions[this.#id];
    this.#over();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#context.extra.streams -= 1;
    this.#end();
  }
}

/**
 * Starts a subscription on a socket. Must be called from the `subscribe` of the protocol library, which must then get a result
 * that is no iterator.
 *
 * The library would keep its state of the operation, two kilobytes, until it has read all events of an iterator. So the id is
 * removed from its subscriptions: it sends nothing for an id that is not among them, and forgets the operation. It does so
 * without waiting for anything, thus before the next tick, in which the stream is registered. Until then no message is handled
 * on the socket.
 */
export function beginStream(subscription: OpenSubscription, context: Socket, operation: RunningOperation): void {
  const stream = new SocketStream(context, operation);
  delete context.subscriptions[operation.id];
  context.extra.holdMessages();
  process.nextTick(() => stream.register());
  stream.begin(subscription);
}
