/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Status of a proposal of the governance module. */
export type GovProposalStatus =
  /** Deposits are collected. There are no votes yet. */
  | 'PROPOSAL_STATUS_DEPOSIT_PERIOD'
  /** It passed, and a message failed: all of them were undone. `failedReason` says why. */
  | 'PROPOSAL_STATUS_FAILED'
  /** It passed, and its messages were executed. */
  | 'PROPOSAL_STATUS_PASSED'
  /** It did not pass. */
  | 'PROPOSAL_STATUS_REJECTED'
  /** No status. Stored proposals never have it. */
  | 'PROPOSAL_STATUS_UNSPECIFIED'
  /** Open for voting. */
  | 'PROPOSAL_STATUS_VOTING_PERIOD'
  /** A value that this server does not recognize. */
  | 'UNRECOGNIZED';

/** The last status of a recorded proposal of the governance module, also of one that the chain has deleted. */
export type GovRecordStatus =
  /** The proposer cancelled it. The chain has deleted it. */
  | 'CANCELLED'
  /** Deposits are collected. */
  | 'DEPOSIT_PERIOD'
  /** It did not get its deposit in time. The chain has deleted it. */
  | 'DROPPED'
  /** It passed, and a message failed: all of them were undone. */
  | 'FAILED'
  /** It passed, and its messages were executed. */
  | 'PASSED'
  /** It did not pass. */
  | 'REJECTED'
  /** Open for voting. */
  | 'VOTING_PERIOD';

/** Status of a marker, from PROPOSED to DESTROYED. Its coins can be transferred while it is ACTIVE. */
export type MarkerStatus =
  /** The coins exist and can be transferred. */
  | 'MARKER_STATUS_ACTIVE'
  /** The marker is out of use and can be destroyed. */
  | 'MARKER_STATUS_CANCELLED'
  /** The marker is about to be deleted. */
  | 'MARKER_STATUS_DESTROYED'
  /** The configuration is complete. The marker can be activated. */
  | 'MARKER_STATUS_FINALIZED'
  /** The manager configures the marker. No coins exist. */
  | 'MARKER_STATUS_PROPOSED'
  | 'MARKER_STATUS_UNSPECIFIED'
  /** A value that this server does not recognize. */
  | 'UNRECOGNIZED';

/** Whether transfers of a marker are restricted. */
export type MarkerType =
  /** Every holder can send it. */
  | 'MARKER_TYPE_COIN'
  /** Transfers require permissions, or attributes of the recipient. */
  | 'MARKER_TYPE_RESTRICTED'
  | 'MARKER_TYPE_UNSPECIFIED'
  | 'UNRECOGNIZED';

/** Result of executing the messages of a proposal. */
export type ProposalExecutorResult =
  /** A message failed, and all were rolled back. Execution can be retried. */
  | 'PROPOSAL_EXECUTOR_RESULT_FAILURE'
  /** The messages have not been executed. */
  | 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN'
  /** All messages succeeded. The chain deletes the proposal in the same block, so only `ProposalUpdate` has this value. */
  | 'PROPOSAL_EXECUTOR_RESULT_SUCCESS'
  /** No result. Stored proposals never have it. */
  | 'PROPOSAL_EXECUTOR_RESULT_UNSPECIFIED'
  /** A value that this server does not recognize. */
  | 'UNRECOGNIZED';

/** Status of a proposal. A proposal leaves PROPOSAL_STATUS_SUBMITTED once and never returns to it. */
export type ProposalStatus =
  /** The group policy changed before the proposal was decided. It has no tally. */
  | 'PROPOSAL_STATUS_ABORTED'
  /** The final tally met the decision policy. The messages can be executed. */
  | 'PROPOSAL_STATUS_ACCEPTED'
  /** The final tally did not meet the decision policy. */
  | 'PROPOSAL_STATUS_REJECTED'
  /** Open for voting: no decision yet. */
  | 'PROPOSAL_STATUS_SUBMITTED'
  /** No status. Stored proposals never have it. */
  | 'PROPOSAL_STATUS_UNSPECIFIED'
  /** A proposer or the admin of the policy withdrew it. It has no tally. */
  | 'PROPOSAL_STATUS_WITHDRAWN'
  /** A value that this server does not recognize. */
  | 'UNRECOGNIZED';

