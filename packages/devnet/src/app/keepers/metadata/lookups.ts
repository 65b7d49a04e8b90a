import type { Scope } from '../../../../../../src/proto/provenance/metadata/v1/scope_pb.js';
import { abciError, PlainError } from '../../runtime/abciErrors.ts';
import { encodeAddress } from '../../runtime/address.ts';
import { addressOfUuid, decodeMetadataAddress, type MetadataKind } from '../../runtime/metadataAddress.ts';
import type { StoreView } from '../../state/store.ts';
import { scopeIdInfo, scopeSpecIdInfo } from './idInfo.ts';
import { findStoredScope, valueOwnerOf } from './state.ts';

function reasonOf(work: () => Uint8Array): Uint8Array | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof PlainError) return error.message;
    throw error;
  }
}

/** Decodes an id: an address or a UUID. The error for a scope is recorded; that for a specification is analogous. */
export function parseId(kind: MetadataKind, what: string, text: string): Uint8Array {
  const byAddress = reasonOf(() => decodeMetadataAddress(kind, text));
  if (typeof byAddress !== 'string') return byAddress;
  const byUuid = reasonOf(() => addressOfUuid(kind, text));
  if (typeof byUuid !== 'string') return byUuid;
  throw abciError(
    'invalidRequest',
    `could not parse [${text}] into either a ${what} address (${byAddress}) or uuid (${byUuid})`,
  );
}

/** Returns a scope with its value owner. */
export function findScope(state: StoreView, scopeId: Uint8Array): Scope | undefined {
  const scope = findStoredScope(state, scopeId);
  const owner = scope === undefined ? undefined : valueOwnerOf(state, scopeId);
  if (scope !== undefined && owner !== undefined) scope.valueOwnerAddress = encodeAddress(owner);
  return scope;
}

/** A scope as responses contain it. */
export function wrapScope(scopeId: Uint8Array, scope: Scope | undefined, bare: boolean) {
  const idInfo = bare ? {} : { scopeIdInfo: scopeIdInfo(scopeId) };
  if (scope === undefined) return idInfo;
  const spec = scope.specificationId.length > 0 && !bare ? { scopeSpecIdInfo: scopeSpecIdInfo(scope.specificationId) } : {};
  return { scope, ...idInfo, ...spec };
}
