import type { Any } from '@bufbuild/protobuf/wkt';
import type { CommittedBlock } from '../../../../src/chain/blocks/committedBlock.ts';
import { createGenesis } from '../../../../src/devnet/app/genesis/genesis.ts';
import { createRandom } from '../../../../src/devnet/app/runtime/random.ts';
import type { WalletAccount } from '../../../../src/devnet/app/runtime/wallet.ts';
import { GenericAuthorizationSchema } from '../../../../src/proto/cosmos/authz/v1beta1/authz_pb.js';
import { MsgExecSchema as AuthorizedSchema, MsgGrantSchema } from '../../../../src/proto/cosmos/authz/v1beta1/tx_pb.js';
import { MsgSendSchema } from '../../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  Exec,
  MsgCreateGroupPolicySchema,
  MsgCreateGroupSchema,
  MsgCreateGroupWithPolicySchema,
  MsgExecSchema,
  MsgLeaveGroupSchema,
  MsgSubmitProposalSchema,
  MsgUpdateGroupAdminSchema,
  MsgUpdateGroupMembersSchema,
  MsgUpdateGroupMetadataSchema,
  MsgUpdateGroupPolicyAdminSchema,
  MsgUpdateGroupPolicyDecisionPolicySchema,
  MsgUpdateGroupPolicyMetadataSchema,
  MsgVoteSchema,
  MsgWithdrawProposalSchema,
} from '../../../../src/proto/cosmos/group/v1/tx_pb.js';
import {
  PercentageDecisionPolicySchema,
  ThresholdDecisionPolicySchema,
  VoteOption,
} from '../../../../src/proto/cosmos/group/v1/types_pb.js';
import type { Pin } from '../../../../src/reads/pin.ts';
import { createChain, message, second } from '../../../devnet/app/harness.ts';
import { appPins, committedBlock } from './appBlocks.ts';

/** A development chain whose blocks are full of random group governance. */
export interface RandomHistory {
  readonly groups: readonly bigint[];
  readonly policies: readonly string[];
  /** Every block so far, the first one first. */
  readonly blocks: readonly CommittedBlock[];
  /** Executes the next block. */
  block(): CommittedBlock;
  pin(height: bigint): Pin;
}

/** A group with one of its policies, as the random messages use it. */
interface ActingGroup {
  readonly id: bigint;
  readonly policy: string;
  /** The account that is the admin; null if the policy is. */
  readonly admin: WalletAccount | null;
}

const seconds = (count: number) => ({ seconds: BigInt(count), nanos: 0 });
const weights = ['0', '0.5', '1', '1.5', '2', '3.25', '1e0', '2.00'];

