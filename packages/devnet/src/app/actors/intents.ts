import { type Proposal, ProposalStatus } from '../../../../../src/proto/cosmos/group/v1/types_pb.js';
import type { PolicyName } from '../fixtures/agenda.ts';
import { mix } from '../runtime/random.ts';
import { momentOf, seconds } from '../runtime/time.ts';

/**
 * The intended outcome of an open proposal. `pass`: pass and execute it. `reject`: reject it. `withdraw`: withdraw it.
 * `shelve`: pass it and never execute it. `leave`: leave it open with a few votes until its voting period ends.
 */
export type Intent = 'pass' | 'reject' | 'withdraw' | 'shelve' | 'leave';

/** Whether each status has too few proposals. */
export interface Shortage {
  readonly accepted: boolean;
  readonly rejected: boolean;
  readonly aborted: boolean;
  readonly withdrawn: boolean;
}

/** How long the chain keeps proposals after their voting period (`createGenesis`). */
const keptAfterVoting = seconds(600);
const soon = seconds(150);
const enough = 3;

/** Cumulative percentages of intents for policies with short voting periods. */
const shares: readonly (readonly [Intent, number])[] = [
  ['pass', 45],
  ['reject', 65],
  ['withdraw', 75],
  ['shelve', 88],
  ['leave', 100],
];

/** Nanoseconds until the chain deletes a proposal if no transaction changes it. */
function timeLeft(proposal: Proposal, now: bigint): bigint {
  const left = momentOf(proposal.votingPeriodEnd) - now;
  const { status } = proposal;
  return status === ProposalStatus.ABORTED || status === ProposalStatus.WITHDRAWN ? left : left + keptAfterVoting;
}

/** Finds the statuses with fewer than three proposals that the chain keeps for a while. */
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

/** Whether the account of the policy cannot pay the amount of a proposal. Recognized by its title. */
export function isOverdraw(proposal: Proposal): boolean {
  return /outright|competing exchange|build a city|every machine/.test(proposal.title);
}

/** Returns the intended outcome of an open proposal. It depends on the id, and on the statuses that have too few proposals. */
export function intentOf(policy: PolicyName, proposal: Proposal, shortage: Shortage): Intent {
  if (isOverdraw(proposal)) return 'pass';
  const draw = mix(Number(BigInt.asUintN(31, proposal.id))) % 100;
  if (policy === 'charter') return 'leave';
  if (policy === 'board') return draw < 55 ? 'pass' : 'leave';
  const intent = shares.find(([, upTo]) => draw < upTo)?.[0] ?? 'leave';
  if (intent !== 'leave' && intent !== 'shelve') return intent;
  if (shortage.rejected) return 'reject';
  return shortage.withdrawn ? 'withdraw' : intent;
}
