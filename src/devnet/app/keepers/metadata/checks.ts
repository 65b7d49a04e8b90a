import { EventTxCompletedSchema } from '../../../../proto/provenance/metadata/v1/events_pb.js';
import type { Scope } from '../../../../proto/provenance/metadata/v1/scope_pb.js';
import { PlainError } from '../../runtime/abciErrors.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { encodeMetadataAddress, isMetadataAddress } from '../../runtime/metadataAddress.ts';
import { findStoredScope } from './state.ts';

/** The event that ends most of the module's messages. */
export function completed(context: Context, endpoint: string, signers: readonly string[]): void {
  context.emit(typedEvent(EventTxCompletedSchema, { module: 'metadata', endpoint, signers: [...signers] }));
}

/** Refuses when any of `needed` has not signed. Roles, and roll-up of parties, are not looked at. */
export function requireSigned(needed: readonly string[], signers: readonly string[]): void {
  const missing = needed.filter((address) => !signers.includes(address));
  if (missing.length > 0) throw new PlainError(`missing signature${missing.length === 1 ? '' : 's'}: ${missing.join(', ')}`);
}

/** The scope of that id; refuses when there is none. */
export function loadScope(context: Context, scopeId: Uint8Array): Scope {
  if (!isMetadataAddress('scope', scopeId)) throw new PlainError('address is not a scope id');
  const scope = findStoredScope(context, scopeId);
  if (scope === undefined) throw new PlainError(`scope not found with id ${encodeMetadataAddress(scopeId)}`);
  return scope;
}

/** Addresses of a scope's owners that must sign a change of it. */
export function ownersOf(scope: Scope): string[] {
  return scope.owners.filter(({ optional }) => !optional).map(({ address }) => address);
}
