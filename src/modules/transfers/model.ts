import { sha256 } from '@noble/hashes/sha2.js';
import type { Event } from '../../chain/base/execution.ts';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import { addressBytes } from '../../reads/input.ts';
import { fromAny } from '../any/codec.ts';
import { type Coin, coinsOfText } from '../bank/model.ts';
import { eventFields, msgIndex } from '../events/events.ts';
import type { EventOrigin } from '../history/matches.ts';
import type { Transaction } from '../transactions/transactions.ts';

/** What a transfer was for. */
export const transferKinds = ['SEND', 'MULTI_SEND', 'MARKER_TRANSFER', 'FEE', 'OTHER'] as const;

/** What a transfer was for. */
export type TransferKind = (typeof transferKinds)[number];

/** One movement of coins. Addresses in bech32. */
export interface Transfer {
  readonly kind: TransferKind;
  /** null where the event names none. */
  readonly sender: string | null;
  readonly recipient: string;
  readonly amount: readonly Coin[];
  /** Who ordered it, of a marker's transfer. */
  readonly administrator: string | null;
  readonly height: bigint;
  /** null when a block itself moved the coins. */
  readonly transaction: Transaction | null;
  /** The message of the transaction that moved them. */
  readonly message: AnyMessage | null;
}

/** The type of the events that tell of transfers. */
export const transferEvent = 'transfer';

const kindsByType: ReadonlyMap<string, TransferKind> = new Map([
  ['/cosmos.bank.v1beta1.MsgSend', 'SEND'],
  ['/cosmos.bank.v1beta1.MsgMultiSend', 'MULTI_SEND'],
  ['/provenance.marker.v1.MsgTransferRequest', 'MARKER_TRANSFER'],
]);

/** The account that fees are paid to: the address of a module is made of its name. */
const feeCollector = sha256(Buffer.from('fee_collector')).subarray(0, 20);

function isFeeCollector(address: string): boolean {
  const bytes = addressBytes(address);
  return bytes !== undefined && Buffer.compare(bytes, feeCollector) === 0;
}

/** Who ordered a marker's transfer: the module tells of it in an event of the same message. */
function administratorOf({ events }: EventOrigin, message: number, sender: string | null, recipient: string): string | null {
  for (const event of events) {
    if (event.type !== 'provenance.marker.v1.EventMarkerTransfer' || msgIndex(event) !== message) continue;
    const { administrator, fromAddress, toAddress } = eventFields(event) ?? {};
    if (fromAddress === sender && toAddress === recipient && typeof administrator === 'string') return administrator;
  }
  return null;
}

/**
 * What a `transfer` event tells of; null for one that is not of the bank module's shape. The recorded chain takes a fee in up to two
 * transfers, before and behind the messages, which name no message; a transaction that failed has the first one alone.
 */
export function transferOf(event: Event, source: EventOrigin): Transfer | null {
  const text = (name: string): string | undefined => event.attributes.find(({ key }) => key === name)?.value;
  const recipient = text('recipient');
  const amount = coinsOfText(text('amount') ?? '');
  if (!recipient || amount === undefined) return null;
  const sender = text('sender') || null;
  const { height, transaction } = source;
  const place = msgIndex(event);
  const any = place === null ? undefined : transaction?.decoded()?.body.messages[place];
  const told = { sender, recipient, amount, height, transaction, administrator: null, message: null };
  if (place === null || any === undefined) {
    return { ...told, kind: transaction !== null && place === null && isFeeCollector(recipient) ? 'FEE' : 'OTHER' };
  }
  const kind = kindsByType.get(any.typeUrl) ?? 'OTHER';
  const administrator = kind === 'MARKER_TRANSFER' ? administratorOf(source, place, sender, recipient) : null;
  return { ...told, kind, administrator, message: fromAny(any) };
}
