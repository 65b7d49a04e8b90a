import {
  type EventCondition,
  EventQueryError,
  matchesIndexedValue,
  parseEventQuery,
} from '../../../../../src/chain/events/eventQuery.ts';
import { internalError } from '../../../../../src/chain/rpc/rpcErrors.ts';
import type { AbciEvent } from '../../abci/abci.ts';

/**
 * A search of the node's index. It evaluates queries differently than subscriptions do (docs/chain.md, "Event query language").
 */
export interface Search {
  /** The transaction hash in the query, in hex. If present, only this transaction can match. */
  readonly hash: string | undefined;
  /** Whether an item at this height with these events matches. */
  finds(height: bigint, events: readonly AbciEvent[]): boolean;
}

/**
 * Parses a query for the index. `heightTag` is the tag of heights. As in a node's index, one event must match all conditions
 * except that of the height.
 */
export function createSearch(query: string, heightTag: string): Search {
  let conditions: readonly EventCondition[];
  try {
    conditions = parseEventQuery(query);
  } catch (error) {
    if (error instanceof EventQueryError) throw internalError(error.message);
    throw error;
  }
  const heights = conditions.filter(({ tag }) => tag === heightTag);
  const others = conditions.filter(({ tag }) => tag !== heightTag);
  const meets = ({ type, attributes }: AbciEvent) =>
    others.every((condition) =>
      attributes.some(
        ({ key, value, index }) => index && `${type}.${key}` === condition.tag && matchesIndexedValue(condition, value),
      ),
    );
  return {
    hash: conditions.find(({ tag }) => tag === 'tx.hash')?.argument?.text.toUpperCase(),
    finds: (height, events) =>
      heights.every((condition) => matchesIndexedValue(condition, String(height))) &&
      (others.length === 0 || events.some(meets)),
  };
}

/** Orders the results, which are oldest first. */
export function inOrder<T>(items: readonly T[], order: string, fallback: 'asc' | 'desc'): readonly T[] {
  switch (order || fallback) {
    case 'asc':
      return items;
    case 'desc':
      return items.toReversed();
    default:
      throw internalError('expected order_by to be either `asc` or `desc` or empty');
  }
}
