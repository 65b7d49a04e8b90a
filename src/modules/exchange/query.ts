import { isChainError } from '../../chain/base/errors.ts';
import { type MarketBrief, PermissionSchema, type Market as WireMarket } from '../../proto/provenance/exchange/v1/market_pb.js';
import type { AskOrder, BidOrder, Order as WireOrder } from '../../proto/provenance/exchange/v1/orders_pb.js';
import type { Payment as WirePayment } from '../../proto/provenance/exchange/v1/payments_pb.js';
import { Query } from '../../proto/provenance/exchange/v1/query_pb.js';
import { addressKey, unrecognized } from '../../reads/input.ts';
import { chainList, listOnce, type NamedList, stateList } from '../../reads/page.ts';
import { type Awaitable, lazyLoaders, type Pin, ReadOnce } from '../../reads/pin.ts';
import { stateRead, valueOnce } from '../../reads/query.ts';
import { type Coin, coinFromWire } from '../bank/query.ts';
import { idKey } from '../group/query.ts';

/** Names of `provenance.exchange.v1.Permission`. */
export const marketPermissions = [
  'PERMISSION_UNSPECIFIED',
  'PERMISSION_SETTLE',
  'PERMISSION_SET_IDS',
  'PERMISSION_CANCEL',
  'PERMISSION_WITHDRAW',
  'PERMISSION_UPDATE',
  'PERMISSION_PERMISSIONS',
  'PERMISSION_ATTRIBUTES',
] as const;

/** A market: its name and its account, which the list of markets has, too. */
export interface Market {
  readonly id: bigint;
  readonly address: string;
  readonly name: string;
  readonly description: string;
  readonly websiteUrl: string;
  readonly iconUri: string;
}

function marketOf(id: number, address: string, details: MarketBrief['marketDetails']): Market {
  const { name = '', description = '', websiteUrl = '', iconUri = '' } = details ?? {};
  return { id: BigInt(id), address, name, description, websiteUrl, iconUri };
}

function coinOrNull(coin: Parameters<typeof coinFromWire>[0] | undefined): Coin | null {
  return coin === undefined ? null : coinFromWire(coin);
}

/** A part of a price that is a fee. */
export interface FeeRatio {
  readonly price: Coin | null;
  readonly fee: Coin | null;
}

const ratiosFromWire = (ratios: WireMarket['feeSellerSettlementRatios']): readonly FeeRatio[] =>
  ratios.map(({ price, fee }) => ({ price: coinOrNull(price), fee: coinOrNull(fee) }));

/** The terms of a market: what it accepts, what it costs, and who manages it. */
function termsFromWire(market: WireMarket) {
  return {
    acceptingOrders: market.acceptingOrders,
    allowUserSettlement: market.allowUserSettlement,
    acceptingCommitments: market.acceptingCommitments,
    createAskFees: market.feeCreateAskFlat.map(coinFromWire),
    createBidFees: market.feeCreateBidFlat.map(coinFromWire),
    createCommitmentFees: market.feeCreateCommitmentFlat.map(coinFromWire),
    sellerSettlementFees: market.feeSellerSettlementFlat.map(coinFromWire),
    buyerSettlementFees: market.feeBuyerSettlementFlat.map(coinFromWire),
    sellerSettlementRatios: ratiosFromWire(market.feeSellerSettlementRatios),
    buyerSettlementRatios: ratiosFromWire(market.feeBuyerSettlementRatios),
    commitmentSettlementBips: market.commitmentSettlementBips,
    intermediaryDenom: market.intermediaryDenom || null,
    askAttributes: market.reqAttrCreateAsk,
    bidAttributes: market.reqAttrCreateBid,
    commitmentAttributes: market.reqAttrCreateCommitment,
    managers: market.accessGrants.map(({ address, permissions }) => ({
      address,
      permissions: permissions.map((number) => {
        const name = PermissionSchema.value[number]?.name;
        return marketPermissions.find((each) => each === name) ?? unrecognized;
      }),
    })),
  };
}

/** The terms of a market. Fees are options: one of them is paid. */
export type MarketTerms = Readonly<ReturnType<typeof termsFromWire>>;

/** An account that manages a market. */
export type MarketManager = MarketTerms['managers'][number];

