import type { Caller, Full } from '../../answers/caller.ts';
import type { Limits } from '../../config/limits/limits.ts';

/** Counts the topics that one caller listens to, up to `subscriptions.distinct` topics and `subscriptions.points` points. */
export type TopicSlots = Pick<Caller, 'listen' | 'weigh'>;

/** Creates the counter, empty. Topics without subscriptions are not stored. */
export function createTopicSlots(limits: Limits): TopicSlots {
  const topics = new Map<string, { listeners: number; points: number }>();
  let sum = 0;

  const tooHeavy = (points: number): Full | undefined => {
    const max = limits['subscriptions.points'];
    return max > 0 && points > max ? { limit: 'subscriptions.points', max } : undefined;
  };

  function release(topic: string): void {
    const known = topics.get(topic);
    if (known === undefined) return;
    known.listeners -= 1;
    if (known.listeners > 0) return;
    topics.delete(topic);
    sum -= known.points;
  }

  return {
    listen(topic, points) {
      const known = topics.get(topic);
      if (known === undefined) {
        const distinct = limits['subscriptions.distinct'];
        if (distinct > 0 && topics.size >= distinct) return { limit: 'subscriptions.distinct', max: distinct };
        const full = tooHeavy(sum + points);
        if (full !== undefined) return full;
        sum += points;
        topics.set(topic, { listeners: 1, points });
      } else known.listeners += 1;
      let ended = false;
      return {
        end() {
          if (!ended) release(topic);
          ended = true;
        },
      };
    },
    weigh(topic, points) {
      const known = topics.get(topic);
      if (known === undefined) return undefined;
      sum += points - known.points;
      known.points = points;
      return tooHeavy(sum);
    },
  };
}
