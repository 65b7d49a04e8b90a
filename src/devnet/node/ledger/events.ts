import {
  type EventCondition,
  EventQueryError,
  formatEventQuery,
  matches,
  parseEventQuery,
} from '../../../chain/events/eventQuery.ts';
import type { AbciEvent } from '../../abci/abci.ts';

/** Something that happened on a node, as its subscribers see it. */
export interface NodeEvent {
  /** `tendermint/event/…`. */
  readonly type: string;
  /** The value as JSON text, made when first asked for. */
  readonly value: () => string;
  /** The attributes that queries are about, flattened to `type.key`. */
  readonly events: ReadonlyMap<string, readonly string[]>;
}

/** Who subscribes: a socket, or a call that waits for its transaction. Compared by identity. */
export type Client = object;

/** Why a subscription was refused, in the node's words. */
export class SubscriptionError extends Error {
  override readonly name = 'SubscriptionError';
}

/** A node's publish and subscribe (chain.md 1.7). */
export interface EventBus {
  /** Throws {@link SubscriptionError}. */
  subscribe(client: Client, query: string, listener: (event: NodeEvent) => void): void;
  /** Throws {@link SubscriptionError}. */
  unsubscribe(client: Client, query: string): void;
  /** Throws {@link SubscriptionError} when there is none. */
  unsubscribeAll(client: Client): void;
  /** Forgets a client. */
  remove(client: Client): void;
  /** Ids are in the order of subscribing. */
  publish(event: NodeEvent): void;
  /** Whether anybody listens. */
  readonly busy: boolean;
}

/** The node's limits; the defaults are its own. */
export interface SubscriptionLimits {
  readonly clients: number;
  readonly perClient: number;
}

export const defaultSubscriptionLimits: SubscriptionLimits = { clients: 100, perClient: 5 };

const longestQuery = 512;

interface Entry {
  readonly conditions: readonly EventCondition[];
  readonly listener: (event: NodeEvent) => void;
}

function parse(query: string): readonly EventCondition[] {
  try {
    return parseEventQuery(query);
  } catch (error) {
    if (error instanceof EventQueryError) throw new SubscriptionError(`failed to parse query: ${error.message}`);
    throw error;
  }
}

export function createEventBus(limits: SubscriptionLimits = defaultSubscriptionLimits): EventBus {
  const clients = new Map<Client, Map<string, Entry>>();

  return {
    get busy() {
      return clients.size > 0;
    },

    subscribe(client, query, listener) {
      const own = clients.get(client);
      // The node counts clients first, this one included when it is one already.
      if (clients.size >= limits.clients) throw new SubscriptionError(`max_subscription_clients ${limits.clients} reached`);
      if (own !== undefined && own.size >= limits.perClient) {
        throw new SubscriptionError(`max_subscriptions_per_client ${limits.perClient} reached`);
      }
      if (Buffer.byteLength(query) > longestQuery) throw new SubscriptionError('maximum query length exceeded');
      const conditions = parse(query);
      const key = formatEventQuery(conditions);
      if (own?.has(key)) throw new SubscriptionError('already subscribed');
      const entries = own ?? new Map<string, Entry>();
      entries.set(key, { conditions, listener });
      clients.set(client, entries);
    },

    unsubscribe(client, query) {
      const key = formatEventQuery(parse(query));
      const own = clients.get(client);
      if (!own?.delete(key)) throw new SubscriptionError('subscription not found');
      if (own.size === 0) clients.delete(client);
    },

    unsubscribeAll(client) {
      if (!clients.delete(client)) throw new SubscriptionError('subscription not found');
    },

    remove(client) {
      clients.delete(client);
    },

    publish(event) {
      for (const entries of [...clients.values()]) {
        for (const { conditions, listener } of [...entries.values()]) if (matches(conditions, event.events)) listener(event);
      }
    },
  };
}

/** Flattens events to `type.key`, the values of like ones together, and adds those of the node itself. */
export function flattenEvents(
  events: readonly AbciEvent[],
  own: Readonly<Record<string, string>>,
): ReadonlyMap<string, readonly string[]> {
  const flat = new Map<string, string[]>();
  const add = (key: string, value: string) => {
    const values = flat.get(key);
    if (values === undefined) flat.set(key, [value]);
    else values.push(value);
  };
  for (const { type, attributes } of events) {
    for (const { key, value } of attributes) if (type !== '' && key !== '') add(`${type}.${key}`, value);
  }
  for (const [key, value] of Object.entries(own)) add(key, value);
  return flat;
}
