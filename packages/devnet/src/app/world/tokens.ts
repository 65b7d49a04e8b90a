import type { MessageInitShape } from '@bufbuild/protobuf';
import type { MetadataSchema } from '../../../../../src/proto/cosmos/bank/v1beta1/bank_pb.js';
import { MsgMultiSendSchema } from '../../../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Access } from '../../../../../src/proto/provenance/marker/v1/accessgrant_pb.js';
import { type MarkerAccountSchema, MarkerStatus, MarkerType } from '../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import {
  MsgAddFinalizeActivateMarkerRequestSchema,
  MsgAddMarkerRequestSchema,
  MsgAddNetAssetValuesRequestSchema,
  MsgCancelRequestSchema,
  MsgSetAccountDataRequestSchema,
  MsgSetDenomMetadataRequestSchema,
  MsgWithdrawRequestSchema,
} from '../../../../../src/proto/provenance/marker/v1/tx_pb.js';
import type { MemberFixture } from '../fixtures/fixtures.ts';
import { feeDenom } from '../runtime/coins.ts';
import type { HistoryStep } from '../runtime/genesisState.ts';
import { inTurn, toAny } from './step.ts';

/** The denominations of the devnet's tokens, other than the fee denomination. */
export const tokens = {
  /** Vaulted gold in grams: unrestricted, with a fixed supply. */
  gold: 'gramgold',
  /** Dollars in millionths, minted on demand. */
  dollar: 'microusd',
  /** Shares of a fund, restricted to identified accounts. */
  share: 'fundshare',
  /** Carbon credits that are proposed but not active. */
  proposed: 'carboncredit',
  /** A cancelled bond. */
  cancelled: 'bridgebond',
} as const;

/** The administrator of each token: index of an account of the wallet. */
export const tokenAdmins = { fee: 0, gold: 1, dollar: 2, share: 6, proposed: 3, cancelled: 5 } as const;

const all = [Access.MINT, Access.BURN, Access.DEPOSIT, Access.WITHDRAW, Access.DELETE, Access.ADMIN];
const day = 24 * 3600;

type Metadata = MessageInitShape<typeof MetadataSchema>;

function unit(base: string, display: string, exponent: number, name: string, symbol: string, description: string): Metadata {
  const denomUnits = [
    { denom: base, exponent: 0, aliases: [] },
    { denom: display, exponent, aliases: [] },
  ];
  return { description, denomUnits, base, display, name, symbol, uri: '', uriHash: '' };
}

/** Display units of the fee denomination. */
export const feeMetadata: Metadata = unit(feeDenom, 'hash', 9, 'Hash', 'HASH', 'What fees are paid in.');

/** The marker of the fee denomination. `supply` is the supply at genesis. */
export function feeMarker(administrator: string, supply: bigint): MessageInitShape<typeof MarkerAccountSchema> {
  return {
    denom: feeDenom,
    supply: String(supply),
    status: MarkerStatus.ACTIVE,
    markerType: MarkerType.COIN,
    accessControl: [{ address: administrator, permissions: all }],
  };
}

function value(
  denom: string,
  administrator: string,
  prices: readonly (readonly [amount: bigint, priceDenom: string, volume: bigint])[],
) {
  const netAssetValues = prices.map(([amount, priceDenom, volume]) => ({
    price: { denom: priceDenom, amount: String(amount) },
    volume,
  }));
  return toAny(MsgAddNetAssetValuesRequestSchema, { denom, administrator, netAssetValues });
}

/**
 * Creates tokens of every kind and status, with their display units, prices and holders: gold for the whole assembly, dollars
 * for the founders, shares for the accounts with the required attributes. These steps must follow those of the attributes.
 */
