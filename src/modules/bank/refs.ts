import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type { DisplayAmount } from './display.ts';
import type { Coin, DenomMetadata, Holding } from './model.ts';

/** References of the module's types, for its own files and for modules that extend the types. */
export const CoinRef = createRef<Pinned<Coin>>('Coin');
export const CoinConnectionRef = createRef<Connection<Pinned<Coin>>>('CoinConnection');
export const DisplayAmountRef = createRef<DisplayAmount>('DisplayAmount');
export const DenomMetadataRef = createRef<DenomMetadata>('DenomMetadata');
export const HolderRef = createRef<Pinned<Holding>>('Holder');
export const HolderConnectionRef = createRef<Connection<Pinned<Holding>>>('HolderConnection');

/** Returns a coin under the pin of the object that contains it. */
export function coinOf(parent: Pinned<object>, { denom, amount }: Coin): Pinned<Coin> {
  return pinned(pinOf(parent), { denom, amount });
}
