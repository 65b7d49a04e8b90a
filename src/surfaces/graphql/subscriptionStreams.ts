import type { ServerResponse } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import type { GraphQLError } from 'graphql';
import { noteErrors, type RequestRecord } from '../../answers/caller.ts';
import { createRounds, type Rounds } from '../../chain/base/rounds.ts';
import { boundary, eventFrame, nextEvent, type Payload, type StreamFormat } from '../../graphql/subscriptions/payload.ts';
import type { Leavable, OpenSubscription, Sink } from '../../graphql/subscriptions/subscriber.ts';
import { onceSent } from '../../server/messages/sendAnswer.ts';
import type { TrackedOperation } from '../../server/observability/requestLog.ts';
import { largestCopied } from '../../server/sockets/clientSocket.ts';
import type { SocketConnection, SocketOperation } from './socketConnection.ts';

/**
 * A subscription or live query that writes its events to a connection. These are classes because every subscriber has one: a function
 * for each method would take more than a kilobyte of each.
 */
abstract class StreamSink<Out extends Writable> implements Sink {
  protected readonly out: Out;
  protected readonly record: RequestRecord;
  protected subscription: Leavable | undefined;

  constructor(out: Out, record: RequestRecord) {
    this.out = out;
    this.record = record;
  }

  abstract send(payload: Payload): void;
  abstract copies(payload: Payload): boolean;
  abstract end(errors: readonly GraphQLError[] | undefined): void;
  abstract interrupt(error: GraphQLError): void;
  abstract destroy(): void;

  isFull(): boolean {
    return this.out.writableNeedDrain;
  }

  onceDrained(wake: () => void): () => void {
    this.out.once('drain', wake);
    return () => this.out.off('drain', wake);
  }

  unsent(): number {
    return this.out.writableLength;
  }

  onceSent(onSent: () => void): void {
    onceSent(this.out, onSent);
  }
}

/** A stream on a WebSocket, which it may share with others. It takes the place of the operation that opened it. */
export class SocketStream extends StreamSink<Duplex> implements SocketOperation {
  readonly id: string;
  readonly isAnswering = false;
  readonly isSubscription = true;
  readonly #connection: SocketConnection;
  readonly #end: () => void;

  constructor(id: string, { record, end }: TrackedOperation, connection: SocketConnection) {
    super(connection.duplex, record);
    this.id = id;
    this.#connection = connection;
    this.#end = end;
  }

  begin(subscription: OpenSubscription): void {
    this.#connection.add(this);
    this.subscription = subscription.begin(this);
  }

  complete(): void {
    this.leave();
  }

  leave(): void {
    this.subscription?.leave();
    this.#over();
  }

  send({ json }: Payload): void {
    this.#connection.sendShared(`{"id":${JSON.stringify(this.id)},"type":"next","payload":`, json, '}');
  }

  copies({ json }: Payload): boolean {
    return json.length <= largestCopied;
  }

  destroy(): void {
    this.#connection.abandon();
  }

  end(errors: readonly GraphQLError[] | undefined): void {
    this.#connection.sendEnd(this.id, errors);
    this.#over(errors);
  }

  interrupt(error: GraphQLError): void {
    this.#connection.resumes(this.id, error.extensions);
    this.#over([error]);
  }

  #over(errors?: readonly GraphQLError[]): void {
    if (!this.#connection.remove(this)) return;
    noteErrors(this.record, errors);
    this.#end();
  }
}

/** Writes a subscription to an HTTP response, in one format. */
interface StreamWriter {
  /** The surface of the request in logs and metrics. */
  readonly surface: 'graphql-sse' | 'graphql-multipart';
  /** The first bytes of the response. Browsers do not expose a stream before its first bytes. */
  readonly start: string;
  /** The bytes that keep an idle connection open. */
  readonly heartbeat: string;
  /** Writes one event. */
  write(response: ServerResponse, payload: Payload): void;
  /** Returns the bytes of the errors at the end of a stream. */
  errors(errors: readonly GraphQLError[]): string | Buffer;
  /** The last bytes of a stream that is complete. */
  readonly complete: string;
  /** The last bytes of a stream that the client can resume. */
  readonly interrupted: string;
}

