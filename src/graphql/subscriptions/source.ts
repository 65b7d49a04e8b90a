import type { GraphQLError } from 'graphql';
import type { BlockEvents, BlockStream } from '../../reads/stream.ts';
import type { Refused } from '../request/caller.ts';
import { charge } from './charge.ts';
import type { Told } from './payload.ts';
import type { Member } from './subscriber.ts';

/** A source of events that was opened, and how they are told. */
export interface Source {
  readonly stream: BlockStream<unknown>;
  /** What the events of a block tell, remembered where it may be. */
  render(block: BlockEvents<unknown>): Promise<Told>;
  /** Points that {@link Source.render} of this block costs now: those of its executions, or fewer where it is remembered. */
  price(block: BlockEvents<unknown>): number;
  /** What is told of the state that the stream begins with. */
  renderPresent(present: BlockEvents<unknown>): Promise<Told>;
  /** Points of one execution. */
  readonly points: number;
  /** Ends a member whose caller cannot pay. */
  refuse(member: Member, refused: Refused): void;
  /** Height of the newest block of the chain. */
  head(): bigint | undefined;
  /** What the caller may see of a failure of the source. */
  mask(error: unknown): GraphQLError;
  /** Ends the stream and whatever is read for it. Any number of times. */
  close(): void;
}

/** A source that is read, and those who are told of it. */
export interface Feed {
  /** The height up to which its members have been told everything. */
  position(): bigint;
  /** Tells this member of all above its own `after` that comes from now on. */
  add(member: Member): void;
  /** Lets a member go; the source ends with its last one. */
  remove(member: Member): void;
  /** Ends it and, with these errors, its members. */
  close(errors?: readonly GraphQLError[]): void;
}

/** What a {@link Feed} is made of. */
export interface FeedOptions {
  /** Closed with the feed. */
  readonly source: Source;
  /** The height behind which the source begins. */
  readonly after: bigint;
  /** Another feed that is no further than this one: its members go there, and it ends. Asked before each block. */
  readonly merge: (feed: Feed) => Feed | undefined;
  /** Whether it goes on whatever its members' sockets do, as what has come up with the chain does. Else it waits for them. */
  readonly isLive: (feed: Feed) => boolean;
  /** Told once when it is over, before its source is closed. */
  readonly onOver: (feed: Feed) => void;
}

/** Makes a feed. It is read from the first {@link Feed.add} on. */
export function createFeed({ source, after, merge, isLive, onOver }: FeedOptions): Feed {
  const members = new Set<Member>();
  let position = after;
  let running = false;
  let over = false;

  const feed: Feed = {
    position: () => position,
    add(member) {
      member.feed = feed;
      members.add(member);
      if (running) return;
      running = true;
      void run();
    },
    remove(member) {
      members.delete(member);
      if (members.size === 0) feed.close();
    },
    close(errors) {
      if (over) return;
      finish();
      for (const member of members) member.end(errors);
      members.clear();
    },
  };

  function finish(): void {
    over = true;
    onOver(feed);
    source.close();
  }

  function moveTo(other: Feed): void {
    finish();
    for (const member of members) {
      if (member.after < position) member.after = position;
      other.add(member);
    }
    members.clear();
  }

  async function run(): Promise<void> {
    try {
      while (!over) {
        const other = merge(feed);
        if (other !== undefined) return moveTo(other);
        if (!isLive(feed)) for (const member of members) await member.ready();
        if (over) return;
        const next = await source.stream.nextBlock();
        if (over) return;
        if (next.done) return feed.close();
        const { height } = next.value;
        const listening = [...members].filter(({ after: behind }) => height > behind);
        charge(listening, source.price(next.value), source.refuse);
        if (over) return;
        const told = await source.render(next.value);
        if (over) return;
        position = height;
        for (const member of members) if (position > member.after) member.offer(told);
        if (told.last) return feed.close();
      }
    } catch (error) {
      feed.close([source.mask(error)]);
    }
  }

  return feed;
}
