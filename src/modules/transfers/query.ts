import { sha256 } from '@noble/hashes/sha2.js';
import type { Event } from '../../chain/base/execution.ts';
import type { EventCondition } from '../../chain/events/eventQuery.ts';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import { RequestError } from '../../reads/errors.ts';
import { addressBytes } from '../../reads/input.ts';
import { fromAny } from '../any/codec.ts';
import { type Coin, coinsOfText } from '../bank/query.ts';
import { eventFields, msgIndex } from '../events/events.ts';
import type { EventOrigin, HistoryQuery, NamedHistory } from '../history/matches.ts';
import type { Transaction } from '../transactions/query.ts';

/** Kinds of transfers: the values of the enum `TransferKind`. */
export const transferKinds = ['SEND', 'MULTI_SEND', 'MARKER_TRANSFER', 'FEE', 'OTHER'] as const;

/** Kind of a transfer, determined by the message that caused it. */
export type TransferKind = (typeof transferKinds)[number];

/** A transfer of coins. Addresses are in bech32. */
export interface Transfer {
  readonly kind: TransferKind;
  /** null if the event names no sender. */
  readonly sender: string | null;
  readonly recipient: string;
  readonly amount: readonly Coin[];
  /** Signer of a MARKER_TRANSFER; null for other kinds. */
  readonly administrator: string | null;
  readonly height: bigint;
  /** null if the block itself transferred the coins. */
  readonly transaction: Transaction | null;
  /** The message that caused the transfer; null for fees and for transfers of a block. */
  readonly message: AnyMessage | null;
}

/** Type of the bank module's transfer events. */
export const transferEvent = 'transfer';

const kindsByType: ReadonlyMap<string, TransferKind> = new Map([
  ['/cosmos.bank.v1beta1.MsgSend', 'SEND'],
  ['/cosmos.bank.v1beta1.MsgMultiSend', 'MULTI_SEND'],
  ['/provenance.marker.v1.MsgTransferRequest', 'MARKER_TRANSFER'],
]);

/** Tells the address of a module's account: the first 20 bytes of the SHA-256 hash of its name. */
export function moduleAccount(name: string): (address: string) => boolean {
  const account = sha256(Buffer.from(name)).subarray(0, 20);
  return (address) => {
    const bytes = addressBytes(address);
    return bytes !== undefined && Buffer.compare(bytes, account) === 0;
  };
}

const isFeeCollector = moduleAccount('fee_collector');

/** The kind of what the message of an event does. OTHER without a message. */
export function messageKind(event: Event, { transaction }: EventOrigin): TransferKind {
  const index = msgIndex(event);
  const any = index === null ? undefined : transaction?.decoded()?.body.messages[index];
  return (any && kindsByType.get(any.typeUrl)) ?? 'OTHER';
}

/** The administrator of a marker transfer, from the marker module's event of the same message; null without such an event. */
function administratorOf({ events }: EventOrigin, message: number, sender: string | null, recipient: string): string | null {
  for (const event of events) {
    if (event.type !== 'provenance.marker.v1.EventMarkerTransfer' || msgIndex(event) !== message) continue;
    const { administrator, fromAddress, toAddress } = eventFields(event) ?? {};
    if (fromAddress === sender && toAddress === recipient && typeof administrator === 'string') return administrator;
  }
  return null;
}

/**
 * Reads a transfer from a `transfer` event. Returns null if the event does not have the form of the bank module's events. A
 * transaction pays its fee in up to two transfers, before and after its messages, whose events have no message index; a failed
 * transaction has only the first (docs/chain.md, "Transfers").
 */
export function transferOf(event: Event, source: EventOrigin): Transfer | null {
  const text = (name: string): string | undefined => event.attributes.find(({ key }) => key === name)?.value;
  const recipient = text('recipient');
  const amount = coinsOfText(text('amount') ?? '');
  if (!recipient || amount === undefined) return null;
  const sender = text('sender') || null;
  const { height, transaction } = source;
  const index = msgIndex(event);
  const any = index === null ? undefined : transaction?.decoded()?.body.messages[index];
  const common = { sender, recipient, amount, height, transaction, administrator: null, message: null };
  if (index === null || any === undefined) {
    return { ...common, kind: transaction !== null && index === null && isFeeCollector(recipient) ? 'FEE' : 'OTHER' };
  }
  const kind = messageKind(event, source);
  const administrator = kind === 'MARKER_TRANSFER' ? administratorOf(source, index, sender, recipient) : null;
  return { ...common, kind, administrator, message: fromAny(any) };
}

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
