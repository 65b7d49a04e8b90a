import type { Place, ProposalFact } from '../../../archive/facts.ts';
import type { MsgSubmitProposal } from '../../../proto/cosmos/group/v1/tx_pb.js';
import { fromAny } from '../../any/codec.ts';
import { type DecisionPolicy, decisionPolicyFromWire } from '../state/model.ts';
import { type PolicyVersion, proposalFactOf, recordedAny } from './convert.ts';
import type { BlockGroups } from './groups.ts';
import type { RecorderState } from './stateReads.ts';

/** The decoded decision policy of a policy. */
export function decisionPolicyOf({ decisionPolicy: { type, value } }: PolicyVersion): DecisionPolicy {
  return decisionPolicyFromWire({ $typeName: 'google.protobuf.Any', typeUrl: type, value });
}

/** The fact of a submission, from its message. Null if the voting period of the policy is not known. */
export async function submissionFact(
  groups: BlockGroups,
  id: bigint,
  message: MsgSubmitProposal,
  submitted: Place,
): Promise<ProposalFact | null> {
  const policy = await groups.policy(message.groupPolicyAddress);
  const group = policy && (await groups.group(policy.groupId));
  const decisionPolicy = policy && decisionPolicyOf(policy);
  if (policy === null || decisionPolicy === null || decisionPolicy.kind === 'other') return null;
  const { groupPolicyAddress, title, summary, metadata, proposers } = message;
  return {
    kind: 'proposal',
    ...{ id, groupPolicyAddress, title, summary, metadata, proposers },
    groupId: policy.groupId,
    groupVersion: group?.version ?? null,
    groupPolicyVersion: policy.version,
    messages: message.messages.map((any) => recordedAny(fromAny(any))),
    submitTime: submitted.time,
    votingPeriodEnd: submitted.time + decisionPolicy.windows.votingPeriod,
    submitted,
  };
}

/** The fact of a submission, from the state after the block. Null if it does not have the proposal. */
export async function shownSubmission(
  groups: BlockGroups,
  now: RecorderState,
  id: bigint,
  submitted: Place,
): Promise<ProposalFact | null> {
  const after = await now.proposal(id);
  const policy = after && (await groups.policy(after.groupPolicyAddress));
  return after ? proposalFactOf(after, policy?.groupId ?? null, submitted) : null;
}
