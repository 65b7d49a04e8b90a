import {
  type EventCondition,
  EventQueryError,
  formatEventQuery,
  matches,
  parseEventQuery,
} from '../../../../../src/chain/events/eventQuery.ts';
import type { AbciEvent } from '../../abci/abci.ts';

/** An event that a node sends to its subscribers. */
export interface NodeEvent {
  /** `tendermint/event/…`. */
  readonly type: string;
  /** Returns the value as JSON text, encoded on first use. */
  readonly value: () => string;
  /** The attributes that queries match, flattened to `type.key`. */
  readonly events: ReadonlyMap<string, readonly string[]>;
}

/** A subscriber: a socket, or a call that waits for its transaction. Compared by identity. */
export type Client = object;

/** A rejected subscription. The message is the node's text. */
export class SubscriptionError extends Error {
  override readonly name = 'SubscriptionError';
}

/** The subscriptions of a node (docs/chain.md, "Subscriptions on a socket"). */
export interface EventBus {
  /** Throws {@link SubscriptionError}. */
  subscribe(client: Client, query: string, listener: (event: NodeEvent) => void): void;
  /** Throws {@link SubscriptionError}. */
  unsubscribe(client: Client, query: string): void;
  /** Throws a {@link SubscriptionError} if the client has no subscription. */
  unsubscribeAll(client: Client): void;
  /** Removes a client with all its subscriptions. */
  remove(client: Client): void;
  /** Sends an event to matching subscriptions, in the order of subscribing. */
  publish(event: NodeEvent): void;
  /** Whether there is a subscription. */
  readonly busy: boolean;
}

/** Limits of subscriptions. The defaults are CometBFT's. */
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
      const ownQueries = clients.get(client);
      // Like a node, checks the number of clients first, even for a client with subscriptions.
      if (clients.size >= limits.clients) throw new SubscriptionError(`max_subscription_clients ${limits.clients} reached`);
      if (ownQueries !== undefined && ownQueries.size >= limits.perClient) {
        throw new SubscriptionError(`max_subscriptions_per_client ${limits.perClient} reached`);
      }
      if (Buffer.byteLength(query) > longestQuery) throw new SubscriptionError('maximum query length exceeded');
      const conditions = parse(query);
      const key = formatEventQuery(conditions);
      if (ownQueries?.has(key)) throw new SubscriptionError('already subscribed');
      const entries = ownQueries ?? new Map<string, Entry>();
      entries.set(key, { conditions, listener });
      clients.set(client, entries);
    },

    unsubscribe(client, query) {
      const key = formatEventQuery(parse(query));
      const ownQueries = clients.get(client);
      if (!ownQueries?.delete(key)) throw new SubscriptionError('subscription not found');
      if (ownQueries.size === 0) clients.delete(client);
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

/** Flattens the attributes of events to `type.key` with a list of values, and adds those of the node. */
export function flattenEvents(
  events: readonly AbciEvent[],
  ownAttributes: Readonly<Record<string, string>>,
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
  for (const [key, value] of Object.entries(ownAttributes)) add(key, value);
  return flat;
}
