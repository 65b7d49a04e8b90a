import { idInput, unrecognized } from '../../reads/input.ts';
import { type Awaitable, andThen, type Pinned, pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import {
  type Builder,
  connectionArgs,
  createRef,
  enumValues,
  type Fields,
  nonNull,
  nonNullList,
  usesContext,
} from '../../schema/builder.ts';
import { addConnection, type Connection, chainConnection, pageField } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import { AccountRef, accountField, accountOrNull } from '../account/schema.ts';
import type { Coin } from '../bank/query.ts';
import { CoinRef, coinOf, coinsField } from '../bank/schema.ts';
import {
  type Commitment,
  createExchangeLoaders,
  type FeeRatio,
  type Market,
  type MarketManager,
  type MarketOrder,
  type MarketTerms,
  marketCommitmentList,
  marketList,
  marketOrderList,
  marketPermissions,
  ownerOrderList,
  type Payment,
  sourcePaymentList,
  targetPaymentList,
} from './query.ts';

const MarketRef = createRef<Pinned<Market>>('Market');
const MarketConnectionRef = createRef<Connection<Pinned<Market>>>('MarketConnection');
const MarketTermsRef = createRef<Pinned<MarketTerms>>('MarketTerms');
const MarketManagerRef = createRef<Pinned<MarketManager>>('MarketManager');
const FeeRatioRef = createRef<Pinned<FeeRatio>>('MarketFeeRatio');
const OrderRef = createRef<Pinned<MarketOrder>>('MarketOrder');
const OrderConnectionRef = createRef<Connection<Pinned<MarketOrder>>>('MarketOrderConnection');
const CommitmentRef = createRef<Pinned<Commitment>>('MarketCommitment');
const CommitmentConnectionRef = createRef<Connection<Pinned<Commitment>>>('MarketCommitmentConnection');
const PaymentRef = createRef<Pinned<Payment>>('Payment');
const PaymentConnectionRef = createRef<Connection<Pinned<Payment>>>('PaymentConnection');

/** Parses the id of a market, which has 32 bits. The chain has no market 0. */
const marketIdInput = (argument: string, value: string): bigint =>
  idInput(argument, value, { least: 1n, most: 2n ** 32n - 1n });

/** Reads a market under the pin of `parent`; null if it does not exist. */
function marketAt(parent: Pinned<object>, id: bigint): Awaitable<Pinned<Market> | null> {
  const pin = pinOf(parent);
  const read = pin.loaders(createExchangeLoaders).market.load(id);
  return pinnedValue(
    pin,
    andThen(read, (answer) => answer?.market ?? null),
  );
}

function orderAt(parent: Pinned<object>, id: bigint): Awaitable<Pinned<MarketOrder> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createExchangeLoaders).order.load(id));
}

/** A field with a coin of the object; null if the chain did not send one. */
function coinField<P extends Pinned<object>>(t: Fields<P>, description: string, coinIn: (parent: P) => Coin | null) {
  const resolve = (parent: P): Pinned<Coin> | null => {
    const coin = coinIn(parent);
    return coin && coinOf(parent, coin);
  };
  return t.field({ type: CoinRef, description, resolve });
}

/** Adds the exchange module: markets, their orders and commitments, and payments between accounts. */
export function addExchange(builder: Builder): void {
  addMarket(builder);
  addTerms(builder);
  addOrder(builder);
  addCommitment(builder);
  addPayment(builder);
  addQueries(builder);
  addAccountFields(builder);
}

function addMarket(builder: Builder): void {
  builder.objectType(MarketRef, {
    description: 'A market of the exchange module (provenance.exchange.v1), which settles orders and commitments of accounts.',
    fields: (t) => ({
      id: t.id({ nullable: false, description: 'Decimal id.', resolve: ({ id }) => id.toString() }),
      account: accountField(t, 'Its account, which collects its fees.', ({ address }) => address),
      name: t.exposeString('name', { nullable: false, description: 'Name; can be empty.' }),
      description: t.exposeString('description', { nullable: false, description: 'Description in free text; can be empty.' }),
      websiteUrl: t.exposeString('websiteUrl', { nullable: false, description: 'URL of a website; can be empty.' }),
      iconUri: t.exposeString('iconUri', { nullable: false, description: 'URI of an icon; can be empty.' }),
      terms: t.field({
        type: MarketTermsRef,
        description: 'What it accepts, what that costs, and who manages it.',
        resolve: (market) => {
          const pin = pinOf(market);
          const read = pin.loaders(createExchangeLoaders).market.load(market.id);
          return pinnedValue(
            pin,
            andThen(read, (answer) => answer?.terms ?? null),
          );
        },
      }),
      orders: t.field({
        type: OrderConnectionRef,
        description: 'Its open orders, by id.',
        ...pageField(builder, (pin, { id }: Pinned<Market>) => marketOrderList(pin, id)),
      }),
      commitments: t.field({
        type: CommitmentConnectionRef,
        description: 'Funds that accounts have committed to it, by account.',
        ...pageField(builder, (pin, { id }: Pinned<Market>) => marketCommitmentList(pin, id)),
      }),
    }),
  });
  addEntity(builder, MarketRef, { id: (root, id) => marketAt(root, marketIdInput('id', id)) });
  addConnection(builder, MarketRef, MarketConnectionRef, 'markets');
}

