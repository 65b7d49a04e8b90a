import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { MetadataSchema } from '../../../proto/cosmos/bank/v1beta1/bank_pb.js';
import type { MarkerAccountSchema } from '../../../proto/provenance/marker/v1/marker_pb.js';
import type { NameRecordSchema } from '../../../proto/provenance/name/v1/name_pb.js';
import type { Amount } from './coins.ts';

/** One thing that happened before the first block, run by the keepers as if in a block of that time. */
export interface HistoryStep {
  /** Seconds before the chain's genesis time; steps are in order, so these do not grow. */
  readonly secondsBefore: number;
  /** One that speaks of moments to come is made when the chain's genesis time (nanoseconds since 1970) is known. */
  readonly message: Any | ((genesisTime: bigint) => Any);
}

/** What somebody has. */
export interface Holdings {
  readonly address: string;
  readonly coins: readonly Amount[];
}

/** Coins of an account that become free evenly, between two moments told from the chain's genesis time. */
export interface Vesting extends Holdings {
  readonly startsSecondsBefore: number;
  readonly endsSecondsAfter: number;
}

/** What the state is made of before the first block. */
export interface Genesis {
  readonly balances: readonly Holdings[];
  /** Markers over coins that `balances` made: their accounts come after those of the balances. */
  readonly markers?: readonly MessageInitShape<typeof MarkerAccountSchema>[];
  /** Modules that have their accounts from the beginning, in the order of the account numbers. */
  readonly modules?: readonly string[];
  /** Sequences of accounts that signed something before the first block. */
  readonly sequences?: readonly { readonly address: string; readonly sequence: bigint }[];
  readonly denomMetadata?: readonly MessageInitShape<typeof MetadataSchema>[];
  readonly names?: readonly MessageInitShape<typeof NameRecordSchema>[];
  readonly vesting?: readonly Vesting[];
  /** Coins that are held back for something, of those that the account has. */
  readonly holds?: readonly Holdings[];
  /** How long after its voting period an accepted proposal can be executed before it is deleted. */
  readonly maxExecutionSeconds: number;
  readonly history: readonly HistoryStep[];
}
