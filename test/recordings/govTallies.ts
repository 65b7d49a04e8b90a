import type { GovRules, TallyInput } from '../../src/modules/gov/tally.ts';
import { ProposalStatus } from '../../src/proto/cosmos/gov/v1/gov_pb.js';
import { decOf } from '../../src/reads/decimal.ts';
import { finalInput, govBlocks, govRecordings, govState, liveInput, stateAt } from './gov.ts';

export interface LiveTally {
  readonly name: string;
  readonly input: TallyInput;
  readonly tally: readonly string[];
}

/** Each tally that the node answered with for an open proposal. */
export const liveTallies: readonly LiveTally[] = govRecordings.flatMap((name) => {
  const recorded = govState(name);
  return Object.keys(recorded.state).flatMap((height) => {
    const state = stateAt(recorded, height);
    return state.ids
      .filter((id) => state.proposal(id)?.status === ProposalStatus.VOTING_PERIOD)
      .map((id): LiveTally => {
        const { yesCount, abstainCount, noCount, noWithVetoCount } = state.tally(id)!;
        const tally = [yesCount, abstainCount, noCount, noWithVetoCount];
        return { name: `proposal ${id} at ${height}`, input: liveInput(recorded, height, id), tally };
      });
  });
});

/** Each tally that the node stored when it decided a proposal. */
export const finalTallies = govRecordings.flatMap((name) => {
  const recorded = govState(name);
  return recorded.finals.map(({ id, H, final: { yes, abstain, no, veto }, result }) => ({
    name: `proposal ${id}, decided at ${H}`,
    input: finalInput(recorded, govBlocks(name), H, String(id)),
    tally: [yes, abstain, no, veto],
    result: result.split(' | ')[1],
    /** Whether the deposits were burnt: those of one proposal, after a veto. */
    areBurnt: id === 6,
    isExpedited: stateAt(recorded, String(H - 1)).proposal(String(id))!.expedited,
  }));
});

/** The parameters of the recorded chain. */
export const recordedRules = (isExpedited: boolean): GovRules => ({
  quorum: decOf('0.334'),
  threshold: decOf(isExpedited ? '0.667' : '0.5'),
  vetoThreshold: decOf('0.334'),
  burnsWithoutQuorum: false,
  burnsAfterVeto: true,
});
