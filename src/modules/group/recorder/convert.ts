import type {
  GroupFact,
  PolicyFact,
  ProposalFact,
  RecordedAny,
  RecordedMember,
  RecordedTally,
} from '../../../archive/facts.ts';
import { type AnyMessage, typeNameOf } from '../../../chain/wire/protoJson.ts';
import { canonicalDecimal } from '../../../reads/decimal.ts';
import {
  type Proposal,
  type ProposalExecutorResult,
  type ProposalStatus,
  proposalExecutorResults,
  proposalStatuses,
  type TallyResult,
  type VoteOption,
  voteOptions,
} from '../state/model.ts';

/** A version of a group; its place and its change are not part of it. `members` is null if they are not known. */
export type GroupVersion = Omit<GroupFact, 'kind' | 'at' | 'change' | 'account'>;
/** A version of a policy; its place and its change are not part of it. */
export type PolicyVersion = Omit<PolicyFact, 'kind' | 'at' | 'change' | 'account'>;

/** Number of a name of an enum; 0, which means unspecified, for a value that this server does not recognize. */
function numberOf(names: readonly string[], name: string): number {
  return Math.max(names.indexOf(name), 0);
}

/** Number of a proposal's status. */
export function statusNumber(status: ProposalStatus): number {
  return numberOf(proposalStatuses, status);
}

/** Number of an executor result. */
export function resultNumber(result: ProposalExecutorResult): number {
  return numberOf(proposalExecutorResults, result);
}

/** Number of a vote option. */
export function optionNumber(option: VoteOption): number {
  return numberOf(voteOptions, option);
}

/** A message as the chain stores it in a proposal or a policy: its type has the prefix `/` only. */
export function recordedAny({ type, value }: AnyMessage): RecordedAny {
  return { type: `/${typeNameOf(type)}`, value };
}

/** A tally with canonical counts. */
export function recordedTally(tally: TallyResult): RecordedTally {
  return {
    yesCount: canonicalDecimal(tally.yesCount),
    abstainCount: canonicalDecimal(tally.abstainCount),
    noCount: canonicalDecimal(tally.noCount),
    noWithVetoCount: canonicalDecimal(tally.noWithVetoCount),
  };
}

/** A member with a canonical weight. */
export function recordedMember({ address, weight, metadata }: RecordedMember): RecordedMember {
  return { address, weight: canonicalDecimal(weight), metadata };
}

/** The fact of a proposal that the state shows. */
export function proposalFactOf(proposal: Proposal, groupId: bigint | null, submitted: ProposalFact['submitted']): ProposalFact {
  const { id, groupPolicyAddress, groupVersion, groupPolicyVersion, title, summary, metadata, proposers } = proposal;
  return {
    kind: 'proposal',
    ...{ id, groupPolicyAddress, groupId, groupVersion, groupPolicyVersion, title, summary, metadata, proposers },
    messages: proposal.messages.map(recordedAny),
    submitTime: proposal.submitTime,
    votingPeriodEnd: proposal.votingPeriodEnd,
    submitted,
  };
}
