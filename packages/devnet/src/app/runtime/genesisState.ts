import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { MetadataSchema } from '../../../../../src/proto/cosmos/bank/v1beta1/bank_pb.js';
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

/** Coins that vest linearly between two times, which are relative to the genesis time. */
export interface Vesting extends Holdings {
  readonly startsSecondsBefore: number;
  readonly endsSecondsAfter: number;
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
  /** Coins of an account that are on hold. */
  readonly holds?: readonly Holdings[];
  /** Seconds after its voting period until an accepted proposal is deleted. */
  readonly maxExecutionSeconds: number;
  readonly history: readonly HistoryStep[];
}
