import { createAccounts } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  MsgCreateGroupWithPolicySchema,
  MsgSubmitProposalSchema,
  MsgUpdateGroupMetadataSchema,
  MsgVoteSchema,
} from '../../src/proto/cosmos/group/v1/tx_pb.js';
import { ThresholdDecisionPolicySchema, VoteOption } from '../../src/proto/cosmos/group/v1/types_pb.js';
import { any, startChain, type TestChain } from './chain.ts';
import { cosignersOf } from './cosigners.ts';

/** A chain with a policy that has only open proposals, each with as many votes. */
export interface ProofBoard {
  readonly chain: TestChain;
  readonly policy: string;
  /** The first of its proposals. */
  readonly first: bigint;
  /** The policies of all boards, each of another group. The proposals of one follow those of the one before. */
  readonly policies: readonly string[];
  /** Changes the metadata of its group, and thereby the root of the store. Returns the height of the change, after which there is one more block. */
  change(): Promise<bigint>;
}

/** Starts it. Every member but the last ones votes on every proposal, so that each has `votes` votes. */
export async function startProofBoard({
  proposals,
  members,
  votes,
  validators,
  boards = 1,
}: {
  readonly proposals: number;
  readonly members: number;
  readonly votes: number;
  readonly validators: number;
  /** The number of equal boards. */
  readonly boards?: number;
}): Promise<ProofBoard> {
  const cosigners = cosignersOf(validators - 1);
  const chain = await startChain({ bare: true, cosigners: () => cosigners });
  const accounts = createAccounts(Math.max(members, 10));
  const [signer] = accounts;
  if (signer === undefined) throw new Error('no account');
  const funded = accounts.slice(chain.accounts.length).map(({ address }) =>
    any(MsgSendSchema, {
      fromAddress: signer.address,
      toAddress: address,
      amount: [{ denom: 'nhash', amount: '1000000000000' }],
    }),
  );
  if (funded.length > 0) await chain.run(signer, ...funded);
  const idOf = (attribute: string | undefined): bigint => BigInt(JSON.parse(attribute ?? '"0"') as string);
  const options = [VoteOption.YES, VoteOption.NO, VoteOption.ABSTAIN, VoteOption.YES];

  const createBoard = async () => {
    const created = await chain.run(
      signer,
      any(MsgCreateGroupWithPolicySchema, {
        admin: signer.address,
        groupMetadata: 'Board',
        members: accounts
          .slice(0, members)
          .map(({ address }, index) => ({ address, weight: '1', metadata: `Member ${index}` })),
        decisionPolicy: any(ThresholdDecisionPolicySchema, {
          threshold: String(members + 1),
          windows: { votingPeriod: { seconds: 1_000_000n, nanos: 0 } },
        }),
      }),
    );
    const group = idOf(created.get('cosmos.group.v1.EventCreateGroup')?.group_id);
    const policy = JSON.parse(created.get('cosmos.group.v1.EventCreateGroupPolicy')?.address ?? '""') as string;
    let first: bigint | undefined;
    for (let count = 1; count <= proposals; count += 1) {
      const payment = { fromAddress: policy, toAddress: signer.address, amount: [{ denom: 'nhash', amount: String(count) }] };
      const submitted = await chain.run(
        signer,
        any(MsgSubmitProposalSchema, {
          groupPolicyAddress: policy,
          proposers: [signer.address],
          title: `Pay the invoice of week ${count}`,
          summary: `The work of week ${count} is done, was looked at by two members, and should be paid as agreed in spring.`,
          metadata: `ipfs://invoice-${count}`,
          messages: [any(MsgSendSchema, payment)],
        }),
      );
      first ??= idOf(submitted.get('cosmos.group.v1.EventSubmitProposal')?.proposal_id);
    }
    const firstId = first ?? 0n;
    for (const [index, voter] of accounts.slice(0, votes).entries()) {
      const ballots = Array.from({ length: proposals }, (_, at) =>
        any(MsgVoteSchema, {
          proposalId: firstId + BigInt(at),
          voter: voter.address,
          option: options[(index + at) % 4] ?? VoteOption.YES,
        }),
      );
      await chain.submit(voter, ...ballots);
    }
    await chain.devnet.commit();
    await chain.devnet.commit();
    return { group, policy, first: firstId };
  };

  const { group, policy, first } = await createBoard();
  const policies = [policy];
  while (policies.length < boards) policies.push((await createBoard()).policy);
  let changes = 0;
  const change = async (): Promise<bigint> => {
    changes += 1;
    const update = { admin: signer.address, groupId: group, metadata: `Board, version ${changes}` };
    await chain.run(signer, any(MsgUpdateGroupMetadataSchema, update));
    return (await chain.devnet.commit()) - 1n;
  };
  return { chain, policy, first, policies, change };
}

const fields =
  'id title summary status votingPeriodEnd tally { yesCount noCount abstainCount noWithVetoCount } votes(first: 30) { nodes { option submitTime voter { address } } }';

/** The board of a policy: its open proposals with their votes and tallies, and the members of its group. */
export const proofBoardDocument = `query($policy: String!) {
  proposalsByGroupPolicy(address: $policy, first: 30) { nodes { ${fields} } }
  groupPolicy(address: $policy) { group { totalWeight members(first: 30) { nodes { weight account { address } } } } }
}`;

/** One proposal with its votes and its tally. */
export const proofProposalDocument = `query($id: ID!) { proposal(id: $id) { ${fields} } }`;
