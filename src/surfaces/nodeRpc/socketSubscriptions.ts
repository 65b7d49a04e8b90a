import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { BacklogPlace } from '../../answers/caller.ts';
import { type EventCondition, EventQueryError, formatEventQuery, parseEventQuery } from '../../chain/events/eventQuery.ts';
import type { RequestId } from '../../chain/rpc/requests.ts';
import { internalError, serverError } from '../../chain/rpc/rpcErrors.ts';
import { stringify } from '../../chain/wire/goText.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { limitReachedResponse } from '../../server/messages/errors.ts';
import { onceSent } from '../../server/messages/sendAnswer.ts';
import { contain, type FaultOwner } from '../../server/observability/faults.ts';
import type { ClientLimits } from '../../server/rateLimits/clientLimits.ts';
import { largestCopied, sendAround } from '../../server/sockets/openSockets.ts';
import type { Dialect } from './dialects.ts';
import { rpcErrorOf } from './failures.ts';
import type { NodeEvent, NodeEvents } from './nodeEvents.ts';

/** The sink of one subscription: the text before and after the part of an event that all subscribers share. */
interface EventSink {
  readonly head: string;
  readonly tail: string;
  /** Number and size in bytes of the events that wait for the socket. */
  waiting: number;
  bytes: number;
}

/** The events that wait until a socket can send them. */
interface SocketQueue {
  /**
   * Sends an event, or queues it. Returns false if too many events of the subscription wait, because the client reads too
   * slowly.
   */
  send(sink: EventSink, event: NodeEvent): boolean;
  /** Resolves when the queue is empty and the socket has sent its data, or when the socket is closed. */
  ready(): Promise<void>;
  /** Discards the waiting events of one subscription, or of all. */
  discard(sink?: EventSink): void;
}

/**
 * Creates the queue of a socket. `duplex` is its connection. A single waiting event is within the limits, whatever its size.
 */
