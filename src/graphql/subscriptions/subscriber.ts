import type { GraphQLError } from 'graphql';
import type { BacklogPlace, Caller } from '../request/caller.ts';
import type { Payload, Told } from './payload.ts';

/** Where the payloads of one subscriber go: a socket that it may share with others. None of this throws. */
export interface Outlet {
  /** Hands a payload to the socket, which keeps it until it is sent. */
  send(payload: Payload): void;
  /** Whether the socket keeps so much that it is to be given no more for now. */
  isFull(): boolean;
  /** Calls `wake` once, when the socket has sent what it kept. Returns the way to stop waiting. */
  onceDrained(wake: () => void): () => void;
  /** Whether the socket makes a copy of its own of a payload that it holds. */
  copies(payload: Payload): boolean;
  /** Bytes that the socket holds unsent. */
  unsent(): number;
  /** Calls `sent` once, when the socket has sent what it holds or is closed. */
  onceSent(sent: () => void): void;
  /** Breaks the connection off. */
  destroy(): void;
  /** The stream is over, with these errors if any. Of `end` and `interrupt` one is called, once, and neither for a subscriber that has left. */
  end(errors: readonly GraphQLError[] | undefined): void;
  /** The server ends the stream early, and its connection too. The subscriber may resume it on another connection: the error says where. */
  interrupt(error: GraphQLError): void;
}

/** How much is kept for a subscriber whose socket is full; over either bound it is too slow (reliability.md 1). */
export interface QueueLimits {
  /** Events: 128. */
  readonly maxEvents: number;
  /** Bytes of their payloads: 8 MiB. */
  readonly maxBytes: number;
  /** How long whoever is still told of the past may let it wait, ms: 24,000. Nothing queues for it, so only time tells that it reads no more. */
  readonly maxWait: number;
}

/** One subscriber. */
export interface Member {
  /** Who is charged for what it is told. */
  readonly caller: Caller;
  /** Who tells it what comes; undefined while nobody does yet. */
  feed: { position(): bigint; remove(member: Member): void } | undefined;
  /** The height up to which it has been told everything, before its first {@link offer}. */
  after: bigint;
  /** Takes all that is told of a height: to the socket, else to its queue. Over its limits it is ended as too slow. */
  offer(told: Told): void;
  /** Resolves when the socket has all that was taken and is ready for more, or the member is gone; undefined when that is now. Over its time it is ended as too slow. */
  ready(): Promise<void> | undefined;
  /** Nothing more will be offered: the stream ends behind what was taken. */
  end(errors?: readonly GraphQLError[]): void;
  /** Ends the stream at once, with what `error` makes of the height up to which all was delivered, if that can be told. */
  cut(error: (lastHeight: bigint | undefined) => GraphQLError): void;
  /** As {@link cut}, where the connection ends too and the subscriber may resume the stream on another one. */
  interrupt(error: (lastHeight: bigint | undefined) => GraphQLError): void;
  /** The subscriber has left: what is kept for it goes at once. */
  leave(): void;
  /** Events that wait for its socket, and their bytes. */
  queued(): { readonly events: number; readonly bytes: number };
  /** Whether it has left, was told the end, or was too slow. */
  isGone(): boolean;
}

/** What a {@link Member} is made of. */
export interface MemberOptions {
  readonly caller: Caller;
  readonly outlet: Outlet;
  readonly limits: QueueLimits;
  /** The height behind which its stream begins. */
  readonly after: bigint;
  /** The error of a subscriber that is too slow, of {@link Member.cut}. */
  readonly tooSlow: (lastHeight: bigint | undefined) => GraphQLError;
  /** Told once when it is gone, for whatever reason. */
  readonly onGone: (member: Member) => void;
}

/**
 * Makes a member. A height is never torn apart: all of it goes to the socket or stays in the queue, so that whoever is ended
 * in between has heights delivered whole, and resumes behind the last of them. A height that comes alone is within the limits, whatever
 * its size.
 */
export function createMember({ caller, outlet, limits, after, tooSlow, onGone }: MemberOptions): Member {
  let queue: Told[] = [];
  let events = 0;
  let bytes = 0;
  let gone = false;
  let ending: { readonly errors: readonly GraphQLError[] | undefined } | undefined;
  let stopWaiting: (() => void) | undefined;
  let wakeReader: (() => void) | undefined;
  let place: BacklogPlace | undefined;

  /** Few streams ever wait. */
  function placed(): BacklogPlace {
    place ??= caller.backlog.open({ shed: () => member.cut(tooSlow), destroy: outlet.destroy });
    return place;
  }

  function go(): void {
    gone = true;
    for (const told of queue) placed().unqueue(told, told.bytes);
    queue = [];
    stopWaiting?.();
    stopWaiting = undefined;
    wakeReader?.();
    onGone(member);
  }

  /** All below what waits first was delivered; without a queue, all that was told. */
  function lastHeight(): bigint | undefined {
    const [first] = queue;
    if (first !== undefined) return first.height === undefined ? undefined : first.height - 1n;
    const position = member.feed?.position();
    return position !== undefined && position < member.after ? member.after : position;
  }

  function send(told: Told): void {
    for (const payload of told.payloads) outlet.send(payload);
    if (!outlet.isFull() || outlet.unsent() === 0) return;
    let [copied, shared] = [0, 0];
    for (const payload of told.payloads) {
      if (outlet.copies(payload)) copied += payload.json.length;
      else shared += payload.json.length;
    }
    if (copied > 0) outlet.onceSent(placed().send({}, copied));
    if (shared > 0) outlet.onceSent(placed().send(told, told.bytes));
  }

  function flush(): void {
    stopWaiting = undefined;
    while (!outlet.isFull()) {
      const told = queue.shift();
      if (told === undefined) break;
      events -= told.payloads.length;
      bytes -= told.bytes;
      placed().unqueue(told, told.bytes);
      send(told);
    }
    // It may have been ended for the sake of its caller's other streams.
    if (gone) return;
    if (outlet.isFull()) wait();
    else settle();
  }

  function wait(): void {
    stopWaiting ??= outlet.onceDrained(flush);
  }

  /** Behind the last of the queue: whoever waits for room has it, and the end comes. */
  function settle(): void {
    if (queue.length > 0) return;
    if (ending !== undefined) {
      const { errors } = ending;
      go();
      outlet.end(errors);
      return;
    }
    wakeReader?.();
    wakeReader = undefined;
  }

  const member: Member = {
    caller,
    feed: undefined,
    after,
    offer(told) {
      if (gone || told.payloads.length === 0) return;
      if (queue.length === 0 && !outlet.isFull()) {
        send(told);
        return;
      }
      events += told.payloads.length;
      bytes += told.bytes;
      queue.push(told);
      wait();
      placed().queue(told, told.bytes);
      if (queue.length > 1 && (events > limits.maxEvents || bytes > limits.maxBytes)) member.cut(tooSlow);
    },
    ready() {
      if (gone || (queue.length === 0 && !outlet.isFull())) return undefined;
      wait();
      return new Promise((resolve) => {
        const timer = setTimeout(() => member.cut(tooSlow), limits.maxWait);
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
      outlet.end([reason]);
    },
    interrupt(error) {
      if (gone) return;
      const reason = error(lastHeight());
      go();
      outlet.interrupt(reason);
    },
    leave() {
      if (!gone) go();
    },
    queued: () => (gone ? { events: 0, bytes: 0 } : { events, bytes }),
    isGone: () => gone,
  };
  return member;
}
