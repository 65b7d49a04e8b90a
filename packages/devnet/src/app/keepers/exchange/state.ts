import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { sha256 } from '@noble/hashes/sha2.js';
import { type Market, MarketSchema } from '../../../../../../src/proto/provenance/exchange/v1/market_pb.js';
import { type Order, OrderSchema } from '../../../../../../src/proto/provenance/exchange/v1/orders_pb.js';
import { type Payment, PaymentSchema } from '../../../../../../src/proto/provenance/exchange/v1/payments_pb.js';
import { PlainError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Amount } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { bytesOf, keyOf, sizedKey, u64At, u64Key } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';

/** The store of the exchange module. The layout is the devnet's own, but for page keys, which end as the recorded ones do. */
export const exchangeStore = 'exchange';

const prefixes = {
  market: '\x01',
  order: '\x02',
  marketOrders: '\x03',
  ownerOrders: '\x04',
  externalId: '\x05',
  lastOrder: '\x06',
  commitment: '\x07',
  payment: '\x08',
  targetPayment: '\x09',
} as const;

/** The key of a market id: 4 bytes, as in page keys. */
function marketKey(id: number): string {
  return u64Key(BigInt(id)).slice(4);
}

const ownerKey = (address: string): string => sizedKey(keyOf(decodeAddress(address)));

/** The prefixes under which lists are stored. */
export const listPrefix = {
  markets: prefixes.market,
  marketOrders: (id: number): string => prefixes.marketOrders + marketKey(id),
  ownerOrders: (address: string): string => prefixes.ownerOrders + ownerKey(address),
  marketCommitments: (id: number): string => prefixes.commitment + marketKey(id),
  sourcePayments: (address: string): string => prefixes.payment + ownerKey(address),
  targetPayments: (address: string): string => prefixes.targetPayment + ownerKey(address),
};

function find<D extends DescMessage>(schema: D, state: StoreView, key: string): MessageShape<D> | undefined {
  const stored = state.get(exchangeStore, key);
  return stored === undefined ? undefined : fromBinary(schema, stored);
}

/** The account of a market, which collects its fees. */
export function marketAddress(id: number): Uint8Array {
  return sha256(Buffer.from(`exchange/${id}`)).slice(0, 20);
}

/** Returns a market. undefined if there is none. */
export function findMarket(state: StoreView, id: number): Market | undefined {
  return find(MarketSchema, state, prefixes.market + marketKey(id));
}

/** Returns a market. Throws if there is none. */
export function loadMarket(state: StoreView, id: number): Market {
  const market = findMarket(state, id);
  if (market === undefined) throw new PlainError(`market ${id} does not exist`);
  return market;
}

/** Stores a market. */
export function saveMarket(context: Context, market: MessageInitShape<typeof MarketSchema>): void {
  const message = create(MarketSchema, market);
  context.set(exchangeStore, prefixes.market + marketKey(message.marketId), toBinary(MarketSchema, message));
}

/** The owner, market and external id of an order. */
export function factsOf({ order }: Order): { readonly owner: string; readonly marketId: number; readonly externalId: string } {
  if (order.case === 'askOrder') return { owner: order.value.seller, ...order.value };
  if (order.case === 'bidOrder') return { owner: order.value.buyer, ...order.value };
  throw new PlainError('order is neither an ask nor a bid');
}

/** Returns an order. undefined if there is none. */
export function findOrder(state: StoreView, id: bigint): Order | undefined {
  return find(OrderSchema, state, prefixes.order + u64Key(id));
}

/** The id of the next order. */
export function nextOrderId(state: StoreView): bigint {
  const stored = state.get(exchangeStore, prefixes.lastOrder);
  return 1n + (stored === undefined ? 0n : u64At(keyOf(stored)));
}

function orderKeys(order: Order): readonly string[] {
  const { owner, marketId, externalId } = factsOf(order);
  const id = u64Key(order.orderId);
  const external = externalId === '' ? [] : [prefixes.externalId + marketKey(marketId) + externalId];
  return [listPrefix.marketOrders(marketId) + id, listPrefix.ownerOrders(owner) + id, ...external];
}

/** Stores a new order. Throws if its external id is taken (recorded). */
export function addOrder(context: Context, order: Order): void {
  const { marketId, externalId } = factsOf(order);
  const takenBy =
    externalId === '' ? undefined : context.get(exchangeStore, prefixes.externalId + marketKey(marketId) + externalId);
  if (takenBy !== undefined) {
    const text = `external id "${externalId}" is already in use by order ${u64At(keyOf(takenBy))}: cannot be used for order ${order.orderId}`;
    throw new PlainError(text);
  }
  const id = bytesOf(u64Key(order.orderId));
  context.set(exchangeStore, prefixes.order + u64Key(order.orderId), toBinary(OrderSchema, order));
  for (const key of orderKeys(order)) context.set(exchangeStore, key, id);
  context.set(exchangeStore, prefixes.lastOrder, id);
}

/** Deletes an order. */
export function removeOrder(context: Context, order: Order): void {
  context.delete(exchangeStore, prefixes.order + u64Key(order.orderId));
  for (const key of orderKeys(order)) context.delete(exchangeStore, key);
}

/** Returns what an account has committed to a market, by denomination. */
export function readCommitment(state: StoreView, id: number, address: string): Amount[] {
  const stored = state.get(exchangeStore, listPrefix.marketCommitments(id) + ownerKey(address));
  const parts = stored === undefined || stored.length === 0 ? [] : Buffer.from(stored).toString().split(',');
  return parts.map((part) => {
    const [, amount = '0', denom = ''] = /^(\d+)(.*)$/.exec(part) ?? [];
    return { denom, amount: BigInt(amount) };
  });
}

/** Stores what an account has committed to a market. */
export function saveCommitment(context: Context, id: number, address: string, coins: readonly Amount[]): void {
  const text = coins.map(({ denom, amount }) => `${amount}${denom}`).join(',');
  context.set(exchangeStore, listPrefix.marketCommitments(id) + ownerKey(address), Buffer.from(text));
}

/** Returns a payment. undefined if there is none. */
export function findPayment(state: StoreView, source: string, externalId: string): Payment | undefined {
  return find(PaymentSchema, state, listPrefix.sourcePayments(source) + externalId);
}

const targetKey = ({ source, target, externalId }: Payment): string =>
  listPrefix.targetPayments(target) + ownerKey(source) + externalId;

/** Stores a payment. */
export function savePayment(context: Context, payment: Payment): void {
  const { source, target, externalId } = payment;
  const bytes = toBinary(PaymentSchema, payment);
  context.set(exchangeStore, listPrefix.sourcePayments(source) + externalId, bytes);
  if (target !== '') context.set(exchangeStore, targetKey(payment), bytes);
}

/** Deletes a payment. */
export function removePayment(context: Context, payment: Payment): void {
  const { source, target, externalId } = payment;
  context.delete(exchangeStore, listPrefix.sourcePayments(source) + externalId);
  if (target !== '') context.delete(exchangeStore, targetKey(payment));
}

/** The ids of all markets. */
export function marketIds(state: StoreView): number[] {
  return [...state.entries(exchangeStore, prefixes.market)].map(({ value }) => fromBinary(MarketSchema, value).marketId);
}
