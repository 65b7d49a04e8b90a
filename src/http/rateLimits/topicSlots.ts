import type { Limits } from '../../config/limits/limits.ts';
import type { Caller } from '../../graphql/request/caller.ts';

/** Counts the topics that one caller listens to, up to `subscriptions.distinct` topics and `subscriptions.points` points. */
export type TopicSlots = Pick<Caller, 'listen'>;

/** Creates the counter, empty. Topics without subscriptions are not stored. */
export function createTopicSlots(limits: Limits): TopicSlots {
  const topics = new Map<string, number>();
  let sum = 0;

  function release(topic: string, points: number): void {
    const listeners = topics.get(topic) ?? 0;
    if (listeners > 1) return void topics.set(topic, listeners - 1);
    topics.delete(topic);
    sum -= points;
  }

  return {
    listen(topic, points) {
      const listeners = topics.get(topic) ?? 0;
      const [distinct, most] = [limits['subscriptions.distinct'], limits['subscriptions.points']];
      if (listeners === 0) {
        if (distinct > 0 && topics.size >= distinct) return { limit: 'subscriptions.distinct', max: distinct };
        if (most > 0 && sum + points > most) return { limit: 'subscriptions.points', max: most };
        sum += points;
      }
      topics.set(topic, listeners + 1);
      let ended = false;
      return {
        end() {
          if (!ended) release(topic, points);
          ended = true;
        },
      };
    },
  };
}
