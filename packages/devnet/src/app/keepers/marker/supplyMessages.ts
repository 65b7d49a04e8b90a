import { Access } from '../../../../../../src/proto/provenance/marker/v1/accessgrant_pb.js';
import {
  EventMarkerBurnSchema,
  EventMarkerMintSchema,
  EventMarkerTransferSchema,
  EventMarkerWithdrawSchema,
  type MarkerAccount,
  MarkerStatus,
  MarkerType,
} from '../../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import {
  MsgBurnRequestSchema,
  MsgBurnResponseSchema,
  MsgMintRequestSchema,
  MsgMintResponseSchema,
  MsgTransferRequestSchema,
  MsgTransferResponseSchema,
  MsgWithdrawRequestSchema,
  MsgWithdrawResponseSchema,
} from '../../../../../../src/proto/provenance/marker/v1/tx_pb.js';
import { PlainError, refusing } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import { coinsText, parseCoins } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { readSupply, sendCoins } from '../bank/state.ts';
import { requireAccess, requireManagerOr, requireStatus } from './checks.ts';
import { hasAccess, loadMarker, markerAddress, saveMarker } from './state.ts';
import { burnSupply, mintSupply } from './supply.ts';

function withdraw(
  context: Context,
  marker: MarkerAccount,
  administrator: string,
  to: string,
  amount: Parameters<typeof parseCoins>[0],
): void {
  requireAccess(marker, administrator, Access.WITHDRAW);
  requireStatus(marker, 'withdraw from', MarkerStatus.ACTIVE);
  const coins = parseCoins(amount);
  sendCoins(context, markerAddress(marker.denom), decodeAddress(to), coins);
  context.emit(
    typedEvent(EventMarkerWithdrawSchema, { coins: coinsText(coins), denom: marker.denom, administrator, toAddress: to }),
  );
}

/**
 * Updates the supply of a marker with a fixed supply. For others, the bank module has the supply (docs/chain.md, "Markers").
 */
function followSupply(context: Context, marker: MarkerAccount): void {
  if (!marker.supplyFixed) return;
  marker.supply = String(readSupply(context, marker.denom));
  saveMarker(context, marker);
}

/** Mint, Burn, Withdraw, Transfer. The order of events is inferred for Mint and Burn, and recorded for the others. */
export const markerSupply: readonly MessageHandler[] = [
  onMessage(
    MsgMintRequestSchema,
    MsgMintResponseSchema,
    ({ administrator }) => [administrator],
    (context, { amount: coin, administrator, recipient }) =>
      refusing(() => {
        const [{ denom, amount } = { denom: '', amount: 0n }] = parseCoins(coin === undefined ? [] : [coin]);
        const marker = loadMarker(context, denom);
        requireManagerOr(marker, administrator, Access.MINT);
        requireStatus(marker, 'mint coin for', MarkerStatus.PROPOSED, MarkerStatus.FINALIZED, MarkerStatus.ACTIVE);
        if (marker.status === MarkerStatus.ACTIVE) {
          mintSupply(context, denom, amount);
          followSupply(context, marker);
        } else {
          marker.supply = String(BigInt(marker.supply) + amount);
          saveMarker(context, marker);
        }
        context.emit(typedEvent(EventMarkerMintSchema, { amount: String(amount), denom, administrator }));
        if (recipient !== '') withdraw(context, marker, administrator, recipient, coin === undefined ? [] : [coin]);
        return {};
      }),
  ),
  onMessage(
    MsgBurnRequestSchema,
    MsgBurnResponseSchema,
    ({ administrator }) => [administrator],
    (context, { amount: coin, administrator }) =>
      refusing(() => {
        const [{ denom, amount } = { denom: '', amount: 0n }] = parseCoins(coin === undefined ? [] : [coin]);
        const marker = loadMarker(context, denom);
        requireManagerOr(marker, administrator, Access.BURN);
        requireStatus(marker, 'burn coin for', MarkerStatus.PROPOSED, MarkerStatus.FINALIZED, MarkerStatus.ACTIVE);
        if (marker.status === MarkerStatus.ACTIVE) {
          burnSupply(context, denom, amount);
          followSupply(context, marker);
        } else {
          if (BigInt(marker.supply) < amount) throw new PlainError('cannot reduce marker total supply below zero');
          marker.supply = String(BigInt(marker.supply) - amount);
          saveMarker(context, marker);
        }
        context.emit(typedEvent(EventMarkerBurnSchema, { amount: String(amount), denom, administrator }));
        return {};
      }),
  ),
  onMessage(
    MsgWithdrawRequestSchema,
    MsgWithdrawResponseSchema,
    ({ administrator }) => [administrator],
    (context, { denom, administrator, toAddress, amount }) =>
      refusing(() => {
        withdraw(context, loadMarker(context, denom), administrator, toAddress === '' ? administrator : toAddress, amount);
        return {};
      }),
  ),
  onMessage(
    MsgTransferRequestSchema,
    MsgTransferResponseSchema,
    ({ administrator }) => [administrator],
    (context, { amount: coin, administrator, fromAddress, toAddress }) =>
      refusing(() => {
        const coins = parseCoins(coin === undefined ? [] : [coin]);
        const [{ denom, amount } = { denom: '', amount: 0n }] = coins;
        const marker = loadMarker(context, denom);
        if (marker.markerType !== MarkerType.RESTRICTED)
          throw new PlainError('marker type is not restricted_coin, brokered transfer not supported');
        requireStatus(marker, 'transfer coin of', MarkerStatus.ACTIVE);
        const forced = hasAccess(marker, administrator, Access.FORCE_TRANSFER) && marker.allowForcedTransfer;
        if (!forced) requireAccess(marker, administrator, Access.TRANSFER);
        if (!forced && fromAddress !== administrator) {
          throw new PlainError(
            `${administrator} account has not been granted authority to withdraw from ${fromAddress} account`,
          );
        }
        sendCoins(context, decodeAddress(fromAddress), decodeAddress(toAddress), coins);
        const event = { amount: String(amount), denom, administrator, toAddress, fromAddress };
        context.emit(typedEvent(EventMarkerTransferSchema, event));
        return {};
      }),
  ),
];
