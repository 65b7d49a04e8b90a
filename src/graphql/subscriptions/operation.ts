import type { Caller } from '../../answers/caller.ts';
import type { Pinned } from '../../reads/pin.ts';
import type { Session } from '../../reads/viewer.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import type { EventOperation } from './payload.ts';
import type { Sink } from './subscriber.ts';

/** A validated subscription, or a live query. */
export interface SubscriptionOperation extends EventOperation {
  /** Its root value. The subscription creates its own pin from it, which lives as long as it has subscribers. */
  readonly root: Pinned<object>;
  /** The height that `root` is pinned to; undefined if it has none. */
  readonly height: bigint | undefined;
  /** The session of the subscriber. Subscriptions with different scopes are never shared, and a stream ends with its session. */
  readonly session: Session;
  /** The caller that is charged. */
  readonly caller: Caller;
  /** The slot of the subscription among those of its caller. It is ended when the opened subscription is over, for whatever reason. */
  readonly slot: Slot;
  readonly contextValue: GraphQLContext;
  /** Whether the client accepts changes of a live query as JSON Patch. */
  readonly wantsPatch: boolean;
  /** Whether the operation has a `totalCount`: the chain then reads the whole list. */
  readonly countsLists: boolean;
}

/** What a stream needs of an operation to render its events. */
export function eventOperationOf(operation: SubscriptionOperation): EventOperation {
  const { schema, document, operationName, variableValues, contextValue, points } = operation;
  return { schema, document, operationName, variableValues, contextValue, points };
}

/** A place among a limited number, which is free again once `end` was called. */
export interface Slot {
  end(): void;
}

/** An opened subscription. It must be begun or dropped, once. */
export interface OpenSubscription {
  /** Starts to send events to the sink, until `leave` of the result is called or the stream ends. */
  begin(sink: Sink): Leavable;
  /** Closes the subscription without beginning it. */
  drop(): void;
}

/** A subscription that has begun. `leave` ends it because its client has left. */
export type Leavable = { leave(): void };
