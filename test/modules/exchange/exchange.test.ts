import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallsNode, createCallsNode } from '../../replay/recordedCalls.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const alice = 'tp1uxa8284fu97znk826kxmd3l829nlpmhse95hmv';
const bob = 'tp12wuprwv2auzrmzyu7xpn7dfmje7vpjvy50eqjh';
const carol = 'tp137eh59a824l7dvaruy3zknpcvcpttxt8gectxv';
/** A height at which all orders, commitments and payments exist. */
const all = '106';

let node: CallsNode;
let stack: Stack;

beforeAll(async () => {
  node = await createCallsNode('exchange');
});
// Each test has a server with nothing in memory.
beforeEach(async () => {
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
  node.calls.length = 0;
});
afterEach(async () => {
  node.instead = undefined;
  await stack.close();
  expect(stack.masked).toEqual([]);
});
afterAll(async () => {
  await node.close();
  expect(node.unrecorded).toEqual([]);
});

async function ask(query: string, height = all) {
  return (await stack.ask(query, {}, { 'x-cosmos-block-height': height })).body;
}

/** The queries of the exchange so far, by their methods. */
function queries(): readonly string[] {
  return node.calls
    .filter((path) => path.startsWith('/provenance.exchange'))
    .map((path) => path.slice(path.lastIndexOf('/') + 1));
}

type Json = Readonly<Record<string, unknown>>;
type Coins = readonly { readonly denom: string; readonly amount: string }[];

/** The response of the node's REST to a path of the module. */
const rest = (path: string): Json => node.rest(`/provenance/exchange/v1/${path}`, all) as Json;

const coins = '{ denom amount }';
const orderFields = `id kind market { id name } owner { address } assets ${coins} price ${coins} fees ${coins} allowPartial externalId`;
const paymentFields = `source { address } target { address } sourceAmount ${coins} targetAmount ${coins} externalId`;
const marketNames: Readonly<Record<number, string>> = { 1: 'Default nhash Market', 2: 'Orchard' };

function orderFromRest({ order_id: id, ask_order: askOrder, bid_order: bidOrder }: Json) {
  const order = (askOrder ?? bidOrder) as Json;
  const marketId = order.market_id as number;
  return {
    ...{ id, kind: askOrder === undefined ? 'BID' : 'ASK', market: { id: String(marketId), name: marketNames[marketId] } },
    ...{ owner: { address: order.seller ?? order.buyer }, assets: order.assets, price: order.price },
    fees: order.buyer_settlement_fees ?? [order.seller_settlement_flat_fee],
    ...{ allowPartial: order.allow_partial, externalId: order.external_id || null },
  };
}

function paymentFromRest(payment: Json) {
  return {
    ...{ source: { address: payment.source }, target: payment.target === '' ? null : { address: payment.target } },
    ...{ sourceAmount: payment.source_amount, targetAmount: payment.target_amount, externalId: payment.external_id },
  };
}

const page = (totalCount: string, nodes: unknown) => ({ totalCount, nodes });

