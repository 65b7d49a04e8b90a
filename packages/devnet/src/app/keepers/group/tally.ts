import { create } from '@bufbuild/protobuf';
import {
  type Proposal,
  type TallyResult,
  TallyResultSchema,
  VoteOption,
} from '../../../../../../src/proto/cosmos/group/v1/types_pb.js';
import type { StoreView } from '../../state/store.ts';
import { add } from './decimal.ts';
import { findMember, votesOf } from './state.ts';

/** A tally without votes: every count is `"0"`. */
export function emptyTally(): TallyResult {
  return create(TallyResultSchema, { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' });
}

/** Counts the votes of a proposal by the current weights of the members. Votes of former members do not count. */
export function tallyOf(state: StoreView, proposal: Proposal, groupId: bigint): TallyResult {
  const tally = emptyTally();
  for (const { voter, vote } of votesOf(state, proposal.id)) {
    const weight = findMember(state, groupId, voter)?.member?.weight;
    if (weight === undefined) continue;
    switch (vote.option) {
      case VoteOption.YES:
        tally.yesCount = add(tally.yesCount, weight);
        break;
      case VoteOption.ABSTAIN:
        tally.abstainCount = add(tally.abstainCount, weight);
        break;
      case VoteOption.NO:
        tally.noCount = add(tally.noCount, weight);
        break;
      case VoteOption.NO_WITH_VETO:
        tally.noWithVetoCount = add(tally.noWithVetoCount, weight);
        break;
      case VoteOption.UNSPECIFIED:
        break;
    }
  }
  return tally;
}
