import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { Coin } from '../../../../proto/cosmos/base/v1beta1/coin_pb.js';
import {
  type NetAssetValue,
  NetAssetValueSchema,
  type Scope,
  ScopeSchema,
} from '../../../../proto/provenance/metadata/v1/scope_pb.js';
import {
  type ContractSpecification,
  ContractSpecificationSchema,
  type ScopeSpecification,
  ScopeSpecificationSchema,
} from '../../../../proto/provenance/metadata/v1/specification_pb.js';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { encodeMetadataAddress } from '../../runtime/metadataAddress.ts';
import { bytesOf, keyOf, sizedKey } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { bankStore, ownerPrefix } from '../bank/state.ts';

/** The store of the metadata module. Scopes and specifications stand under their own addresses, as page keys show. */
export const metadataStore = 'metadata';

/** First bytes of addresses, and (inferred) the prefixes of the index by party and of the values. */
export const metadataKeys = {
  scope: '\x00',
  contractSpec: '\x03',
  scopeSpec: '\x04',
  byParty: '\x17',
  netAssetValue: '\x22',
} as const;

const denomPrefix = 'nft/';

/** The denomination of the one coin whose holder is the value owner of a scope (chain.md 5.2). */
export function scopeDenom(scopeId: Uint8Array): string {
  return denomPrefix + encodeMetadataAddress(scopeId);
}

function find<D extends DescMessage>(schema: D, state: StoreView, id: Uint8Array): MessageShape<D> | undefined {
  const stored = state.get(metadataStore, keyOf(id));
  return stored === undefined ? undefined : fromBinary(schema, stored);
}

/** A scope as it is stored: without its value owner. */
export function findStoredScope(state: StoreView, scopeId: Uint8Array): Scope | undefined {
  return find(ScopeSchema, state, scopeId);
}

/** Who holds the coin of a scope; undefined when nobody. */
export function valueOwnerOf(state: StoreView, scopeId: Uint8Array): Uint8Array | undefined {
  const prefix = ownerPrefix(scopeDenom(scopeId));
  for (const { key } of state.entries(bankStore, prefix)) return bytesOf(key.slice(prefix.length + 1));
  return undefined;
}

/** Addresses under which a scope is listed: of its owners and of those who may see its data. */
function partiesOf(scope: Scope): string[] {
  return [...new Set([...scope.owners.map(({ address }) => address), ...scope.dataAccess])];
}

/** What the scopes of an account follow. */
export function partyPrefix(address: Uint8Array): string {
  return metadataKeys.byParty + sizedKey(keyOf(address));
}

function indexKey(party: string, scopeId: Uint8Array): string {
  return partyPrefix(decodeAddress(party)) + keyOf(scopeId);
}

/** Takes a scope away. Its coin is the caller's business. */
export function removeScope(context: Context, scope: Scope): void {
  for (const party of partiesOf(scope)) context.delete(metadataStore, indexKey(party, scope.scopeId));
  context.delete(metadataStore, keyOf(scope.scopeId));
  for (const { key } of [...context.entries(metadataStore, valuePrefix(scope.scopeId))]) context.delete(metadataStore, key);
}

/** Stores a scope, in place of what it was. Its value owner is left out: that is who holds its coin. */
export function saveScope(context: Context, scope: Scope): void {
  const before = findStoredScope(context, scope.scopeId);
  const stale = new Set(before === undefined ? [] : partiesOf(before));
  for (const party of partiesOf(scope)) {
    if (!stale.delete(party)) context.set(metadataStore, indexKey(party, scope.scopeId), new Uint8Array());
  }
  for (const party of stale) context.delete(metadataStore, indexKey(party, scope.scopeId));
  context.set(
    metadataStore,
    keyOf(scope.scopeId),
    toBinary(ScopeSchema, create(ScopeSchema, { ...scope, valueOwnerAddress: '' })),
  );
}

/** What scopes of a kind are made of; undefined when nobody wrote it. */
export function findScopeSpec(state: StoreView, id: Uint8Array): ScopeSpecification | undefined {
  return find(ScopeSpecificationSchema, state, id);
}

/** Stores what scopes of a kind are made of. */
export function saveScopeSpec(context: Context, spec: ScopeSpecification): void {
  context.set(metadataStore, keyOf(spec.specificationId), toBinary(ScopeSpecificationSchema, spec));
}

/** A contract's specification; undefined when nobody wrote it. */
export function findContractSpec(state: StoreView, id: Uint8Array): ContractSpecification | undefined {
  return find(ContractSpecificationSchema, state, id);
}

/** Stores a contract's specification. */
export function saveContractSpec(context: Context, spec: ContractSpecification): void {
  context.set(metadataStore, keyOf(spec.specificationId), toBinary(ContractSpecificationSchema, spec));
}

function valuePrefix(scopeId: Uint8Array): string {
  return metadataKeys.netAssetValue + sizedKey(keyOf(scopeId));
}

/** What a scope is worth: the newest of each price denomination, by that. */
export function scopeValuesOf(state: StoreView, scopeId: Uint8Array): NetAssetValue[] {
  return [...state.entries(metadataStore, valuePrefix(scopeId))].map(({ value }) => fromBinary(NetAssetValueSchema, value));
}

/** Stores what a scope is worth as of this block. */
export function saveScopeValue(context: Context, scopeId: Uint8Array, price: Coin, volume: bigint): void {
  const value = create(NetAssetValueSchema, { price, volume, updatedBlockHeight: context.block.height });
  context.set(metadataStore, valuePrefix(scopeId) + price.denom, toBinary(NetAssetValueSchema, value));
}
