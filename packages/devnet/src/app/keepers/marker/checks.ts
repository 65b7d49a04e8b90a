import { type Access, AccessSchema } from '../../../../../../src/proto/provenance/marker/v1/accessgrant_pb.js';
import { type MarkerAccount, MarkerStatus } from '../../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import { PlainError } from '../../runtime/abciErrors.ts';
import { hasAccess } from './state.ts';

/** Formats a status as in the module's events and errors: `proposed`. */
export function statusText(status: MarkerStatus): string {
  return (MarkerStatus[status] ?? 'UNSPECIFIED').toLowerCase();
}

/** The name of a permission: `ACCESS_MINT`. */
export function accessName(access: Access): string {
  return AccessSchema.value[access]?.name ?? String(access);
}

/** Throws if an address lacks a permission on the marker. */
export function requireAccess(marker: MarkerAccount, address: string, access: Access): void {
  if (!hasAccess(marker, address, access)) {
    throw new PlainError(`${address} does not have ${accessName(access)} on ${marker.denom} markeraccount`);
  }
}

/** Throws if an address lacks a permission. The manager of a marker that is not active yet has all permissions. */
export function requireManagerOr(marker: MarkerAccount, address: string, access: Access): void {
  const early = marker.status === MarkerStatus.PROPOSED || marker.status === MarkerStatus.FINALIZED;
  if (early && marker.manager === address) return;
  requireAccess(marker, address, access);
}

/** Throws if the status of a marker is none of `allowed`. */
export function requireStatus(marker: MarkerAccount, doing: string, ...allowed: readonly MarkerStatus[]): void {
  if (!allowed.includes(marker.status)) {
    throw new PlainError(`cannot ${doing} a marker that is ${statusText(marker.status)}: ${marker.denom}`);
  }
}
