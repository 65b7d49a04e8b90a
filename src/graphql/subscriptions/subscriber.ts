import type { GraphQLError } from 'graphql';
import type { BacklogPlace, Caller } from '../request/caller.ts';
import type { EventBatch, Payload } from './payload.ts';

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
  /** Calls `sent` once the socket has sent its bytes or is closed. */
  onceSent(sent: () => void): void;
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

/** One subscriber. */
export interface Subscriber {
  /** The caller that is charged for its events. */
  readonly caller: Caller;
  /** The source that it reads from; undefined before it has one. */
  source: { position(): bigint; remove(subscriber: Subscriber): void } | undefined;
  /** The height up to which it has all events, before the first {@link offer}. */
  after: bigint;
  /**
   * Passes the events at one height to the socket, or adds them to the queue. Ends the subscriber as too slow if it exceeds the
   * limits.
   */
  offer(batch: EventBatch): void;
  /** Resolves when the socket has all events and is ready for more, or the subscriber is gone; undefined if that is already so. Ends it as too slow over its time. */
  ready(): Promise<void> | undefined;
  /** Ends the stream after the queued events. */
  end(errors?: readonly GraphQLError[]): void;
  /** Ends the stream at once with an error. `error` gets the height up to which all events are delivered; undefined if it is unknown. */
  cut(error: (lastHeight: bigint | undefined) => GraphQLError): void;
  /** Like {@link cut}, if the connection ends too and the subscriber resumes on another one. */
  interrupt(error: (lastHeight: bigint | undefined) => GraphQLError): void;
  /** The subscriber has left: drops its queue at once. */
  leave(): void;
  /** Queued events and their bytes. */
  queued(): { readonly events: number; readonly bytes: number };
  /** Whether it has left or its stream has ended. */
  isGone(): boolean;
}

/** Options of {@link createSubscriber}. */
export interface SubscriberOptions {
  readonly caller: Caller;
  readonly sink: Sink;
  readonly limits: QueueLimits;
  /** The height after which its stream begins. */
  readonly after: bigint;
  /** The error of a subscriber that is too slow, for {@link Subscriber.cut}. */
  readonly tooSlow: (lastHeight: bigint | undefined) => GraphQLError;
  /** Called once when the subscriber is removed, for any reason. */
  readonly onGone: (subscriber: Subscriber) => void;
}

/**
 * Creates a subscriber. The events of one height stay together, in the socket or in the queue, so that a subscriber that is ended has whole heights
 * and resumes after the last of them. A single height is always accepted, whatever its size.
 */
export function createSubscriber({ caller, sink, limits, after, tooSlow, onGone }: SubscriberOptions): Subscriber {
  let queue: EventBatch[] = [];
  let events = 0;
  let bytes = 0;
  let gone = false;
  let ending: { readonly errors: readonly GraphQLError[] | undefined } | undefined;
  let stopWaiting: (() => void) | undefined;
  let wakeReader: (() => void) | undefined;
  let place: BacklogPlace | undefined;

  /** Opened on first use, because few streams ever wait. */
  function placed(): BacklogPlace {
    place ??= caller.backlog.open({ shed: () => subscriber.cut(tooSlow), destroy: sink.destroy });
    return place;
  }

  function go(): void {
    gone = true;
    for (const batch of queue) placed().unqueue(batch, batch.bytes);
    queue = [];
    stopWaiting?.();
    stopWaiting = undefined;
    wakeReader?.();
    onGone(subscriber);
  }

  /** The height up to which all events are delivered: the one below the first queued event, else the position of the source. */
  function lastHeight(): bigint | undefined {
    const [first] = queue;
    if (first !== undefined) return first.height === undefined ? undefined : first.height - 1n;
    const position = subscriber.source?.position();
    return position !== undefined && position < subscriber.after ? subscriber.after : position;
  }

  function send(batch: EventBatch): void {
    for (const payload of batch.payloads) sink.send(payload);
    if (!sink.isFull() || sink.unsent() === 0) return;
    let [copied, shared] = [0, 0];
    for (const payload of batch.payloads) {
      if (sink.copies(payload)) copied += payload.json.length;
      else shared += payload.json.length;
    }
    if (copied > 0) sink.onceSent(placed().send({}, copied));
    if (shared > 0) sink.onceSent(placed().send(batch, batch.bytes));
  }

  function flush(): void {
    stopWaiting = undefined;
    while (!sink.isFull()) {
      const batch = queue.shift();
      if (batch === undefined) break;
      events -= batch.payloads.length;
      bytes -= batch.bytes;
      placed().unqueue(batch, batch.bytes);
      send(batch);
    }
    // `cut` may have been called because of the caller's other streams.
    if (gone) return;
    if (sink.isFull()) wait();
    else settle();
  }

  function wait(): void {
    stopWaiting ??= sink.onceDrained(flush);
  }

  /** After the last queued event: resolves `ready`, or ends the stream. */
  function settle(): void {
    if (queue.length > 0) return;
    if (ending !== undefined) {
      const { errors } = ending;
      go();
      sink.end(errors);
      return;
    }
    wakeReader?.();
    wakeReader = undefined;
  }

  const subscriber: Subscriber = {
    caller,
    source: undefined,
    after,
    offer(batch) {
      if (gone || batch.payloads.length === 0) return;
      if (queue.length === 0 && !sink.isFull()) {
        send(batch);
        return;
      }
      events += batch.payloads.length;
      bytes += batch.bytes;
      queue.push(batch);
      wait();
      placed().queue(batch, batch.bytes);
      if (queue.length > 1 && (events > limits.maxEvents || bytes > limits.maxBytes)) subscriber.cut(tooSlow);
    },
    ready() {
      if (gone || (queue.length === 0 && !sink.isFull())) return undefined;
      wait();
      return new Promise((resolve) => {
        const timer = setTimeout(() => subscriber.cut(tooSlow), limits.maxWait);
        wakeReader = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    end(errors) {
      if (gone) return;
      ending = { errors };
      settle();
    },
    cut(error) {
      if (gone) return;
      const reason = error(lastHeight());
      go();
      sink.end([reason]);
    },
    interrupt(error) {
      if (gone) return;
      const reason = error(lastHeight());
      go();
      sink.interrupt(reason);
    },
    leave() {
      if (!gone) go();
    },
    queued: () => (gone ? { events: 0, bytes: 0 } : { events, bytes }),
    isGone: () => gone,
  };
  return subscriber;
}
