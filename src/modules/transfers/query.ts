import type { EventCondition } from '../../chain/events/eventQuery.ts';
import { RequestError } from '../../reads/errors.ts';
import type { HistoryQuery, NamedHistory } from '../history/matches.ts';
import { type Transfer, type TransferKind, transferEvent, transferOf } from './model.ts';

/** Side of the account in a transfer: recipient (IN) or sender (OUT). */
export type TransferDirection = 'IN' | 'OUT';

/** Selects transfers. At least one of `account` and `denom` is set. */
export interface TransferFilter {
  readonly account: string | undefined;
  readonly denom: string | undefined;
  /** Side of the account; undefined selects both sides. */
  readonly direction: TransferDirection | undefined;
  /** Undefined selects all kinds. */
  readonly kinds: readonly TransferKind[] | undefined;
}

function condition(key: string, operator: '=' | 'CONTAINS', text: string): EventCondition {
  return { tag: `${transferEvent}.${key}`, operator, argument: { type: 'string', text } };
}

/**
 * Returns the searches of a filter. The query language has no OR, so an account needs one search for each side. It cannot match
 * one coin of several either: a denom alone is searched as a part of the amount; with an account, only the account is searched,
 * because that finds fewer events.
 */
function searches({ account, denom, direction }: TransferFilter): readonly (readonly EventCondition[])[] {
  if (account === undefined) return denom === undefined ? [] : [[condition('amount', 'CONTAINS', denom)]];
  return [
    ...(direction === 'OUT' ? [] : [[condition('recipient', '=', account)]]),
    ...(direction === 'IN' ? [] : [[condition('sender', '=', account)]]),
  ];
}

function matches({ account, denom, direction, kinds }: TransferFilter, transfer: Transfer): boolean {
  const { kind, sender, recipient, amount } = transfer;
  if (kinds !== undefined && !kinds.includes(kind)) return false;
  if (denom !== undefined && !amount.some((coin) => coin.denom === denom)) return false;
  if (account === undefined) return true;
  return (direction !== 'OUT' && recipient === account) || (direction !== 'IN' && sender === account);
}

function queryOf(filter: TransferFilter): HistoryQuery<Transfer> {
  const { account, denom, kinds } = filter;
  return {
    eventType: transferEvent,
    searches: searches(filter),
    exact: kinds === undefined && (account === undefined || denom === undefined),
    // Transfers of a block itself are of kind OTHER.
    includesBlockEvents: kinds === undefined || kinds.includes('OTHER'),
    read(event, source) {
      const transfer = transferOf(event, source);
      return transfer !== null && matches(filter, transfer) ? transfer : null;
    },
  };
}

/** The query for the transfers that a filter selects. */
export function transferHistory(filter: TransferFilter): NamedHistory<Transfer> {
  const { account, denom, direction, kinds } = filter;
  const parts = [account, denom, direction, kinds?.toSorted().join('+')];
  return { name: `transfers/${parts.map((part) => part ?? '').join('/')}`, query: queryOf(filter) };
}

/**
 * Throws BAD_USER_INPUT for a filter with neither account nor denom, and for a direction without an account. `argument` names
 * the account.
 */
export function checkFilter(
  { account, denom, direction }: Partial<Record<keyof TransferFilter, unknown>>,
  argument: string,
): void {
  if (account == null && denom == null) {
    const facts = { argument, bound: 'given unless `denom` is given' };
    throw new RequestError('BAD_USER_INPUT', `\`${argument}\` or \`denom\` is required.`, facts);
  }
  if (account == null && direction != null) {
    const facts = { argument: 'direction', value: String(direction), bound: `absent unless \`${argument}\` is given` };
    throw new RequestError('BAD_USER_INPUT', `\`direction\` requires \`${argument}\`.`, facts);
  }
}
