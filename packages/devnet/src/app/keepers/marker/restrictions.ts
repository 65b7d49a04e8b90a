import { Access } from '../../../../../../src/proto/provenance/marker/v1/accessgrant_pb.js';
import { type MarkerAccount, MarkerStatus, MarkerType } from '../../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import { PlainError } from '../../runtime/abciErrors.ts';
import { encodeAddress } from '../../runtime/address.ts';
import type { Amount } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { attributesNamed, isExpired } from '../attribute/state.ts';
import { moduleAt } from '../base/modules.ts';
import { findMarker, hasAccess } from './state.ts';

/**
 * Returns the required attributes that `to` lacks. On a real chain, `*.kyc.pb` stands for any name under it; here, only exact
 * names match.
 */
function missingAttributes(context: Context, marker: MarkerAccount, to: Uint8Array): string[] {
  return marker.requiredAttributes.filter(
    (name) => !attributesNamed(context, to, name).some((attribute) => !isExpired(attribute, context.block.time)),
  );
}

/**
 * Throws if coins must not be sent from one account to another. Coins of a restricted marker can be sent by accounts with
 * transfer permission, and to accounts with the required attributes if the marker requires any. Modules need no attributes. The
 * rules are from Provenance's documentation; errors are not recorded.
 */
export function requireSendable(context: Context, from: Uint8Array, to: Uint8Array, coins: readonly Amount[]): void {
  for (const { denom } of coins) {
    const marker = findMarker(context, denom);
    if (marker?.markerType !== MarkerType.RESTRICTED) continue;
    if (marker.status !== MarkerStatus.ACTIVE) throw new PlainError(`cannot send ${denom} coins: its marker is not active`);
    const sender = encodeAddress(from);
    const recipient = encodeAddress(to);
    if (hasAccess(marker, sender, Access.TRANSFER)) continue;
    if (marker.requiredAttributes.length === 0) {
      throw new PlainError(`${sender} does not have transfer permissions for ${denom}`);
    }
    if (moduleAt(recipient) !== undefined) continue;
    const missing = missingAttributes(context, marker, to);
    if (missing.length > 0) {
      const names = missing.map((name) => `"${name}"`).join(', ');
      throw new PlainError(`address ${recipient} does not contain the "${denom}" required attribute: ${names}`);
    }
  }
}