export function tokenSteps(addresses: readonly string[], assembly: readonly MemberFixture[]): HistoryStep[] {
  const at = (index: number): string => addresses[index] ?? '';
  const fee = at(tokenAdmins.fee);
  const gold = at(tokenAdmins.gold);
  const dollar = at(tokenAdmins.dollar);
  const share = at(tokenAdmins.share);
  const ownGrants = (address: string, more: readonly Access[] = []) => [{ address, permissions: [...all, ...more] }];
  const withdraw = (denom: string, administrator: string, toAddress: string, amount: bigint) =>
    toAny(MsgWithdrawRequestSchema, { denom, administrator, toAddress, amount: [{ denom, amount: String(amount) }] });
  const units = (administrator: string, metadata: Metadata) =>
    toAny(MsgSetDenomMetadataRequestSchema, { administrator, metadata });

  return inTurn(20 * day, [
    toAny(MsgAddFinalizeActivateMarkerRequestSchema, {
      amount: { denom: tokens.gold, amount: '2500000' },
      fromAddress: gold,
      accessList: ownGrants(gold),
      markerType: MarkerType.COIN,
      supplyFixed: true,
      usdMills: 96_400n,
      volume: 1n,
    }),
    units(gold, unit(tokens.gold, 'kilogold', 3, 'Vaulted Gold', 'GOLD', 'Allocated gold in a vault, by the gram.')),
    toAny(MsgSetAccountDataRequestSchema, {
      denom: tokens.gold,
      value: 'Audited each quarter; the bars are listed in the annex.',
      signer: gold,
    }),
    toAny(MsgAddFinalizeActivateMarkerRequestSchema, {
      amount: { denom: tokens.dollar, amount: '5000000000000' },
      fromAddress: dollar,
      accessList: ownGrants(dollar),
      markerType: MarkerType.COIN,
      usdMills: 1000n,
      volume: 1_000_000n,
    }),
    units(dollar, unit(tokens.dollar, 'dollar', 6, 'Deposit Dollar', 'DUSD', 'A dollar on deposit, in millionths.')),
    toAny(MsgAddFinalizeActivateMarkerRequestSchema, {
      amount: { denom: tokens.share, amount: '1000000' },
      fromAddress: share,
      accessList: ownGrants(share, [Access.TRANSFER, Access.FORCE_TRANSFER]),
      markerType: MarkerType.RESTRICTED,
      allowForcedTransfer: true,
      requiredAttributes: ['kyc.pb'],
      usdMills: 12_345n,
      volume: 1n,
    }),
    units(share, unit(tokens.share, 'blockshare', 2, 'Home Loan Fund I', 'HLF1', 'A share of the first home loan fund.')),
    toAny(MsgAddMarkerRequestSchema, {
      amount: { denom: tokens.proposed, amount: '750000' },
      fromAddress: at(tokenAdmins.proposed),
      status: MarkerStatus.PROPOSED,
      accessList: ownGrants(at(tokenAdmins.proposed)),
      markerType: MarkerType.COIN,
      supplyFixed: true,
    }),
    toAny(MsgAddMarkerRequestSchema, {
      amount: { denom: tokens.cancelled, amount: '1000' },
      fromAddress: at(tokenAdmins.cancelled),
      status: MarkerStatus.PROPOSED,
      accessList: ownGrants(at(tokenAdmins.cancelled)),
      markerType: MarkerType.RESTRICTED,
    }),
    toAny(MsgCancelRequestSchema, { denom: tokens.cancelled, administrator: at(tokenAdmins.cancelled) }),
    ...addresses
      .slice(0, 8)
      .map((address, index) => withdraw(tokens.dollar, dollar, address, BigInt(90 - 7 * index) * 1_000_000_000n)),
    ...addresses.slice(0, 6).map((address, index) => withdraw(tokens.share, share, address, BigInt(5000 - 650 * index))),
    withdraw(tokens.gold, gold, gold, 100_000n),
    // One transaction sends to the whole assembly.
    toAny(MsgMultiSendSchema, {
      inputs: [{ address: gold, coins: [{ denom: tokens.gold, amount: String(2000 * assembly.length) }] }],
      outputs: assembly.map(({ address }) => ({ address, coins: [{ denom: tokens.gold, amount: '2000' }] })),
    }),
    value(feeDenom, fee, [[28n, 'usd', 1_000_000_000n]]),
    value(tokens.gold, gold, [
      [97_150n, 'usd', 1n],
      [97_150_000n, tokens.dollar, 1n],
    ]),
    value(tokens.share, share, [
      [12_510n, 'usd', 1n],
      [441n * 10n ** 9n, feeDenom, 1n],
    ]),
  ]);
}
