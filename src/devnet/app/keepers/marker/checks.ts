import { type Access, AccessSchema } from '../../../../proto/provenance/marker/v1/accessgrant_pb.js';
import { type MarkerAccount, MarkerStatus } from '../../../../proto/provenance/marker/v1/marker_pb.js';
import { PlainError } from '../../runtime/abciErrors.ts';
import { hasAccess } from './state.ts';

/** A status as the module's own events and texts have it: `proposed`. */
export function statusText(status: MarkerStatus): string {
  return (MarkerStatus[status] ?? 'UNSPECIFIED').toLowerCase();
}

/** The name of a permission: `ACCESS_MINT`. */
export function accessName(access: Access): string {
  return AccessSchema.value[access]?.name ?? String(access);
}

/** Refuses whoever has not that permission on the marker. */
export function requireAccess(marker: MarkerAccount, address: string, access: Access): void {
  if (!hasAccess(marker, address, access)) {
    throw new PlainError(`${address} does not have ${accessName(access)} on ${marker.denom} markeraccount`);
  }
}

/** The same, but that the manager of a marker that is not active yet may do everything. */
export function requireManagerOr(marker: MarkerAccount, address: string, access: Access): void {
  const early = marker.status === MarkerStatus.PROPOSED || marker.status === MarkerStatus.FINALIZED;
  if (early && marker.manager === address) return;
  requireAccess(marker, address, access);
}

/** Refuses a marker that is in none of these. */
export function requireStatus(marker: MarkerAccount, doing: string, ...allowed: readonly MarkerStatus[]): void {
  if (!allowed.includes(marker.status)) {
    throw new PlainError(`cannot ${doing} a marker that is ${statusText(marker.status)}: ${marker.denom}`);
  }
}