/** Kind of a transfer, determined by the message that caused it. */
export type TransferKind =
  /** Fee of a transaction, paid to the fee collector. */
  | 'FEE'
  /** Caused by provenance.marker.v1.MsgTransferRequest: a transfer of a restricted marker by an account with transfer access. */
  | 'MARKER_TRANSFER'
  /** Caused by cosmos.bank.v1beta1.MsgMultiSend. */
  | 'MULTI_SEND'
  /** Any other transfer, such as a withdrawal or mint of a marker, an executed proposal, a scope, a reward, or a transfer by the block itself. */
  | 'OTHER'
  /** Caused by cosmos.bank.v1beta1.MsgSend. */
  | 'SEND';

/** Option of a vote. Only YES counts towards acceptance. The other three options only reduce the undecided weight. */
export type VoteOption =
  /** A value that this server does not recognize. */
  | 'UNRECOGNIZED'
  /** Abstain. Counted like NO by the decision policies of the chain. */
  | 'VOTE_OPTION_ABSTAIN'
  /** No. */
  | 'VOTE_OPTION_NO'
  /** No with veto. Counted like NO by the decision policies of the chain. */
  | 'VOTE_OPTION_NO_WITH_VETO'
  /** No option. Stored votes never have it. */
  | 'VOTE_OPTION_UNSPECIFIED'
  /** Yes. */
  | 'VOTE_OPTION_YES';

/** How a vote was cast. */
export type VoteOrigin =
  /** Within an authorization (cosmos.authz.v1beta1.MsgExec). */
  | 'AUTHORIZATION'
  /** By a message of its own. */
  | 'MESSAGE'
  /** By other means, such as a contract. It was seen in the state only. */
  | 'OTHER'
  /** By a group policy, as a message of an executed proposal. */
  | 'PROPOSAL'
  /** Implied: the proposer of a proposal submitted with EXEC_TRY. */
  | 'PROPOSER';

export type HoldersFileQueryVariables = Exact<{
  denom: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type HoldersFileQuery = { readonly holders: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly supplyPercent: string | null, readonly account: { readonly address: string }, readonly balance: { readonly amount: string, readonly denom: string } }> } | null };

export type TokenTransfersFileQueryVariables = Exact<{
  denom: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type TokenTransfersFileQuery = { readonly transfers: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly height: string, readonly time: string | null, readonly kind: TransferKind, readonly sender: { readonly address: string } | null, readonly recipient: { readonly address: string }, readonly amount: ReadonlyArray<{ readonly amount: string, readonly denom: string }>, readonly transaction: { readonly hash: string } | null }> } | null };

export type AccountTransfersFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type AccountTransfersFileQuery = { readonly transfers: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly height: string, readonly time: string | null, readonly kind: TransferKind, readonly sender: { readonly address: string } | null, readonly recipient: { readonly address: string }, readonly amount: ReadonlyArray<{ readonly amount: string, readonly denom: string }>, readonly transaction: { readonly hash: string } | null }> } | null };

export type MembersFileQueryVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type MembersFileQuery = { readonly groupMembers: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly metadata: string, readonly weight: string, readonly weightPercent: string | null, readonly addedAt: string, readonly account: { readonly address: string } }> } | null };

export type GroupsFileQueryVariables = Exact<{
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type GroupsFileQuery = { readonly groups: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly metadata: string, readonly totalWeight: string, readonly version: string, readonly createdAt: string, readonly admin: { readonly address: string } }> } | null };

export type BalancesFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type BalancesFileQuery = { readonly account: { readonly balances: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string }> } | null } | null };

export type RecordFileFragment = { readonly id: string, readonly title: string, readonly summary: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly groupId: string | null, readonly groupPolicyAddress: string, readonly submitTime: string, readonly votingPeriodEnd: string, readonly totalWeight: string | null, readonly closed: { readonly height: string | null, readonly time: string | null } | null, readonly tally: { readonly yesCount: string, readonly abstainCount: string, readonly noCount: string, readonly noWithVetoCount: string } | null };

