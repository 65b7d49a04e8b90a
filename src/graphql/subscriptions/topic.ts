import { charge } from './charge.ts';
import { createFeed, type Feed, type Source } from './source.ts';
import type { Member } from './subscriber.ts';

/** All that is told alike, however many hear it and wherever they begin. */
export interface Topic {
  /**
   * Tells a member what its source begins with and all above its `after`. The source was opened for it, and is closed at once
   * where the live feed serves it. Never rejects.
   */
  join(member: Member, source: Source): Promise<void>;
  /** Lets a member go that was told its end or has left. */
  remove(member: Member): void;
  /** Those who are told. */
  members(): ReadonlySet<Member>;
  /** Sources that are open. */
  sources(): number;
}

/**
 * Makes a topic. It has one live feed: that of the first member to have come up with the chain. It serves everybody to whom nothing
 * below it is to be told. Whoever begins further below reads the source of its own, as fast as its socket takes it, until that is as
 * far as the live feed, and goes on there. `onEmpty` is told when nobody is left.
 */
export function createTopic(onEmpty: () => void): Topic {
  const members = new Set<Member>();
  const beginning = new Map<Member, Source>();
  const feeds = new Set<Feed>();
  let live: Feed | undefined;

  /** Whether the member goes on behind the state that its stream begins with. */
  async function begin(member: Member, source: Source): Promise<boolean> {
    beginning.set(member, source);
    try {
      const present = await source.stream.present();
      if (present !== undefined && !member.isGone()) {
        charge([member], present.events.length * source.points, source.refuse);
        if (member.isGone()) return false;
        const told = await source.renderPresent(present);
        member.offer(told);
        if (told.last) {
          member.end();
          return false;
        }
      }
    } catch (error) {
      member.end([source.mask(error)]);
      return false;
    } finally {
      beginning.delete(member);
    }
    return !member.isGone();
  }

  function createOwn(source: Source, after: bigint): Feed {
    const feed = createFeed({
      source,
      after,
      isLive: (asked) => asked === live,
      merge(asked) {
        if (live === undefined && asked.position() === source.head()) live = asked;
        if (live === undefined || live === asked || live.position() > asked.position()) return undefined;
        return live;
      },
      onOver(ended) {
        feeds.delete(ended);
        if (live === ended) live = undefined;
      },
    });
    feeds.add(feed);
    return feed;
  }

  return {
    async join(member, source) {
      members.add(member);
      if (!(await begin(member, source))) return source.close();
      if (live === undefined || live.position() > member.after) return createOwn(source, member.after).add(member);
      live.add(member);
      source.close();
    },
    remove(member) {
      if (!members.delete(member)) return;
      beginning.get(member)?.close();
      member.feed?.remove(member);
      if (members.size === 0) onEmpty();
    },
    members: () => members,
    sources: () => feeds.size + beginning.size,
  };
}
