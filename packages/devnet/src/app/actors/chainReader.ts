import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { BaseAccountSchema } from '../../../../../src/proto/cosmos/auth/v1beta1/auth_pb.js';
import { Query as AuthQuery } from '../../../../../src/proto/cosmos/auth/v1beta1/query_pb.js';
import { Query as BankQuery } from '../../../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { Query } from '../../../../../src/proto/cosmos/group/v1/query_pb.js';
import type { GroupPolicyInfo, Proposal, TallyResult, Vote } from '../../../../../src/proto/cosmos/group/v1/types_pb.js';
import type { Attribute } from '../../../../../src/proto/provenance/attribute/v1/attribute_pb.js';
import { Query as AttributeQuery } from '../../../../../src/proto/provenance/attribute/v1/query_pb.js';
import type { Application } from '../../abci/abci.ts';
import { type Decision, decisionPolicyOf } from '../keepers/group/policy.ts';
import { feeDenom } from '../runtime/coins.ts';
import { unpackAny } from '../runtime/keeper.ts';

/** Reads of the chain at one height. They throw if the chain rejects the query. */
export interface ChainReader {
  readonly account: (address: string) => { readonly accountNumber: bigint; readonly sequence: bigint };
  /** The balance of a denomination, by default nhash. */
  readonly balance: (address: string, denom?: string) => bigint;
  /** Attributes with a name that have not expired. */
  readonly attributes: (account: string, name: string) => readonly Attribute[];
  /** All proposals of a policy, oldest first. */
  readonly proposals: (policy: string) => readonly Proposal[];
  readonly votes: (proposalId: bigint) => readonly Vote[];
  /** The decision of the policy on an open proposal, by the votes so far. */
  readonly decision: (proposal: Proposal) => Decision;
}

interface Method<I extends DescMessage, O extends DescMessage> {
  readonly parent: { readonly typeName: string };
  readonly name: string;
  readonly input: I;
  readonly output: O;
}

const everything = { limit: 10_000n };

/** Creates a reader that uses the application's queries, like any client. */
export function createChainReader(query: Application['query'], height: bigint): ChainReader {
  const ask = <I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: MessageInitShape<I>,
  ): MessageShape<O> => {
    const path = `/${method.parent.typeName}/${method.name}`;
    const data = toBinary(method.input, create(method.input, request));
    const result = query({ path, data, height, prove: false, latestHeight: height, earliestHeight: height });
    if (result.code !== 0 || result.value === null) throw new Error(`${path}: ${result.log}`);
    return fromBinary(method.output, result.value);
  };
  // Proposals share their policy and its group, which do not change at one height.
  const policies = new Map<string, GroupPolicyInfo | undefined>();
  const weights = new Map<bigint, string>();
  const policyAt = (address: string): GroupPolicyInfo | undefined => {
    if (!policies.has(address)) policies.set(address, ask(Query.method.groupPolicyInfo, { address }).info);
    return policies.get(address);
  };
  const weightOf = (groupId: bigint): string => {
    const totalWeight = weights.get(groupId) ?? ask(Query.method.groupInfo, { groupId }).info?.totalWeight ?? '0';
    weights.set(groupId, totalWeight);
    return totalWeight;
  };
  const tally = (proposalId: bigint): TallyResult | undefined => ask(Query.method.tallyResult, { proposalId }).tally;
  return {
    account(address) {
      const account = unpackAny(BaseAccountSchema, ask(AuthQuery.method.account, { address }).account);
      return { accountNumber: account?.accountNumber ?? 0n, sequence: account?.sequence ?? 0n };
    },
    balance: (address, denom = feeDenom) => BigInt(ask(BankQuery.method.balance, { address, denom }).balance?.amount ?? '0'),
    attributes: (account, name) => ask(AttributeQuery.method.attribute, { account, name, pagination: everything }).attributes,
    proposals: (address) => ask(Query.method.proposalsByGroupPolicy, { address, pagination: everything }).proposals,
    votes: (proposalId) => ask(Query.method.votesByProposal, { proposalId, pagination: everything }).votes,
    decision({ id, groupPolicyAddress }) {
      const countedTally = tally(id);
      const policy = policyAt(groupPolicyAddress);
      if (countedTally === undefined || policy === undefined) return { allow: false, final: false };
      return decisionPolicyOf(policy.decisionPolicy).decide(countedTally, weightOf(policy.groupId));
    },
  };
}
