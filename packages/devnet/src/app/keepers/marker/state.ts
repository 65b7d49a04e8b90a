import { createHash } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Coin } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import type { Access } from '../../../../../../src/proto/provenance/marker/v1/accessgrant_pb.js';
import {
  type MarkerAccount,
  MarkerAccountSchema,
  type NetAssetValue,
  NetAssetValueSchema,
} from '../../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import { abciError, PlainError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { packAny, unpackAny } from '../../runtime/keeper.ts';
import { bytesOf, keyOf, sizedKey } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { readAnyAccount, writeAnyAccount } from '../base/auth.ts';

/** The store of the marker module, an index. The markers themselves are accounts. */
export const markerStore = 'marker';

/** Key prefixes, inferred. The keys after the first two are recorded in page keys and orders. */
export const markerKeys = { marker: '\x02', netAssetValue: '\x04', destroyed: '\x09' } as const;

/**
 * Returns the address of a denomination's marker: the first 20 bytes of SHA-256 of `marker/` and the denomination (checked
 * against the recording).
 */
export function markerAddress(denom: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`marker/${denom}`).digest()).slice(0, 20);
}

/** Returns the marker account at an address. undefined if there is no marker account. */
export function markerAt(state: StoreView, address: Uint8Array): MarkerAccount | undefined {
  return unpackAny(MarkerAccountSchema, readAnyAccount(state, address));
}

/** Returns the marker of a denomination. undefined if it has none. */
export function findMarker(state: StoreView, denom: string): MarkerAccount | undefined {
  return markerAt(state, markerAddress(denom));
}

/**
 * Returns the marker of a denomination for a message. Throws code 7 of codespace marker if there is none (the text is
 * inferred).
 */
export function loadMarker(state: StoreView, denom: string): MarkerAccount {
  const marker = findMarker(state, denom);
  if (marker === undefined) throw abciError('markerNotFound', `marker ${denom} not found`);
  return marker;
}

/** Returns the marker of a query, by denomination or address. */
export function markerOfId(state: StoreView, id: string): MarkerAccount {
  const marker = markerAt(state, addressIn(id) ?? markerAddress(id)) ?? findMarker(state, id);
  if (marker === undefined) throw abciError('markerNotFound', 'invalid denom or address');
  return marker;
}

function addressIn(id: string): Uint8Array | undefined {
  try {
    return decodeAddress(id);
  } catch (error) {
    if (error instanceof PlainError) return undefined;
    throw error;
  }
}

/** Stores a marker. */
export function saveMarker(context: Context, marker: MarkerAccount): void {
  const address = markerAddress(marker.denom);
  writeAnyAccount(context, address, packAny(MarkerAccountSchema, marker));
  const key = markerKeys.marker + sizedKey(keyOf(address));
  if (context.get(markerStore, key) === undefined) context.set(markerStore, key, address);
}

/** Removes a destroyed marker from the list. Its account remains, unlike on the real chain. */
export function forgetMarker(context: Context, address: Uint8Array): void {
  context.delete(markerStore, markerKeys.marker + sizedKey(keyOf(address)));
  for (const { key } of [...context.entries(markerStore, valuePrefix(address))]) context.delete(markerStore, key);
}

/** Whether `address` has a permission on the marker. */
export function hasAccess(marker: MarkerAccount, address: string, access: Access): boolean {
  return marker.accessControl.some((grant) => grant.address === address && grant.permissions.includes(access));
}

function valuePrefix(address: Uint8Array): string {
  return markerKeys.netAssetValue + sizedKey(keyOf(address));
}

/** Returns the current net asset values of a marker, ordered by price denomination. */
export function netAssetValuesOf(state: StoreView, denom: string): NetAssetValue[] {
  return [...state.entries(markerStore, valuePrefix(markerAddress(denom)))].map(({ value }) =>
    fromBinary(NetAssetValueSchema, value),
  );
}

/** Stores a net asset value of a marker at this block. Replaces the value in the same price denomination. */
export function saveNetAssetValue(context: Context, denom: string, price: Coin, volume: bigint): void {
  const value = create(NetAssetValueSchema, { price, volume, updatedBlockHeight: context.block.height });
  context.set(markerStore, valuePrefix(markerAddress(denom)) + price.denom, toBinary(NetAssetValueSchema, value));
}

/** Returns the addresses of destroyed markers in the list. */
export function destroyedMarkers(state: StoreView): Uint8Array[] {
  return [...state.entries(markerStore, markerKeys.destroyed)].map(({ key }) => bytesOf(key.slice(1)));
}
