import { fromBinary } from '@bufbuild/protobuf';
import type { CommittedBlock } from '../../../chain/blocks/blockLog.ts';
import { MsgSubmitProposalSchema } from '../../../proto/cosmos/group/v1/tx_pb.js';
import { eventFields, msgIndex } from '../../events/events.ts';
import { signedTx } from '../../transactions/query.ts';

const submitType = `/${MsgSubmitProposalSchema.typeName}`;

/**
 * Returns the group policy that a proposal was submitted to, read from the transaction in this block. A proposal that is
 * submitted and deleted in the same block is in no state. Returns undefined if the proposal was not submitted in this block, or
 * if a nested message submitted it (of an authorization or an executed proposal).
 */
export function policyOfSubmission({ transactions }: Pick<CommittedBlock, 'transactions'>, id: bigint): string | undefined {
  for (const { tx, result } of transactions) {
    const event = result.events.find(
      (each) => each.type === 'cosmos.group.v1.EventSubmitProposal' && eventFields(each)?.proposalId === id.toString(),
    );
    const index = event && msgIndex(event);
    if (index == null) continue;
    const message = signedTx(tx).decoded()?.body.messages[index];
    if (message?.typeUrl === submitType) return fromBinary(MsgSubmitProposalSchema, message.value).groupPolicyAddress;
  }
  return undefined;
}