/**
 * Server-sent events in the distinct connections mode of graphql-sse. Clients request a stream again if it ends without
 * `complete`.
 */
const events: StreamWriter = {
  surface: 'graphql-sse',
  start: ':\n\n',
  heartbeat: ':\n\n',
  write(response, payload) {
    const { json } = payload;
    if (json.length <= largestCopied) return void response.write(payload.sse);
    const [head, tail] = eventFrame;
    response.write(head);
    response.write(json);
    response.write(tail);
  },
  errors: (errors) => nextEvent(JSON.stringify({ errors })),
  complete: 'event: complete\ndata:\n\n',
  interrupted: '',
};

const partHead = '\r\ncontent-type: application/json\r\n\r\n';
const partTail = `\r\n--${boundary}`;

/**
 * Apollo's multipart protocol for subscriptions. Each part ends with the boundary of the next part, because clients wait for
 * it.
 */
const multipart: StreamWriter = {
  surface: 'graphql-multipart',
  start: `${partTail}${partHead}{}${partTail}`,
  heartbeat: `${partHead}{}${partTail}`,
  write(response, { json }) {
    response.cork();
    response.write(`${partHead}{"payload":`);
    response.write(json);
    response.write(`}${partTail}`);
    response.uncork();
  },
  errors: (errors) => `${partHead}${JSON.stringify({ payload: null, errors })}${partTail}`,
  complete: '--\r\n',
  interrupted: '--\r\n',
};

/** The writer of each format. */
export const streamWriters: Readonly<Record<StreamFormat, StreamWriter>> = { events, multipart };

/** Time between heartbeats, in ms. */
const heartbeatInterval = 12_000;

/** How long a client that reads nothing may take to read the end of the stream, in ms. */
const endTimeout = 24_000;

/** A stream in an HTTP response. */
class EventStream extends StreamSink<ServerResponse> {
  readonly #writer: StreamWriter;
  readonly #heartbeats: Rounds<EventStream>;

  constructor(response: ServerResponse, record: RequestRecord, writer: StreamWriter, heartbeats: Rounds<EventStream>) {
    super(response, record);
    this.#writer = writer;
    this.#heartbeats = heartbeats;
  }

  /** Writes the first bytes and begins the subscription. */
  begin(subscription: OpenSubscription): void {
    this.#heartbeats.add(this);
    // The head is written at once, because Node would keep it in memory. Corked, it leaves in one piece with the first bytes.
    this.out.cork();
    this.out.flushHeaders();
    this.out.write(this.#writer.start);
    this.out.uncork();
    this.subscription = subscription.begin(this);
    this.out.on('close', () => {
      this.#heartbeats.delete(this);
      this.subscription?.leave();
    });
  }

  beat(): void {
    if (!this.isFull()) this.out.write(this.#writer.heartbeat);
  }

  send(payload: Payload): void {
    this.#writer.write(this.out, payload);
  }

  /** The bytes of an event are shared by all streams of this format. */
  copies(): boolean {
    return false;
  }

  destroy(): void {
    this.out.destroy();
  }

  end(errors: readonly GraphQLError[] | undefined): void {
    this.#finish(errors, this.#writer.complete);
  }

  interrupt(error: GraphQLError): void {
    this.#finish([error], this.#writer.interrupted);
  }

  #finish(errors: readonly GraphQLError[] | undefined, last: string): void {
    this.#heartbeats.delete(this);
    noteErrors(this.record, errors);
    if (errors !== undefined) this.out.write(this.#writer.errors(errors));
    this.out.end(last);
    this.out.setTimeout(endTimeout, () => this.out.destroy());
  }
}

/**
 * Creates the function that sends a subscription over HTTP until it is over or the client disconnects. The head of the response must be written. Its
 * streams share one timer for their heartbeats.
 */
export function createEventStreams() {
  const heartbeats = createRounds<EventStream>(heartbeatInterval, (stream) => stream.beat());

  return (subscription: OpenSubscription, response: ServerResponse, record: RequestRecord, writer: StreamWriter): void => {
    record.stream = writer.surface;
    if (response.destroyed) {
      subscription.drop();
      return;
    }
    // The subscription ends slow readers itself.
    response.setTimeout(0);
    new EventStream(response, record, writer, heartbeats).begin(subscription);
  };
}
