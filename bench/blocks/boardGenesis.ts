import { create } from '@bufbuild/protobuf';
import { createFixtures, policyAddress } from '../../packages/devnet/src/app/fixtures/fixtures.ts';
import type { Genesis } from '../../packages/devnet/src/app/runtime/genesisState.ts';
import { packAny } from '../../packages/devnet/src/app/runtime/keeper.ts';
import { durationOf, seconds } from '../../packages/devnet/src/app/runtime/time.ts';
import { createAccounts } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { MsgCreateGroupWithPolicySchema, MsgSubmitProposalSchema } from '../../src/proto/cosmos/group/v1/tx_pb.js';
import { ThresholdDecisionPolicySchema } from '../../src/proto/cosmos/group/v1/types_pb.js';

const accounts = createAccounts(10);
const ownPolicies = Object.keys(createFixtures(accounts).policies).length;

/** The address of the policy of an added board, from 0. */
export const boardPolicy = (board: number): string => policyAddress(BigInt(ownPolicies + board + 1));

/** Adds groups of all accounts to a genesis, each with a policy and an open proposal: boards that show nothing in common but the accounts. */
export function withBoards(genesis: Genesis, count: number): Genesis {
  const members = accounts.map(({ address }) => ({ address, weight: '1', metadata: '' }));
  const admin = accounts[0]?.address ?? '';
  const decision = create(ThresholdDecisionPolicySchema, {
    threshold: '10',
    windows: { votingPeriod: durationOf(seconds(864_000)), minExecutionPeriod: durationOf(0n) },
  });
  const groups = Array.from({ length: count }, (_, board) => {
    const decisionPolicy = packAny(ThresholdDecisionPolicySchema, decision);
    const group = create(MsgCreateGroupWithPolicySchema, { admin, members, groupMetadata: `board ${board}`, decisionPolicy });
    return { secondsBefore: 20, message: packAny(MsgCreateGroupWithPolicySchema, group) };
  });
  const proposals = Array.from({ length: count }, (_, board) => {
    const proposal = create(MsgSubmitProposalSchema, {
      groupPolicyAddress: boardPolicy(board),
      proposers: [admin],
      title: `Proposal of board ${board}`,
      summary: 'Shown by one board',
    });
    return { secondsBefore: 10, message: packAny(MsgSubmitProposalSchema, proposal) };
  });
  return { ...genesis, history: [...(genesis.history ?? []), ...groups, ...proposals] };
}