function addTerms(builder: Builder): void {
  const Permission = builder.enumType('MarketPermission', {
    description: 'What a manager of a market can do.',
    values: enumValues([...marketPermissions, unrecognized]),
  });
  builder.objectType(FeeRatioRef, {
    description: 'A fee in proportion to a price: `fee` for each `price`.',
    fields: (t) => ({
      price: coinField(t, 'The price.', ({ price }) => price),
      fee: coinField(t, 'The fee for it.', ({ fee }) => fee),
    }),
  });
  builder.objectType(MarketManagerRef, {
    description: 'An account that manages a market.',
    fields: (t) => ({
      account: accountField(t, 'The account.', ({ address }) => address),
      permissions: t.expose('permissions', nonNull([Permission], 'What it can do.')),
    }),
  });
  builder.objectType(MarketTermsRef, {
    description:
      'What a market accepts and what that costs. Of each list of fees, one is paid; an empty one means that it costs nothing.',
    fields: (t) => {
      const ratios = (description: string, ratiosIn: (terms: MarketTerms) => readonly FeeRatio[]) =>
        t.field({
          ...nonNullList(FeeRatioRef, description),
          resolve: (terms) => ratiosIn(terms).map((ratio) => pinned(pinOf(terms), ratio)),
        });
      return {
        acceptingOrders: t.expose('acceptingOrders', nonNull('Boolean', 'Whether orders can be created.')),
        allowUserSettlement: t.expose(
          'allowUserSettlement',
          nonNull('Boolean', 'Whether accounts can fill orders themselves.'),
        ),
        acceptingCommitments: t.expose('acceptingCommitments', nonNull('Boolean', 'Whether funds can be committed.')),
        createAskFees: coinsField(t, 'Fees for an order to sell.', (terms) => terms.createAskFees),
        createBidFees: coinsField(t, 'Fees for an order to buy.', (terms) => terms.createBidFees),
        createCommitmentFees: coinsField(t, 'Fees for a commitment.', (terms) => terms.createCommitmentFees),
        sellerSettlementFees: coinsField(t, 'Fees of the seller at the settlement.', (terms) => terms.sellerSettlementFees),
        sellerSettlementRatios: ratios(
          'Fees of the seller in proportion to the price.',
          (terms) => terms.sellerSettlementRatios,
        ),
        buyerSettlementFees: coinsField(t, 'Fees of the buyer at the settlement.', (terms) => terms.buyerSettlementFees),
        buyerSettlementRatios: ratios('Fees of the buyer in proportion to the price.', (terms) => terms.buyerSettlementRatios),
        commitmentSettlementBips: t.exposeInt('commitmentSettlementBips', {
          nullable: false,
          description: 'Fee for the settlement of commitments, in hundredths of a percent.',
        }),
        intermediaryDenom: t.exposeString('intermediaryDenom', {
          description: 'Denom through which that fee is converted; null if there is none.',
        }),
        askAttributes: t.exposeStringList('askAttributes', {
          nullable: false,
          description: 'Names of attributes that an account needs for orders to sell.',
        }),
        bidAttributes: t.exposeStringList('bidAttributes', {
          nullable: false,
          description: 'Names of attributes that an account needs for orders to buy.',
        }),
        commitmentAttributes: t.exposeStringList('commitmentAttributes', {
          nullable: false,
          description: 'Names of attributes that an account needs for commitments.',
        }),
        managers: t.field({
          ...nonNullList(MarketManagerRef, 'Accounts that manage it.'),
          resolve: (terms) => terms.managers.map((manager) => pinned(pinOf(terms), manager)),
        }),
      };
    },
  });
}

