import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { Coin } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import {
  type Record as MetadataRecord,
  type NetAssetValue,
  NetAssetValueSchema,
  RecordSchema,
  type Scope,
  ScopeSchema,
  type Session,
  SessionSchema,
} from '../../../../../../src/proto/provenance/metadata/v1/scope_pb.js';
import {
  type ContractSpecification,
  ContractSpecificationSchema,
  type RecordSpecification,
  RecordSpecificationSchema,
  type ScopeSpecification,
  ScopeSpecificationSchema,
} from '../../../../../../src/proto/provenance/metadata/v1/specification_pb.js';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { encodeMetadataAddress, recordIdOf } from '../../runtime/metadataAddress.ts';
import { bytesOf, keyOf, sizedKey } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { bankStore, ownerPrefix } from '../bank/state.ts';

/** The store of the metadata module. The keys of scopes and specifications are their addresses, as in page keys. */
export const metadataStore = 'metadata';

/** Key prefixes: first bytes of addresses, and (inferred) those of the index by party and of net asset values. */
export const metadataKeys = {
  scope: '\x00',
  session: '\x01',
  record: '\x02',
  contractSpec: '\x03',
  scopeSpec: '\x04',
  recordSpec: '\x05',
  byParty: '\x17',
  netAssetValue: '\x22',
} as const;

const denomPrefix = 'nft/';

/**
 * Returns the denomination of a scope. The holder of its only coin is the value owner
 * (docs/chain.md, "Scopes and their value owners").
 */
export function scopeDenom(scopeId: Uint8Array): string {
  return denomPrefix + encodeMetadataAddress(scopeId);
}

function find<D extends DescMessage>(schema: D, state: StoreView, id: Uint8Array): MessageShape<D> | undefined {
  const stored = state.get(metadataStore, keyOf(id));
  return stored === undefined ? undefined : fromBinary(schema, stored);
}

/** Returns a stored scope, without its value owner. */
export function findStoredScope(state: StoreView, scopeId: Uint8Array): Scope | undefined {
  return find(ScopeSchema, state, scopeId);
}

/** Returns the holder of a scope's coin. undefined if there is none. */
export function valueOwnerOf(state: StoreView, scopeId: Uint8Array): Uint8Array | undefined {
  const prefix = ownerPrefix(scopeDenom(scopeId));
  for (const { key } of state.entries(bankStore, prefix)) return bytesOf(key.slice(prefix.length + 1));
  return undefined;
}

/** Returns the addresses in the index of a scope: its owners and the accounts with data access. */
function partiesOf(scope: Scope): string[] {
  return [...new Set([...scope.owners.map(({ address }) => address), ...scope.dataAccess])];
}

/** The key prefix of an account's scopes. */
export function partyPrefix(address: Uint8Array): string {
  return metadataKeys.byParty + sizedKey(keyOf(address));
}

function indexKey(party: string, scopeId: Uint8Array): string {
  return partyPrefix(decodeAddress(party)) + keyOf(scopeId);
}

/** Removes a scope. The caller handles its coin. */
export function removeScope(context: Context, scope: Scope): void {
  for (const party of partiesOf(scope)) context.delete(metadataStore, indexKey(party, scope.scopeId));
  context.delete(metadataStore, keyOf(scope.scopeId));
  for (const { key } of [...context.entries(metadataStore, valuePrefix(scope.scopeId))]) context.delete(metadataStore, key);
}

/** Stores a scope without its value owner, which is the holder of its coin. */
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

/** Returns a scope specification. undefined if there is none. */
export function findScopeSpec(state: StoreView, id: Uint8Array): ScopeSpecification | undefined {
  return find(ScopeSpecificationSchema, state, id);
}

/** Stores a scope specification. */
export function saveScopeSpec(context: Context, spec: ScopeSpecification): void {
  context.set(metadataStore, keyOf(spec.specificationId), toBinary(ScopeSpecificationSchema, spec));
}

/** Returns a contract specification. undefined if there is none. */
export function findContractSpec(state: StoreView, id: Uint8Array): ContractSpecification | undefined {
  return find(ContractSpecificationSchema, state, id);
}

/** Stores a contract specification. */
export function saveContractSpec(context: Context, spec: ContractSpecification): void {
  context.set(metadataStore, keyOf(spec.specificationId), toBinary(ContractSpecificationSchema, spec));
}

function valuePrefix(scopeId: Uint8Array): string {
  return metadataKeys.netAssetValue + sizedKey(keyOf(scopeId));
}

/** Returns the current net asset values of a scope, ordered by price denomination. */
export function scopeValuesOf(state: StoreView, scopeId: Uint8Array): NetAssetValue[] {
  return [...state.entries(metadataStore, valuePrefix(scopeId))].map(({ value }) => fromBinary(NetAssetValueSchema, value));
}

/** Stores a net asset value of a scope at this block. */
export function saveScopeValue(context: Context, scopeId: Uint8Array, price: Coin, volume: bigint): void {
  const value = create(NetAssetValueSchema, { price, volume, updatedBlockHeight: context.block.height });
  context.set(metadataStore, valuePrefix(scopeId) + price.denom, toBinary(NetAssetValueSchema, value));
}

/** Returns a session. undefined if there is none. */
export function findSession(state: StoreView, id: Uint8Array): Session | undefined {
  return find(SessionSchema, state, id);
}

/** Stores a session. */
export function saveSession(context: Context, session: Session): void {
  context.set(metadataStore, keyOf(session.sessionId), toBinary(SessionSchema, session));
}

/** Returns a record. undefined if there is none. */
export function findRecord(state: StoreView, id: Uint8Array): MetadataRecord | undefined {
  return find(RecordSchema, state, id);
}

/** Stores a record under the address that follows from its session and its name. */
export function saveRecord(context: Context, record: MetadataRecord): void {
  context.set(metadataStore, keyOf(recordIdOf(record.sessionId, record.name)), toBinary(RecordSchema, record));
}

/** The key prefix of the sessions or the records of a scope. */
function contentPrefix(kind: 'session' | 'record', scopeId: Uint8Array): string {
  return metadataKeys[kind] + keyOf(scopeId.slice(1));
}

/** Returns the sessions of a scope, by their addresses. */
export function sessionsOf(state: StoreView, scopeId: Uint8Array): Session[] {
  return [...state.entries(metadataStore, contentPrefix('session', scopeId))].map(({ value }) =>
    fromBinary(SessionSchema, value),
  );
}

/** Returns the records of a scope, by their addresses. */
export function recordsOf(state: StoreView, scopeId: Uint8Array): MetadataRecord[] {
  return [...state.entries(metadataStore, contentPrefix('record', scopeId))].map(({ value }) =>
    fromBinary(RecordSchema, value),
  );
}

/** Returns a record specification. undefined if there is none. */
export function findRecordSpec(state: StoreView, id: Uint8Array): RecordSpecification | undefined {
  return find(RecordSpecificationSchema, state, id);
}

/** Stores a record specification. */
export function saveRecordSpec(context: Context, spec: RecordSpecification): void {
  context.set(metadataStore, keyOf(spec.specificationId), toBinary(RecordSpecificationSchema, spec));
}

/** Returns the record specifications of a contract specification, by their addresses. */
export function recordSpecsOf(state: StoreView, contractSpecId: Uint8Array): RecordSpecification[] {
  const prefix = metadataKeys.recordSpec + keyOf(contractSpecId.slice(1));
  return [...state.entries(metadataStore, prefix)].map(({ value }) => fromBinary(RecordSpecificationSchema, value));
}