/** An order to sell (ASK) or to buy (BID). */
export interface MarketOrder {
  readonly id: bigint;
  readonly kind: 'ASK' | 'BID';
  readonly marketId: bigint;
  readonly owner: string;
  readonly assets: Coin | null;
  readonly price: Coin | null;
  /** Fees that its owner pays at the settlement. */
  readonly fees: readonly Coin[];
  readonly allowPartial: boolean;
  readonly externalId: string | null;
}

function orderOf(
  id: bigint,
  kind: 'ASK' | 'BID',
  order: AskOrder | BidOrder,
  owner: string,
  fees: readonly Coin[],
): MarketOrder {
  const { marketId, assets, price, allowPartial, externalId } = order;
  return {
    ...{ id, kind, owner, fees, allowPartial, marketId: BigInt(marketId), externalId: externalId || null },
    ...{ assets: coinOrNull(assets), price: coinOrNull(price) },
  };
}

/** The order of a response; nothing for one of another kind. */
function orderFromWire({ orderId, order }: WireOrder): readonly MarketOrder[] {
  if (order.case === 'askOrder') {
    const { seller, sellerSettlementFlatFee: fee } = order.value;
    return [orderOf(orderId, 'ASK', order.value, seller, fee === undefined ? [] : [coinFromWire(fee)])];
  }
  if (order.case === 'bidOrder') {
    const { buyer, buyerSettlementFees } = order.value;
    return [orderOf(orderId, 'BID', order.value, buyer, buyerSettlementFees.map(coinFromWire))];
  }
  return [];
}

/** Funds of an account that a market can settle with. */
export interface Commitment {
  readonly address: string;
  readonly marketId: bigint;
  readonly amount: readonly Coin[];
}

function paymentFromWire({ source, sourceAmount, target, targetAmount, externalId }: WirePayment) {
  return {
    ...{ source, target: target || null, externalId },
    ...{ sourceAmount: sourceAmount.map(coinFromWire), targetAmount: targetAmount.map(coinFromWire) },
  };
}

/** A payment that its target has not accepted yet. */
export type Payment = Readonly<ReturnType<typeof paymentFromWire>>;

/** The logs for an absent market, order and payment (recorded). `cacheableRefusal` accepts them, too. */
const absentLog = /desc = (market \d+ not found|order \d+ not found|no payment found with source .*): invalid request$/;

/** The value of a read, or null if the chain says that there is no such market, order or payment. */
function orIfNone<T>(value: Awaitable<T>): Awaitable<T | null> {
  if (!(value instanceof Promise)) return value;
  return value.catch((error: unknown) => {
    if (isChainError(error, 'ABCI_QUERY_FAILED') && absentLog.test(error.facts.log)) return null;
    throw error;
  });
}

const readMarket = stateRead({
  method: Query.method.getMarket,
  request: (id: bigint) => ({ marketId: Number(id) }),
  value: ({ address, market }) =>
    market === undefined
      ? null
      : { market: marketOf(market.marketId, address, market.marketDetails), terms: termsFromWire(market) },
});

/** All markets, by id. */
const readMarkets = stateList({
  method: Query.method.getAllMarkets,
  request: (_: '', pagination) => ({ pagination }),
  part: ({ markets, pagination }) => [
    markets.map(({ marketId, marketAddress, marketDetails }) => marketOf(marketId, marketAddress, marketDetails)),
    pagination,
  ],
});

const readOrder = stateRead({
  method: Query.method.getOrder,
  request: (orderId: bigint) => ({ orderId }),
  value: ({ order }): MarketOrder | null => (order && orderFromWire(order)[0]) ?? null,
});

/** The orders of a market, by id. */
const readMarketOrders = stateList({
  method: Query.method.getMarketOrders,
  request: (marketId: bigint, pagination) => ({ marketId: Number(marketId), pagination }),
  part: ({ orders, pagination }) => [orders.flatMap(orderFromWire), pagination],
});

/** The orders of an account, by id. */
const readOwnerOrders = stateList({
  method: Query.method.getOwnerOrders,
  request: (owner: string, pagination) => ({ owner, pagination }),
  part: ({ orders, pagination }) => [orders.flatMap(orderFromWire), pagination],
});

/** The commitments of an account in all markets, which the chain returns at once. */
const readAccountCommitments = stateRead({
  method: Query.method.getAccountCommitments,
  request: (account: string) => ({ account }),
  value: ({ commitments }, address): readonly Commitment[] =>
    commitments.map(({ marketId, amount }) => ({ address, marketId: BigInt(marketId), amount: amount.map(coinFromWire) })),
});