function addOrder(builder: Builder): void {
  const OrderKind = builder.enumType('MarketOrderKind', {
    description: 'Side of an order.',
    values: enumValues(['ASK', 'BID'] as const, { ASK: 'Its owner sells the assets.', BID: 'Its owner buys the assets.' }),
  });
  builder.objectType(OrderRef, {
    description: 'An open order of a market. The chain deletes it when it is filled or cancelled.',
    fields: (t) => ({
      id: t.id({ nullable: false, description: 'Decimal id.', resolve: ({ id }) => id.toString() }),
      kind: t.expose('kind', nonNull(OrderKind, 'Whether its owner sells or buys.')),
      market: t.field({ type: MarketRef, description: 'Its market.', resolve: (order) => marketAt(order, order.marketId) }),
      owner: accountField(t, 'The seller or buyer.', ({ owner }) => owner),
      assets: coinField(t, 'What is sold or bought.', ({ assets }) => assets),
      price: coinField(
        t,
        'The price of all assets: the least that the seller accepts, or what the buyer pays.',
        ({ price }) => price,
      ),
      fees: coinsField(
        t,
        'Fees that the owner pays at the settlement; the market can take more of a seller.',
        ({ fees }) => fees,
      ),
      allowPartial: t.expose('allowPartial', nonNull('Boolean', 'Whether a part of it can be filled.')),
      externalId: t.exposeString('externalId', {
        description: 'Id that the owner or the market gave it; null if it has none.',
      }),
    }),
  });
  addEntity(builder, OrderRef, { id: (root, id) => orderAt(root, idInput('id', id)) });
  addConnection(builder, OrderRef, OrderConnectionRef, 'orders');
}

function addCommitment(builder: Builder): void {
  builder.objectType(CommitmentRef, {
    description: 'Funds of an account that a market can settle with. They are on hold.',
    fields: (t) => ({
      account: accountField(t, 'The account that committed them.', ({ address }) => address),
      market: t.field({ type: MarketRef, description: 'The market.', resolve: (each) => marketAt(each, each.marketId) }),
      amount: coinsField(t, 'The funds.', ({ amount }) => amount),
    }),
  });
  addConnection(builder, CommitmentRef, CommitmentConnectionRef, 'commitments');
}

function addPayment(builder: Builder): void {
  builder.objectType(PaymentRef, {
    description:
      'An exchange of funds that one account offers to another. The chain deletes it when it is accepted, rejected or cancelled.',
    fields: (t) => ({
      source: accountField(t, 'The account that created it.', ({ source }) => source),
      sourceAmount: coinsField(t, 'What the source pays, which is on hold; empty for a request.', (each) => each.sourceAmount),
      target: accountOrNull(t, 'The account that can accept it; null if it is not set.', ({ target }) => target),
      targetAmount: coinsField(t, 'What the target pays; empty for a gift.', (each) => each.targetAmount),
      externalId: t.exposeString('externalId', { nullable: false, description: 'Id, unique for the source; can be empty.' }),
    }),
  });
  addConnection(builder, PaymentRef, PaymentConnectionRef, 'payments');
}

function addQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    market: t.field({
      type: MarketRef,
      description: 'The market with this id; null if it does not exist.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => marketAt(root, marketIdInput('id', id)),
    }),
    markets: t.field({ type: MarketConnectionRef, description: 'All markets, by id.', ...pageField(builder, marketList) }),
    marketOrder: t.field({
      type: OrderRef,
      description: 'The open order with this id; null if it does not exist.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => orderAt(root, idInput('id', id)),
    }),
    payment: t.field({
      type: PaymentRef,
      description: 'The payment that this account created with this external id; null if it does not exist.',
      args: { source: t.arg.string({ required: true }), externalId: t.arg.string({ required: true }) },
      resolve: (root, { source, externalId }) => {
        const pin = pinOf(root);
        return andThen(accountInput(pin, 'source', source), (checked) =>
          pinnedValue(pin, pin.loaders(createExchangeLoaders).payment.load({ source: checked, externalId })),
        );
      },
    }),
  }));
}

function addAccountFields(builder: Builder): void {
  const PaymentRole = builder.enumType('PaymentRole', {
    description: 'Part of an account in a payment.',
    values: enumValues(['SOURCE', 'TARGET'] as const, {
      SOURCE: 'It created the payment.',
      TARGET: 'It can accept the payment.',
    }),
  });
  builder.objectFields(AccountRef, (t) => ({
    orders: t.field({
      type: OrderConnectionRef,
      description: 'Open orders of the account in all markets, by id.',
      args: connectionArgs(builder),
      resolve: usesContext((account, args, _context, info) =>
        chainConnection(pinOf(account), ownerOrderList(pinOf(account), account.address), args, info),
      ),
    }),
    commitments: t.field({
      type: [CommitmentRef],
      description: 'Funds that the account has committed to markets, by market.',
      resolve: (account) => {
        const pin = pinOf(account);
        return andThen(pin.loaders(createExchangeLoaders).commitments.load(account.address), (commitments) =>
          commitments.map((each) => pinned(pin, each)),
        );
      },
    }),
    payments: t.field({
      type: PaymentConnectionRef,
      description: 'Payments of the account that are not accepted yet: those that it created, or those that it can accept.',
      args: { role: t.arg({ type: PaymentRole, defaultValue: 'SOURCE' }), ...connectionArgs(builder) },
      resolve: usesContext((account, { role, ...args }, _context, info) => {
        const listOf = role === 'TARGET' ? targetPaymentList : sourcePaymentList;
        return chainConnection(pinOf(account), listOf(pinOf(account), account.address), args, info);
      }),
    }),
  }));
}
