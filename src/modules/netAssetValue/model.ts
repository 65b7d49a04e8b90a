import type { Coin } from '../bank/model.ts';

/**
 * The price of `volume` base units of a denom. A scope is priced as its coin `nft/scope1…`, whose supply is 1. Only values that
 * were read from events have `source` and `transactionHash`.
 */
export interface NetAssetValue {
  /** The denom that is priced. */
  readonly of: string;
  readonly price: Coin;
  readonly volume: bigint;
  readonly updatedBlockHeight: bigint;
  readonly source: string | null;
  /** Hash of the transaction that set the value, upper-case hex. null if the block itself set it. */
  readonly transactionHash: string | null;
}