/** The commitments to a market, by the bytes of the account's address. */
const readMarketCommitments = stateList({
  method: Query.method.getMarketCommitments,
  request: (marketId: bigint, pagination) => ({ marketId: Number(marketId), pagination }),
  part: ({ commitments, pagination }, marketId) => [
    commitments.map(({ account, amount }): Commitment => ({ address: account, marketId, amount: amount.map(coinFromWire) })),
    pagination,
  ],
});

const readPayment = stateRead({
  method: Query.method.getPayment,
  request: ({ source, externalId }: PaymentKey) => ({ source, externalId }),
  value: ({ payment }): Payment | null => (payment ? paymentFromWire(payment) : null),
});

/** The payments that an account created, by external id. */
const readSourcePayments = stateList({
  method: Query.method.getPaymentsWithSource,
  request: (source: string, pagination) => ({ source, pagination }),
  part: ({ payments, pagination }) => [payments.map(paymentFromWire), pagination],
});

/** The payments that an account can accept, by source and external id. */
const readTargetPayments = stateList({
  method: Query.method.getPaymentsWithTarget,
  request: (target: string, pagination) => ({ target, pagination }),
  part: ({ payments, pagination }) => [payments.map(paymentFromWire), pagination],
});

/** What identifies a payment. */
interface PaymentKey {
  readonly source: string;
  /** Can be empty. */
  readonly externalId: string;
}

export const createExchangeLoaders = lazyLoaders({
  market: ({ state }) => new ReadOnce((id: bigint) => orIfNone(readMarket(state, id))),
  markets: listOnce(readMarkets),
  order: ({ state }) => new ReadOnce((id: bigint) => orIfNone(readOrder(state, id))),
  marketOrders: listOnce(readMarketOrders),
  ownerOrders: listOnce(readOwnerOrders),
  commitments: valueOnce(readAccountCommitments),
  marketCommitments: listOnce(readMarketCommitments),
  payment: ({ state }) =>
    new ReadOnce(
      (key: PaymentKey) => orIfNone(readPayment(state, key)),
      ({ source, externalId }) => `${source} ${externalId}`,
    ),
  sourcePayments: listOnce(readSourcePayments),
  targetPayments: listOnce(readTargetPayments),
});

const byId = ({ id }: { readonly id: bigint }): Uint8Array => idKey(id);

/** All markets, by id. Their page keys have 4 bytes (recorded). */
export function marketList(pin: Pin): NamedList<Market> {
  return chainList('markets', pin.loaders(createExchangeLoaders).markets, '', byId, (key) => key.slice(4));
}

/** The orders of a market, by id, which is the page key (recorded). */
export function marketOrderList(pin: Pin, id: bigint): NamedList<MarketOrder> {
  return chainList('marketOrders', pin.loaders(createExchangeLoaders).marketOrders, id, byId, (key) => key);
}

/** The orders of an account, by id, which is the page key (recorded). */
export function ownerOrderList(pin: Pin, address: string): NamedList<MarketOrder> {
  return chainList('ownerOrders', pin.loaders(createExchangeLoaders).ownerOrders, address, byId, (key) => key);
}

/** The commitments to a market. Paged by offset: no page key of this list was recorded. */
export function marketCommitmentList(pin: Pin, id: bigint): NamedList<Commitment> {
  const { marketCommitments } = pin.loaders(createExchangeLoaders);
  return chainList('marketCommitments', marketCommitments, id, ({ address }) => addressKey(address));
}

/** The payments that an account created, by external id, which is the page key (recorded). */
export function sourcePaymentList(pin: Pin, address: string): NamedList<Payment> {
  const { sourcePayments } = pin.loaders(createExchangeLoaders);
  const keyOf = ({ externalId }: Payment): Uint8Array => Buffer.from(externalId);
  return chainList('sourcePayments', sourcePayments, address, keyOf, (key) => key);
}

/** The payments that an account can accept. Paged by offset. */
export function targetPaymentList(pin: Pin, address: string): NamedList<Payment> {
  const { targetPayments } = pin.loaders(createExchangeLoaders);
  const keyOf = ({ source, externalId }: Payment): Uint8Array => Buffer.concat([addressKey(source), Buffer.from(externalId)]);
  return chainList('targetPayments', targetPayments, address, keyOf);
}
