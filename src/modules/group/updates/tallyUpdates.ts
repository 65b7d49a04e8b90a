import { isDeepStrictEqual } from 'node:util';
import type { Pin } from '../../../reads/pin.ts';
import { outcomeOf, tallyOf } from '../derived.ts';
import type { Proposal, ProposalStatus, TallyResult } from '../model.ts';
import type { ProposalOutcome } from '../outcome.ts';
import type { ProposalUpdate } from './proposalUpdates.ts';

/** Where a vote stands at a height. */
export interface Standing {
  /** null when the chain gives none: aborted, withdrawn, or deleted without one. */
  readonly tally: TallyResult | null;
  /** null unless votes are being taken. */
  readonly outcome: ProposalOutcome | null;
  /** Whether nothing will change any more. */
  readonly final: boolean;
}

/** The tally of a proposal as a block left it. */
export interface TallyUpdate extends Standing {
  readonly proposalId: bigint;
  readonly height: bigint;
  /** Time of the block, as its header has it. */
  readonly time: string;
  /** null once the chain has deleted it. */
  readonly proposal: Proposal | null;
}

/** The tally is the stored one, or there is none. Votes are only taken before, and no proposal is opened again (chain.md 3.6). */
const settled: ReadonlySet<ProposalStatus> = new Set([
  'PROPOSAL_STATUS_ACCEPTED',
  'PROPOSAL_STATUS_REJECTED',
  'PROPOSAL_STATUS_ABORTED',
  'PROPOSAL_STATUS_WITHDRAWN',
]);

/** Whether the tally of a proposal of this status stays as it is. */
export function isSettled(status: ProposalStatus): boolean {
  return settled.has(status);
}

/** Where the vote on a proposal stands, under the pin that it was read under. */
export async function standingOf(pin: Pin, proposal: Proposal): Promise<Standing> {
  const [tally, outcome] = await Promise.all([tallyOf(pin, proposal), outcomeOf(pin, proposal)]);
  return { tally, outcome, final: isSettled(proposal.status) };
}

/** The tally that a block left behind, `told` being the last one; undefined when the block did not change it. */
export async function tallyUpdate(
  pin: Pin,
  { proposalId, height, time, proposal, lastTally }: ProposalUpdate,
  told: Standing | undefined,
): Promise<TallyUpdate | undefined> {
  const standing = proposal === null ? { tally: lastTally, outcome: null, final: true } : await standingOf(pin, proposal);
  return isDeepStrictEqual(standing, told) ? undefined : { proposalId, height, time, proposal, ...standing };
}
