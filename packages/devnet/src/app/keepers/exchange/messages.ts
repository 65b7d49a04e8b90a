import { create } from '@bufbuild/protobuf';
import type { Coin } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import {
  EventFundsCommittedSchema,
  EventOrderCancelledSchema,
  EventOrderCreatedSchema,
  EventPaymentAcceptedSchema,
  EventPaymentCancelledSchema,
  EventPaymentCreatedSchema,
} from '../../../../../../src/proto/provenance/exchange/v1/events_pb.js';
import { type Order, OrderSchema } from '../../../../../../src/proto/provenance/exchange/v1/orders_pb.js';
import { type Payment, PaymentSchema } from '../../../../../../src/proto/provenance/exchange/v1/payments_pb.js';
import * as tx from '../../../../../../src/proto/provenance/exchange/v1/tx_pb.js';
import { PlainError, refusing, wrapping } from '../../runtime/abciErrors.ts';
import { decodeAddress, moduleAddress } from '../../runtime/address.ts';
import { type Amount, coinsText, parseCoins } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { attributesNamed } from '../attribute/state.ts';
import { readLocked } from '../bank/locked.ts';
import { readBalance, sendCoins } from '../bank/state.ts';
import { addHold, releaseHold } from '../base/hold.ts';
import {
  addOrder,
  factsOf,
  findOrder,
  findPayment,
  loadMarket,
  marketAddress,
  nextOrderId,
  readCommitment,
  removeOrder,
  removePayment,
  saveCommitment,
  savePayment,
} from './state.ts';

const feeCollector = moduleAddress('fee_collector');
/** The part of the fees of a market that goes to the chain, in hundredths of a percent (recorded). */
const chainShare = 500n;

const amounts = (coins: readonly Coin[]): Amount[] => (coins.length === 0 ? [] : parseCoins(coins));

/** The sum of coins, ordered by denomination. */
function sum(...lists: readonly (readonly Amount[])[]): Amount[] {
  const totals = new Map<string, bigint>();
  for (const { denom, amount } of lists.flat()) totals.set(denom, (totals.get(denom) ?? 0n) + amount);
  return [...totals].map(([denom, amount]) => ({ denom, amount })).sort((a, b) => (a.denom < b.denom ? -1 : 1));
}

function hold(context: Context, address: string, coins: readonly Amount[], reason: string): void {
  const bytes = decodeAddress(address);
  const spendable = (denom: string): bigint =>
    readBalance(context, bytes, denom) - readLocked(context, bytes, denom, context.block.time);
  if (coins.length > 0) addHold(context, bytes, coins, spendable, `x/exchange: ${reason}`);
}

function release(context: Context, address: string, coins: readonly Amount[]): void {
  if (coins.length > 0) releaseHold(context, decodeAddress(address), coins);
}

/** Takes the fee for a creation in a market, if it has one, and gives the chain its part. */
function payCreation(
  context: Context,
  what: string,
  marketId: number,
  payer: string,
  fee: Coin | undefined,
  options: readonly Coin[],
): void {
  if (options.length > 0 && fee === undefined) {
    const list = options.map(({ denom, amount }) => `${amount}${denom}`).join(',');
    throw new PlainError(`no ${what} creation fee provided, must be one of: ${list}`);
  }
  if (fee === undefined) return;
  const [paid] = parseCoins([fee]);
  const market = marketAddress(marketId);
  const { denom = '', amount = 0n } = paid ?? {};
  sendCoins(context, decodeAddress(payer), market, [{ denom, amount }]);
  const share = (amount * chainShare + 9_999n) / 10_000n;
  sendCoins(context, market, feeCollector, [{ denom, amount: share }]);
}

/** What is on hold for an order: what it sells or pays, and its fees in other denominations than that which it receives. */
function heldFor({ order }: Order): Amount[] {
  if (order.case === 'askOrder') {
    const { assets, price, sellerSettlementFlatFee: fee } = order.value;
    const heldFee = fee === undefined || fee.denom === price?.denom ? [] : [fee];
    return sum(...[...(assets ? [assets] : []), ...heldFee].map((coin) => amounts([coin])));
  }
  if (order.case === 'bidOrder') {
    const { price, buyerSettlementFees } = order.value;
    return sum(amounts(price ? [price] : []), amounts(buyerSettlementFees));
  }
  return [];
}

function createOrder(context: Context, kind: 'ask' | 'bid', order: Order, fee: Coin | undefined) {
  return refusing(() => {
    const { owner, marketId, externalId } = factsOf(order);
    const market = loadMarket(context, marketId);
    const required = kind === 'ask' ? market.reqAttrCreateAsk : market.reqAttrCreateBid;
    if (!market.acceptingOrders) throw new PlainError(`market ${marketId} is not accepting orders`);
    if (required.some((name) => attributesNamed(context, decodeAddress(owner), name).length === 0)) {
      throw new PlainError(`account ${owner} is not allowed to create ${kind} orders in market ${marketId}`);
    }
    payCreation(context, kind, marketId, owner, fee, kind === 'ask' ? market.feeCreateAskFlat : market.feeCreateBidFlat);
    wrapping(`error storing ${kind} order`, () => addOrder(context, order));
    hold(context, owner, heldFor(order), `order ${order.orderId}`);
    context.emit(typedEvent(EventOrderCreatedSchema, { orderId: order.orderId, orderType: kind, marketId, externalId }));
    return { orderId: order.orderId };
  });
}

