import type { GraphQLError } from 'graphql';
import { charge, type Refused } from '../../answers/caller.ts';
import type { BlockEvents, BlockStream } from '../../reads/stream.ts';
import type { EventBatch } from './payload.ts';
import type { Subscriber } from './subscriber.ts';

/** An opened stream of events, and how its events are rendered. */
export interface OpenSource {
  readonly stream: BlockStream<unknown>;
  /** Renders the events of a block, or returns them from the replay cache. */
  render(block: BlockEvents<unknown>): Promise<EventBatch>;
  /** The points that {@link OpenSource.render} of this block costs now: fewer if it is in the replay cache. */
  price(block: BlockEvents<unknown>): number;
  /** Renders the state that the stream begins with. */
  renderPresent(present: BlockEvents<unknown>): Promise<EventBatch>;
  /** The points of one execution. */
  readonly points: number;
  /** Ends a subscriber whose caller has too few points. */
  refuse(subscriber: Subscriber, refused: Refused): void;
  /** The height of the newest block; undefined if no block is known. */
  head(): bigint | undefined;
  /** Converts a failure of the stream to an error for the caller. */
  mask(error: unknown): GraphQLError;
  /** Ends the stream and its reads. May be called several times. */
  close(): void;
}

/** A stream that is read once for all of its subscribers. */
export interface Source {
  /** The height up to which its subscribers have all events. */
  position(): bigint;
  /** Adds a subscriber. It gets all further events above its own `after`. */
  add(subscriber: Subscriber): void;
  /** Removes a subscriber. The source ends with the last one. */
  remove(subscriber: Subscriber): void;
  /** Ends the source and its subscribers, with these errors. */
  close(errors?: readonly GraphQLError[]): void;
}

/** Options of {@link createSource}. */
export interface SourceOptions {
  /** The stream. It is closed with the source. */
  readonly opened: OpenSource;
  /** The height after which the stream begins. */
  readonly after: bigint;
  /** Returns another source at the same or a lower position, to which the subscribers move. Called before each block. */
  readonly merge: (source: Source) => Source | undefined;
  /** Whether the source is live. A live source does not wait for full sockets; any other source does. */
  readonly isLive: (source: Source) => boolean;
  /** Called once when the source is over, before the stream is closed. */
  readonly onOver: (source: Source) => void;
}

/** Creates a source. It starts to read with the first {@link Source.add}. */
export function createSource({ opened, after, merge, isLive, onOver }: SourceOptions): Source {
  const subscribers = new Set<Subscriber>();
  let position = after;
  let running = false;
  let over = false;

  const source: Source = {
    position: () => position,
    add(subscriber) {
      subscriber.source = source;
      subscribers.add(subscriber);
      if (running) return;
      running = true;
      void run();
    },
    remove(subscriber) {
      subscribers.delete(subscriber);
      if (subscribers.size === 0) source.close();
    },
    close(errors) {
      if (over) return;
      finish();
      for (const subscriber of subscribers) subscriber.end(errors);
      subscribers.clear();
    },
  };

  function finish(): void {
    over = true;
    onOver(source);
    opened.close();
  }

  function moveTo(other: Source): void {
    finish();
    for (const subscriber of subscribers) {
      if (subscriber.after < position) subscriber.after = position;
      other.add(subscriber);
    }
    subscribers.clear();
  }

  /**
   * Sends the events of the next block. Resolves to whether the source continues. A function of its own, so that a source that waits for a block
   * keeps nothing of the last one in memory.
   */
  async function sendNext(): Promise<boolean> {
    const next = await opened.stream.nextBlock();
    if (over) return false;
    if (next.done) {
      source.close();
      return false;
    }
    const { height } = next.value;
    const listening = [...subscribers].filter(({ after: behind }) => height > behind);
    charge(listening, opened.price(next.value), opened.refuse);
    if (over) return false;
    const batch = await opened.render(next.value);
    if (over) return false;
    position = height;
    for (const subscriber of subscribers) if (position > subscriber.after) subscriber.offer(batch);
    if (batch.last) source.close();
    return !batch.last;
  }

  async function run(): Promise<void> {
    try {
      do {
        const other = merge(source);
        if (other !== undefined) return moveTo(other);
        if (!isLive(source)) for (const subscriber of subscribers) await subscriber.ready();
      } while (!over && (await sendNext()));
    } catch (error) {
      source.close([opened.mask(error)]);
    }
  }

  return source;
}
