import type { MessageInitShape } from '@bufbuild/protobuf';
import { type MarketSchema, Permission } from '../../../../../src/proto/provenance/exchange/v1/market_pb.js';
import {
  MsgCommitFundsRequestSchema,
  MsgCreateAskRequestSchema,
  MsgCreateBidRequestSchema,
  MsgCreatePaymentRequestSchema,
} from '../../../../../src/proto/provenance/exchange/v1/tx_pb.js';
import { feeDenom } from '../runtime/coins.ts';
import type { HistoryStep } from '../runtime/genesisState.ts';
import { inTurn, toAny } from './step.ts';
import { tokens } from './tokens.ts';

const day = 24 * 3600;
const coin = (amount: number, denom: string) => ({ denom, amount: String(amount) });

/** The markets of the genesis: one for gold with fees at the settlement, and one that is closed. Creation is free in both. */
export function exchangeMarkets(manager: string): MessageInitShape<typeof MarketSchema>[] {
  return [
    {
      marketId: 1,
      marketDetails: {
        ...{ name: 'Gold', description: 'Gold by the gram, for dollars on deposit.' },
        ...{ websiteUrl: 'https://example.org/gold', iconUri: 'https://example.org/gold.png' },
      },
      feeSellerSettlementFlat: [coin(5, tokens.dollar)],
      feeSellerSettlementRatios: [{ price: coin(1000, tokens.dollar), fee: coin(1, tokens.dollar) }],
      feeBuyerSettlementFlat: [coin(7, tokens.dollar)],
      feeBuyerSettlementRatios: [{ price: coin(500, tokens.dollar), fee: coin(1, tokens.dollar) }],
      ...{ acceptingOrders: true, allowUserSettlement: true, acceptingCommitments: true },
      accessGrants: [{ address: manager, permissions: [Permission.SETTLE, Permission.UPDATE] }],
      ...{ commitmentSettlementBips: 25, intermediaryDenom: feeDenom },
    },
    { marketId: 2, marketDetails: { name: 'Shares', description: 'Shares of the fund. It opens in spring.' } },
  ];
}

/** The accounts of the wallet that trade. */
export const traders = { seller: 1, buyer: 2 } as const;

/** Creates orders of both sides, a commitment, and payments: one with a target, and one without. These steps must follow those of the tokens. */
export function exchangeSteps(addresses: readonly string[]): HistoryStep[] {
  const [seller = '', buyer = ''] = [traders.seller, traders.buyer].map((index) => addresses[index] ?? '');
  return inTurn(2 * day, [
    toAny(MsgCreateAskRequestSchema, {
      askOrder: {
        ...{ marketId: 1, seller, assets: coin(10, tokens.gold), price: coin(600_000, tokens.dollar) },
        ...{ sellerSettlementFlatFee: coin(5, tokens.dollar), allowPartial: true, externalId: 'ask-1' },
      },
    }),
    toAny(MsgCreateBidRequestSchema, {
      bidOrder: {
        ...{ marketId: 1, buyer: seller, assets: coin(3, tokens.gold), price: coin(170_000, tokens.dollar) },
        buyerSettlementFees: [coin(347, tokens.dollar)],
      },
    }),
    toAny(MsgCommitFundsRequestSchema, { account: seller, marketId: 1, amount: [coin(25, tokens.gold)], eventTag: 'spring' }),
    toAny(MsgCreatePaymentRequestSchema, {
      payment: {
        ...{ source: seller, sourceAmount: [coin(4, tokens.gold)] },
        ...{ target: buyer, targetAmount: [coin(240_000, tokens.dollar)], externalId: 'rent' },
      },
    }),
    toAny(MsgCreatePaymentRequestSchema, {
      payment: { source: seller, sourceAmount: [coin(1, tokens.gold)], externalId: 'gift' },
    }),
  ]);
}
