import { isDeepStrictEqual } from 'node:util';
import type { Pin } from '../../../reads/pin.ts';
import { outcomeOf, tallyOf } from '../state/derived.ts';
import type { Proposal, ProposalStatus, TallyResult } from '../state/model.ts';
import type { ProposalOutcome } from '../state/outcome.ts';
import type { ProposalUpdate } from './proposalUpdates.ts';

/** The tally of a proposal at a height. */
export interface TallyState {
  /** null if the proposal was aborted, withdrawn, or deleted without a tally. */
  readonly tally: TallyResult | null;
  /** null unless the proposal is open for voting. */
  readonly outcome: ProposalOutcome | null;
  /** Whether the tally can no longer change. */
  readonly final: boolean;
}

/** The tally of a proposal after a block that changed it. */
export interface TallyUpdate extends TallyState {
  readonly proposalId: bigint;
  readonly height: bigint;
  /** Block time, RFC 3339. */
  readonly time: string;
  /** null if the chain has deleted it. */
  readonly proposal: Proposal | null;
}

/** Statuses with a stored tally or none. A proposal never leaves them (docs/chain.md, "Life cycle of a proposal"). */
const finalStatuses: ReadonlySet<ProposalStatus> = new Set([
  'PROPOSAL_STATUS_ACCEPTED',
  'PROPOSAL_STATUS_REJECTED',
  'PROPOSAL_STATUS_ABORTED',
  'PROPOSAL_STATUS_WITHDRAWN',
]);

/** Returns whether the tally of a proposal with this status is final. */
export function hasFinalTally(status: ProposalStatus): boolean {
  return finalStatuses.has(status);
}

/** Reads the tally of a proposal at the height of the pin. */
export async function tallyStateOf(pin: Pin, proposal: Proposal): Promise<TallyState> {
  const [tally, outcome] = await Promise.all([tallyOf(pin, proposal), outcomeOf(pin, proposal)]);
  return { tally, outcome, final: hasFinalTally(proposal.status) };
}

/**
 * Creates the tally update for a proposal update. Returns undefined if the tally equals `previous`, the last one that was sent.
 */
export async function tallyUpdate(
  pin: Pin,
  { proposalId, height, time, proposal, lastTally }: ProposalUpdate,
  previous: TallyState | undefined,
): Promise<TallyUpdate | undefined> {
  const tallyState = proposal === null ? { tally: lastTally, outcome: null, final: true } : await tallyStateOf(pin, proposal);
  return isDeepStrictEqual(tallyState, previous) ? undefined : { proposalId, height, time, proposal, ...tallyState };
}
