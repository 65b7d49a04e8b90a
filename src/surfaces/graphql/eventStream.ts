import type { ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { noteErrors, type RequestRecord } from '../../answers/caller.ts';
import { boundary, eventFrame, nextEvent, type Payload, type StreamFormat } from '../../graphql/subscriptions/payload.ts';
import type { Leavable, OpenSubscription, Sink } from '../../graphql/subscriptions/subscriber.ts';
import { onceSent } from '../../server/messages/sendAnswer.ts';
import { largestCopied } from '../../server/sockets/openSockets.ts';
import { createRounds, type Rounds } from '../../server/sockets/rounds.ts';

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

/** Sends a subscription until it is over or the client disconnects. The head of the response must be written. */
type SendEvents = (
  subscription: OpenSubscription,
  response: ServerResponse,
  record: RequestRecord,
  writer: StreamWriter,
) => void;

/** It is a class because every stream has one: a function for each method would take half a kilobyte of each. */
class EventStream implements Sink {
  readonly #response: ServerResponse;
  readonly #record: RequestRecord;
  readonly #writer: StreamWriter;
  readonly #heartbeats: Rounds<EventStream>;
  #subscription: Leavable | undefined;

  constructor(response: ServerResponse, record: RequestRecord, writer: StreamWriter, heartbeats: Rounds<EventStream>) {
    this.#response = response;
    this.#record = record;
    this.#writer = writer;
    this.#heartbeats = heartbeats;
  }

  /** Writes the first bytes and begins the subscription. */
  begin(subscription: OpenSubscription): void {
    this.#heartbeats.add(this);
    this.#writeStart();
    this.#subscription = subscription.begin(this);
    this.#response.on('close', () => this.#close());
  }

  /** Writes the head on its own, because Node keeps it in memory, and in one piece only if it was written in one. */
  #writeStart(): void {
    const response = this.#response;
    response.cork();
    response.flushHeaders();
    response.write(this.#writer.start);
    response.uncork();
  }

  beat(): void {
    if (!this.#response.writableNeedDrain) this.#response.write(this.#writer.heartbeat);
  }

  send(payload: Payload): void {
    this.#writer.write(this.#response, payload);
  }

  isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  onceDrained(wake: () => void): () => void {
    const response = this.#response;
    response.once('drain', wake);
    return () => response.off('drain', wake);
  }

  /** The bytes of an event are shared by all streams of this format. */
  copies(): boolean {
    return false;
  }

  unsent(): number {
    return this.#response.writableLength;
  }

  onceSent(sent: () => void): void {
    onceSent(this.#response, sent);
  }

  destroy(): void {
    this.#response.destroy();
  }

  end(errors: readonly GraphQLError[] | undefined): void {
    this.#finish(errors, this.#writer.complete);
  }

  interrupt(error: GraphQLError): void {
    this.#finish([error], this.#writer.interrupted);
  }

  #finish(errors: readonly GraphQLError[] | undefined, last: string): void {
    const response = this.#response;
    this.#heartbeats.delete(this);
    noteErrors(this.#record, errors);
    if (errors !== undefined) response.write(this.#writer.errors(errors));
    response.end(last);
    response.setTimeout(endTimeout, () => response.destroy());
  }

  #close(): void {
    this.#heartbeats.delete(this);
    this.#subscription?.leave();
  }
}

/** Creates the function that sends subscriptions over HTTP. Its streams share one timer for their heartbeats. */
export function createEventStreams(): SendEvents {
  const heartbeats = createRounds<EventStream>(heartbeatInterval, (stream) => stream.beat());

  return (subscription, response, record, writer) => {
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
