import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { MetadataSchema } from '../../proto/cosmos/bank/v1beta1/bank_pb.js';
import type { MarkerAccountSchema } from '../../proto/provenance/marker/v1/marker_pb.js';
import type { NameRecordSchema } from '../../proto/provenance/name/v1/name_pb.js';
import { createCast } from './bodies.ts';
import { type Amount, feeDenom } from './coins.ts';
import { createHistory } from './history.ts';
import { createAccounts } from './wallet.ts';

/** One thing that happened before the first block, run by the keepers as if in a block of that time. */
export interface HistoryStep {
  /** Seconds before the chain's genesis time; steps are in order, so these do not grow. */
  readonly secondsBefore: number;
  readonly message: Any;
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

/** Seconds of the real chain's `MaxExecutionPeriod` (chain.md 3.1): 14 days. */
export const realMaxExecutionSeconds = 14 * 24 * 3600;

const devnetMaxExecutionSeconds = 600;
const startingBalance = 10n ** 15n;

/** How to make a genesis. */
export interface GenesisOptions {
  /** Only the ten funded accounts, and nothing else: for tests. */
  readonly bare?: boolean;
  /** Seconds after the voting period until an accepted proposal is deleted: 14 days when bare, 10 minutes otherwise, so that the state does not grow. */
  readonly maxExecutionSeconds?: number;
}

const fundedAccounts = 10;

/** Ten accounts with 10^15 nhash each and, unless `bare`, the groups, policies and proposals of `history.ts`. */
export function createGenesis(options: GenesisOptions = {}): Genesis {
  const bare = options.bare ?? false;
  const accounts = createAccounts(fundedAccounts);
  const cast = createCast(accounts);
  const funded = (address: string, amount: bigint) => ({ address, coins: [{ denom: feeDenom, amount }] });
  const people = accounts.map(({ address }) => funded(address, startingBalance));
  return {
    balances: bare ? people : [...people, funded(cast.foundation, 5n * startingBalance)],
    maxExecutionSeconds: options.maxExecutionSeconds ?? (bare ? realMaxExecutionSeconds : devnetMaxExecutionSeconds),
    history: bare ? [] : createHistory(cast),
  };
}