export type ClosedOfGroupsFileQueryVariables = Exact<{
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type ClosedOfGroupsFileQuery = { readonly proposalRecords: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly summary: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly groupId: string | null, readonly groupPolicyAddress: string, readonly submitTime: string, readonly votingPeriodEnd: string, readonly totalWeight: string | null, readonly closed: { readonly height: string | null, readonly time: string | null } | null, readonly tally: { readonly yesCount: string, readonly abstainCount: string, readonly noCount: string, readonly noWithVetoCount: string } | null }> } | null };

export type BoardFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type BoardFileQuery = { readonly proposalsByGroupPolicy: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly summary: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly groupPolicy: { readonly address: string } | null, readonly tally: { readonly yesCount: string, readonly abstainCount: string, readonly noCount: string, readonly noWithVetoCount: string } | null }> } | null };

export type BoardRecordsFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type BoardRecordsFileQuery = { readonly proposalRecords: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly summary: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly groupId: string | null, readonly groupPolicyAddress: string, readonly submitTime: string, readonly votingPeriodEnd: string, readonly totalWeight: string | null, readonly closed: { readonly height: string | null, readonly time: string | null } | null, readonly tally: { readonly yesCount: string, readonly abstainCount: string, readonly noCount: string, readonly noWithVetoCount: string } | null }> } | null };

export type VotesFileQueryVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type VotesFileQuery = { readonly votesByProposal: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly metadata: string, readonly submitTime: string, readonly voter: { readonly address: string }, readonly member: { readonly weight: string } | null }> } | null };

export type RecordVotesFileQueryVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type RecordVotesFileQuery = { readonly proposalRecord: { readonly votes: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly metadata: string, readonly origin: VoteOrigin, readonly weight: string | null, readonly voter: { readonly address: string }, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } }> } | null } | null };

export type GovProposalsFileQueryVariables = Exact<{
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type GovProposalsFileQuery = { readonly govProposals: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly summary: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly submitTime: string, readonly votingStartTime: string | null, readonly votingEndTime: string | null, readonly tally: { readonly yesCount: string, readonly abstainCount: string, readonly noCount: string, readonly noWithVetoCount: string } | null }> } | null };

export type GovVotesFileQueryVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type GovVotesFileQuery = { readonly govProposal: { readonly votes: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly metadata: string, readonly voter: { readonly address: string }, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null };

export type GovRecordVotesFileQueryVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type GovRecordVotesFileQuery = { readonly govProposalRecord: { readonly votes: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly round: number, readonly replaced: boolean, readonly power: string | null, readonly voter: { readonly address: string }, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }>, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } }> } | null } | null };

export type ValidatorsFileQueryVariables = Exact<{
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type ValidatorsFileQuery = { readonly stakingPool: { readonly validators: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly address: string, readonly operatorAddress: string | null, readonly moniker: string | null, readonly jailed: boolean | null, readonly isBonded: boolean | null, readonly commissionPercent: string | null, readonly tokens: { readonly amount: string, readonly denom: string } | null }> } | null } | null };

export type MarkersFileQueryVariables = Exact<{
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type MarkersFileQuery = { readonly markers: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly markerType: MarkerType, readonly status: MarkerStatus, readonly circulation: { readonly amount: string, readonly denom: string } | null }> } | null };

export type SuppliesFileQueryVariables = Exact<{
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type SuppliesFileQuery = { readonly totalSupply: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string }> } | null };

export type DelegationsFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type DelegationsFileQuery = { readonly account: { readonly staking: { readonly delegations: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly operatorAddress: string, readonly validator: { readonly moniker: string | null } | null, readonly balance: { readonly amount: string, readonly denom: string } }> } | null } } | null };

export type DelegatorsFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type DelegatorsFileQuery = { readonly account: { readonly validator: { readonly delegations: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly delegator: { readonly address: string }, readonly balance: { readonly amount: string, readonly denom: string } }> } | null } | null } | null };

export type CastVotesFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type CastVotesFileQuery = { readonly account: { readonly voteRecords: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly option: VoteOption, readonly metadata: string, readonly origin: VoteOrigin, readonly weight: string | null, readonly record: { readonly title: string, readonly status: ProposalStatus } | null, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } }> } | null } | null };

export type GovCastVotesFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type GovCastVotesFileQuery = { readonly account: { readonly govVoteRecords: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly round: number, readonly replaced: boolean, readonly power: string | null, readonly record: { readonly title: string, readonly status: GovRecordStatus } | null, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }>, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } }> } | null } | null };

