import { charge } from '../../answers/caller.ts';
import { createSource, type OpenSource, type Source } from './source.ts';
import type { Subscriber } from './subscriber.ts';

/** All subscribers of equal subscriptions, wherever they begin. */
export interface Topic {
  /** The identity of its subscriptions. */
  readonly key: string;
  /**
   * Sends a subscriber the state that its source begins with, and all events above its `after`. The source was opened for it and is closed at once
   * if the live source serves it. Never rejects.
   */
  join(subscriber: Subscriber, source: OpenSource): Promise<void>;
  /** Removes a subscriber that has ended or left. */
  remove(subscriber: Subscriber): void;
  /** The current subscribers. */
  subscribers(): ReadonlySet<Subscriber>;
  /** The number of open sources. */
  sources(): number;
}

/**
 * Creates a topic. It has one live source: that of the first subscriber to reach the head. The live source serves every subscriber that needs no event
 * below its position. A subscriber that begins at a lower height reads its own source, as fast as its socket allows, until that reaches the live source
 * and moves there. `onEmpty` is called when the last subscriber is gone.
 */
export function createTopic(key: string, onEmpty: () => void): Topic {
  const subscribers = new Set<Subscriber>();
  const beginning = new Map<Subscriber, OpenSource>();
  const sources = new Set<Source>();
  let live: Source | undefined;

  /** Sends the state that the stream begins with. Resolves to whether the stream continues. */
  async function begin(subscriber: Subscriber, source: OpenSource): Promise<boolean> {
    beginning.set(subscriber, source);
    try {
      const present = await source.stream.present();
      if (present !== undefined && !subscriber.isGone()) {
        charge([subscriber], present.events.length * source.points, source.refuse);
        if (subscriber.isGone()) return false;
        const batch = await source.renderPresent(present);
        subscriber.offer(batch);
        if (batch.last) {
          subscriber.end();
          return false;
        }
      }
    } catch (error) {
      subscriber.end([source.mask(error)]);
      return false;
    } finally {
      beginning.delete(subscriber);
    }
    return !subscriber.isGone();
  }

  function createOwn(opened: OpenSource, after: bigint): Source {
    const source = createSource({
      opened,
      after,
      isLive: (asked) => asked === live,
      merge(asked) {
        if (live === undefined && asked.position() === opened.head()) live = asked;
        if (live === undefined || live === asked || live.position() > asked.position()) return undefined;
        return live;
      },
      onOver(ended) {
        sources.delete(ended);
        if (live === ended) live = undefined;
      },
    });
    sources.add(source);
    return source;
  }

  return {
    key,
    async join(subscriber, source) {
      subscribers.add(subscriber);
      if (!(await begin(subscriber, source))) return source.close();
      if (live === undefined || live.position() > subscriber.after) return createOwn(source, subscriber.after).add(subscriber);
      live.add(subscriber);
      source.close();
    },
    remove(subscriber) {
      if (!subscribers.delete(subscriber)) return;
      beginning.get(subscriber)?.close();
      subscriber.source?.remove(subscriber);
      if (subscribers.size === 0) onEmpty();
    },
    subscribers: () => subscribers,
    sources: () => sources.size + beginning.size,
  };
}
