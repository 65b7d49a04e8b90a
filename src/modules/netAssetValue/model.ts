import type { Coin } from '../bank/model.ts';

/**
 * What `volume` base units of a denom are worth. A scope is priced as its coin `nft/scope1…`, of which there is one. `source` and
 * `transactionHash` are known of those read from events alone.
 */
export interface NetAssetValue {
  /** The denom that has this value. */
  readonly of: string;
  readonly price: Coin;
  readonly volume: bigint;
  readonly updatedBlockHeight: bigint;
  readonly source: string | null;
  /** Upper case hex; null for one that a block itself set. */
  readonly transactionHash: string | null;
}