describe('markets', () => {
  const terms = `acceptingOrders allowUserSettlement acceptingCommitments createAskFees ${coins} createBidFees ${coins} createCommitmentFees ${coins}
    sellerSettlementFees ${coins} sellerSettlementRatios { price ${coins} fee ${coins} } buyerSettlementFees ${coins} buyerSettlementRatios { price ${coins} fee ${coins} }
    commitmentSettlementBips intermediaryDenom askAttributes bidAttributes commitmentAttributes managers { account { address } permissions }`;

  it.each(['1', '2'])('are as the REST of the node shows them: %s', async (id) => {
    const { data, errors } =
      await ask(`{ market(id: "${id}") { id account { address } name description websiteUrl iconUri terms { ${terms} }
      orders { totalCount nodes { id } } commitments { totalCount nodes { account { address } market { id } amount ${coins} } } } }`);
    expect(errors).toBeUndefined();
    const { address, market } = rest(`market/${id}`) as { address: string; market: Record<string, never> };
    const { name, description, website_url: websiteUrl, icon_uri: iconUri } = market.market_details as unknown as Json;
    const { commitments } = rest(`commitments/market/${id}`) as { commitments: { account: string; amount: Coins }[] };
    const { orders } = rest(`orders/market/${id}`) as { orders: Json[] };
    const grants = market.access_grants as unknown as { address: string; permissions: string[] }[];
    expect(data).toEqual({
      market: {
        ...{ id, account: { address }, name, description, websiteUrl, iconUri },
        terms: {
          ...{ acceptingOrders: market.accepting_orders, allowUserSettlement: market.allow_user_settlement },
          ...{ acceptingCommitments: market.accepting_commitments, createAskFees: market.fee_create_ask_flat },
          ...{ createBidFees: market.fee_create_bid_flat, createCommitmentFees: market.fee_create_commitment_flat },
          ...{ sellerSettlementFees: market.fee_seller_settlement_flat, buyerSettlementFees: market.fee_buyer_settlement_flat },
          sellerSettlementRatios: market.fee_seller_settlement_ratios,
          buyerSettlementRatios: market.fee_buyer_settlement_ratios,
          commitmentSettlementBips: market.commitment_settlement_bips,
          intermediaryDenom: market.intermediary_denom || null,
          ...{ askAttributes: market.req_attr_create_ask, bidAttributes: market.req_attr_create_bid },
          commitmentAttributes: market.req_attr_create_commitment,
          managers: grants.map((each) => ({ account: { address: each.address }, permissions: each.permissions })),
        },
        orders: page(
          '2',
          orders.map(({ order_id: orderId }) => ({ id: orderId })),
        ),
        commitments: page(
          String(commitments.length),
          commitments.map(({ account, amount }) => ({ account: { address: account }, market: { id }, amount })),
        ),
      },
    });
    expect(queries().toSorted()).toEqual(['GetMarket', 'GetMarketCommitments', 'GetMarketOrders']);
  });

  it('are listed with one call, and have pages', async () => {
    const first = await ask(
      '{ markets(first: 1) { totalCount nodes { id name account { address } } pageInfo { hasNextPage endCursor } } }',
    );
    expect(first.errors).toBeUndefined();
    const { markets } = rest('markets') as { markets: { market_address: string }[] };
    expect(first.data).toMatchObject({
      markets: {
        ...page('2', [{ id: '1', name: 'Default nhash Market', account: { address: markets[0]!.market_address } }]),
        pageInfo: { hasNextPage: true },
      },
    });
    expect(queries()).toEqual(['GetAllMarkets']);
    const { endCursor } = (first.data as { markets: { pageInfo: { endCursor: string } } }).markets.pageInfo;
    const next = await ask(`{ markets(first: 1, after: "${endCursor}") { nodes { name } pageInfo { hasNextPage } } }`);
    expect(next.data).toEqual({ markets: { nodes: [{ name: 'Orchard' }], pageInfo: { hasNextPage: false } } });
  });
});

describe('the orders, commitments and payments of an account', () => {
  const document = (address: string) => `{ account(address: "${address}") {
    orders { totalCount nodes { ${orderFields} } }
    commitments { account { address } market { id name } amount ${coins} }
    payments { totalCount nodes { ${paymentFields} } }
    received: payments(role: TARGET) { totalCount nodes { ${paymentFields} } }
  } }`;

  it.each([alice, bob, carol])('are as the REST of the node shows them: %s', async (address) => {
    const { data, errors } = await ask(document(address));
    expect(errors).toBeUndefined();
    const { orders } = rest(`orders/owner/${address}`) as { orders: Json[] };
    const { commitments } = rest(`commitments/account/${address}`) as { commitments: { market_id: number; amount: Coins }[] };
    const [sent, received] = ['source', 'target'].map(
      (role) => (rest(`payments/${role}/${address}`) as { payments: Json[] }).payments,
    );
    expect([orders, commitments, sent!, received!].map(({ length }) => length)).toEqual(
      address === alice ? [3, 2, 2, 1] : address === bob ? [1, 1, 1, 1] : [0, 0, 0, 0],
    );
    expect(data).toEqual({
      account: {
        orders: page(String(orders.length), orders.map(orderFromRest)),
        commitments: commitments.map(({ market_id: id, amount }) => ({
          ...{ account: { address }, market: { id: String(id), name: marketNames[id] }, amount },
        })),
        payments: page(String(sent!.length), sent!.map(paymentFromRest)),
        received: page(String(received!.length), received!.map(paymentFromRest)),
      },
    });
  });

  it('take a call for each list and each market, and none again', async () => {
    const { data } = await ask(document(alice));
    expect(queries().toSorted()).toEqual([
      ...[
        'GetAccountCommitments',
        'GetMarket',
        'GetMarket',
        'GetOwnerOrders',
        'GetPaymentsWithSource',
        'GetPaymentsWithTarget',
      ],
    ]);
    node.calls.length = 0;
    expect((await ask(document(alice))).data).toEqual(data);
    expect(
      (await ask(`{ market(id: "2") { name } account(address: "${alice}") { commitments { amount { denom } } } }`)).errors,
    ).toBeUndefined();
    expect(queries()).toEqual([]);
  });

  it('have pages, also backwards', async () => {
    const orders = (args: string) =>
      ask(
        `{ account(address: "${alice}") { orders(${args}) { nodes { id } pageInfo { hasNextPage endCursor } } payments(first: 1, after: null) { nodes { externalId } pageInfo { endCursor hasNextPage } } } }`,
      );
    const first = (await orders('first: 2')).data as {
      account: Record<'orders' | 'payments', { pageInfo: { endCursor: string } }>;
    };
    expect(first.account).toMatchObject({
      orders: { nodes: [{ id: '1' }, { id: '2' }], pageInfo: { hasNextPage: true } },
      payments: { nodes: [{ externalId: 'pay-1' }], pageInfo: { hasNextPage: true } },
    });
    const after = (await orders(`first: 2, after: "${first.account.orders.pageInfo.endCursor}"`)).data;
    expect(after).toMatchObject({ account: { orders: { nodes: [{ id: '4' }], pageInfo: { hasNextPage: false } } } });
    expect((await orders('first: 1, reverse: true')).data).toMatchObject({ account: { orders: { nodes: [{ id: '4' }] } } });
    const payments = await ask(
      `{ account(address: "${alice}") { payments(first: 5, after: "${first.account.payments.pageInfo.endCursor}") { nodes { externalId } } } }`,
    );
    expect(payments.data).toEqual({ account: { payments: { nodes: [{ externalId: 'pay-2' }] } } });
  });

  it('are those of the height of the operation', async () => {
    const document = `{ account(address: "${bob}") { orders { nodes { externalId } } }
      at(height: "92") { account(address: "${bob}") { orders { nodes { externalId asOfHeight } } commitments { amount { amount } } } }
      sent: account(address: "${carol}") { payments { nodes { externalId } } } }`;
    expect(await ask(document, '105')).toMatchObject({
      data: {
        account: { orders: { nodes: [{ externalId: 'bid-one' }] } },
        at: {
          account: {
            orders: { nodes: [{ externalId: 'bid-one', asOfHeight: '92' }, { externalId: 'gone' }] },
            commitments: [{ amount: [{ amount: '7' }] }],
          },
        },
        sent: { payments: { nodes: [{ externalId: 'pay-4' }] } },
      },
    });
  });

  it('fail alone if a node does not answer for one of them', async () => {
    node.instead = (path) =>
      path.endsWith('/GetPaymentsWithTarget')
        ? { error: { code: -32603, message: 'Internal error', data: 'no such luck' } }
        : undefined;
    const { data, errors } = await ask(
      `{ account(address: "${bob}") { orders { totalCount } payments(role: TARGET) { totalCount } } }`,
    );
    expect(errors!.map(({ path }) => path)).toEqual([['account', 'payments']]);
    expect(data).toEqual({ account: { orders: { totalCount: '1' }, payments: null } });
  });
});

