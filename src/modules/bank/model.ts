import type { Coin as WireCoin } from '../../proto/cosmos/base/v1beta1/coin_pb.js';

/** An amount of a denom: whole base units, in decimal. */
export interface Coin {
  readonly denom: string;
  readonly amount: string;
}

/** A coin of the wire. */
export function coinFromWire({ denom, amount }: WireCoin): Coin {
  return { denom, amount };
}
