import type { GraphQLError } from 'graphql';
import { noteErrors } from '../../answers/caller.ts';
import type { Payload } from '../../graphql/subscriptions/payload.ts';
import type { Leavable, OpenSubscription, Sink } from '../../graphql/subscriptions/subscriber.ts';
import { onceSent } from '../../server/messages/sendAnswer.ts';
import type { TrackedOperation } from '../../server/observability/requestLog.ts';
import { largestCopied } from '../../server/sockets/clientSocket.ts';
import type { SocketConnection, SocketOperation } from './socketConnection.ts';

/**
 * A subscription or live query on a socket. It sends its messages itself.
 *
 * It is a class because every subscriber has one: a function for each method would take more than a kilobyte of each.
 */
class SocketStream implements Sink, SocketOperation {
  readonly id: string;
  readonly isAnswering = false;
  readonly isSubscription = true;
  readonly #connection: SocketConnection;
  readonly #record: TrackedOperation['record'];
  readonly #end: TrackedOperation['end'];
  #subscription: Leavable | undefined;

  constructor(id: string, { record, end }: TrackedOperation, connection: SocketConnection) {
    this.id = id;
    this.#connection = connection;
    this.#record = record;
    this.#end = end;
  }

  begin(subscription: OpenSubscription): void {
    this.#connection.add(this);
    this.#subscription = subscription.begin(this);
  }

  complete(): void {
    this.leave();
  }

  leave(): void {
    this.#subscription?.leave();
    this.#over();
  }

  // The sink.

  send({ json }: Payload): void {
    this.#connection.sendShared(`{"id":${JSON.stringify(this.id)},"type":"next","payload":`, json, '}');
  }

  isFull(): boolean {
    return this.#connection.duplex.writableNeedDrain;
  }

  onceDrained(wake: () => void): () => void {
    const { duplex } = this.#connection;
    duplex.once('drain', wake);
    return () => duplex.off('drain', wake);
  }

  copies({ json }: Payload): boolean {
    return json.length <= largestCopied;
  }

  unsent(): number {
    return this.#connection.duplex.writableLength;
  }

  onceSent(sent: () => void): void {
    onceSent(this.#connection.duplex, sent);
  }

  destroy(): void {
    this.#connection.socket.terminate();
  }

  end(errors: readonly GraphQLError[] | undefined): void {
    void this.#connection.sendEnd(this.id, errors);
    this.#over(errors);
  }

  interrupt(error: GraphQLError): void {
    this.#connection.resumes(this.id, error.extensions);
    this.#over([error]);
  }

  #over(errors?: readonly GraphQLError[]): void {
    if (!this.#connection.remove(this)) return;
    noteErrors(this.#record, errors);
    this.#end();
  }
}

/** Starts a subscription or live query on a socket, in the place of the operation that opened it. */
export function beginStream(
  subscription: OpenSubscription,
  { id, tracked }: { readonly id: string; readonly tracked: TrackedOperation },
  connection: SocketConnection,
): void {
  new SocketStream(id, tracked, connection).begin(subscription);
}
