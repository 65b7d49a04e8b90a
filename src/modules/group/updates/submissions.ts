import { fromBinary } from '@bufbuild/protobuf';
import type { CommittedBlock } from '../../../chain/blocks/blockLog.ts';
import { MsgSubmitProposalSchema } from '../../../proto/cosmos/group/v1/tx_pb.js';
import { eventFields, msgIndex } from '../../events/events.ts';
import { signedTx } from '../../transactions/transactions.ts';

const submitType = `/${MsgSubmitProposalSchema.typeName}`;

/**
 * The group policy that a proposal was submitted to in this block, from the transaction itself: of one that was executed in the same
 * block no state tells. undefined when it was not submitted in this block, or not by a message of its own (but by one
 * within another, an authorization or an executed proposal), which nothing tells.
 */
export function submittedTo({ transactions }: Pick<CommittedBlock, 'transactions'>, id: bigint): string | undefined {
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
