import type { GovPower, GovVoteFact, RecordedTally } from '../../../archive/facts.ts';
import { decOf, decText } from '../../../reads/decimal.ts';
import type { Pin } from '../../../reads/pin.ts';
import { delegationsOf } from '../../staking/delegations.ts';
import { createStakingLoaders, operatorAccount, type StakingValidators } from '../../staking/query.ts';
import { type BondedValidator, type Delegation, type GovVote, govOptions, tallyVotes } from '../tally.ts';

/** A tally of more votes is not computed: the delegations of each voter would be read. */
export const mostVotes = 20_000;

/** Voters whose delegations are read at once. */
const atOnce = 50;

/** The bonded validators of a tally: bonded before the staking module ends the block, with the stake after the transactions. */
export function bondedAt(before: StakingValidators, now: StakingValidators): readonly BondedValidator[] {
  return before.bonded.flatMap(({ operatorAddress, tokens, shares }) => {
    const present = now.byOperator(operatorAddress);
    if (present?.jailed === true) return [];
    const stake = present ?? { tokens, shares };
    return [
      { operator: operatorAddress, account: operatorAccount(operatorAddress), tokens: stake.tokens, shares: stake.shares },
    ];
  });
}

/** The vote for the tally. The chain counts no option that it does not have. */
function countedVote({ voter, options }: Pick<GovVoteFact, 'voter' | 'options'>): GovVote {
  return {
    voter,
    options: options.flatMap(({ option, weight }) => {
      const name = govOptions[option - 1];
      return name === undefined ? [] : [{ option: name, weight: decOf(weight) }];
    }),
  };
}

async function readDelegations(pin: Pin, voters: readonly string[]): Promise<ReadonlyMap<string, readonly Delegation[]>> {
  const byVoter = new Map<string, readonly Delegation[]>();
  for (let start = 0; start < voters.length; start += atOnce) {
    await Promise.all(
      voters.slice(start, start + atOnce).map(async (voter) => {
        const delegations = await delegationsOf(pin, voter);
        byVoter.set(
          voter,
          delegations.map(({ operatorAddress, shares }) => ({ operator: operatorAddress, shares })),
        );
      }),
    );
  }
  return byVoter;
}

/**
 * The tally of these votes with the stake of a block, and the power of each vote. `before` and `now` are pins of the heights of the previous block and of the
 * one that decides. Null if there are too many votes.
 */
export async function countVotes(
  votes: readonly Pick<GovVoteFact, 'voter' | 'options'>[],
  before: Pin,
  now: Pin,
): Promise<{ readonly tally: RecordedTally; readonly powers: readonly GovPower[] } | null> {
  if (votes.length > mostVotes) return null;
  const [stakeBefore, stakeNow, delegations] = await Promise.all([
    before.loaders(createStakingLoaders).validators.load(''),
    now.loaders(createStakingLoaders).validators.load(''),
    readDelegations(
      now,
      votes.map(({ voter }) => voter),
    ),
  ]);
  const validators = bondedAt(stakeBefore, stakeNow);
  const operators = new Map(validators.map(({ account, operator }) => [account, operator]));
  const { counts, powers } = tallyVotes({
    votes: votes.map(countedVote),
    validators,
    delegations: (voter) => delegations.get(voter) ?? [],
  });
  const voters = new Set(votes.map(({ voter }) => voter));
  return {
    tally: {
      yesCount: String(counts.YES),
      abstainCount: String(counts.ABSTAIN),
      noCount: String(counts.NO),
      noWithVetoCount: String(counts.NO_WITH_VETO),
    },
    powers: [
      ...powers.map(({ voter, delegated, validator }, index) => ({
        address: voter,
        operator: operators.get(voter) ?? null,
        options: votes[index]?.options ?? [],
        delegated: decText(delegated),
        validator: validator === undefined ? null : decText(validator),
      })),
      ...validators
        .filter(({ account }) => !voters.has(account))
        .map(({ account, operator }) => ({
          ...{ address: account, operator, options: null, delegated: decText(0n), validator: null },
        })),
    ],
  };
}
