import type { Dec } from '../../reads/decimal.ts';
import { type Awaitable, andThen, both, type Pinned, pinOf } from '../../reads/pin.ts';
import { createStakeLoaders } from '../staking/delegations.ts';
import { createGovLoaders, type GovCounts, type GovProposal } from './query.ts';
import { decide, type GovDecision } from './tally.ts';

/** A tally with what it is measured against. */
export interface GovTallyAt {
  readonly counts: GovCounts;
}

/** A decision with the rules and the stake that it follows from. */
export interface GovOutcome extends GovDecision {
  readonly bonded: bigint;
  readonly quorum: Dec;
  readonly threshold: Dec;
  readonly vetoThreshold: Dec;
}

/** Whether votes are taken. */
export const isVoting = ({ status }: GovProposal): boolean => status === 'PROPOSAL_STATUS_VOTING_PERIOD';

/** The live tally in the voting period, then the stored one. */
export function tallyOf(proposal: Pinned<GovProposal>): Awaitable<GovTallyAt | null> {
  if (!isVoting(proposal)) return { counts: proposal.finalTally };
  const tally = pinOf(proposal).loaders(createGovLoaders).tally.load(proposal.id);
  return andThen(tally, (counts) => counts && { counts });
}

/** Applies the rules to the live tally. null outside of the voting period. */
export function outcomeOf(proposal: Pinned<GovProposal>): Awaitable<GovOutcome | null> {
  if (!isVoting(proposal)) return null;
  const { params, tally } = pinOf(proposal).loaders(createGovLoaders);
  const pool = pinOf(proposal).loaders(createStakeLoaders).pool.load('');
  const rules = both(params.load(''), pool, (of, { bonded }) => ({ of, stake: bonded }));
  return both(rules, tally.load(proposal.id), ({ of, stake }, counts) => {
    if (of === null || counts === null) return null;
    const one = 10n ** 18n;
    const sums = {
      YES: counts.YES * one,
      ABSTAIN: counts.ABSTAIN * one,
      NO: counts.NO * one,
      NO_WITH_VETO: counts.NO_WITH_VETO * one,
    };
    const total = sums.YES + sums.ABSTAIN + sums.NO + sums.NO_WITH_VETO;
    const threshold = proposal.expedited ? of.expeditedThreshold : of.threshold;
    const { quorum, vetoThreshold } = of;
    return { ...decide({ sums, total }, { ...of, threshold }, stake), bonded: stake, quorum, threshold, vetoThreshold };
  });
}
