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

/**
 * The address as it is recorded: in lower case. Bech32 allows upper case too, and the chain keeps an address as a message spells it but compares its
 * bytes.
 */
export function recordedAddress(address: string): string {
  return address.toLowerCase();
}

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

/** A member with a canonical address and weight. */
export function recordedMember({ address, weight, metadata }: RecordedMember): RecordedMember {
  return { address: recordedAddress(address), weight: canonicalDecimal(weight), metadata };
}

/** The fact of a proposal that the state shows. */
export function proposalFactOf(proposal: Proposal, groupId: bigint | null, submitted: ProposalFact['submitted']): ProposalFact {
  const { id, groupVersion, groupPolicyVersion, title, summary, metadata } = proposal;
  return {
    kind: 'proposal',
    ...{ id, groupId, groupVersion, groupPolicyVersion, title, summary, metadata },
    groupPolicyAddress: recordedAddress(proposal.groupPolicyAddress),
    proposers: proposal.proposers.map(recordedAddress),
    messages: proposal.messages.map(recordedAny),
    submitTime: proposal.submitTime,
    votingPeriodEnd: proposal.votingPeriodEnd,
    submitted,
  };
}