export type MissedVotesFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type MissedVotesFileQuery = { readonly proposalRecords: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly summary: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly groupId: string | null, readonly groupPolicyAddress: string, readonly submitTime: string, readonly votingPeriodEnd: string, readonly totalWeight: string | null, readonly closed: { readonly height: string | null, readonly time: string | null } | null, readonly tally: { readonly yesCount: string, readonly abstainCount: string, readonly noCount: string, readonly noWithVetoCount: string } | null }> } | null };

export type GovMissedVotesFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type GovMissedVotesFileQuery = { readonly govProposalRecords: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly summary: string, readonly status: GovRecordStatus, readonly expedited: boolean, readonly submitTime: string, readonly votingStartTime: string | null, readonly votingEndTime: string | null, readonly decided: { readonly height: string | null, readonly time: string | null } | null }> } | null };

export type TransactionFileFragment = { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly height: string, readonly index: number, readonly time: string | null, readonly hash: string, readonly code: number, readonly codespace: string, readonly memo: string | null, readonly gasWanted: string, readonly gasUsed: string, readonly signers: ReadonlyArray<{ readonly address: string }> | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly fee: { readonly amount: ReadonlyArray<{ readonly amount: string, readonly denom: string }> } | null }> };

export type SignedTransactionsFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type SignedTransactionsFileQuery = { readonly transactions: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly height: string, readonly index: number, readonly time: string | null, readonly hash: string, readonly code: number, readonly codespace: string, readonly memo: string | null, readonly gasWanted: string, readonly gasUsed: string, readonly signers: ReadonlyArray<{ readonly address: string }> | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly fee: { readonly amount: ReadonlyArray<{ readonly amount: string, readonly denom: string }> } | null }> } | null };

export type ContractCallsFileQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type ContractCallsFileQuery = { readonly transactions: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly height: string, readonly index: number, readonly time: string | null, readonly hash: string, readonly code: number, readonly codespace: string, readonly memo: string | null, readonly gasWanted: string, readonly gasUsed: string, readonly signers: ReadonlyArray<{ readonly address: string }> | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly fee: { readonly amount: ReadonlyArray<{ readonly amount: string, readonly denom: string }> } | null }> } | null };

export type BlockTransactionsFileQueryVariables = Exact<{
  number: string | number;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type BlockTransactionsFileQuery = { readonly block: { readonly transactions: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly height: string, readonly index: number, readonly time: string | null, readonly hash: string, readonly code: number, readonly codespace: string, readonly memo: string | null, readonly gasWanted: string, readonly gasUsed: string, readonly signers: ReadonlyArray<{ readonly address: string }> | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly fee: { readonly amount: ReadonlyArray<{ readonly amount: string, readonly denom: string }> } | null }> } | null } | null };

export type BlocksFileQueryVariables = Exact<{
  from?: string | number | null | undefined;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type BlocksFileQuery = { readonly blocks: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly height: string, readonly hash: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null }> } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const RecordFileFragmentDoc = new TypedDocumentString(`
    fragment RecordFile on ProposalRecord {
  id
  title
  summary
  status
  executorResult
  groupId
  groupPolicyAddress
  submitTime
  votingPeriodEnd
  closed {
    height
    time
  }
  totalWeight
  tally {
    yesCount
    abstainCount
    noCount
    noWithVetoCount
  }
}
    `, {"fragmentName":"RecordFile"}) as unknown as TypedDocumentString<RecordFileFragment, unknown>;
export const TransactionFileFragmentDoc = new TypedDocumentString(`
    fragment TransactionFile on TransactionConnection {
  pageInfo {
    hasNextPage
    endCursor
  }
  nodes {
    height
    index
    time
    hash
    code
    codespace
    signers {
      address
    }
    messages {
      type
      inWords
    }
    memo
    fee {
      amount {
        amount
        denom
      }
    }
    gasWanted
    gasUsed
  }
}
    `, {"fragmentName":"TransactionFile"}) as unknown as TypedDocumentString<TransactionFileFragment, unknown>;
export const HoldersFileDocument = new TypedDocumentString(`
    query HoldersFile($denom: String!, $after: String, $first: Int = 100) {
  holders(denom: $denom, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      account {
        address
      }
      balance {
        amount
        denom
      }
      supplyPercent
    }
  }
}
    `) as unknown as TypedDocumentString<HoldersFileQuery, HoldersFileQueryVariables>;
