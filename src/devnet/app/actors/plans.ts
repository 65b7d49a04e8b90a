import type { Proposal } from '../../../proto/cosmos/group/v1/types_pb.js';
import { ProposalStatus } from '../../../proto/cosmos/group/v1/types_pb.js';
import type { BodyName } from '../fixtures/agenda.ts';
import { mix } from '../runtime/random.ts';
import { momentOf, seconds } from '../runtime/time.ts';

/**
 * What the actors have in mind for an open proposal: `pass` it and execute it, `reject` it, `withdraw` it, `shelve` it (pass it and
 * never execute it), or leave it to the end of its voting period with a few votes.
 */
export type Fate = 'pass' | 'reject' | 'withdraw' | 'shelve' | 'leave';

/** Statuses that are running short and should be made next. */
export interface Shortage {
  readonly accepted: boolean;
  readonly rejected: boolean;
  readonly aborted: boolean;
  readonly withdrawn: boolean;
}

/** How long proposals of the devnet's genesis are kept after their voting period (`createGenesis`). */
const keptAfterVoting = seconds(600);
const soon = seconds(150);
const enough = 3;

/** Of each hundred proposals of the bodies with short voting periods. */
const shares: readonly (readonly [Fate, number])[] = [
  ['pass', 45],
  ['reject', 65],
  ['withdraw', 75],
  ['shelve', 88],
  ['leave', 100],
];

/** Nanoseconds until the chain deletes a proposal if nothing else happens to it. */
function timeLeft(proposal: Proposal, now: bigint): bigint {
  const left = momentOf(proposal.votingPeriodEnd) - now;
  const { status } = proposal;
  return status === ProposalStatus.ABORTED || status === ProposalStatus.WITHDRAWN ? left : left + keptAfterVoting;
}

/** Which statuses have fewer than three proposals that will still be there in a while. */
export function shortageOf(proposals: readonly Proposal[], now: bigint): Shortage {
  const short = (status: ProposalStatus): boolean => {
    const lasting = proposals.filter((proposal) => proposal.status === status && timeLeft(proposal, now) > soon);
    return lasting.length < enough;
  };
  return {
    accepted: short(ProposalStatus.ACCEPTED),
    rejected: short(ProposalStatus.REJECTED),
    aborted: short(ProposalStatus.ABORTED),
    withdrawn: short(ProposalStatus.WITHDRAWN),
  };
}

/** Proposals whose money is not there: their title says so in the agenda, their amount on the chain. */
export function isOverdraw(proposal: Proposal): boolean {
  return /outright|competing exchange|build a city|every machine/.test(proposal.title);
}

/** What the actors have in mind for an open proposal. It follows from its id, bent by what is running short. */
export function fateOf(body: BodyName, proposal: Proposal, shortage: Shortage): Fate {
  if (isOverdraw(proposal)) return 'pass';
  const draw = mix(Number(BigInt.asUintN(31, proposal.id))) % 100;
  if (body === 'charter') return 'leave';
  if (body === 'board') return draw < 55 ? 'pass' : 'leave';
  const fate = shares.find(([, upTo]) => draw < upTo)?.[0] ?? 'leave';
  if (fate !== 'leave' && fate !== 'shelve') return fate;
  if (shortage.rejected) return 'reject';
  return shortage.withdrawn ? 'withdraw' : fate;
}
