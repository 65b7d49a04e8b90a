import { EventTxCompletedSchema } from '../../../../../../src/proto/provenance/metadata/v1/events_pb.js';
import type { Scope } from '../../../../../../src/proto/provenance/metadata/v1/scope_pb.js';
import { PlainError } from '../../runtime/abciErrors.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { encodeMetadataAddress, isMetadataAddress } from '../../runtime/metadataAddress.ts';
import { findStoredScope } from './state.ts';

/** Emits the final event of most messages of the module. */
export function completed(context: Context, endpoint: string, signers: readonly string[]): void {
  context.emit(typedEvent(EventTxCompletedSchema, { module: 'metadata', endpoint, signers: [...signers] }));
}

/** Throws if one of `needed` has not signed. Roles and party rollup are not checked. */
export function requireSigned(needed: readonly string[], signers: readonly string[]): void {
  const missing = needed.filter((address) => !signers.includes(address));
  if (missing.length > 0) throw new PlainError(`missing signature${missing.length === 1 ? '' : 's'}: ${missing.join(', ')}`);
}

/** Returns a scope. Throws if there is none. */
export function loadScope(context: Context, scopeId: Uint8Array): Scope {
  if (!isMetadataAddress('scope', scopeId)) throw new PlainError('address is not a scope id');
  const scope = findStoredScope(context, scopeId);
  if (scope === undefined) throw new PlainError(`scope not found with id ${encodeMetadataAddress(scopeId)}`);
  return scope;
}

/** Returns the addresses of a scope's owners, which must sign its changes. */
export function ownersOf(scope: Scope): string[] {
  return scope.owners.filter(({ optional }) => !optional).map(({ address }) => address);
}