export const TokenTransfersFileDocument = new TypedDocumentString(`
    query TokenTransfersFile($denom: String!, $after: String, $first: Int = 100) {
  transfers(
    denom: $denom
    kinds: [SEND, MULTI_SEND, MARKER_TRANSFER, OTHER]
    first: $first
    after: $after
  ) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      height
      time
      kind
      sender {
        address
      }
      recipient {
        address
      }
      amount {
        amount
        denom
      }
      transaction {
        hash
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TokenTransfersFileQuery, TokenTransfersFileQueryVariables>;
export const AccountTransfersFileDocument = new TypedDocumentString(`
    query AccountTransfersFile($address: String!, $after: String, $first: Int = 100) {
  transfers(
    account: $address
    kinds: [SEND, MULTI_SEND, MARKER_TRANSFER, OTHER]
    first: $first
    after: $after
  ) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      height
      time
      kind
      sender {
        address
      }
      recipient {
        address
      }
      amount {
        amount
        denom
      }
      transaction {
        hash
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AccountTransfersFileQuery, AccountTransfersFileQueryVariables>;
export const MembersFileDocument = new TypedDocumentString(`
    query MembersFile($id: ID!, $after: String, $first: Int = 100) {
  groupMembers(groupId: $id, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      account {
        address
      }
      metadata
      weight
      weightPercent
      addedAt
    }
  }
}
    `) as unknown as TypedDocumentString<MembersFileQuery, MembersFileQueryVariables>;
export const GroupsFileDocument = new TypedDocumentString(`
    query GroupsFile($after: String, $first: Int = 100) {
  groups(first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      metadata
      admin {
        address
      }
      totalWeight
      version
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<GroupsFileQuery, GroupsFileQueryVariables>;
export const BalancesFileDocument = new TypedDocumentString(`
    query BalancesFile($address: String!, $after: String, $first: Int = 100) {
  account(address: $address) {
    balances(first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        denom
        amount
      }
    }
  }
}
    `) as unknown as TypedDocumentString<BalancesFileQuery, BalancesFileQueryVariables>;
export const ClosedOfGroupsFileDocument = new TypedDocumentString(`
    query ClosedOfGroupsFile($after: String, $first: Int = 100) {
  proposalRecords(filter: {closed: true}, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...RecordFile
    }
  }
}
    fragment RecordFile on ProposalRecord {
  id
  title
  summary
  status
  executorResult
  groupId
  groupPolicyAddress
  submitTime
  votingPeriodEnd
  closed {
    height
    time
  }
  totalWeight
  tally {
    yesCount
    abstainCount
    noCount
    noWithVetoCount
  }
}`) as unknown as TypedDocumentString<ClosedOfGroupsFileQuery, ClosedOfGroupsFileQueryVariables>;
export const BoardFileDocument = new TypedDocumentString(`
    query BoardFile($address: String!, $after: String, $first: Int = 100) {
  proposalsByGroupPolicy(
    address: $address
    first: $first
    after: $after
    reverse: true
  ) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      summary
      status
      executorResult
      groupPolicy {
        address
      }
      submitTime
      votingPeriodEnd
      tally {
        yesCount
        abstainCount
        noCount
        noWithVetoCount
      }
    }
  }
}
    `) as unknown as TypedDocumentString<BoardFileQuery, BoardFileQueryVariables>;
export const BoardRecordsFileDocument = new TypedDocumentString(`
    query BoardRecordsFile($address: String!, $after: String, $first: Int = 100) {
  proposalRecords(
    filter: {groupPolicyAddress: $address}
    first: $first
    after: $after
  ) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...RecordFile
    }
  }
}
    fragment RecordFile on ProposalRecord {
  id
  title
  summary
  status
  executorResult
  groupId
  groupPolicyAddress
  submitTime
  votingPeriodEnd
  closed {
    height
    time
  }
  totalWeight
  tally {
    yesCount
    abstainCount
    noCount
    noWithVetoCount
  }
}`) as unknown as TypedDocumentString<BoardRecordsFileQuery, BoardRecordsFileQueryVariables>;
export const VotesFileDocument = new TypedDocumentString(`
    query VotesFile($id: ID!, $after: String, $first: Int = 100) {
  votesByProposal(proposalId: $id, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      voter {
        address
      }
      option
      metadata
      member {
        weight
      }
      submitTime
    }
  }
}
    `) as unknown as TypedDocumentString<VotesFileQuery, VotesFileQueryVariables>;
export const RecordVotesFileDocument = new TypedDocumentString(`
    query RecordVotesFile($id: ID!, $after: String, $first: Int = 100) {
  proposalRecord(id: $id) {
    votes(first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        voter {
          address
        }
        option
        metadata
        origin
        weight
        at {
          height
          time
          hash
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<RecordVotesFileQuery, RecordVotesFileQueryVariables>;
export const GovProposalsFileDocument = new TypedDocumentString(`
    query GovProposalsFile($after: String, $first: Int = 100) {
  govProposals(first: $first, after: $after, reverse: true) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      summary
      status
      expedited
      submitTime
      votingStartTime
      votingEndTime
      tally {
        yesCount
        abstainCount
        noCount
        noWithVetoCount
      }
    }
  }
}
    `) as unknown as TypedDocumentString<GovProposalsFileQuery, GovProposalsFileQueryVariables>;
export const GovVotesFileDocument = new TypedDocumentString(`
    query GovVotesFile($id: ID!, $after: String, $first: Int = 100) {
  govProposal(id: $id) {
    votes(first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        voter {
          address
        }
        options {
          option
          weight
        }
        metadata
      }
    }
  }
}
    `) as unknown as TypedDocumentString<GovVotesFileQuery, GovVotesFileQueryVariables>;
export const GovRecordVotesFileDocument = new TypedDocumentString(`
    query GovRecordVotesFile($id: ID!, $after: String, $first: Int = 100) {
  govProposalRecord(id: $id) {
    votes(first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        voter {
          address
        }
        options {
          option
          weight
        }
        round
        replaced
        power
        at {
          height
          time
          hash
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<GovRecordVotesFileQuery, GovRecordVotesFileQueryVariables>;
export const ValidatorsFileDocument = new TypedDocumentString(`
    query ValidatorsFile($after: String, $first: Int = 100) {
  stakingPool {
    validators(first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        address
        operatorAddress
        moniker
        jailed
        isBonded
        commissionPercent
        tokens {
          amount
          denom
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ValidatorsFileQuery, ValidatorsFileQueryVariables>;
export const MarkersFileDocument = new TypedDocumentString(`
    query MarkersFile($after: String, $first: Int = 100) {
  markers(first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      denom
      markerType
      status
      circulation {
        amount
        denom
      }
    }
  }
}
    `) as unknown as TypedDocumentString<MarkersFileQuery, MarkersFileQueryVariables>;
export const SuppliesFileDocument = new TypedDocumentString(`
    query SuppliesFile($after: String, $first: Int = 100) {
  totalSupply(first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      denom
      amount
    }
  }
}
    `) as unknown as TypedDocumentString<SuppliesFileQuery, SuppliesFileQueryVariables>;
export const DelegationsFileDocument = new TypedDocumentString(`
    query DelegationsFile($address: String!, $after: String, $first: Int = 100) {
  account(address: $address) {
    staking {
      delegations(first: $first, after: $after) {
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          operatorAddress
          validator {
            moniker
          }
          balance {
            amount
            denom
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DelegationsFileQuery, DelegationsFileQueryVariables>;
export const DelegatorsFileDocument = new TypedDocumentString(`
    query DelegatorsFile($address: String!, $after: String, $first: Int = 100) {
  account(address: $address) {
    validator {
      delegations(first: $first, after: $after) {
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          delegator {
            address
          }
          balance {
            amount
            denom
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DelegatorsFileQuery, DelegatorsFileQueryVariables>;
export const CastVotesFileDocument = new TypedDocumentString(`
    query CastVotesFile($address: String!, $after: String, $first: Int = 100) {
  account(address: $address) {
    voteRecords(first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        proposalId
        record {
          title
          status
        }
        option
        metadata
        origin
        weight
        at {
          height
          time
          hash
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<CastVotesFileQuery, CastVotesFileQueryVariables>;
export const GovCastVotesFileDocument = new TypedDocumentString(`
    query GovCastVotesFile($address: String!, $after: String, $first: Int = 100) {
  account(address: $address) {
    govVoteRecords(first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        proposalId
        record {
          title
          status
        }
        options {
          option
          weight
        }
        round
        replaced
        power
        at {
          height
          time
          hash
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<GovCastVotesFileQuery, GovCastVotesFileQueryVariables>;
export const MissedVotesFileDocument = new TypedDocumentString(`
    query MissedVotesFile($address: String!, $after: String, $first: Int = 100) {
  proposalRecords(filter: {missedBy: $address}, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...RecordFile
    }
  }
}
    fragment RecordFile on ProposalRecord {
  id
  title
  summary
  status
  executorResult
  groupId
  groupPolicyAddress
  submitTime
  votingPeriodEnd
  closed {
    height
    time
  }
  totalWeight
  tally {
    yesCount
    abstainCount
    noCount
    noWithVetoCount
  }
}`) as unknown as TypedDocumentString<MissedVotesFileQuery, MissedVotesFileQueryVariables>;
export const GovMissedVotesFileDocument = new TypedDocumentString(`
    query GovMissedVotesFile($address: String!, $after: String, $first: Int = 100) {
  govProposalRecords(filter: {missedBy: $address}, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      summary
      status
      expedited
      submitTime
      votingStartTime
      votingEndTime
      decided {
        height
        time
      }
    }
  }
}
    `) as unknown as TypedDocumentString<GovMissedVotesFileQuery, GovMissedVotesFileQueryVariables>;
export const SignedTransactionsFileDocument = new TypedDocumentString(`
    query SignedTransactionsFile($address: String!, $after: String, $first: Int = 100) {
  transactions(
    where: [{key: "message.sender", value: $address}]
    first: $first
    after: $after
    reverse: true
  ) {
    ...TransactionFile
  }
}
    fragment TransactionFile on TransactionConnection {
  pageInfo {
    hasNextPage
    endCursor
  }
  nodes {
    height
    index
    time
    hash
    code
    codespace
    signers {
      address
    }
    messages {
      type
      inWords
    }
    memo
    fee {
      amount {
        amount
        denom
      }
    }
    gasWanted
    gasUsed
  }
}`) as unknown as TypedDocumentString<SignedTransactionsFileQuery, SignedTransactionsFileQueryVariables>;
export const ContractCallsFileDocument = new TypedDocumentString(`
    query ContractCallsFile($address: String!, $after: String, $first: Int = 100) {
  transactions(
    where: [{key: "execute._contract_address", value: $address}]
    first: $first
    after: $after
    reverse: true
  ) {
    ...TransactionFile
  }
}
    fragment TransactionFile on TransactionConnection {
  pageInfo {
    hasNextPage
    endCursor
  }
  nodes {
    height
    index
    time
    hash
    code
    codespace
    signers {
      address
    }
    messages {
      type
      inWords
    }
    memo
    fee {
      amount {
        amount
        denom
      }
    }
    gasWanted
    gasUsed
  }
}`) as unknown as TypedDocumentString<ContractCallsFileQuery, ContractCallsFileQueryVariables>;
export const BlockTransactionsFileDocument = new TypedDocumentString(`
    query BlockTransactionsFile($number: Int64!, $after: String, $first: Int = 100) {
  block(height: $number) {
    transactions(first: $first, after: $after) {
      ...TransactionFile
    }
  }
}
    fragment TransactionFile on TransactionConnection {
  pageInfo {
    hasNextPage
    endCursor
  }
  nodes {
    height
    index
    time
    hash
    code
    codespace
    signers {
      address
    }
    messages {
      type
      inWords
    }
    memo
    fee {
      amount {
        amount
        denom
      }
    }
    gasWanted
    gasUsed
  }
}`) as unknown as TypedDocumentString<BlockTransactionsFileQuery, BlockTransactionsFileQueryVariables>;
export const BlocksFileDocument = new TypedDocumentString(`
    query BlocksFile($from: Int64, $after: String, $first: Int = 100) {
  blocks(first: $first, after: $after, maxHeight: $from) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      height
      hash
      time
      numTxs
      blockSize
      proposer {
        address
        moniker
      }
    }
  }
}
    `) as unknown as TypedDocumentString<BlocksFileQuery, BlocksFileQueryVariables>;