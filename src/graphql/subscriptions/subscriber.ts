import type { GraphQLError } from 'graphql';
import { type BacklogPlace, type Caller, type Refused, rateLimited } from '../../answers/caller.ts';
import type { Fingerprint } from '../../chain/blocks/head.ts';
import { RequestError } from '../../reads/errors.ts';
import type { Pinned } from '../../reads/pin.ts';
import type { Session } from '../../reads/viewer.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import type { EventBatch, EventOperation, Payload } from './payload.ts';

/** The sink of one subscriber: its socket, which it may share with other subscribers. No method throws. */
export interface Sink {
  /** Passes a payload to the socket, which holds it until it is sent. */
  send(payload: Payload): void;
  /** Whether the socket holds so many unsent bytes that it must not get more for now. */
  isFull(): boolean;
  /** Calls `wake` once the socket has sent its bytes. Returns a function that cancels the wait. */
  onceDrained(wake: () => void): () => void;
  /** Whether the socket holds a copy of a payload, instead of the shared bytes. */
  copies(payload: Payload): boolean;
  /** The unsent bytes of the socket. */
  unsent(): number;
  /** Calls `onSent` once the socket has sent its bytes or is closed. */
  onceSent(onSent: () => void): void;
  /** Destroys the connection. */
  destroy(): void;
  /** Ends the stream, with these errors if any. Either `end` or `interrupt` is called, once, and neither for a subscriber that has left. */
  end(errors: readonly GraphQLError[] | undefined): void;
  /**
   * Ends the stream early, with its connection. The error contains the height at which the subscriber can resume on another
   * connection.
   */
  interrupt(error: GraphQLError): void;
}

/** Bounds of the queue of a subscriber whose socket is full. A subscriber over a bound is too slow. */
export interface QueueLimits {
  /** The most events (`subscription.events`). */
  readonly maxEvents: number;
  /** The most bytes of payloads (`subscription.bytes`). */
  readonly maxBytes: number;
  /** How long a subscriber that receives past blocks may keep the source waiting, in ms (`subscription.wait`). Nothing queues for it, so only time limits it. */
  readonly maxWait: number;
}

/** What all subscribers of a server share. */
interface SubscriberRules {
  readonly limits: QueueLimits;
  /** The error of a subscriber that is too slow, for {@link Subscriber.cut}. */
  readonly tooSlow: (lastHeight: bigint | undefined) => GraphQLError;
}

interface SubscriberOptions {
  readonly caller: Caller;
  readonly sink: Sink;
  readonly rules: SubscriberRules;
  /** The height after which its stream begins. */
  readonly after: bigint;
  /** Called once when the subscriber is removed, for any reason. */
  readonly onGone: (subscriber: Subscriber) => void;
}

/** The events of a subscriber whose socket was full. Created on first use, because few streams ever wait. */
interface Queue {
  batches: EventBatch[];
  events: number;
  bytes: number;
  /** Cancels the wait for the socket. */
  stopWaiting: (() => void) | undefined;
  /** Resolves {@link Subscriber.ready}. */
  wakeReader: (() => void) | undefined;
  /** The place in the backlog of the caller. */
  place: BacklogPlace | undefined;
}

/** One subscriber. It is a class because every stream has one: a function for each method would take more than a kilobyte of each. */
export class Subscriber {
  /** The caller that is charged for its events. */
  readonly caller: Caller;
  /** The source that it reads from; undefined before it has one. */
  source: { position(): bigint; remove(subscriber: Subscriber): void } | undefined;
  /** The height up to which it has all events, before the first {@link offer}. */
  after: bigint;
  readonly #sink: Sink;
  readonly #rules: SubscriberRules;
  readonly #onGone: (subscriber: Subscriber) => void;
  #queue: Queue | undefined;
  #ending: { readonly errors: readonly GraphQLError[] | undefined } | undefined;
  #gone = false;

  constructor({ caller, sink, rules, after, onGone }: SubscriberOptions) {
    this.caller = caller;
    this.source = undefined;
    this.after = after;
    this.#sink = sink;
    this.#rules = rules;
    this.#onGone = onGone;
  }

