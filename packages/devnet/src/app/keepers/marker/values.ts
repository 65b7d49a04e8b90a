import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { CoinSchema } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import { EventSetNetAssetValueSchema } from '../../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import { PlainError } from '../../runtime/abciErrors.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { findMarker, saveNetAssetValue } from './state.ts';

/** Denomination of prices in mills, thousandths of a dollar. It has no marker. */
export const usdDenom = 'usd';

/**
 * Stores a net asset value, with its event. The price is in mills of a dollar or in a denomination that has a marker. The
 * errors are inferred.
 */
export function setNetAssetValue(
  context: Context,
  denom: string,
  price: MessageInitShape<typeof CoinSchema> | undefined,
  volume: bigint,
  source: string,
): void {
  const coin = create(CoinSchema, price);
  if (coin.denom === denom) throw new PlainError('net asset value denom cannot match marker denom');
  if (volume < 1n) throw new PlainError('marker net asset value volume must be positive value');
  if (coin.denom !== usdDenom && findMarker(context, coin.denom) === undefined) {
    throw new PlainError(`net asset value denom does not exist: marker not found for ${coin.denom}`);
  }
  saveNetAssetValue(context, denom, coin, volume);
  const event = { denom, price: `${coin.amount}${coin.denom}`, volume: String(volume), source };
  context.emit(typedEvent(EventSetNetAssetValueSchema, event));
}