/** Starts the chain: four groups of eight accounts, of which one has policies as members. Every account may vote for every other. */
export function startRandomHistory(seed: number): RandomHistory {
  const { below, pick } = createRandom(seed);
  const chain = createChain(createGenesis({ bare: true, maxExecutionSeconds: 20 }));
  const people = chain.accounts.slice(0, 8);
  const times = new Map<bigint, bigint>([[1n, chain.state.time]]);
  const blocks: CommittedBlock[] = [];
  const any = <T>(items: readonly T[]): T => pick(items)!;

  function commit(txs: readonly Uint8Array[], after: bigint): CommittedBlock {
    const result = chain.block(txs, after);
    times.set(chain.state.height, chain.state.time);
    const block = committedBlock(chain.state.height, chain.state.time, txs, result);
    blocks.push(block);
    return block;
  }

  /** Executes one transaction in its own block. Returns the values of its event attributes that are ids or addresses. */
  function run(account: WalletAccount, ...messages: readonly Any[]): ReadonlyMap<string, string> {
    const { transactions } = commit([chain.sign(account, messages)], second);
    const { log, events } = transactions[0]!.result;
    if (log !== '') throw new Error(log);
    return new Map(
      events
        .filter(({ type }) => type.startsWith('cosmos.group.'))
        .flatMap(({ attributes }) => attributes.map(({ key, value }) => [key, String(value).replaceAll('"', '')] as const)),
    );
  }

  const decisionPolicy = (): Any => {
    const windows = { votingPeriod: seconds(4 + below(10)), minExecutionPeriod: seconds(any([0, 0, 0, 3])) };
    return below(2) === 0
      ? message(ThresholdDecisionPolicySchema, { threshold: any(['1', '2', '2.5', '9']), windows })
      : message(PercentageDecisionPolicySchema, { percentage: any(['0.3', '0.5', '0.75', '1']), windows });
  };

  const groups: ActingGroup[] = [];
  function createGroup(first: number, others: readonly string[], own: boolean): void {
    const admin = people[first]!;
    const members = [0, 1, 2, 3].map((n) => ({
      address: people[(first + n) % 8]!.address,
      weight: any(weights.slice(1)),
      metadata: `${n}`,
    }));
    const made = run(
      admin,
      message(MsgCreateGroupWithPolicySchema, {
        admin: admin.address,
        members: [...members, ...others.map((address) => ({ address, weight: '1.5' }))],
        groupPolicyAsAdmin: own,
        decisionPolicy: decisionPolicy(),
      }),
    );
    groups.push({ id: BigInt(made.get('group_id')!), policy: made.get('address')!, admin: own ? null : admin });
  }
  createGroup(0, [], false);
  createGroup(2, [], true);
  const [plain, own] = groups as [ActingGroup, ActingGroup];
  createGroup(4, [plain.policy, own.policy], false);
  createGroup(6, [own.policy], true);
  const more = run(
    plain.admin!,
    message(MsgCreateGroupPolicySchema, { admin: plain.admin!.address, groupId: plain.id, decisionPolicy: decisionPolicy() }),
  );
  groups.push({ ...plain, policy: more.get('address')! });
  const policies = groups.map(({ policy }) => policy);
  const [clerk, helper] = people as [WalletAccount, WalletAccount];
  const grant = (granter: string, grantee: string, msg: string): Any =>
    message(MsgGrantSchema, { granter, grantee, grant: { authorization: message(GenericAuthorizationSchema, { msg }) } });
  for (const person of people.slice(1)) run(person, grant(person.address, clerk.address, `/${MsgVoteSchema.typeName}`));
  run(clerk, grant(clerk.address, helper.address, `/${AuthorizedSchema.typeName}`));

  let newest = 0n;
  const option = (): VoteOption =>
    any([VoteOption.YES, VoteOption.YES, VoteOption.YES, VoteOption.ABSTAIN, VoteOption.NO, VoteOption.NO_WITH_VETO]);
  const tries = (): Exec => (below(3) === 0 ? Exec.TRY : Exec.UNSPECIFIED);
  const recent = (): bigint => {
    const id = newest - BigInt(below(8));
    return id > 0n ? id : 1n;
  };
  const vote = (voter: string, proposalId = recent()): Any =>
    message(MsgVoteSchema, { proposalId, voter, option: option(), exec: tries(), metadata: any(['', 'because']) });
  const exec = (executor: string, proposalId = recent()): Any => message(MsgExecSchema, { proposalId, executor });
  const within = (grantee: string, ...msgs: readonly Any[]): Any => message(AuthorizedSchema, { grantee, msgs: [...msgs] });

  /** A change of a group or its policy by its admin. */
  function change({ id: groupId, policy: groupPolicyAddress }: ActingGroup, admin: string): Any {
    const memberUpdates = [{ address: any(people).address, weight: any(weights), metadata: any(['', 'x']) }];
    const updates = [
      () => message(MsgUpdateGroupMembersSchema, { admin, groupId, memberUpdates }),
      () => message(MsgUpdateGroupMembersSchema, { admin, groupId, memberUpdates }),
      () => message(MsgUpdateGroupMetadataSchema, { admin, groupId, metadata: `${below(99)}` }),
      () => message(MsgUpdateGroupPolicyMetadataSchema, { admin, groupPolicyAddress, metadata: `${below(99)}` }),
      () => message(MsgUpdateGroupPolicyDecisionPolicySchema, { admin, groupPolicyAddress, decisionPolicy: decisionPolicy() }),
    ];
    return any(updates)();
  }

  /** A message that the policy of a proposal signs. */
  function inner(group: ActingGroup): Any {
    const { policy } = group;
    const amount = any(['1', '999999999999999999999']);
    const kinds = [
      () => message(MsgSendSchema, { fromAddress: policy, toAddress: clerk.address, amount: [{ denom: 'nhash', amount }] }),
      () => vote(policy),
      () => vote(policy),
      () => within(policy, vote(policy), exec(policy)),
      () => exec(policy),
      () => message(MsgLeaveGroupSchema, { address: policy, groupId: any(groups).id }),
      () => message(MsgWithdrawProposalSchema, { proposalId: recent(), address: policy }),
      () => submission(any(groups), policy, []),
      () => change(group, policy),
      () => change(group, policy),
    ];
    return any(kinds)();
  }

  function submission({ policy }: ActingGroup, proposer: string, messages: readonly Any[]): Any {
    return message(MsgSubmitProposalSchema, {
      groupPolicyAddress: policy,
      proposers: [proposer],
      title: `Proposal ${below(1000)}`,
      summary: 'At random',
      metadata: any(['', 'more']),
      messages: [...messages],
      exec: tries(),
    });
  }

  function act(who: WalletAccount): Any {
    const { address } = who;
    const group = any(groups);
    const { admin } = group;
    const kind = below(30);
    if (kind < 8)
      return submission(
        group,
        address,
        Array.from({ length: below(3) }, () => inner(group)),
      );
    if (kind < 16) return vote(address);
    if (kind < 19) return exec(address);
    if (kind === 19) return message(MsgWithdrawProposalSchema, { proposalId: recent(), address });
    if (kind === 20) return message(MsgLeaveGroupSchema, { address, groupId: group.id });
    if (kind < 23) return within(address, vote(address), vote(any(people).address));
    if (kind < 25 && who === helper) return within(address, within(clerk.address, vote(any(people).address)));
    if (kind === 25)
      return message(MsgCreateGroupSchema, {
        admin: address,
        members: [{ address, weight: any(weights.slice(1)) }],
        metadata: 'small',
      });
    if (kind === 26 && admin === who)
      return message(MsgUpdateGroupAdminSchema, { admin: address, groupId: group.id, newAdmin: group.policy });
    if (kind === 27 && admin === who && below(8) === 0) {
      return message(MsgUpdateGroupPolicyAdminSchema, {
        admin: address,
        groupPolicyAddress: group.policy,
        newAdmin: group.policy,
      });
    }
    return change(group, (admin ?? who).address);
  }

  function block(): CommittedBlock {
    const txs = people.flatMap((who) => {
      if (below(3) > 0) return [];
      return [
        chain.sign(
          who,
          Array.from({ length: 1 + below(3) }, () => act(who)),
        ),
      ];
    });
    const made = commit(txs, BigInt(200 + below(4) * 600) * 1_000_000n);
    for (const { result } of made.transactions) {
      for (const { type, attributes } of result.events) {
        if (type !== 'cosmos.group.v1.EventSubmitProposal') continue;
        const id = BigInt(attributes.find(({ key }) => key === 'proposal_id')!.value.replaceAll('"', ''));
        if (id > newest) newest = id;
      }
    }
    return made;
  }

  // The policies can pay for some of their messages.
  for (const toAddress of policies) {
    run(
      people[0]!,
      message(MsgSendSchema, { fromAddress: people[0]!.address, toAddress, amount: [{ denom: 'nhash', amount: '1000' }] }),
    );
  }
  return { groups: [...new Set(groups.map(({ id }) => id))], policies, blocks, block, pin: appPins(chain.app, times) };
}
