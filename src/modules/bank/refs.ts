import { createRef } from '../../graphql/builder.ts';
import { type Pinned, pinned, pinOf } from '../pin.ts';
import type { Coin } from './model.ts';

/** An amount of a denom. */
export const CoinRef = createRef<Pinned<Coin>>('Coin');

/** A coin under the pin of the object that named it. */
export function coinOf(parent: Pinned<object>, { denom, amount }: Coin): Pinned<Coin> {
  return pinned(pinOf(parent), { denom, amount });
}
