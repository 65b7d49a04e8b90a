import { create } from '@bufbuild/protobuf';
import { MetadataSchema } from '../../../../../../src/proto/cosmos/bank/v1beta1/bank_pb.js';
import { Access, AccessGrantSchema } from '../../../../../../src/proto/provenance/marker/v1/accessgrant_pb.js';
import {
  EventMarkerAddAccessSchema,
  EventMarkerDeleteAccessSchema,
  EventMarkerSetDenomMetadataSchema,
  MarkerType,
} from '../../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import {
  MsgAddAccessRequestSchema,
  MsgAddAccessResponseSchema,
  MsgAddNetAssetValuesRequestSchema,
  MsgAddNetAssetValuesResponseSchema,
  MsgDeleteAccessRequestSchema,
  MsgDeleteAccessResponseSchema,
  MsgGrantAllowanceRequestSchema,
  MsgGrantAllowanceResponseSchema,
  MsgSetAccountDataRequestSchema,
  MsgSetAccountDataResponseSchema,
  MsgSetDenomMetadataRequestSchema,
  MsgSetDenomMetadataResponseSchema,
  MsgUpdateRequiredAttributesRequestSchema,
  MsgUpdateRequiredAttributesResponseSchema,
} from '../../../../../../src/proto/provenance/marker/v1/tx_pb.js';
import { PlainError, refusing } from '../../runtime/abciErrors.ts';
import { decodeAddress, encodeAddress } from '../../runtime/address.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { setAccountData } from '../attribute/messages.ts';
import { writeMetadata } from '../bank/state.ts';
import { grantAllowance } from '../feegrant/state.ts';
import { normalizeName } from '../name/state.ts';
import { accessName, requireAccess, requireManagerOr } from './checks.ts';
import { loadMarker, markerAddress, saveMarker } from './state.ts';
import { setNetAssetValue } from './values.ts';

/** AddAccess, DeleteAccess, SetDenomMetadata, AddNetAssetValues, UpdateRequiredAttributes, SetAccountData, GrantAllowance. */
export const markerControl: readonly MessageHandler[] = [
  onMessage(
    MsgAddAccessRequestSchema,
    MsgAddAccessResponseSchema,
    ({ administrator }) => [administrator],
    (context, { denom, administrator, access }) =>
      refusing(() => {
        const marker = loadMarker(context, denom);
        requireManagerOr(marker, administrator, Access.ADMIN);
        for (const grant of access) {
          decodeAddress(grant.address);
          const others = marker.accessControl.filter(({ address }) => address !== grant.address);
          marker.accessControl = [...others, create(AccessGrantSchema, grant)];
        }
        saveMarker(context, marker);
        for (const { address, permissions } of access) {
          const access = { address, permissions: permissions.map(accessName) };
          context.emit(typedEvent(EventMarkerAddAccessSchema, { access, denom, administrator }));
        }
        return {};
      }),
  ),
  onMessage(
    MsgDeleteAccessRequestSchema,
    MsgDeleteAccessResponseSchema,
    ({ administrator }) => [administrator],
    (context, { denom, administrator, removedAddress }) =>
      refusing(() => {
        const marker = loadMarker(context, denom);
        requireManagerOr(marker, administrator, Access.ADMIN);
        marker.accessControl = marker.accessControl.filter(({ address }) => address !== removedAddress);
        saveMarker(context, marker);
        const event = { removeAddress: removedAddress, denom, administrator };
        context.emit(typedEvent(EventMarkerDeleteAccessSchema, event));
        return {};
      }),
  ),
  onMessage(
    MsgSetDenomMetadataRequestSchema,
    MsgSetDenomMetadataResponseSchema,
    ({ administrator }) => [administrator],
    (context, { administrator, metadata: newMetadata }) =>
      refusing(() => {
        const metadata = create(MetadataSchema, newMetadata);
        requireManagerOr(loadMarker(context, metadata.base), administrator, Access.ADMIN);
        writeMetadata(context, metadata);
        context.emit(
          typedEvent(EventMarkerSetDenomMetadataSchema, {
            metadataBase: metadata.base,
            metadataDescription: metadata.description,
            metadataDisplay: metadata.display,
            metadataDenomUnits: metadata.denomUnits.map(({ denom, exponent, aliases }) => ({
              denom,
              exponent: String(exponent),
              aliases,
            })),
            administrator,
            metadataName: metadata.name,
            metadataSymbol: metadata.symbol,
          }),
        );
        return {};
      }),
  ),
  onMessage(
    MsgAddNetAssetValuesRequestSchema,
    MsgAddNetAssetValuesResponseSchema,
    ({ administrator }) => [administrator],
    (context, { denom, administrator, netAssetValues }) =>
      refusing(() => {
        const marker = loadMarker(context, denom);
        const granted = marker.accessControl.some(({ address }) => address === administrator);
        if (!granted)
          throw new PlainError(`signer ${administrator} does not have permission to add net asset value for "${denom}"`);
        for (const { price, volume } of netAssetValues) setNetAssetValue(context, denom, price, volume, administrator);
        return {};
      }),
  ),
  onMessage(
    MsgUpdateRequiredAttributesRequestSchema,
    MsgUpdateRequiredAttributesResponseSchema,
    ({ transferAuthority }) => [transferAuthority],
    (context, { denom, transferAuthority, addRequiredAttributes, removeRequiredAttributes }) =>
      refusing(() => {
        const marker = loadMarker(context, denom);
        if (marker.markerType !== MarkerType.RESTRICTED) throw new PlainError(`marker ${denom} is not a restricted marker`);
        requireAccess(marker, transferAuthority, Access.TRANSFER);
        const removed = removeRequiredAttributes.map(normalizeName);
        const keptAttributes = marker.requiredAttributes.filter((name) => !removed.includes(name));
        const added = addRequiredAttributes.map(normalizeName);
        const twice = added.find((name) => keptAttributes.includes(name));
        if (twice !== undefined) throw new PlainError(`attribute "${twice}" is already required`);
        marker.requiredAttributes = [...keptAttributes, ...added];
        saveMarker(context, marker);
        return {};
      }),
  ),
  onMessage(
    MsgSetAccountDataRequestSchema,
    MsgSetAccountDataResponseSchema,
    ({ signer }) => [signer],
    (context, { denom, value, signer }) =>
      refusing(() => {
        requireAccess(loadMarker(context, denom), signer, Access.DEPOSIT);
        setAccountData(context, encodeAddress(markerAddress(denom)), value);
        return {};
      }),
  ),
  onMessage(
    MsgGrantAllowanceRequestSchema,
    MsgGrantAllowanceResponseSchema,
    ({ administrator }) => [administrator],
    (context, { denom, administrator, grantee, allowance }) =>
      refusing(() => {
        requireAccess(loadMarker(context, denom), administrator, Access.ADMIN);
        grantAllowance(context, encodeAddress(markerAddress(denom)), grantee, allowance);
        return {};
      }),
  ),
];
