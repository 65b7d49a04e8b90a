import { create, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { typedEvent } from '../../../../packages/devnet/src/app/runtime/events.ts';
import type { Event } from '../../../../src/chain/base/execution.ts';
import type { CommittedBlock } from '../../../../src/chain/blocks/committedBlock.ts';
import {
  EventExecSchema,
  EventProposalPrunedSchema,
  EventSubmitProposalSchema,
  EventVoteSchema,
} from '../../../../src/proto/cosmos/group/v1/events_pb.js';
import {
  QueryGroupInfoResponseSchema,
  QueryGroupMembersResponseSchema,
  QueryGroupPolicyInfoResponseSchema,
  QueryProposalResponseSchema,
  QueryVotesByProposalResponseSchema,
} from '../../../../src/proto/cosmos/group/v1/query_pb.js';
import { Exec, MsgExecSchema, MsgSubmitProposalSchema, MsgVoteSchema } from '../../../../src/proto/cosmos/group/v1/tx_pb.js';
import {
  ProposalExecutorResult,
  ProposalStatus,
  ThresholdDecisionPolicySchema,
  type VoteOption,
} from '../../../../src/proto/cosmos/group/v1/types_pb.js';
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { message } from '../../../devnet/app/harness.ts';
import { madeBlock } from './appBlocks.ts';
import { type StateAnswer, statePins } from './statePins.ts';

const second = 1_000_000_000n;
const start = 1_800_000_000n * second;
const timeAt = (height: bigint): bigint => start + height * second;
export const [policy, ann, ben, cat] = ['tp1policy', 'tp1ann', 'tp1ben', 'tp1cat'];
export const group = 'cosmos.group.v1.Query';

/** What the state of one height has: responses by method and the main argument, encoded. Everything else is absent. */
export type State = Readonly<Record<string, Uint8Array>>;

const absent: StateAnswer = { code: 6, codespace: 'sdk', log: 'not found: unknown request', value: null };
const pruned: StateAnswer = {
  code: 38,
  codespace: 'sdk',
  log: 'failed to load state at height 5; version does not exist',
  value: null,
};
const logs: Readonly<Record<string, string>> = {
  GroupInfo: 'group: not found',
  GroupPolicyInfo: 'group policy: not found',
  Proposal: 'load proposal: not found',
};

/** Pins of states by height. A height without a state is pruned. */
export function pinsOf(states: Readonly<Record<string, State>>) {
  return statePins(
    ({ path, height }) => {
      const state = states[String(height)];
      const [, service = '', method = ''] = path.split('/');
      if (state === undefined) return pruned;
      const value = state[service === group ? method : `${service}/${method}`];
      if (value !== undefined) return { code: 0, codespace: '', log: '', value: Buffer.from(value).toString('base64') };
      if (method.endsWith('s') || method === 'VotesByProposal') return { code: 0, codespace: '', log: '', value: '' };
      return { ...absent, log: `${logs[method] ?? 'not found'}: unknown request` };
    },
    () => '',
  );
}

export const decisionPolicy = message(ThresholdDecisionPolicySchema, {
  threshold: '2',
  windows: { votingPeriod: { seconds: 60n, nanos: 0 } },
});

function members(...weights: readonly (readonly [string, string])[]): State {
  const list = weights.map(([address, weight]) => ({ groupId: 1n, member: { address, weight } }));
  return {
    GroupMembers: toBinary(QueryGroupMembersResponseSchema, create(QueryGroupMembersResponseSchema, { members: list })),
  };
}

/** The state of a group of three accounts with a policy, and at most one proposal. */
export function stateOf({
  version = 1n,
  totalWeight = '4',
  policyVersion = 1n,
  weights = [
    [ann, '1'],
    [ben, '1'],
    [cat, '2'],
  ],
  status,
  finalNo = '0',
  votes = [],
}: {
  readonly version?: bigint;
  readonly totalWeight?: string;
  readonly policyVersion?: bigint;
  readonly weights?: readonly (readonly [string, string])[];
  readonly status?: ProposalStatus;
  readonly finalNo?: string;
  readonly votes?: readonly (readonly [string, VoteOption])[];
} = {}): State {
  const info = { id: 1n, admin: ann, version, totalWeight };
  const policyInfo = { address: policy, groupId: 1n, admin: ann, version: policyVersion, decisionPolicy };
  const time = { seconds: 1_800_000_005n, nanos: 0 };
  const proposal = {
    ...{
      id: 7n,
      groupPolicyAddress: policy,
      proposers: [ann],
      groupVersion: 1n,
      groupPolicyVersion: 1n,
      title: 'T',
      summary: 'S',
    },
    ...{ submitTime: time, votingPeriodEnd: { seconds: 1_800_000_065n, nanos: 0 } },
    finalTallyResult: { yesCount: '0', abstainCount: '0', noCount: finalNo, noWithVetoCount: '0' },
    executorResult: ProposalExecutorResult.NOT_RUN,
  };
  const cast = votes.map(([voter, option]) => ({ proposalId: 7n, voter, option, submitTime: time }));
  return {
    ...members(...weights),
    GroupInfo: toBinary(QueryGroupInfoResponseSchema, create(QueryGroupInfoResponseSchema, { info })),
    GroupPolicyInfo: toBinary(
      QueryGroupPolicyInfoResponseSchema,
      create(QueryGroupPolicyInfoResponseSchema, { info: policyInfo }),
    ),
    ...(status !== undefined && {
      Proposal: toBinary(
        QueryProposalResponseSchema,
        create(QueryProposalResponseSchema, { proposal: { ...proposal, status } }),
      ),
      VotesByProposal: toBinary(
        QueryVotesByProposalResponseSchema,
        create(QueryVotesByProposalResponseSchema, { votes: cast }),
      ),
    }),
  };
}

export const own = (event: Event, index = 0): Event => ({
  ...event,
  attributes: [...event.attributes, { key: 'msg_index', value: String(index), index: true }],
});
export const voted = typedEvent(EventVoteSchema, { proposalId: 7n });
export const submitted = typedEvent(EventSubmitProposalSchema, { proposalId: 7n });
export const prunedEvent = typedEvent(EventProposalPrunedSchema, {
  proposalId: 7n,
  status: ProposalStatus.ACCEPTED,
  tallyResult: { yesCount: '2', abstainCount: '0', noCount: '0', noWithVetoCount: '0' },
});
export const executed = (result: ProposalExecutorResult): Event => typedEvent(EventExecSchema, { proposalId: 7n, result });
export const atEnd = (event: Event): Event => ({
  ...event,
  attributes: [...event.attributes, { key: 'mode', value: 'EndBlock', index: true }],
});

/** A transaction with these messages. The recorder does not check signatures. */
export function transaction(...messages: readonly Any[]): Uint8Array {
  const bodyBytes = toBinary(TxBodySchema, create(TxBodySchema, { messages: [...messages] }));
  const authInfoBytes = toBinary(AuthInfoSchema, create(AuthInfoSchema, { fee: { gasLimit: 1n } }));
  return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [new Uint8Array(64)] }));
}

export const contractCall: Any = {
  $typeName: 'google.protobuf.Any',
  typeUrl: '/cosmwasm.wasm.v1.MsgExecuteContract',
  value: new Uint8Array(),
};
export const submission = (proposers: readonly string[], exec = Exec.UNSPECIFIED, messages: readonly Any[] = []): Any =>
  message(MsgSubmitProposalSchema, {
    groupPolicyAddress: policy,
    proposers: [...proposers],
    title: 'T',
    summary: 'S',
    exec,
    messages: [...messages],
  });
export const exec = (executor: string): Any => message(MsgExecSchema, { proposalId: 7n, executor });
export const ballot = (voter: string, option: VoteOption, exec = Exec.UNSPECIFIED): Any =>
  message(MsgVoteSchema, { proposalId: 7n, voter, option, exec });

export const block = (
  height: bigint,
  txs: readonly (readonly [Any[], readonly Event[]])[],
  events: readonly Event[] = [],
): CommittedBlock =>
  madeBlock(height, timeAt(height), {
    txs: txs.map(([messages]) => transaction(...messages)),
    results: txs.map(([, each]) => each),
    events,
  });
