import type { Any } from '@bufbuild/protobuf/wkt';
import { createRandom } from '../../../../packages/devnet/src/app/runtime/random.ts';
import type { WalletAccount } from '../../../../packages/devnet/src/app/runtime/wallet.ts';
import type { CommittedBlock } from '../../../../src/chain/blocks/committedBlock.ts';
import { GenericAuthorizationSchema } from '../../../../src/proto/cosmos/authz/v1beta1/authz_pb.js';
import { MsgExecSchema as AuthorizedSchema, MsgGrantSchema } from '../../../../src/proto/cosmos/authz/v1beta1/tx_pb.js';
import { MsgSendSchema } from '../../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Query } from '../../../../src/proto/cosmos/group/v1/query_pb.js';
import {
  Exec,
  MsgCreateGroupPolicySchema,
  MsgCreateGroupSchema,
  MsgCreateGroupWithPolicySchema,
  MsgExecSchema,
  MsgLeaveGroupSchema,
  MsgSubmitProposalSchema,
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
  ProposalStatus,
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
  const chain = createChain({ bare: true, maxExecutionSeconds: 20 });
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
    const windows = { votingPeriod: seconds(6 + below(20)), minExecutionPeriod: seconds(any([0, 0, 2])) };
    return below(2) === 0
      ? message(ThresholdDecisionPolicySchema, { threshold: any(['1', '2', '2.5', '3', '9']), windows })
      : message(PercentageDecisionPolicySchema, { percentage: any(['0.2', '0.3', '0.5', '0.75']), windows });
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

  /** What the newest state has: members and admins, so that most messages are valid, and proposals that can be voted on or executed. */
  function look() {
    const page = { pagination: { limit: 500n } };
    const seen = groups.map((group) => {
      const members = chain
        .query(Query.method.groupMembers, { groupId: group.id, ...page })
        .members.map(({ member }) => member!.address);
      const { admin = '' } = chain.query(Query.method.groupInfo, { groupId: group.id }).info ?? {};
      const { admin: policyAdmin = '' } = chain.query(Query.method.groupPolicyInfo, { address: group.policy }).info ?? {};
      const { proposals } = chain.query(Query.method.proposalsByGroupPolicy, { address: group.policy, ...page });
      return { ...group, members, admin, policyAdmin, proposals };
    });
    return seen;
  }
  let seen = look();
  type Seen = (typeof seen)[number];
  const isMember = (address: string) => (group: Seen) => group.members.includes(address);
  const proposalsWith = (status: ProposalStatus, where: (group: Seen) => boolean): bigint[] =>
    seen.filter(where).flatMap(({ proposals }) => proposals.filter((each) => each.status === status).map(({ id }) => id));

  const option = (): VoteOption =>
    any([
      VoteOption.YES,
      VoteOption.YES,
      VoteOption.YES,
      VoteOption.YES,
      VoteOption.ABSTAIN,
      VoteOption.NO,
      VoteOption.NO_WITH_VETO,
    ]);
  const tries = (): Exec => (below(3) === 0 ? Exec.TRY : Exec.UNSPECIFIED);
  const hasBallot = (address: string): boolean => proposalsWith(ProposalStatus.SUBMITTED, isMember(address)).length > 0;
  /** An open proposal of a group of the account; now and then any id. */
  const ballot = (address: string): bigint =>
    pick(below(12) === 0 ? [] : proposalsWith(ProposalStatus.SUBMITTED, isMember(address))) ?? BigInt(1 + below(40));
  const vote = (voter: string): Any =>
    message(MsgVoteSchema, {
      proposalId: ballot(voter),
      voter,
      option: option(),
      exec: tries(),
      metadata: any(['', 'because']),
    });
  const exec = (executor: string): Any => {
    const accepted = proposalsWith(ProposalStatus.ACCEPTED, () => true);
    const proposalId = pick(below(2) === 0 ? accepted : []) ?? ballot(executor);
    return message(MsgExecSchema, { proposalId, executor });
  };
  const within = (grantee: string, ...msgs: readonly Any[]): Any => message(AuthorizedSchema, { grantee, msgs: [...msgs] });

  /** A change of a group by its admin. */
  function changeGroup({ id: groupId, members }: Seen, admin: string): Any {
    const memberUpdates = [any(members), any(people).address]
      .slice(0, 1 + below(2))
      .map((address) => ({ address, weight: any(weights), metadata: any(['', 'x']) }));
    return below(4) === 0
      ? message(MsgUpdateGroupMetadataSchema, { admin, groupId, metadata: `${below(99)}` })
      : message(MsgUpdateGroupMembersSchema, { admin, groupId, memberUpdates });
  }

  /** A change of a policy by its admin. */
  function changePolicy({ policy: groupPolicyAddress }: Seen, admin: string): Any {
    return below(2) === 0
      ? message(MsgUpdateGroupPolicyMetadataSchema, { admin, groupPolicyAddress, metadata: `${below(99)}` })
      : message(MsgUpdateGroupPolicyDecisionPolicySchema, { admin, groupPolicyAddress, decisionPolicy: decisionPolicy() });
  }

  /** A message that the policy of a proposal signs. */
  function inner(group: Seen): Any {
    const { policy, admin, policyAdmin } = group;
    if (hasBallot(policy) && below(2) === 0) return vote(policy);
    const kind = below(24);
    if (kind < 6) {
      const amount = any(['1', '1', '1', '600']);
      return message(MsgSendSchema, { fromAddress: policy, toAddress: clerk.address, amount: [{ denom: 'nhash', amount }] });
    }
    if (admin === policy && kind < 9) return changeGroup(group, policy);
    if (policyAdmin === policy && kind === 9) return changePolicy(group, policy);
    if (kind < 18) return vote(policy);
    if (kind === 18) return within(policy, vote(policy));
    if (kind === 19) return exec(policy);
    if (kind === 20) return message(MsgLeaveGroupSchema, { address: policy, groupId: any(seen).id });
    if (kind === 21) return message(MsgWithdrawProposalSchema, { proposalId: ballot(policy), address: policy });
    return submission(any(seen.filter(isMember(policy)).concat(group)), policy, []);
  }

  function submission({ policy }: Seen, proposer: string, messages: readonly Any[]): Any {
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

  /** A group of the account; now and then any group. */
  const ownGroup = (address: string): Seen => pick(below(12) === 0 ? [] : seen.filter(isMember(address))) ?? any(seen);

  /** A message that the account signs. */
  function act(who: WalletAccount): Any {
    const { address } = who;
    const kind = below(30);
    const administered = seen.filter(({ admin }) => admin === address);
    const governed = seen.filter(({ policyAdmin }) => policyAdmin === address);
    if (kind < 7 || !hasBallot(address)) {
      const group = ownGroup(address);
      return submission(
        group,
        address,
        Array.from({ length: below(3) }, () => inner(group)),
      );
    }
    if (kind < 12) return exec(address);
    if (kind === 12) return message(MsgWithdrawProposalSchema, { proposalId: ballot(address), address });
    if (kind === 13) return message(MsgLeaveGroupSchema, { address, groupId: ownGroup(address).id });
    if (kind === 14) return within(address, vote(address), vote(any(people).address));
    if (kind < 17) return within(address, vote(who === clerk ? any(people).address : address));
    if (kind === 17 && who === helper) return within(address, within(clerk.address, vote(any(people).address)));
    if (kind === 18)
      return message(MsgCreateGroupSchema, { admin: address, members: [{ address, weight: '1.0' }], metadata: 'small' });
    if (kind < 22 && administered.length > 0) return changeGroup(any(administered), address);
    if (kind === 22 && governed.length > 0 && below(2) === 0) return changePolicy(any(governed), address);
    if (kind === 23 && governed.length > 0 && below(30) === 0) {
      const { policy } = any(governed);
      return message(MsgUpdateGroupPolicyAdminSchema, { admin: address, groupPolicyAddress: policy, newAdmin: policy });
    }
    return vote(address);
  }

  /** The members of a group come back, so that the history does not end in empty groups. */
  function refill(who: WalletAccount): Any[] {
    const empty = seen.find(({ admin, members }) => admin === who.address && members.length < 3);
    if (empty === undefined) return [];
    const memberUpdates = people.slice(0, 4).map(({ address }) => ({ address, weight: any(weights.slice(1)) }));
    return [message(MsgUpdateGroupMembersSchema, { admin: who.address, groupId: empty.id, memberUpdates })];
  }

  function block(): CommittedBlock {
    seen = look();
    const txs = people.flatMap((who) => {
      if (below(2) > 0) return [];
      const count = any([1, 1, 1, 1, 2, 2, 3]);
      const messages = [...refill(who), ...Array.from({ length: count }, () => act(who))];
      return [chain.sign(who, messages)];
    });
    return commit(txs, BigInt(200 + below(4) * 600) * 1_000_000n);
  }

  // The policies can pay for some of their messages.
  for (const toAddress of policies) {
    run(clerk, message(MsgSendSchema, { fromAddress: clerk.address, toAddress, amount: [{ denom: 'nhash', amount: '1000' }] }));
  }
  // This and the following also happen at random, but not in every short history: one policy votes in the group of another within one transaction.
  const windows = { votingPeriod: seconds(600) };
  const alone = (member: string): ReadonlyMap<string, string> =>
    run(
      clerk,
      message(MsgCreateGroupWithPolicySchema, {
        admin: clerk.address,
        members: [...new Set([member, clerk.address])].map((address) => ({ address, weight: '1' })),
        decisionPolicy: message(ThresholdDecisionPolicySchema, { threshold: '1', windows }),
      }),
    );
  const voter = alone(clerk.address).get('address')!;
  const submit = (groupPolicyAddress: string, messages: readonly Any[], tried: Exec): bigint =>
    BigInt(
      run(
        clerk,
        message(MsgSubmitProposalSchema, {
          ...{ groupPolicyAddress, proposers: [clerk.address], title: 'One', summary: 'One' },
          messages: [...messages],
          exec: tried,
        }),
      ).get('proposal_id')!,
    );
  const decided = submit(alone(voter).get('address')!, [], Exec.UNSPECIFIED);
  const yes = { proposalId: decided, voter, option: VoteOption.YES, exec: Exec.TRY };
  submit(voter, [message(MsgVoteSchema, yes)], Exec.TRY);
  // An execution fails until the policy has the coins.
  const pay = (fromAddress: string, toAddress: string): Any =>
    message(MsgSendSchema, { fromAddress, toAddress, amount: [{ denom: 'nhash', amount: '5' }] });
  const unpaid = submit(voter, [pay(voter, helper.address)], Exec.TRY);
  run(clerk, pay(clerk.address, voter));
  run(helper, message(MsgExecSchema, { proposalId: unpaid, executor: helper.address }));
  return { groups: [...new Set(groups.map(({ id }) => id))], policies, blocks, block, pin: appPins(chain.app, times) };
}
