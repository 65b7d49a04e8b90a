import { create, type MessageShape } from '@bufbuild/protobuf';
import { Access, AccessGrantSchema } from '../../../../../../src/proto/provenance/marker/v1/accessgrant_pb.js';
import {
  EventMarkerActivateSchema,
  EventMarkerAddSchema,
  EventMarkerCancelSchema,
  EventMarkerDeleteSchema,
  EventMarkerFinalizeSchema,
  type MarkerAccount,
  MarkerAccountSchema,
  MarkerStatus,
  MarkerType,
  MarkerTypeSchema,
} from '../../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import {
  MsgActivateRequestSchema,
  MsgActivateResponseSchema,
  MsgAddFinalizeActivateMarkerRequestSchema,
  MsgAddFinalizeActivateMarkerResponseSchema,
  MsgAddMarkerRequestSchema,
  MsgAddMarkerResponseSchema,
  MsgCancelRequestSchema,
  MsgCancelResponseSchema,
  MsgDeleteRequestSchema,
  MsgDeleteResponseSchema,
  MsgFinalizeRequestSchema,
  MsgFinalizeResponseSchema,
} from '../../../../../../src/proto/provenance/marker/v1/tx_pb.js';
import { PlainError, refusing } from '../../runtime/abciErrors.ts';
import { encodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { keyOf } from '../../state/bytes.ts';
import { readBalance, readSupply } from '../bank/state.ts';
import { numberAccount, readAnyAccount } from '../base/auth.ts';
import { normalizeName } from '../name/state.ts';
import { requireManagerOr, requireStatus, statusText } from './checks.ts';
import { findMarker, loadMarker, markerAddress, markerKeys, markerStore, saveMarker } from './state.ts';
import { burnSupply, mintSupply } from './supply.ts';
import { setNetAssetValue } from './values.ts';

/**
 * Gas for reads of parameters and required attribute names that only the real module makes. Brings the gas close to the
 * recorded values.
 */
const addGas = 25_000;

/** An unrestricted denomination has at least eight characters (docs/chain.md, "Markers"). */
const unrestrictedDenom = /^[a-zA-Z][a-zA-Z0-9\-.]{7,64}$/;

type AddMessage =
  | MessageShape<typeof MsgAddMarkerRequestSchema>
  | MessageShape<typeof MsgAddFinalizeActivateMarkerRequestSchema>;

function addMarker(context: Context, message: AddMessage, status: MarkerStatus): MarkerAccount {
  context.gas.consume(addGas, 'ReadFlat');
  const { denom = '', amount = '0' } = message.amount ?? {};
  const markerType = message.markerType === MarkerType.UNSPECIFIED ? MarkerType.COIN : message.markerType;
  if (markerType === MarkerType.COIN && !unrestrictedDenom.test(denom)) {
    throw new PlainError(`invalid denom [${denom}] (fails unrestricted marker denom validation)`);
  }
  const address = markerAddress(denom);
  if (findMarker(context, denom) !== undefined)
    throw new PlainError(`marker address already exists for ${encodeAddress(address)}`);
  if (readAnyAccount(context, address) !== undefined) throw new PlainError('account at address is not a marker account');
  if (markerType !== MarkerType.RESTRICTED && (message.requiredAttributes.length > 0 || message.allowForcedTransfer)) {
    throw new PlainError('required attributes and forced transfers are reserved for restricted markers');
  }
  const manager = message.manager === '' ? message.fromAddress : message.manager;
  const marker = create(MarkerAccountSchema, {
    baseAccount: numberAccount(context, address),
    manager,
    accessControl: message.accessList.map((grant) => create(AccessGrantSchema, grant)),
    status,
    denom,
    supply: amount,
    markerType,
    supplyFixed: message.supplyFixed,
    // Always true, by the module's parameters (recorded).
    allowGovernanceControl: true,
    allowForcedTransfer: message.allowForcedTransfer,
    requiredAttributes: message.requiredAttributes.map(normalizeName),
  });
  saveMarker(context, marker);
  const mills = message.usdMills === 0n ? message.usdCents * 10n : message.usdMills;
  if (mills > 0n) setNetAssetValue(context, denom, { denom: 'usd', amount: String(mills) }, message.volume, 'marker');
  context.emit(
    typedEvent(EventMarkerAddSchema, {
      denom,
      amount,
      status: statusText(status),
      manager,
      markerType: MarkerTypeSchema.value[markerType]?.name ?? '',
      address: encodeAddress(address),
    }),
  );
  return marker;
}

function finalize(context: Context, marker: MarkerAccount, administrator: string): void {
  requireStatus(marker, 'finalize', MarkerStatus.PROPOSED);
  requireManagerOr(marker, administrator, Access.ADMIN);
  marker.status = MarkerStatus.FINALIZED;
  saveMarker(context, marker);
  context.emit(typedEvent(EventMarkerFinalizeSchema, { denom: marker.denom, administrator }));
}

/** Activates a marker: mints the supply in escrow, and removes the manager. */
function activate(context: Context, marker: MarkerAccount, administrator: string): void {
  requireStatus(marker, 'activate', MarkerStatus.FINALIZED);
  requireManagerOr(marker, administrator, Access.ADMIN);
  const existing = readSupply(context, marker.denom);
  if (existing > BigInt(marker.supply))
    throw new PlainError(`marker supply ${marker.supply} has been defined as less than pre-existing supply`);
  if (BigInt(marker.supply) > existing) mintSupply(context, marker.denom, BigInt(marker.supply) - existing);
  marker.status = MarkerStatus.ACTIVE;
  marker.manager = '';
  saveMarker(context, marker);
  context.emit(typedEvent(EventMarkerActivateSchema, { denom: marker.denom, administrator }));
}

/** AddMarker, AddFinalizeActivateMarker, Finalize, Activate, Cancel, Delete. */
export const markerLifecycle: readonly MessageHandler[] = [
  onMessage(
    MsgAddMarkerRequestSchema,
    MsgAddMarkerResponseSchema,
    ({ fromAddress }) => [fromAddress],
    (context, message) =>
      refusing(() => {
        const status = message.status === MarkerStatus.UNSPECIFIED ? MarkerStatus.PROPOSED : message.status;
        if (status !== MarkerStatus.PROPOSED && status !== MarkerStatus.FINALIZED) {
          throw new PlainError('marker can only be created with a Proposed or Finalized status');
        }
        addMarker(context, message, status);
        return {};
      }),
  ),
  onMessage(
    MsgAddFinalizeActivateMarkerRequestSchema,
    MsgAddFinalizeActivateMarkerResponseSchema,
    ({ fromAddress }) => [fromAddress],
    (context, message) =>
      refusing(() => {
        if (message.accessList.length === 0)
          throw new PlainError('since this will activate the marker, must have access list defined');
        const marker = addMarker(context, message, MarkerStatus.PROPOSED);
        finalize(context, marker, message.fromAddress);
        activate(context, marker, message.fromAddress);
        return {};
      }),
  ),
  onMessage(
    MsgFinalizeRequestSchema,
    MsgFinalizeResponseSchema,
    ({ administrator }) => [administrator],
    (context, { denom, administrator }) =>
      refusing(() => {
        finalize(context, loadMarker(context, denom), administrator);
        return {};
      }),
  ),
  onMessage(
    MsgActivateRequestSchema,
    MsgActivateResponseSchema,
    ({ administrator }) => [administrator],
    (context, { denom, administrator }) =>
      refusing(() => {
        activate(context, loadMarker(context, denom), administrator);
        return {};
      }),
  ),
  onMessage(
    MsgCancelRequestSchema,
    MsgCancelResponseSchema,
    ({ administrator }) => [administrator],
    (context, { denom, administrator }) =>
      refusing(() => {
        const marker = loadMarker(context, denom);
        requireStatus(marker, 'cancel', MarkerStatus.PROPOSED, MarkerStatus.FINALIZED, MarkerStatus.ACTIVE);
        requireManagerOr(marker, administrator, Access.DELETE);
        const heldAmount = readBalance(context, markerAddress(denom), denom);
        if (readSupply(context, denom) > heldAmount) {
          throw new PlainError(
            `cannot cancel marker with ${readSupply(context, denom) - heldAmount} minted coin in circulation`,
          );
        }
        marker.status = MarkerStatus.CANCELLED;
        saveMarker(context, marker);
        context.emit(typedEvent(EventMarkerCancelSchema, { denom, administrator }));
        return {};
      }),
  ),
  onMessage(
    MsgDeleteRequestSchema,
    MsgDeleteResponseSchema,
    ({ administrator }) => [administrator],
    (context, { denom, administrator }) =>
      refusing(() => {
        const marker = loadMarker(context, denom);
        requireStatus(marker, 'delete', MarkerStatus.CANCELLED);
        requireManagerOr(marker, administrator, Access.DELETE);
        const address = markerAddress(denom);
        const heldAmount = readBalance(context, address, denom);
        if (heldAmount > 0n) burnSupply(context, denom, heldAmount);
        marker.status = MarkerStatus.DESTROYED;
        marker.supply = '0';
        saveMarker(context, marker);
        context.set(markerStore, markerKeys.destroyed + keyOf(address), new Uint8Array());
        context.emit(typedEvent(EventMarkerDeleteSchema, { denom, administrator }));
        return {};
      }),
  ),
];