  /**
   * Passes the events at one height to the socket, or adds them to the queue. Ends the subscriber as too slow if it exceeds the
   * limits.
   */
  offer(batch: EventBatch): void {
    if (this.#gone || batch.payloads.length === 0) return;
    if (this.#isEmpty() && !this.#sink.isFull()) {
      this.#send(batch);
      return;
    }
    const { limits, tooSlow } = this.#rules;
    const queue = this.#queued();
    queue.events += batch.payloads.length;
    queue.bytes += batch.bytes;
    queue.batches.push(batch);
    this.#wait();
    this.#place().queue(batch, batch.bytes);
    if (queue.batches.length > 1 && (queue.events > limits.maxEvents || queue.bytes > limits.maxBytes)) this.cut(tooSlow);
  }

  /** Resolves when the socket has all events and is ready for more, or the subscriber is gone; undefined if that is already so. Ends it as too slow over its time. */
  ready(): Promise<void> | undefined {
    if (this.#gone || (this.#isEmpty() && !this.#sink.isFull())) return undefined;
    const { limits, tooSlow } = this.#rules;
    this.#wait();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.cut(tooSlow), limits.maxWait);
      this.#queued().wakeReader = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the stream after the queued events. */
  end(errors?: readonly GraphQLError[]): void {
    if (this.#gone) return;
    this.#ending = { errors };
    this.#settle();
  }

  /** Ends the stream at once with an error. `error` gets the height up to which all events are delivered; undefined if it is unknown. */
  cut(error: (lastHeight: bigint | undefined) => GraphQLError): void {
    if (this.#gone) return;
    const reason = error(this.covered());
    this.#go();
    this.#sink.end([reason]);
  }

  /** Like {@link cut}, if the connection ends too and the subscriber resumes on another one. */
  interrupt(error: (lastHeight: bigint | undefined) => GraphQLError): void {
    if (this.#gone) return;
    const reason = error(this.covered());
    this.#go();
    this.#sink.interrupt(reason);
  }

  /** The subscriber has left: drops its queue at once. */
  leave(): void {
    if (!this.#gone) this.#go();
  }

  /** The height up to which all events are delivered: the one below the first queued event, else the position of the source. */
  covered(): bigint | undefined {
    const first = this.#queue?.batches[0];
    if (first !== undefined) return first.height === undefined ? undefined : first.height - 1n;
    const position = this.source?.position();
    return position !== undefined && position < this.after ? this.after : position;
  }

  /** Queued events and their bytes. */
  queued(): { readonly events: number; readonly bytes: number } {
    if (this.#gone || this.#queue === undefined) return { events: 0, bytes: 0 };
    const { events, bytes } = this.#queue;
    return { events, bytes };
  }

  /** Whether it has left or its stream has ended. */
  isGone(): boolean {
    return this.#gone;
  }

  #isEmpty(): boolean {
    return this.#queue === undefined || this.#queue.batches.length === 0;
  }

  #queued(): Queue {
    this.#queue ??= { batches: [], events: 0, bytes: 0, stopWaiting: undefined, wakeReader: undefined, place: undefined };
    return this.#queue;
  }

  #place(): BacklogPlace {
    const queue = this.#queued();
    queue.place ??= this.caller.backlog.open({
      shed: () => this.cut(this.#rules.tooSlow),
      destroy: () => this.#sink.destroy(),
    });
    return queue.place;
  }

  #go(): void {
    this.#gone = true;
    const queue = this.#queue;
    if (queue !== undefined) {
      for (const batch of queue.batches) queue.place?.unqueue(batch, batch.bytes);
      queue.batches = [];
      queue.stopWaiting?.();
      queue.stopWaiting = undefined;
      queue.wakeReader?.();
    }
    this.#onGone(this);
  }

  #send(batch: EventBatch): void {
    const sink = this.#sink;
    for (const payload of batch.payloads) sink.send(payload);
    if (!sink.isFull() || sink.unsent() === 0) return;
    let [copied, shared] = [0, 0];
    for (const payload of batch.payloads) {
      if (sink.copies(payload)) copied += payload.json.length;
      else shared += payload.json.length;
    }
    if (copied > 0) sink.onceSent(this.#place().send({}, copied));
    if (shared > 0) sink.onceSent(this.#place().send(batch, batch.bytes));
  }

  #flush(): void {
    const queue = this.#queued();
    queue.stopWaiting = undefined;
    while (!this.#sink.isFull()) {
      const batch = queue.batches.shift();
      if (batch === undefined) break;
      queue.events -= batch.payloads.length;
      queue.bytes -= batch.bytes;
      this.#place().unqueue(batch, batch.bytes);
      this.#send(batch);
    }
    // `cut` may have been called because of the caller's other streams.
    if (this.#gone) return;
    if (this.#sink.isFull()) this.#wait();
    else this.#settle();
  }

  #wait(): void {
    this.#queued().stopWaiting ??= this.#sink.onceDrained(() => this.#flush());
  }

  /** After the last queued event: resolves `ready`, or ends the stream. */
  #settle(): void {
    if (!this.#isEmpty()) return;
    if (this.#ending !== undefined) {
      const { errors } = this.#ending;
      this.#go();
      this.#sink.end(errors);
      return;
    }
    if (this.#queue === undefined) return;
    this.#queue.wakeReader?.();
    this.#queue.wakeReader = undefined;
  }
}

/**
 * Creates a subscriber. The events of one height stay together, in the socket or in the queue, so that a subscriber that is ended has whole heights
 * and resumes after the last of them. A single height is always accepted, whatever its size.
 */
export function createSubscriber(options: SubscriberOptions): Subscriber {
  return new Subscriber(options);
}

/** A validated subscription, or a live query. */
export interface SubscriptionOperation extends EventOperation {
  /** Its root value. The subscription creates its own pin from it, which lives as long as it has subscribers. */
  readonly root: Pinned<object>;
  /** The height that `root` is pinned to; undefined if it has none. */
  readonly height: bigint | undefined;
  /** The session of the subscriber. Subscriptions with different scopes are never shared, and a stream ends with its session. */
  readonly session: Session;
  /** The caller that is charged. */
  readonly caller: Caller;
  /** The slot of the subscription among those of its caller. It is ended when the opened subscription is over, for whatever reason. */
  readonly slot: Slot;
  readonly contextValue: GraphQLContext;
  /** Whether the client accepts changes of a live query as JSON Patch. */
  readonly wantsPatch: boolean;
  /** Whether the operation has a `totalCount`: the chain then reads the whole list. */
  readonly countsLists: boolean;
}

/** What a stream needs of an operation to render its events. */
export function eventOperationOf(operation: SubscriptionOperation): EventOperation {
  const { schema, document, operationName, variableValues, contextValue, points } = operation;
  return { schema, document, operationName, variableValues, contextValue, points };
}

/** A place among a limited number, which is free again once `end` was called. */
export interface Slot {
  end(): void;
}

/** An opened subscription. It must be begun or dropped, once. */
export interface OpenSubscription {
  /** Starts to send events to the sink, until `leave` of the result is called or the stream ends. */
  begin(sink: Sink): Leavable;
  /** Closes the subscription without beginning it. */
  drop(): void;
}

/** A subscription that has begun. */
export interface Leavable {
  /** Ends it because its client has left. */
  leave(): void;
  /** The height up to which it has sent all events; undefined if it is not known. */
  covered(): bigint | undefined;
}

/** Messages of streams that the server ends early. */
const messages = {
  SLOW_CONSUMER: 'The subscriber reads too slowly.',
  SERVER_SHUTDOWN: 'The server is shutting down.',
  SUBSCRIPTION_JWT_EXPIRED: 'The token has expired.',
  SCHEMA_CHANGED: 'The chain was upgraded, and the document is not valid for its new schema.',
} as const;

/** The error of a stream. The height is the one up to which all events were delivered; undefined if the stream has no such height. */
type Ending = (lastHeight?: bigint) => GraphQLError;

/** The errors of streams that the server ends early. */
export interface Endings {
  /** SLOW_CONSUMER. */
  readonly tooSlow: Ending;
  /** SERVER_SHUTDOWN. */
  readonly stopped: Ending;
  /** SUBSCRIPTION_JWT_EXPIRED. */
  readonly expired: Ending;
  /** RATE_LIMITED: the caller has too few points for the next event. */
  unpaid(refusal: Refused): Ending;
  /** SCHEMA_CHANGED. */
  changed(differences: readonly string[]): Ending;
}

/** Creates the errors. `mask` converts an error to one for the caller. `chain` identifies the chain; undefined while it is not known. */
export function createEndings(mask: (error: unknown) => GraphQLError, chain: () => Fingerprint | undefined): Endings {
  const ending =
    ({ code, message, facts }: Pick<RequestError, 'code' | 'message' | 'facts'>): Ending =>
    (lastHeight) => {
      if (lastHeight === undefined) return mask(new RequestError(code, message, facts));
      return mask(
        new RequestError(code, `${message} ${resumeAfter(lastHeight)}`, {
          ...facts,
          lastHeight,
          after: lastHeight,
          chain: chain(),
        }),
      );
    };
  const of = (code: keyof typeof messages, facts = {}): Ending => ending({ code, message: messages[code], facts });
  return {
    tooSlow: of('SLOW_CONSUMER'),
    stopped: of('SERVER_SHUTDOWN'),
    expired: of('SUBSCRIPTION_JWT_EXPIRED'),
    unpaid: (refusal) => ending(rateLimited(refusal)),
    changed: (differences) => of('SCHEMA_CHANGED', { differences }),
  };
}

function resumeAfter(height: bigint): string {
  return `All events up to height ${height} were delivered. Resume with \`after: ${height}\`.`;
}
