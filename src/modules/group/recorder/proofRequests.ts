import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { ProofRequest, ProofSubject } from '../../../archive/proofs.ts';
import { Query } from '../../../proto/cosmos/group/v1/query_pb.js';

/** All rows of a list are proven at once. */
const all = { limit: 2n ** 64n - 1n };

function request<I extends DescMessage>(
  { parent, name, input }: { readonly parent: { readonly typeName: string }; readonly name: string; readonly input: I },
  init: MessageInitShape<I>,
): ProofRequest {
  return { path: `/${parent.typeName}/${name}`, request: toBinary(input, create(input, init)) };
}

/** The requests whose answers are a proposal, its votes and tally, its policy, and its group with all members. */
export function proofRequests({ proposalId, groupPolicyAddress, groupId }: ProofSubject): readonly ProofRequest[] {
  const { method } = Query;
  const requests = [
    request(method.proposal, { proposalId }),
    request(method.votesByProposal, { proposalId, pagination: all }),
    request(method.tallyResult, { proposalId }),
    request(method.groupPolicyInfo, { address: groupPolicyAddress }),
  ];
  if (groupId === null) return requests;
  return [...requests, request(method.groupInfo, { groupId }), request(method.groupMembers, { groupId, pagination: all })];
}