describe('an order, a market and a payment by their keys', () => {
  it('are found, also by a router', async () => {
    const { data, errors } =
      await ask(`{ marketOrder(id: "3") { ${orderFields} } payment(source: "${bob}", externalId: "") { ${paymentFields} }
      _entities(representations: [{ __typename: "Market", id: "2" }, { __typename: "MarketOrder", id: "1" }]) { ... on Market { name asOfHeight } ... on MarketOrder { kind } } }`);
    expect(errors).toBeUndefined();
    const { order } = rest('order/3') as { order: Json };
    const { payment } = rest(`payment?source=${bob}`) as { payment: Json };
    expect(data).toEqual({
      ...{ marketOrder: orderFromRest(order), payment: paymentFromRest(payment) },
      _entities: [{ name: 'Orchard', asOfHeight: all }, { kind: 'ASK' }],
    });
  });

  it('are null if they do not exist, which is asked once', async () => {
    for (const more of ['', '__typename']) {
      const { data, errors } = await ask(
        `{ ${more} market(id: "99") { name } marketOrder(id: "999") { id } payment(source: "${alice}", externalId: "none") { externalId } }`,
      );
      expect(errors).toBeUndefined();
      expect(data).toMatchObject({ market: null, marketOrder: null, payment: null });
    }
    expect(queries().toSorted()).toEqual(['GetMarket', 'GetOrder', 'GetPayment']);
  });

  it('have arguments that are checked before a node is asked', async () => {
    const marketIds = 'an integer from 1 to 4294967295';
    const wrong: [field: string, argument: string, value: string, bound: string][] = [
      ['market(id: "0") { id }', 'id', '0', marketIds],
      ['market(id: "1,0") { id }', 'id', '1,0', marketIds],
      ['market(id: "4294967296") { id }', 'id', '4294967296', marketIds],
      ['marketOrder(id: "x") { id }', 'id', 'x', 'an integer from 0 to 18446744073709551615'],
      ['payment(source: "nobody", externalId: "") { externalId }', 'source', 'nobody', 'a bech32 address'],
    ];
    for (const [field, argument, value, bound] of wrong) {
      const { errors } = await ask(`{ ${field} }`);
      expect(errors![0]!.extensions, field).toMatchObject({ code: 'BAD_USER_INPUT', argument, value, bound });
    }
    expect(queries()).toEqual([]);
  });
});
