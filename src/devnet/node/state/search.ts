import { type EventCondition, EventQueryError, matchesValue, parseEventQuery } from '../../../chain/events/eventQuery.ts';
import { internalError } from '../../../chain/rpc/rpcError.ts';
import type { AbciEvent } from '../../abci/abci.ts';

/** A search of the node's index. It is not the subscriptions' evaluation of the same language (chain.md 1.8). */
export interface Search {
  /** The only hash that can match, in hex, when one is named: nothing else is then asked. */
  readonly hash: string | undefined;
  /** Whether something at this height, with these events, is found. */
  finds(height: bigint, events: readonly AbciEvent[]): boolean;
}

/** Only whole numbers and decimals, no unit, are within a range of the index. */
const number = /^\d+(\.\d+)?$/;

function holds(condition: EventCondition, value: string): boolean {
  const { operator, argument } = condition;
  // The index compares texts where the language says numbers: 3 finds the value `3`, and not `"3"` or `3nhash`.
  if (operator === '=') return value === argument?.text;
  if (operator === 'CONTAINS' || operator === 'EXISTS') return matchesValue(condition, value);
  return argument?.type === 'number' && number.test(value) && matchesValue(condition, value);
}

/**
 * Reads a query for the index whose heights have the tag `heightTag`. All conditions but that of the height must be met within
 * one and the same event, as the node's index has it.
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
      attributes.some(({ key, value, index }) => index && `${type}.${key}` === condition.tag && holds(condition, value)),
    );
  return {
    hash: conditions.find(({ tag }) => tag === 'tx.hash')?.argument?.text.toUpperCase(),
    finds: (height, events) =>
      heights.every((condition) => holds(condition, String(height))) && (others.length === 0 || events.some(meets)),
  };
}

/** Puts what was found, oldest first, in the order asked for. */
export function inOrder<T>(found: readonly T[], order: string, fallback: 'asc' | 'desc'): readonly T[] {
  switch (order || fallback) {
    case 'asc':
      return found;
    case 'desc':
      return found.toReversed();
    default:
      throw internalError('expected order_by to be either `asc` or `desc` or empty');
  }
}