const paymentFacts = ({ source, sourceAmount, target, targetAmount, externalId }: Payment) => ({
  ...{ source, target, externalId },
  ...{ sourceAmount: coinsText(amounts(sourceAmount)), targetAmount: coinsText(amounts(targetAmount)) },
});

const payerOf = (payment: Payment | undefined): string[] => (payment === undefined ? [] : [payment.source]);

/** The messages of orders, commitments and payments. Settlement, and fees at the settlement, are not implemented. */
export const exchangeMessages: readonly MessageHandler[] = [
  onMessage(
    tx.MsgCreateAskRequestSchema,
    tx.MsgCreateAskResponseSchema,
    ({ askOrder }) => (askOrder === undefined ? [] : [askOrder.seller]),
    (context, { askOrder, orderCreationFee }) => {
      const order = { case: 'askOrder' as const, value: askOrder ?? { seller: '' } };
      return createOrder(context, 'ask', create(OrderSchema, { orderId: nextOrderId(context), order }), orderCreationFee);
    },
  ),
  onMessage(
    tx.MsgCreateBidRequestSchema,
    tx.MsgCreateBidResponseSchema,
    ({ bidOrder }) => (bidOrder === undefined ? [] : [bidOrder.buyer]),
    (context, { bidOrder, orderCreationFee }) => {
      const order = { case: 'bidOrder' as const, value: bidOrder ?? { buyer: '' } };
      return createOrder(context, 'bid', create(OrderSchema, { orderId: nextOrderId(context), order }), orderCreationFee);
    },
  ),
  onMessage(
    tx.MsgCancelOrderRequestSchema,
    tx.MsgCancelOrderResponseSchema,
    ({ signer }) => [signer],
    (context, { signer, orderId }) =>
      refusing(() => {
        const order = findOrder(context, orderId);
        if (order === undefined) throw new PlainError(`order ${orderId} does not exist`);
        const { owner, marketId, externalId } = factsOf(order);
        if (owner !== signer) throw new PlainError(`account ${signer} does not have permission to cancel order ${orderId}`);
        release(context, owner, heldFor(order));
        removeOrder(context, order);
        context.emit(typedEvent(EventOrderCancelledSchema, { orderId, cancelledBy: signer, marketId, externalId }));
        return {};
      }),
  ),
  onMessage(
    tx.MsgCommitFundsRequestSchema,
    tx.MsgCommitFundsResponseSchema,
    ({ account }) => [account],
    (context, { account, marketId, amount, creationFee, eventTag: tag }) =>
      refusing(() => {
        const market = loadMarket(context, marketId);
        if (!market.acceptingCommitments) throw new PlainError(`market ${marketId} is not accepting commitments`);
        payCreation(context, 'commitment', marketId, account, creationFee, market.feeCreateCommitmentFlat);
        const coins = amounts(amount);
        hold(context, account, coins, `commitment to ${marketId}`);
        saveCommitment(context, marketId, account, sum(readCommitment(context, marketId, account), coins));
        context.emit(typedEvent(EventFundsCommittedSchema, { account, marketId, amount: coinsText(coins), tag }));
        return {};
      }),
  ),
  onMessage(
    tx.MsgCreatePaymentRequestSchema,
    tx.MsgCreatePaymentResponseSchema,
    ({ payment }) => payerOf(payment),
    (context, request) =>
      refusing(() => {
        const payment = create(PaymentSchema, request.payment);
        const { source, externalId } = payment;
        if (findPayment(context, source, externalId) !== undefined) {
          const text = `failed to create payment: a payment already exists with source ${source} and external id "${externalId}"`;
          throw new PlainError(text);
        }
        savePayment(context, payment);
        hold(context, source, amounts(payment.sourceAmount), `payment "${externalId}"`);
        context.emit(typedEvent(EventPaymentCreatedSchema, paymentFacts(payment)));
        return {};
      }),
  ),
  onMessage(
    tx.MsgAcceptPaymentRequestSchema,
    tx.MsgAcceptPaymentResponseSchema,
    ({ payment }) => (payment === undefined ? [] : [payment.target]),
    (context, { payment: { source = '', target = '', externalId = '' } = {} }) =>
      refusing(() => {
        const payment = findPayment(context, source, externalId);
        if (payment === undefined || payment.target !== target)
          throw new PlainError(`no payment found with source ${source} and external id "${externalId}"`);
        const [given, returned] = [amounts(payment.sourceAmount), amounts(payment.targetAmount)];
        release(context, source, given);
        removePayment(context, payment);
        if (given.length > 0) sendCoins(context, decodeAddress(source), decodeAddress(target), given);
        if (returned.length > 0) sendCoins(context, decodeAddress(target), decodeAddress(source), returned);
        context.emit(typedEvent(EventPaymentAcceptedSchema, paymentFacts(payment)));
        return {};
      }),
  ),
  onMessage(
    tx.MsgCancelPaymentsRequestSchema,
    tx.MsgCancelPaymentsResponseSchema,
    ({ source }) => [source],
    (context, { source, externalIds }) =>
      refusing(() => {
        for (const externalId of externalIds) {
          const payment = findPayment(context, source, externalId);
          if (payment === undefined)
            throw new PlainError(`no payment found with source ${source} and external id "${externalId}"`);
          release(context, source, amounts(payment.sourceAmount));
          removePayment(context, payment);
          context.emit(typedEvent(EventPaymentCancelledSchema, { source, target: payment.target, externalId }));
        }
        return {};
      }),
  ),
];
