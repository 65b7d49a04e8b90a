import { fromBinary } from '@bufbuild/protobuf';
import { MarketSchema } from '../../../../../../src/proto/provenance/exchange/v1/market_pb.js';
import type { Order } from '../../../../../../src/proto/provenance/exchange/v1/orders_pb.js';
import { PaymentSchema } from '../../../../../../src/proto/provenance/exchange/v1/payments_pb.js';
import { Query } from '../../../../../../src/proto/provenance/exchange/v1/query_pb.js';
import { StatusError } from '../../runtime/abciErrors.ts';
import { encodeAddress } from '../../runtime/address.ts';
import type { Amount } from '../../runtime/coins.ts';
import { type Keeper, onQuery } from '../../runtime/keeper.ts';
import { bytesOf, keyOf, u64At } from '../../state/bytes.ts';
import type { StoreEntry, StoreView } from '../../state/store.ts';
import { pageUnder, paginateHits, walk } from '../base/page.ts';
import { exchangeMessages } from './messages.ts';
import {
  exchangeStore,
  findMarket,
  findOrder,
  findPayment,
  listPrefix,
  marketAddress,
  marketIds,
  readCommitment,
  saveMarket,
} from './state.ts';

type PageRequest = Parameters<typeof pageUnder>[3];

/** The error for something that does not exist (recorded). */
function absent(text: string) {
  return new StatusError('InvalidArgument', text);
}

const coinsOf = (coins: readonly Amount[]) => coins.map(({ denom, amount }) => ({ denom, amount: String(amount) }));

function orderIn(state: StoreView, { value }: StoreEntry): Order | undefined {
  return findOrder(state, u64At(keyOf(value)));
}

function ordersUnder(
  state: StoreView,
  prefix: string,
  { orderType, afterOrderId, pagination: request }: { orderType: string; afterOrderId: bigint; pagination?: PageRequest },
) {
  const { entries, pagination } = paginateHits(request, walk(state, exchangeStore, prefix, request), (entry) => {
    const order = orderIn(state, entry);
    return (
      order !== undefined && order.orderId > afterOrderId && (orderType === '' || order.order.case === `${orderType}Order`)
    );
  });
  return { orders: entries.flatMap((entry) => orderIn(state, entry) ?? []), pagination };
}

/** The exchange module: markets of the genesis, orders, commitments and payments. Nothing is settled. */
export const exchangeKeeper: Keeper = {
  messages: exchangeMessages,
  queries: [
    onQuery(Query.method.getMarket, (state, { marketId }) => {
      const market = findMarket(state, marketId);
      if (market === undefined) throw absent(marketId === 0 ? 'empty request' : `market ${marketId} not found`);
      return { address: encodeAddress(marketAddress(marketId)), market };
    }),
    onQuery(Query.method.getAllMarkets, (state, request) => {
      const { entries, pagination } = pageUnder(state, exchangeStore, listPrefix.markets, request.pagination);
      const markets = entries.map(({ value }) => {
        const { marketId, marketDetails } = fromBinary(MarketSchema, value);
        return { marketId, marketAddress: encodeAddress(marketAddress(marketId)), ...(marketDetails && { marketDetails }) };
      });
      return { markets, pagination };
    }),
    onQuery(Query.method.getOrder, (state, { orderId }) => {
      const order = findOrder(state, orderId);
      if (order === undefined) throw absent(orderId === 0n ? 'empty request' : `order ${orderId} not found`);
      return { order };
    }),
    onQuery(Query.method.getMarketOrders, (state, request) =>
      ordersUnder(state, listPrefix.marketOrders(request.marketId), request),
    ),
    onQuery(Query.method.getOwnerOrders, (state, request) =>
      ordersUnder(state, listPrefix.ownerOrders(request.owner), request),
    ),
    onQuery(Query.method.getAccountCommitments, (state, { account, denom }) => ({
      commitments: marketIds(state).flatMap((marketId) => {
        const coins = readCommitment(state, marketId, account).filter((coin) => denom === '' || coin.denom === denom);
        return coins.length === 0 ? [] : [{ marketId, amount: coinsOf(coins) }];
      }),
    })),
    onQuery(Query.method.getMarketCommitments, (state, { marketId, pagination: request }) => {
      const prefix = listPrefix.marketCommitments(marketId);
      const { entries, pagination } = pageUnder(state, exchangeStore, prefix, request);
      const commitments = entries.map(({ key }) => {
        const account = encodeAddress(bytesOf(key.slice(prefix.length + 1)));
        return { account, amount: coinsOf(readCommitment(state, marketId, account)) };
      });
      return { commitments, pagination };
    }),
    onQuery(Query.method.getPayment, (state, { source, externalId }) => {
      const payment = findPayment(state, source, externalId);
      if (payment === undefined) throw absent(`no payment found with source ${source} and external id "${externalId}"`);
      return { payment };
    }),
    onQuery(Query.method.getPaymentsWithSource, (state, { source, pagination: request }) => {
      const { entries, pagination } = pageUnder(state, exchangeStore, listPrefix.sourcePayments(source), request);
      return { payments: entries.map(({ value }) => fromBinary(PaymentSchema, value)), pagination };
    }),
    onQuery(Query.method.getPaymentsWithTarget, (state, { target, pagination: request }) => {
      const { entries, pagination } = pageUnder(state, exchangeStore, listPrefix.targetPayments(target), request);
      return { payments: entries.map(({ value }) => fromBinary(PaymentSchema, value)), pagination };
    }),
  ],
  initGenesis(context, { exchangeMarkets = [] }) {
    for (const market of exchangeMarkets) saveMarket(context, market);
  },
};