export function createSocketQueue(
  socket: WebSocket,
  duplex: Duplex,
  place: BacklogPlace,
  limits: { readonly maxEvents: number; readonly maxBytes: number },
): SocketQueue {
  let queue: { readonly sink: EventSink; readonly event: NodeEvent }[] = [];
  let isWaiting = false;
  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  const isFull = (): boolean => duplex.writableNeedDrain;

  function sendNow({ head, tail }: EventSink, event: NodeEvent): void {
    const json = event.json();
    sendAround(socket, head, json, tail);
    if (!isFull() || duplex.writableLength === 0) return;
    onceSent(duplex, place.send(json.length <= largestCopied ? {} : event, json.length));
  }

  function flush(): void {
    isWaiting = false;
    while (isOpen() && !isFull()) {
      const next = queue.shift();
      if (next === undefined) return;
      const { sink, event } = next;
      sink.waiting -= 1;
      sink.bytes -= event.json().length;
      place.unqueue(event, event.json().length);
      sendNow(sink, event);
    }
    if (isOpen() && queue.length > 0) wait();
  }

  function wait(): void {
    if (isWaiting) return;
    isWaiting = true;
    duplex.once('drain', flush);
  }

  return {
    send(sink, event) {
      if (!isOpen()) return true;
      if (queue.length === 0 && !isFull()) {
        sendNow(sink, event);
        return true;
      }
      sink.waiting += 1;
      sink.bytes += event.json().length;
      queue.push({ sink, event });
      wait();
      place.queue(event, event.json().length);
      return sink.waiting === 1 || (sink.waiting <= limits.maxEvents && sink.bytes <= limits.maxBytes);
    },
    async ready() {
      while (isOpen() && (isFull() || queue.length > 0)) {
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
    },
    discard(sink) {
      const discarded = queue.filter((each) => sink === undefined || each.sink === sink);
      queue = queue.filter((each) => sink !== undefined && each.sink !== sink);
      for (const { event } of discarded) place.unqueue(event, event.json().length);
    },
  };
}

/**
 * The subscriptions of one socket. Methods throw an `RpcError` with the node's text
 * (docs/chain.md, "Subscriptions on a socket").
 */
export interface SocketSubscriptions {
  /** Subscribes to a query. Events have the id of the request, and follow all data sent in the same turn of the event loop. */
  subscribe(id: RequestId, query: string): void;
  unsubscribe(query: string): void;
  unsubscribeAll(): void;
  count(): number;
  /** Ends all subscriptions, and sends each an error with the reason. */
  cancel(reason: string): void;
  /** Ends the subscriptions that have waiting events as too slow, and calls `onSlow`. */
  shed(): void;
  /** Ends all subscriptions without sending anything. */
  drop(): void;
}

interface Entry {
  readonly id: RequestId;
  readonly sink: EventSink;
  stop(): void;
}

/** Placeholder of the event in the encoded result. JSON never contains it unescaped. */
const place = '\0';

function canceled(reason: string): ReturnType<typeof serverError> {
  return serverError(`subscription was canceled (reason: ${reason})`);
}

function parse(query: string): readonly EventCondition[] {
  try {
    return parseEventQuery(query);
  } catch (error) {
    if (error instanceof EventQueryError) throw internalError(`failed to parse query: ${error.message}`);
    throw error;
  }
}

/** Creates the subscriptions of a socket. Calls `onSlow` if the client reads too slowly, after sending the error. */
export function createSocketSubscriptions(options: {
  readonly dialect: Dialect;
  readonly events: NodeEvents;
  readonly caller: ClientLimits;
  readonly limits: Limits;
  readonly queue: SocketQueue;
  readonly send: (text: string) => void;
  readonly onSlow: () => void;
  /** Ended by a fault in the handling of an event. */
  readonly owner: FaultOwner;
}): SocketSubscriptions {
  const { dialect, events, caller, limits, queue, send, onSlow, owner } = options;
  const entries = new Map<string, Entry>();

  function end(key: string, entry: Entry): void {
    if (entries.get(key) === entry) entries.delete(key);
    entry.stop();
    queue.discard(entry.sink);
  }

  function cancel(key: string, entry: Entry, reason: string): void {
    end(key, entry);
    send(dialect.encodeFailure(entry.id, canceled(reason)));
  }

  function endAsSlow(key: string, entry: Entry): void {
    events.noteSlow();
    cancel(key, entry, 'slow client');
  }

  return {
    subscribe(id, query) {
      const max = limits['rpc.subscriptions'];
      if (entries.size >= max) throw internalError(`max_subscriptions_per_client ${max} reached`);
      if (Buffer.byteLength(query) > limits['request.events']) throw internalError('maximum query length exceeded');
      const conditions = parse(query);
      const key = formatEventQuery(conditions);
      if (entries.has(key)) throw internalError('already subscribed');
      const turn = caller.openStream();
      if (!('end' in turn)) throw internalError(`max_subscription_clients ${turn.max} reached`);
      const topic = caller.listen(`query ${key}`, 1);
      if (!('end' in topic)) {
        turn.end();
        throw rpcErrorOf(limitReachedResponse(topic));
      }
      const [head = '', tail = ''] = dialect.encodeResult(id, `{"query":${stringify(query)},${place}}`).split(place);
      const sink = { head, tail, waiting: 0, bytes: 0 };
      const stop = events.subscribe(conditions, {
        caller,
        event: (event) =>
          // A fault here must not keep the event from other sockets.
          contain(owner, () => {
            if (queue.send(sink, event) || entries.get(key) !== entry) return;
            endAsSlow(key, entry);
            onSlow();
          }),
        cancel: (reason) => cancel(key, entry, reason),
      });
      const entry: Entry = {
        id,
        sink,
        stop() {
          stop();
          topic.end();
          turn.end();
        },
      };
      entries.set(key, entry);
    },
    unsubscribe(query) {
      const key = formatEventQuery(parse(query));
      const entry = entries.get(key);
      if (entry === undefined) throw internalError('subscription not found');
      end(key, entry);
    },
    unsubscribeAll() {
      if (entries.size === 0) throw internalError('subscription not found');
      for (const [key, entry] of [...entries]) end(key, entry);
    },
    count: () => entries.size,
    cancel(reason) {
      for (const [key, entry] of [...entries]) cancel(key, entry, reason);
    },
    shed() {
      for (const [key, entry] of [...entries]) if (entry.sink.waiting > 0) endAsSlow(key, entry);
      onSlow();
    },
    drop() {
      for (const [key, entry] of [...entries]) end(key, entry);
    },
  };
}
