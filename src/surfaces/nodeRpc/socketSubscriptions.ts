import { type EventCondition, EventQueryError, formatEventQuery, parseEventQuery } from '../../chain/events/eventQuery.ts';
import type { RequestId } from '../../chain/rpc/requests.ts';
import { internalError, serverError } from '../../chain/rpc/rpcErrors.ts';
import { stringify } from '../../chain/wire/goText.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { limitReachedResponse } from '../../server/messages/errors.ts';
import type { ClientLimits } from '../../server/rateLimits/clientLimits.ts';
import { type ClientSocket, largestCopied } from '../../server/sockets/clientSocket.ts';
import type { Dialect } from './dialects.ts';
import { rpcErrorOf } from './failures.ts';
import type { NodeEvent, NodeEvents } from './nodeEvents.ts';

/** A subscription of a socket. */
interface Subscription {
  /** The normalized text of its query. */
  readonly key: string;
  /** The id of the request. Its events have the same. */
  readonly id: RequestId;
  /** The text before and after the part of an event that all subscribers share. */
  readonly head: string;
  readonly tail: string;
  /** Number and size in bytes of the events that wait for the socket. */
  waiting: number;
  bytes: number;
  stop(): void;
}

/** Placeholder of the event in the encoded result. JSON never contains it unescaped. */
const eventPlace = '\0';

function parse(query: string): readonly EventCondition[] {
  try {
    return parseEventQuery(query);
  } catch (error) {
    if (error instanceof EventQueryError) throw internalError(`failed to parse query: ${error.message}`);
    throw error;
  }
}

/**
 * The subscriptions of one socket, and their events that wait until the socket can send them. Methods throw an `RpcError` with the
 * node's text (docs/chain.md, "Subscriptions on a socket").
 */
export class SocketSubscriptions {
  readonly #client: ClientSocket;
  readonly #caller: ClientLimits;
  readonly #dialect: Dialect;
  readonly #events: NodeEvents;
  readonly #limits: Limits;
  /** By the text of their queries. */
  readonly #subscriptions = new Map<string, Subscription>();
  #queue: { readonly subscription: Subscription; readonly event: NodeEvent }[] = [];
  #isFlushing = false;

  constructor(
    client: ClientSocket,
    { caller, dialect, events, limits }: { caller: ClientLimits; dialect: Dialect; events: NodeEvents; limits: Limits },
  ) {
    this.#client = client;
    this.#caller = caller;
    this.#dialect = dialect;
    this.#events = events;
    this.#limits = limits;
  }

  get count(): number {
    return this.#subscriptions.size;
  }

