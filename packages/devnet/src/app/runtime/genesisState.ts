import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { MetadataSchema } from '../../../../../src/proto/cosmos/bank/v1beta1/bank_pb.js';
import type { ParamsSchema as GovParamsSchema } from '../../../../../src/proto/cosmos/gov/v1/gov_pb.js';
import type { MarkerAccountSchema } from '../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import type { NameRecordSchema } from '../../../../../src/proto/provenance/name/v1/name_pb.js';
import type { Amount } from './coins.ts';

/** A message that the keepers execute before the first block, as in a block at that time. */
export interface HistoryStep {
  /** Seconds before the genesis time. The values of consecutive steps do not increase. */
  readonly secondsBefore: number;
  /** The message, or a function of the genesis time (nanoseconds since 1970) for a message with future times. */
  readonly message: Any | ((genesisTime: bigint) => Any);
}

/** The balances of an account. */
export interface Holdings {
  readonly address: string;
  readonly coins: readonly Amount[];
}

/** Coins that vest between two times, which are relative to the genesis time. */
export interface Vesting extends Holdings {
  readonly startsSecondsBefore: number;
  readonly endsSecondsAfter: number;
  /**
   * What vests in which part of the time, in order: the parts of the time and of the coins make the whole. Without it, the coins vest evenly. An empty
   * list: all vests at the end.
   */
  readonly steps?: readonly { readonly seconds: number; readonly coins: readonly Amount[] }[];
}

/** Where the tokens of a denomination `ibc/…` came from: its name on its own chain, and the ports and channels, the last one first. */
export interface IbcDenom {
  readonly base: string;
  readonly trace: readonly { readonly portId: string; readonly channelId: string }[];
}

/** A validator of the genesis. It makes no blocks. */
export interface GenesisValidator {
  /** The account of its operator. */
  readonly operator: string;
  /** Consensus key: ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly moniker: string;
  readonly tokens: bigint;
  /** With 18 decimals. */
  readonly shares: bigint;
  /** Whether it is jailed, and therefore not bonded. Default false. */
  readonly jailed?: boolean;
  /** With 18 decimals. Default 0.1. */
  readonly commission?: bigint;
  /** Blocks of the window that it did not sign. Default 0. */
  readonly missedBlocks?: bigint;
}

/** A delegation of the genesis. Its coins are minted in the pool of the staking module. */
export interface GenesisDelegation {
  readonly delegator: string;
  /** The account of the operator. */
  readonly operator: string;
  /** With 18 decimals. A part of the shares of the validator. */
  readonly shares: bigint;
}

/** The stake of the genesis. */
export interface GenesisStaking {
  readonly validators: readonly GenesisValidator[];
  readonly delegations: readonly GenesisDelegation[];
}

/** The initial state of the chain. */
export interface Genesis {
  readonly balances: readonly Holdings[];
  /** Markers of coins in `balances`. Their accounts follow those of the balances. */
  readonly markers?: readonly MessageInitShape<typeof MarkerAccountSchema>[];
  /** Modules that have accounts at genesis, in the order of the account numbers. */
  readonly modules?: readonly string[];
  /** Sequences of accounts that signed transactions before the first block. */
  readonly sequences?: readonly { readonly address: string; readonly sequence: bigint }[];
  readonly denomMetadata?: readonly MessageInitShape<typeof MetadataSchema>[];
  readonly names?: readonly MessageInitShape<typeof NameRecordSchema>[];
  readonly vesting?: readonly Vesting[];
  /** The denominations of other chains. */
  readonly ibcDenoms?: readonly IbcDenom[];
  /** The account that stored the codes of the contracts. undefined: there are no codes. */
  readonly codeCreator?: string;
  /** Coins of an account that are on hold. */
  readonly holds?: readonly Holdings[];
  /** Validators besides those that make blocks. */
  readonly staking?: GenesisStaking;
  /** Coins of the community pool. Default: none. */
  readonly communityPool?: bigint;
  /** The parameters of x/gov. Default: those of `keepers/gov/params.ts`. */
  readonly gov?: MessageInitShape<typeof GovParamsSchema>;
  /** Seconds after its voting period until an accepted proposal is deleted. */
  readonly maxExecutionSeconds: number;
  readonly history: readonly HistoryStep[];
}
