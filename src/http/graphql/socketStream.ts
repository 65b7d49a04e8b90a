import type { ExecutionResult, GraphQLError } from 'graphql';
import { noteErrors } from '../../graphql/request/requestRecord.ts';
import type { Payload } from '../../graphql/subscriptions/payload.ts';
import type { Sink } from '../../graphql/subscriptions/subscriber.ts';
import type { Leavable, OpenSubscription } from '../../graphql/subscriptions/subscriptions.ts';
import { onceSent } from '../messages/onceSent.ts';
import { largestCopied, sendAround } from '../sockets/socketFrames.ts';
import type { RunningOperation, Socket } from './socketConnection.ts';

const over = { done: true, value: undefined } as const;

/**
 * A subscription on a socket. The protocol library gets an iterator without events: its `next` waits for the end, and the
 * payloads go to the socket directly. After an `error` message, it must not send `complete`. It only does so for ids in
 * `subscriptions`, so the id is deleted there.
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
  /** Resolves `next`. */
  #finish: ((result: typeof over) => void) | undefined;

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

  // The iterator.

  next(): Promise<IteratorResult<ExecutionResult>> {
    if (this.#isOver) return Promise.resolve(over);
    return new Promise((resolve) => {
      this.#finish = resolve;
    });
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
    extra.contain(() => sendAround(socket, head, json, '}'));
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
    if (errors !== undefined && socket.readyState === socket.OPEN)
      socket.send(JSON.stringify({ id: this.#id, type: 'error', payload: errors }));
    this.#endWith(errors);
  }

  interrupt(error: GraphQLError): void {
    this.#context.extra.resumes(this.#id, error.extensions);
    this.#endWith([error]);
  }

  #endWith(errors: readonly GraphQLError[] | undefined): void {
    noteErrors(this.#record, errors);
    if (errors !== undefined) delete this.#context.subscriptions[this.#id];
    this.#over();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#context.extra.streams -= 1;
    this.#finish?.(over);
    this.#end();
  }
}

/** Starts a subscription on a socket. Returns the iterator for the protocol library. */
export function beginStream(
  subscription: OpenSubscription,
  context: Socket,
  operation: RunningOperation,
): AsyncIterableIterator<ExecutionResult> {
  const stream = new SocketStream(context, operation);
  stream.begin(subscription);
  return stream;
}
