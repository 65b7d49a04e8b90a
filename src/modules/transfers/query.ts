import type { EventCondition } from '../../chain/events/eventQuery.ts';
import { RequestError } from '../../reads/errors.ts';
import type { HistoryQuery, NamedHistory } from '../history/matches.ts';
import { type Transfer, type TransferKind, transferEvent, transferOf } from './model.ts';

/** Which side of a transfer an account is on. */
export type TransferDirection = 'IN' | 'OUT';

/** Which transfers are meant. Of `account` and `denom` at least one is given. */
export interface TransferFilter {
  readonly account: string | undefined;
  readonly denom: string | undefined;
  /** Of the account; both when undefined. */
  readonly direction: TransferDirection | undefined;
  /** All when undefined. */
  readonly kinds: readonly TransferKind[] | undefined;
}

function condition(key: string, operator: '=' | 'CONTAINS', text: string): EventCondition {
  return { tag: `${transferEvent}.${key}`, operator, argument: { type: 'string', text } };
}

/**
 * The searches of a filter. The index has no word for "or", so that an account costs one search for each side; it has none for a
 * coin of several either: a denom is searched for as a part of the amount, but with an account, by which less is found.
 */
function searches({ account, denom, direction }: TransferFilter): readonly (readonly EventCondition[])[] {
  if (account === undefined) return denom === undefined ? [] : [[condition('amount', 'CONTAINS', denom)]];
  return [
    ...(direction === 'OUT' ? [] : [[condition('recipient', '=', account)]]),
    ...(direction === 'IN' ? [] : [[condition('sender', '=', account)]]),
  ];
}

function isMeant({ account, denom, direction, kinds }: TransferFilter, transfer: Transfer): boolean {
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
    // What a block itself moves is of no other kind.
    includesBlockEvents: kinds === undefined || kinds.includes('OTHER'),
    read(event, source) {
      const transfer = transferOf(event, source);
      return transfer !== null && isMeant(filter, transfer) ? transfer : null;
    },
  };
}

/** Looks for the transfers that are meant. */
export function transferHistory(filter: TransferFilter): NamedHistory<Transfer> {
  const { account, denom, direction, kinds } = filter;
  const parts = [account, denom, direction, kinds?.toSorted().join('+')];
  return { name: `transfers/${parts.map((part) => part ?? '').join('/')}`, query: queryOf(filter) };
}

/** Refuses a filter of neither account nor denom, and a direction without an account, which `argument` gives: BAD_USER_INPUT. */
export function checkFilter(
  { account, denom, direction }: Partial<Record<keyof TransferFilter, unknown>>,
  argument: string,
): void {
  if (account == null && denom == null) {
    const facts = { argument, bound: 'given, or `denom`, or both' };
    throw new RequestError('BAD_USER_INPUT', `Give \`${argument}\`, \`denom\` or both.`, facts);
  }
  if (account == null && direction != null) {
    const facts = { argument: 'direction', value: String(direction), bound: `absent without \`${argument}\`` };
    throw new RequestError('BAD_USER_INPUT', `\`direction\` is of an account: give \`${argument}\` too.`, facts);
  }
}
