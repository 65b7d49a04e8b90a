// The tally of x/gov (SDK v0.53, x/gov/keeper/tally.go), as the chain computes it. 145 live tallies and 11 final ones of a real node are recomputed in
// test/modules/gov/tally.test.ts.

import { type Dec, decDividedBy, decTimes, oneDec } from '../../reads/decimal.ts';

/** The options of a vote. */
export const govOptions = ['YES', 'ABSTAIN', 'NO', 'NO_WITH_VETO'] as const;
export type GovOption = (typeof govOptions)[number];

/** An option and its share of the voting power, at most 1. */
export interface WeightedOption {
  readonly option: GovOption;
  readonly weight: Dec;
}

/** A vote of an account. */
export interface GovVote {
  readonly voter: string;
  readonly options: readonly WeightedOption[];
}

/** A bonded validator. */
export interface BondedValidator {
  /** The operator address. */
  readonly operator: string;
  /** The address of the operator's account. */
  readonly account: string;
  /** Its bonded tokens. */
  readonly tokens: bigint;
  readonly shares: Dec;
}

/** A delegation of a voter. */
export interface Delegation {
  readonly operator: string;
  readonly shares: Dec;
}

/** What a tally is computed from, all at one height. */
export interface TallyInput {
  readonly votes: readonly GovVote[];
  /** In any order: sums do not depend on it. */
  readonly validators: readonly BondedValidator[];
  /** The delegations of a voter. */
  delegations(voter: string): readonly Delegation[];
}

/** The voting power of one vote. */
export interface VotePower {
  readonly voter: string;
  /** The power of the voter's own delegations. They are taken from the vote of their validators. */
  readonly delegated: Dec;
  /** The power of a validator's vote: its shares without those of delegators who voted. Undefined if the voter operates no bonded validator. */
  readonly validator: Dec | undefined;
}

/** A tally. */
export interface GovTally {
  /** Tokens by option, without decimals. */
  readonly counts: Readonly<Record<GovOption, bigint>>;
  /** The exact sums by option. */
  readonly sums: Readonly<Record<GovOption, Dec>>;
  /** The voting power of all votes. */
  readonly total: Dec;
  readonly powers: readonly VotePower[];
}

/** Computes a tally. The powers are in the order of the votes. */
export function tallyVotes({ votes, validators, delegations }: TallyInput): GovTally {
  const byOperator = new Map(validators.map((validator) => [validator.operator, { ...validator, deducted: 0n }]));
  const byAccount = new Map([...byOperator.values()].map((validator) => [validator.account, validator]));
  const sums: Record<GovOption, Dec> = { YES: 0n, ABSTAIN: 0n, NO: 0n, NO_WITH_VETO: 0n };
  let total = 0n;

  function count(options: readonly WeightedOption[], power: Dec): void {
    for (const { option, weight } of options) sums[option] += decTimes(power, weight);
    total += power;
  }

  const delegated = votes.map(({ voter, options }) => {
    let sum = 0n;
    for (const { operator, shares } of delegations(voter)) {
      const validator = byOperator.get(operator);
      if (validator === undefined) continue;
      validator.deducted += shares;
      const power = decDividedBy(shares * validator.tokens, validator.shares);
      count(options, power);
      sum += power;
    }
    return sum;
  });
  // Only now is it known which delegators voted themselves.
  const powers = votes.map(({ voter, options }, index): VotePower => {
    const validator = byAccount.get(voter);
    const power = delegated[index] ?? 0n;
    if (validator === undefined) return { voter, delegated: power, validator: undefined };
    const rest = decDividedBy((validator.shares - validator.deducted) * validator.tokens, validator.shares);
    count(options, rest);
    return { voter, delegated: power, validator: rest };
  });
  const counts = { YES: 0n, ABSTAIN: 0n, NO: 0n, NO_WITH_VETO: 0n };
  for (const option of govOptions) counts[option] = sums[option] / oneDec;
  return { counts, sums, total, powers };
}

/** The rules that decide a proposal, from the parameters of the module. */
export interface GovRules {
  readonly quorum: Dec;
  /** That of expedited proposals for an expedited one. */
  readonly threshold: Dec;
  readonly vetoThreshold: Dec;
  readonly burnsWithoutQuorum: boolean;
  readonly burnsAfterVeto: boolean;
}

/** Why a proposal passes or not. NO_STAKE: nothing is bonded. ALL_ABSTAIN: nobody voted otherwise. */
export type GovReason = 'PASSES' | 'NO_STAKE' | 'NO_QUORUM' | 'ALL_ABSTAIN' | 'VETO' | 'BELOW_THRESHOLD';

/** What a tally decides. */
export interface GovDecision {
  readonly passes: boolean;
  readonly reason: GovReason;
  /** Whether the deposits are burnt at the end. An expedited proposal that does not pass keeps them and becomes a regular one. */
  readonly burnsDeposits: boolean;
  /** The part of the bonded tokens that voted. */
  readonly turnout: Dec;
  /** The part of the votes without abstentions that is YES. 0 if there are none. */
  readonly yesPart: Dec;
  /** The part of all votes that is NO_WITH_VETO. 0 if there are none. */
  readonly vetoPart: Dec;
}

/** Applies the rules to a tally. `bonded` is the number of all bonded tokens. */
export function decide({ sums, total }: Pick<GovTally, 'sums' | 'total'>, rules: GovRules, bonded: bigint): GovDecision {
  const effective = total - sums.ABSTAIN;
  const parts = {
    turnout: bonded === 0n ? 0n : decDividedBy(total, bonded * oneDec),
    yesPart: effective === 0n ? 0n : decDividedBy(sums.YES, effective),
    vetoPart: total === 0n ? 0n : decDividedBy(sums.NO_WITH_VETO, total),
  };
  const rejected = (reason: GovReason, burnsDeposits: boolean): GovDecision => ({
    passes: false,
    reason,
    burnsDeposits,
    ...parts,
  });
  if (bonded === 0n) return rejected('NO_STAKE', false);
  if (parts.turnout < rules.quorum) return rejected('NO_QUORUM', rules.burnsWithoutQuorum);
  if (effective === 0n) return rejected('ALL_ABSTAIN', false);
  if (parts.vetoPart > rules.vetoThreshold) return rejected('VETO', rules.burnsAfterVeto);
  if (parts.yesPart > rules.threshold) return { passes: true, reason: 'PASSES', burnsDeposits: false, ...parts };
  return rejected('BELOW_THRESHOLD', false);
}
