import { randomUUID } from 'node:crypto';
import { createSourceEventStream, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import type { Rewind } from '../../chain/blocks/head.ts';
import { chainReset, isChainError } from '../../chain/errors.ts';
import type { MemoryBudget } from '../../chain/memory/memoryBudget.ts';
import { createPin } from '../../reads/createPin.ts';
import { RequestError } from '../../reads/errors.ts';
import { heightOf, type Pin, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import type { BlockStream } from '../../reads/stream.ts';
import type { Session } from '../../reads/viewer.ts';
import { createLiveCheck } from '../../schema/live.ts';
import { refusal } from '../limits/limitError.ts';
import { type Caller, limitFull, type Refused, rateLimited } from '../request/caller.ts';
import { type Report, toGraphQLError, toGraphQLErrors } from '../request/errors.ts';
import { leftError } from '../request/leftError.ts';
import { charge } from './charge.ts';
import { createRenderer, type EventOperation } from './payload.ts';
import { createRemembered } from './replayCache.ts';
import type { Source } from './source.ts';
import { createMember, type Member, type MemberOptions, type Outlet, type QueueLimits } from './subscriber.ts';
import { createTopic, type Topic } from './topic.ts';
import { createTopicKeys, type TopicKey } from './topicKey.ts';

/** A subscription that is to be run, checked against the schema. */
export interface SubscriptionOperation extends EventOperation {
  /** Its root value; a subscription makes a pin of its own of it, which lives as long as somebody listens. */
  readonly root: Pinned<object>;
  /** The height that `root` is pinned to; undefined when it has none. */
  readonly height: bigint | undefined;
  /** Who listens: subscriptions of different scopes are never one, and a stream ends with its session. */
  readonly session: Session;
  /** Who pays for what is executed. */
  readonly caller: Caller;
}

/** A subscription whose source is open. It is begun or dropped, once. */
export interface OpenSubscription {
  /** Tells this subscriber everything, from now on and until the function that it returns is called, or the outlet was told the end. */
  begin(outlet: Outlet): () => void;
  /** Lets go of what was opened. */
  drop(): void;
}

/** What runs at the moment. */
export interface SubscriptionStats {
  /** Subscriptions that differ. */
  readonly topics: number;
  readonly members: number;
  /** Sources that are read. */
  readonly sources: number;
  /** Heights of which it is remembered what was told. */
  readonly remembered: number;
  /** Events executed since the start. */
  readonly executions: number;
  /** Events that wait for members whose socket is full, their bytes, and the most that wait for one. */
  readonly queued: { readonly events: number; readonly bytes: number; readonly most: number };
  /** Members ended as too slow since the start. */
  readonly tooSlow: number;
}

/** All subscriptions of a server: equal ones are executed and made into bytes once for each event, however many listen. */
export interface Subscriptions {
  /**
   * Opens the source of a subscription; what speaks against it (a bad argument, no node) comes as a result with errors, not masked.
   * Rejects with RATE_LIMITED where its caller listens to too much already.
   */
  open(operation: SubscriptionOperation): Promise<OpenSubscription | ExecutionResult>;
  stats(): SubscriptionStats;
  /** Forgets what was told of blocks that were given up. When the chain was reset, ends every subscription with CHAIN_RESET. */
  rewind(rewind: Rewind): void;
  /** Ends every subscription, also those that come later, with SERVER_SHUTDOWN and the height to resume behind. */
  close(): void;
}

/** What {@link createSubscriptions} takes. */
export interface SubscriptionsOptions {
  /** Where what was told lately is kept. */
  readonly memory: MemoryBudget;
  readonly schema: GraphQLSchema;
  /** Logs what callers see masked: one line for each event. */
  readonly report: Report;
  /** Of each subscriber. */
  readonly queue: QueueLimits;
  /** How long a subscription waits for the block that it resumes after, ms: `request.freshness`. */
  readonly freshness: number;
}

/** Why a stream is ended before its end. */
const endings = {
  SLOW_CONSUMER: 'The subscriber did not keep up.',
  SERVER_SHUTDOWN: 'The server stops.',
  SUBSCRIPTION_JWT_EXPIRED: 'The token has ended.',
} as const;

function ended(code: keyof typeof endings, lastHeight: bigint | undefined): RequestError {
  const why = endings[code];
  if (lastHeight === undefined) return new RequestError(code, why, {});
  return new RequestError(code, `${why} ${resumeBehind(lastHeight)}`, { lastHeight, after: lastHeight });
}

function resumeBehind(height: bigint): string {
  return `All was delivered up to height ${height}: resume with \`after: ${height}\`.`;
}

/** RATE_LIMITED of a stream whose caller cannot pay for what comes next. */
function unpaid(refused: Refused, lastHeight: bigint | undefined): RequestError {
  const { code, message, facts } = rateLimited(refused);
  if (lastHeight === undefined) return new RequestError(code, message, facts);
  return new RequestError(code, `${message} ${resumeBehind(lastHeight)}`, { ...facts, lastHeight, after: lastHeight });
}

/** A pin that lives as long as somebody listens. */
function ownPin({ client, bounds }: Pin, height: bigint, signal: AbortSignal): Pin {
  return createPin(client, height, signal, bounds);
}

/** What lets a member of a topic go. It is made apart, so that it holds nothing of the request that the member came with. */
function leaving(topic: Topic, place: { end(): void }): (gone: Member) => void {
  return (gone) => {
    place.end();
    topic.remove(gone);
  };
}

function isBlockStream(stream: AsyncIterable<unknown>): stream is BlockStream<unknown> {
  return 'nextBlock' in stream && 'present' in stream;
}

/** Makes the subscriptions of a server. */
export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { schema, report, memory, queue: limits, freshness } = options;
  const mask = (error: unknown): GraphQLError => toGraphQLError(error, randomUUID(), report);
  const renderer = createRenderer((errors) => toGraphQLErrors(errors, randomUUID(), report));
  const remembered = createRemembered(memory);
  const topicKeyOf = createTopicKeys(schema);
  const isLive = createLiveCheck(schema);
  const topics = new Map<string, Topic>();
  const alone = new Set<Member>();
  /** Why sources end that nobody needs any more: one for all, as ending is what most of them do at once. */
  const left = leftError();
  let closed = false;

  let slow = 0;
  const tooSlow = (lastHeight: bigint | undefined): GraphQLError => {
    slow += 1;
    return mask(ended('SLOW_CONSUMER', lastHeight));
  };
  const stopped = (lastHeight: bigint | undefined): GraphQLError => mask(ended('SERVER_SHUTDOWN', lastHeight));
  const expired = (lastHeight: bigint | undefined): GraphQLError => mask(ended('SUBSCRIPTION_JWT_EXPIRED', lastHeight));

  const refuse = (member: Member, refused: Refused): void => member.cut((lastHeight) => mask(unpaid(refused, lastHeight)));

  /** A member that is ended with its session. */
  function createMemberOf(
    { session, caller }: SubscriptionOperation,
    of: Omit<MemberOptions, 'caller' | 'limits' | 'tooSlow'>,
  ): Member {
    const onGone = (gone: Member): void => {
      stopWaiting();
      of.onGone(gone);
    };
    const member = createMember({ ...of, caller, limits, tooSlow, onGone });
    const stopWaiting = session.whenOver(() => member.interrupt(expired));
    return member;
  }

  /** Ends a subscription that was opened before {@link Subscriptions.close} and is begun after it. */
  function refuseLate(outlet: Outlet, stop: () => void): () => void {
    stop();
    outlet.interrupt(stopped(undefined));
    return () => undefined;
  }

  const keyOf = (operation: SubscriptionOperation): TopicKey =>
    topicKeyOf(operation, operation.session.viewer.scopes.join(' '));

  /** Waits until the chain has come to the height that a stream resumes after. HEIGHT_NOT_YET_AVAILABLE if it does not in time. */
  async function reached(operation: SubscriptionOperation): Promise<void> {
    const { client, signal } = pinOf(operation.root);
    const { after } = keyOf(operation);
    if (after === undefined || after <= (client.head.current()?.height ?? 0n)) return;
    await client.head.waitFor(after, { milliseconds: freshness, ...(signal && { signal }) });
  }

  function topicOf(key: string): Topic {
    const known = topics.get(key);
    if (known !== undefined) return known;
    const topic = createTopic(() => topics.delete(key));
    topics.set(key, topic);
    return topic;
  }

  /** A stream that is a function of the block log: shared by all who are told the same. */
  function shared(operation: SubscriptionOperation, stream: BlockStream<unknown>, stop: () => void): OpenSubscription {
    const { topic: key, after = operation.height ?? 0n } = keyOf(operation);
    const { document, points, caller } = operation;
    const place = caller.listen(key, points);
    if (!('end' in place)) {
      stop();
      throw refusal(limitFull(place), { status: 429 });
    }
    const isRemembered = !isLive(document);
    const { head } = pinOf(operation.root).client;
    const source: Source = {
      stream,
      close: stop,
      head: () => head.current()?.height,
      render(block) {
        const make = () => renderer.render(operation, block);
        return isRemembered && block.events.length > 0 ? remembered.told(key, block.height, make) : make();
      },
      points,
      price({ height, events }) {
        if (events.length === 0) return 1;
        return events.length * (isRemembered && remembered.has(key, height) ? 1 : points);
      },
      refuse,
      renderPresent: (present) => renderer.render(operation, present),
      mask(error) {
        // Which of the nodes is wrong is not known, nor what was told of which.
        if (isChainError(error, 'NODE_INCONSISTENT')) remembered.clear();
        return mask(error);
      },
    };
    return {
      begin(outlet) {
        if (closed) {
          place.end();
          return refuseLate(outlet, stop);
        }
        const topic = topicOf(key);
        const member = createMemberOf(operation, { outlet, after, onGone: leaving(topic, place) });
        void topic.join(member, source);
        return member.leave;
      },
      drop() {
        place.end();
        stop();
      },
    };
  }

  /** Any other stream: read for this subscriber alone. */
  function own(operation: SubscriptionOperation, stream: AsyncIterable<unknown>, stop: () => void): OpenSubscription {
    async function run(member: Member): Promise<void> {
      try {
        for await (const event of stream) {
          charge([member], operation.points, refuse);
          if (member.isGone()) return;
          member.offer(await renderer.renderAlone(operation, event, heightOf(event)));
        }
        member.end();
      } catch (error) {
        if (!member.isGone()) member.end([mask(error)]);
      }
    }
    return {
      begin(outlet) {
        if (closed) return refuseLate(outlet, stop);
        const onGone = (gone: Member): void => {
          alone.delete(gone);
          stop();
        };
        const member = createMemberOf(operation, { outlet, after: 0n, onGone });
        alone.add(member);
        void run(member);
        return member.leave;
      },
      drop: stop,
    };
  }

  function everybody(): readonly Member[] {
    return [...alone, ...[...topics.values()].flatMap((topic) => [...topic.members()])];
  }

  function queued(): SubscriptionStats['queued'] {
    const sum = { events: 0, bytes: 0, most: 0 };
    for (const member of everybody()) {
      const { events, bytes } = member.queued();
      sum.events += events;
      sum.bytes += bytes;
      sum.most = Math.max(sum.most, events);
    }
    return sum;
  }

  return {
    async open(operation) {
      if (closed) return { errors: [stopped(undefined)] };
      const { root, height, session: _, caller: __, points: ___, ...args } = operation;
      const end = new AbortController();
      const rootValue = height === undefined ? root : pinned(ownPin(pinOf(root), height, end.signal), {});
      const stream = await createSourceEventStream({ ...args, rootValue });
      if (!(Symbol.asyncIterator in stream)) return stream;
      const iterator = stream[Symbol.asyncIterator]();
      const stop = (): void => {
        end.abort(left);
        iterator.return?.().catch(() => undefined);
      };
      if (!isBlockStream(stream)) return own(operation, stream, stop);
      try {
        await reached(operation);
      } catch (error) {
        stop();
        const cause = error instanceof Error ? error : new Error(String(error));
        return { errors: [new GraphQLError(cause.message, { originalError: cause })] };
      }
      return shared(operation, stream, stop);
    },
    stats: () => ({
      topics: topics.size,
      members: [...topics.values()].reduce((sum, topic) => sum + topic.members().size, alone.size),
      sources: [...topics.values()].reduce((sum, topic) => sum + topic.sources(), alone.size),
      remembered: remembered.size(),
      executions: renderer.executions(),
      queued: queued(),
      tooSlow: slow,
    }),
    rewind({ kind, newest }) {
      remembered.clear();
      if (kind !== 'RESET') return;
      for (const member of everybody()) member.cut(() => mask(chainReset(newest.height)));
    },
    close() {
      closed = true;
      for (const member of everybody()) member.interrupt(stopped);
    },
  };
}