  /** Subscribes to a query. Its events follow all data sent in the same turn of the event loop. */
  subscribe(id: RequestId, query: string): void {
    const max = this.#limits['rpc.subscriptions'];
    if (this.#subscriptions.size >= max) throw internalError(`max_subscriptions_per_client ${max} reached`);
    if (Buffer.byteLength(query) > this.#limits['request.events']) throw internalError('maximum query length exceeded');
    const conditions = parse(query);
    const key = formatEventQuery(conditions);
    if (this.#subscriptions.has(key)) throw internalError('already subscribed');
    const stream = this.#caller.openStream();
    if (!('end' in stream)) throw internalError(`max_subscription_clients ${stream.max} reached`);
    const topic = this.#caller.listen(`query ${key}`, 1);
    if (!('end' in topic)) {
      stream.end();
      throw rpcErrorOf(limitReachedResponse(topic));
    }
    const result = this.#dialect.encodeResult(id, `{"query":${stringify(query)},${eventPlace}}`);
    const [head = '', tail = ''] = result.split(eventPlace);
    const stop = this.#events.subscribe(conditions, {
      caller: this.#caller,
      // A fault here must not keep the event from other sockets.
      event: (event) => this.#client.contain(() => this.#offer(subscription, event)),
      cancel: (reason) => this.#cancel(subscription, reason),
    });
    const subscription: Subscription = {
      ...{ key, id, head, tail, waiting: 0, bytes: 0 },
      stop() {
        stop();
        topic.end();
        stream.end();
      },
    };
    this.#subscriptions.set(key, subscription);
  }

  unsubscribe(query: string): void {
    const subscription = this.#subscriptions.get(formatEventQuery(parse(query)));
    if (subscription === undefined) throw internalError('subscription not found');
    this.#end(subscription);
  }

  unsubscribeAll(): void {
    if (this.#subscriptions.size === 0) throw internalError('subscription not found');
    this.drop();
  }

  /** Ends all subscriptions, and sends each an error with the reason. */
  cancel(reason: string): void {
    for (const subscription of [...this.#subscriptions.values()]) this.#cancel(subscription, reason);
  }

  /** Ends the subscriptions with waiting events as too slow, and closes the socket. */
  shed(): void {
    for (const subscription of [...this.#subscriptions.values()]) if (subscription.waiting > 0) this.#endAsSlow(subscription);
    this.#client.close(1008, 'slow client');
  }

  /** Ends all subscriptions without sending anything. */
  drop(): void {
    for (const subscription of [...this.#subscriptions.values()]) this.#end(subscription);
  }

  /** Resolves when no event waits and the socket has sent its data, or when the socket is closed. */
  async drained(): Promise<void> {
    const { socket, duplex } = this.#client;
    while (this.#client.isOpen() && (duplex.writableNeedDrain || this.#queue.length > 0)) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          duplex.off('drain', done);
          socket.off('close', done);
          resolve();
        };
        duplex.once('drain', done);
        socket.once('close', done);
      });
    }
  }

  #end(subscription: Subscription): void {
    if (this.#isRunning(subscription)) this.#subscriptions.delete(subscription.key);
    subscription.stop();
    const unsent = this.#queue.filter((queued) => queued.subscription === subscription);
    if (unsent.length === 0) return;
    this.#queue = this.#queue.filter((queued) => queued.subscription !== subscription);
    for (const { event } of unsent) this.#client.backlog()?.unqueue(event, event.json().length);
  }

  #cancel(subscription: Subscription, reason: string): void {
    this.#end(subscription);
    const error = serverError(`subscription was canceled (reason: ${reason})`);
    this.#client.send(this.#dialect.encodeFailure(subscription.id, error));
  }

  #endAsSlow(subscription: Subscription): void {
    this.#events.noteSlow();
    this.#cancel(subscription, 'slow client');
  }

  #isRunning(subscription: Subscription): boolean {
    return this.#subscriptions.get(subscription.key) === subscription;
  }

  /** Sends an event, or queues it. Closes the socket if too many events of the subscription wait. A single one may, whatever its size. */
  #offer(subscription: Subscription, event: NodeEvent): void {
    if (!this.#client.isOpen()) return;
    if (this.#queue.length === 0 && !this.#client.duplex.writableNeedDrain) {
      this.#send(subscription, event);
      return;
    }
    const { length } = event.json();
    subscription.waiting += 1;
    subscription.bytes += length;
    this.#queue.push({ subscription, event });
    this.#flushOnceDrained();
    this.#client.backlog()?.queue(event, length);
    const { waiting, bytes } = subscription;
    const isWithin = waiting <= this.#limits['subscription.events'] && bytes <= this.#limits['subscription.bytes'];
    // The backlog may have ended the subscription.
    if (waiting === 1 || isWithin || !this.#isRunning(subscription)) return;
    this.#endAsSlow(subscription);
    this.#client.close(1008, 'slow client');
  }

  #send({ head, tail }: Subscription, event: NodeEvent): void {
    const json = event.json();
    this.#client.sendShared(head, json, tail);
    this.#client.countUnread(json.length <= largestCopied ? {} : event, json.length);
  }

  #flushOnceDrained(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#client.duplex.once('drain', () => this.#client.contain(() => this.#flush()));
  }

  #flush(): void {
    this.#isFlushing = false;
    const { duplex } = this.#client;
    while (this.#client.isOpen() && !duplex.writableNeedDrain) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      const { subscription, event } = next;
      const { length } = event.json();
      subscription.waiting -= 1;
      subscription.bytes -= length;
      this.#client.backlog()?.unqueue(event, length);
      this.#send(subscription, event);
    }
    if (this.#client.isOpen() && this.#queue.length > 0) this.#flushOnceDrained();
  }
}
