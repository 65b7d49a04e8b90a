import { type EventCondition, EventQueryError, formatEventQuery, parseEventQuery } from '../../../chain/events/eventQuery.ts';
import { stringify } from '../../../chain/rpc/goJson.ts';
import type { RequestId } from '../../../chain/rpc/requests.ts';
import { internalError, serverError } from '../../../chain/rpc/rpcError.ts';
import type { Limits } from '../../../config/limits/limits.ts';
import { limitReachedResponse } from '../../messages/errors.ts';
import { contain, type FaultOwner } from '../../observability/faults.ts';
import type { ClientLimits } from '../../rateLimits/rates.ts';
import type { Dialect } from '../dialect.ts';
import { answerError } from '../failures.ts';
import type { NodeEvents } from '../nodeEvents.ts';
import type { EventOutlet, SocketQueue } from './eventQueue.ts';

/** The subscriptions of one socket. What refuses one throws an `RpcError` with the node's text (chain.md 1.7). */
export interface SocketSubscriptions {
  /** Begins one; its events come behind what is sent before the next turn of the loop, and have the id of its request. */
  subscribe(id: RequestId, query: string): void;
  unsubscribe(query: string): void;
  unsubscribeAll(): void;
  count(): number;
  /** Ends all, and tells each subscription why. */
  cancel(reason: string): void;
  /** Ends those for which events wait as too slow, and calls `onSlow`. */
  shed(): void;
  /** Ends all; nobody is told. */
  drop(): void;
}

interface Entry {
  readonly id: RequestId;
  readonly outlet: EventOutlet;
  stop(): void;
}

/** Stands where an event goes; it is in no JSON as it is. */
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

/** Makes them. `onSlow` is told when the client reads too slowly, behind the message that says so. */
export function createSocketSubscriptions(options: {
  readonly dialect: Dialect;
  readonly events: NodeEvents;
  readonly caller: ClientLimits;
  readonly limits: Limits;
  readonly queue: SocketQueue;
  readonly send: (text: string) => void;
  readonly onSlow: () => void;
  /** What a fault ends that one of its events causes. */
  readonly owner: FaultOwner;
}): SocketSubscriptions {
  const { dialect, events, caller, limits, queue, send, onSlow, owner } = options;
  const entries = new Map<string, Entry>();

  function end(key: string, entry: Entry): void {
    if (entries.get(key) === entry) entries.delete(key);
    entry.stop();
    queue.forget(entry.outlet);
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
        throw answerError(limitReachedResponse(topic));
      }
      const [head = '', tail = ''] = dialect.encodeResult(id, `{"query":${stringify(query)},${place}}`).split(place);
      const outlet = { head, tail, waiting: 0, bytes: 0 };
      const stop = events.subscribe(conditions, {
        caller,
        event: (event) =>
          // The same event goes to other sockets, which must get it whatever is wrong here.
          contain(owner, () => {
            if (queue.send(outlet, event) || entries.get(key) !== entry) return;
            endAsSlow(key, entry);
            onSlow();
          }),
        cancel: (reason) => cancel(key, entry, reason),
      });
      const entry: Entry = {
        id,
        outlet,
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
      for (const [key, entry] of [...entries]) if (entry.outlet.waiting > 0) endAsSlow(key, entry);
      onSlow();
    },
    drop() {
      for (const [key, entry] of [...entries]) end(key, entry);
    },
  };
}
