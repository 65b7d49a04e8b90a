/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** A permission on a marker. */
export type Access =
  /** Change the permissions on the marker. */
  | 'ACCESS_ADMIN'
  /** Decrease the supply. */
  | 'ACCESS_BURN'
  /** Cancel and destroy the marker. */
  | 'ACCESS_DELETE'
  /** Deposit coins in the marker account. */
  | 'ACCESS_DEPOSIT'
  /** Transfer coins of other holders without their signature. */
  | 'ACCESS_FORCE_TRANSFER'
  /** Increase the supply. */
  | 'ACCESS_MINT'
  /** Transfer coins of a restricted marker. */
  | 'ACCESS_TRANSFER'
  | 'ACCESS_UNSPECIFIED'
  /** Withdraw coins from the marker account. */
  | 'ACCESS_WITHDRAW'
  /** A value that this server does not recognize. */
  | 'UNRECOGNIZED';

/** The kind of an account. */
export type AccountKind =
  /** A base account. */
  | 'BASE'
  /** The account of a group policy. Its key is a credential of the group module. */
  | 'GROUP_POLICY'
  /** The escrow account of a marker. */
  | 'MARKER'
  | 'MODULE'
  /** Another type; see `json`. */
  | 'OTHER'
  | 'VESTING';

/** What is recorded. */
export type ArchiveMode =
  /** The same, and blocks, transactions, events, transfers and net asset values, with an index. */
  | 'FULL'
  /** Groups, group policies, proposals and votes. */
  | 'GOVERNANCE';

/** Where records are stored. */
export type ArchiveStorage =
  /** In memory, until the server stops. */
  | 'MEMORY'
  /** In PostgreSQL, which several servers can share. */
  | 'POSTGRES'
  /** In a file of this server. */
  | 'SQLITE';

/** Type of the value of an attribute. */
export type AttributeType =
  | 'ATTRIBUTE_TYPE_BYTES'
  /** Decimal number of any size, as text. */
  | 'ATTRIBUTE_TYPE_FLOAT'
  /** Integer of any size, as decimal text. */
  | 'ATTRIBUTE_TYPE_INT'
  | 'ATTRIBUTE_TYPE_JSON'
  | 'ATTRIBUTE_TYPE_PROTO'
  | 'ATTRIBUTE_TYPE_STRING'
  | 'ATTRIBUTE_TYPE_UNSPECIFIED'
  | 'ATTRIBUTE_TYPE_URI'
  | 'ATTRIBUTE_TYPE_UUID'
  | 'UNRECOGNIZED';

/** The vote of a validator in a commit. */
export type BlockIdFlag =
  /** No vote was received. */
  | 'BLOCK_ID_FLAG_ABSENT'
  /** The validator voted for the block. */
  | 'BLOCK_ID_FLAG_COMMIT'
  /** The validator voted for no block. */
  | 'BLOCK_ID_FLAG_NIL'
  | 'BLOCK_ID_FLAG_UNKNOWN'
  | 'UNRECOGNIZED';

/** Who can create contracts from a code. */
export type ContractAccess =
  | 'ACCESS_TYPE_ANY_OF_ADDRESSES'
  | 'ACCESS_TYPE_EVERYBODY'
  | 'ACCESS_TYPE_NOBODY'
  | 'ACCESS_TYPE_UNSPECIFIED'
  | 'UNRECOGNIZED';

/** What gave a contract its code. */
export type ContractHistoryOperation =
  | 'CONTRACT_CODE_HISTORY_OPERATION_TYPE_GENESIS'
  | 'CONTRACT_CODE_HISTORY_OPERATION_TYPE_INIT'
  | 'CONTRACT_CODE_HISTORY_OPERATION_TYPE_MIGRATE'
  | 'CONTRACT_CODE_HISTORY_OPERATION_TYPE_UNSPECIFIED'
  | 'UNRECOGNIZED';

/** The values of `extensions.code`. More may be added. Names in brackets are further fields of `extensions`. */
export type ErrorCode =
  /** The application rejected a read. `log` is its own text. [abciCode, codespace, log] */
  | 'ABCI_QUERY_FAILED'
  /** The database of the archive cannot be read at the moment. Everything that is not a record is still served. */
  | 'ARCHIVE_UNAVAILABLE'
  /** The cursor is malformed, or belongs to another list. */
  | 'BAD_CURSOR'
  /** An argument, a variable or a parameter of the request is not valid. [argument, value, bound, limit, max] */
  | 'BAD_USER_INPUT'
  /** The validators of the chain signed two different blocks, which is an attack on the chain. Stele accepts no block after it. [height] */
  | 'CHAIN_CONFLICT'
  /** The chain was reset under the same id, and its heights begin again. [latestHeight] */
  | 'CHAIN_RESET'
  /** No block included the transaction in time. A later block may still include it. [hash, checkTx] */
  | 'COMMIT_TIMEOUT'
  /** The server executes trusted documents only (`--only-trusted-documents`), and this is none of them. */
  | 'DOCUMENT_NOT_TRUSTED'
  /** The token does not have the scope that the operation needs. [scope] */
  | 'FORBIDDEN'
  /** The document is not valid GraphQL syntax. */
  | 'GRAPHQL_PARSE_FAILED'
  /** The document is not valid against the schema. */
  | 'GRAPHQL_VALIDATION_FAILED'
  /** The height is above the newest block, or above the height that the operation is read at. [height, latestHeight, latestTime] */
  | 'HEIGHT_NOT_YET_AVAILABLE'
  /** No node has the block or the state at this height any more. [height, earliestHeight, earliestTime] */
  | 'HEIGHT_PRUNED'
  /** A history was asked for, and a field depends on the block itself: on its time, its height, or state that changes in every block. So the blocks that change it cannot be found. [field, height] */
  | 'HISTORY_DEPENDS_ON_HEIGHT'
  /** The stream of a history has reached `limit`. Every result up to the height `next` was delivered. [limit, max, next] */
  | 'HISTORY_LIMIT'
  /** The search needs the transaction index of a node, and no node has one. The blocks in memory do not reach back far enough. Or a statement of more than 1,000 blocks needs an index. */
  | 'INDEX_UNAVAILABLE'
  /** The server failed in a way that it did not expect. The log has the cause under `requestId`. [requestId] */
  | 'INTERNAL_SERVER_ERROR'
  /** The mempool of the node rejected the transaction before it ran CheckTx. `reason` is `FULL`, `RECHECKING`, `TOO_LARGE` or `PRE_CHECK`. [hash, reason] */
  | 'MEMPOOL_REJECTED'
  /** The chain does not have the module that the field or path reads. In an object, a field that such a module adds is null instead, without an error. [module] */
  | 'MODULE_ABSENT'
  /** Two nodes hold different blocks at the same height, and Stele uses neither from that height on. Or nodes that must agree gave different answers, and none has a majority. [height] */
  | 'NODE_INCONSISTENT'
  /** The response of a node is malformed, too large or fails verification. [status] */
  | 'NODE_INVALID_RESPONSE'
  /** No node answered within `milliseconds`, or the operation took longer than its deadline. [milliseconds] */
  | 'NODE_TIMEOUT'
  /** No node can be reached, or of the nodes that must agree (`quorum`) only `available` have an answer. `sent` is true if a node may have received the request. [sent, retryAfter, quorum, available] */
  | 'NODE_UNREACHABLE'
  /** The object that a path under `/v1` names does not exist. In GraphQL, such an object is null. [argument, bound] */
  | 'NOT_FOUND'
  /** The operation exceeds a limit on its size, its shape, its cost or the length of a list that it reads whole. [limit, value, max] */
  | 'OPERATION_TOO_COMPLEX'
  /** The request names a document by an id or a hash that the server does not have. */
  | 'PERSISTED_QUERY_NOT_FOUND'
  /** The request names a persisted query in a form other than version 1 with a SHA-256, and has no document. */
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  /** The request asks for a proof, and the answer has none. `reason` is `OFF` (the server verifies no headers), `OPERATION` (only queries have proofs), `PRUNED` (no node has the state any more), `NO_PROOFS` (the nodes prove nothing at this height), `INVALID` (the proof of a node does not verify) or `TOO_LARGE` (`limit` names the limit). With the last four, the data is beside the error. [reason, limit, max] */
  | 'PROOF_UNAVAILABLE'
  /** The caller has used up a limit of requests, points or concurrent work. [limit, retryAfter] */
  | 'RATE_LIMITED'
  /** A node's RPC rejected the call. The message is the node's own. [rpcCode, data] */
  | 'RPC_ERROR'
  /** The chain was upgraded, and the document of the stream is not valid for its new schema. `differences` has the reasons. [differences, lastHeight, after] */
  | 'SCHEMA_CHANGED'
  /** The server is stopping. [lastHeight, after] */
  | 'SERVER_SHUTDOWN'
  /** No node may simulate this transaction for this token, because a simulation has no gas limit and can stop a node. `reason` says why, `type` names the message type. [reason, type, max] */
  | 'SIMULATION_DISABLED'
  /** The subscriber read more slowly than events arrived, and its queue is full. [lastHeight, after] */
  | 'SLOW_CONSUMER'
  /** The token of the subscription expired. [lastHeight, after] */
  | 'SUBSCRIPTION_JWT_EXPIRED'
  /** The request has no token, or its token is not valid. */
  | 'UNAUTHENTICATED'
  /** The server delivers no webhooks. It has no archive (`--archive off`), or its archive is a PostgreSQL database and it has no `--shared-secret`, which encrypts the keys of webhooks. */
  | 'WEBHOOKS_UNAVAILABLE';

/** What became of the deposits for a proposal. */
export type GovDepositEnd =
  /** They were burnt. */
  | 'BURNT'
  /** A part was burnt because the proposal was cancelled. The depositors got the rest back. */
  | 'CHARGED'
  /** The depositors got them back. */
  | 'REFUNDED';

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

/** Why a tally passes or not. */
export type GovReason =
  /** All votes are abstentions. */
  | 'ALL_ABSTAIN'
  /** The yes votes are not above the threshold. */
  | 'BELOW_THRESHOLD'
  /** Too little of the bonded stake voted. */
  | 'NO_QUORUM'
  /** Nothing is bonded. */
  | 'NO_STAKE'
  /** The quorum is reached, and the yes votes are above the threshold. */
  | 'PASSES'
  /** The votes of no with veto are above their threshold. The deposits are burnt if the parameters say so. */
  | 'VETO';

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

/** The unit of a limit. */
export type LimitUnit =
  | 'BYTES'
  | 'COUNT'
  | 'MILLISECONDS'
  | 'PER_MINUTE';

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

/** The health of an upstream node. */
export type NodeHealth =
  /** It does not respond, is catching up, or is more than 100 blocks behind. */
  | 'DOWN'
  /** Not used for a while after repeated failures. */
  | 'EJECTED'
  | 'HEALTHY'
  /** More than 3 blocks or 15 s behind. It gets no reads. */
  | 'LAGGING'
  /** It belongs to another chain. Not used until an operator clears it. */
  | 'WRONG_CHAIN';

/** How the voting on a proposal ended. */
export type ProposalClosing =
  /** The group policy changed before the proposal was decided. */
  | 'ABORTED'
  /** An execution found the tally final. */
  | 'DECIDED'
  /** The voting period ended. */
  | 'VOTING_ENDED'
  /** A proposer or the admin of the policy withdrew it. */
  | 'WITHDRAWN';

/** What happened to a proposal. */
export type ProposalEventKind =
  /** A change of the group policy ended it. */
  | 'ABORTED'
  /** The voting ended. How is not known, because it lies before the coverage. */
  | 'CLOSED'
  /** An execution found the tally final. */
  | 'DECIDED'
  /** Its messages ran. */
  | 'EXECUTED'
  /** One of its messages failed, and all were rolled back. `detail` is the log. */
  | 'EXECUTION_FAILED'
  /** The group or its members changed while votes were taken. `detail` names the change. */
  | 'GROUP_UPDATED'
  /** The group policy changed while votes were taken. `detail` names the change. */
  | 'POLICY_UPDATED'
  /** The chain deleted it. */
  | 'PRUNED'
  /** It was submitted. */
  | 'SUBMITTED'
  /** A member voted. */
  | 'VOTED'
  /** The voting period ended, and the tally became final. */
  | 'VOTING_ENDED'
  /** It was withdrawn. */
  | 'WITHDRAWN';

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

/** What changed a balance. */
export type StatementLineKind =
  /** Coins that cease to exist. */
  | 'BURN'
  /** Into the pool of stake. */
  | 'DELEGATION'
  /** The fee of a transaction. */
  | 'FEE'
  /** A transfer by provenance.marker.v1.MsgTransferRequest. */
  | 'MARKER_TRANSFER'
  /** New coins. */
  | 'MINT'
  /** A transfer by cosmos.bank.v1beta1.MsgMultiSend. */
  | 'MULTI_SEND'
  /** Any other movement. */
  | 'OTHER'
  /** From the distribution module: a reward or a commission. */
  | 'REWARD'
  /** A transfer by cosmos.bank.v1beta1.MsgSend. */
  | 'SEND'
  /** Out of the pool of stake. */
  | 'UNBONDING'
  /** What no event explains. It is the last line of its denom. */
  | 'UNEXPLAINED';

/** What the movements of a statement were read from. */
export type StatementSource =
  /** The index of the archive, in mode FULL. */
  | 'ARCHIVE'
  /** Blocks, one by one: the newest ones, those in memory, and all if nothing has an index. */
  | 'BLOCKS'
  /** The index of a node. */
  | 'NODE_INDEX';

/** Decision of a decision policy on a tally. */
export type TallyDecision =
  /** The yes weight suffices. Execution now would accept the proposal, whatever the remaining members vote. */
  | 'ACCEPTED'
  /** The yes weight can no longer suffice. Execution now would reject the proposal. */
  | 'REJECTED'
  /** The remaining votes can still decide. If the voting period ended with this tally, the proposal would be rejected. */
  | 'UNDECIDED';

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

export type ShownFragment = { readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type HeadQueryVariables = Exact<{ [key: string]: never; }>;


export type HeadQuery = { readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type HeadLiveQueryVariables = Exact<{ [key: string]: never; }>;


export type HeadLiveQuery = { readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

type Rule_OtherDecisionPolicy_Fragment = { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null };

type Rule_PercentageDecisionPolicy_Fragment = { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null };

type Rule_ThresholdDecisionPolicy_Fragment = { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null };

export type RuleFragment =
  | Rule_OtherDecisionPolicy_Fragment
  | Rule_PercentageDecisionPolicy_Fragment
  | Rule_ThresholdDecisionPolicy_Fragment
;

export type MoneyFragment = { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null };

export type ValuedFragment = { readonly denom: string, readonly amount: string, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null };

export type CountsFragment = { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string };

export type ProposalRowFragment = { readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
      | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
    , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null };

export type GovCountsFragment = { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string };

export type GovRulesFragment = { readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string };

export type GovProposalRowFragment = { readonly id: string, readonly title: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly votingEndTime: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string } | null };

export type TransactionRowFragment = { readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null };

export type FindTransactionQueryVariables = Exact<{
  hash: string;
}>;


export type FindTransactionQuery = { readonly transaction: { readonly hash: string } | null, readonly blockByHash: { readonly height: string } | null };

export type FindNumberQueryVariables = Exact<{
  height: string | number;
  id: string | number;
  gov?: boolean;
  group?: boolean;
}>;


export type FindNumberQuery = { readonly block: { readonly height: string } | null, readonly proposal?: { readonly id: string, readonly title: string } | null, readonly proposalRecord?: { readonly title: string } | null, readonly govProposal?: { readonly id: string, readonly title: string } | null, readonly govProposalRecord?: { readonly title: string } | null, readonly group?: { readonly id: string, readonly metadata: string } | null };

export type FindAddressQueryVariables = Exact<{
  address: string;
  group?: boolean;
  marker?: boolean;
  wasm?: boolean;
}>;


export type FindAddressQuery = { readonly account: { readonly address: string, readonly kind: AccountKind | null, readonly groupPolicy?: { readonly metadata: string } | null, readonly marker?: { readonly denom: string } | null, readonly contract?: { readonly label: string } | null } | null };

export type FindWordsQueryVariables = Exact<{
  text: string;
  first: number;
}>;


export type FindWordsQuery = { readonly search: { readonly note: string | null, readonly isComplete: boolean, readonly pageInfo: { readonly hasNextPage: boolean }, readonly nodes: ReadonlyArray<
      | { readonly __typename: 'Account', readonly address: string }
      | { readonly __typename: 'Coin', readonly denom: string, readonly display: { readonly symbol: string } | null }
      | { readonly __typename: 'GovProposal', readonly id: string, readonly title: string }
      | { readonly __typename: 'GovProposalRecord', readonly id: string, readonly title: string }
      | { readonly __typename: 'Group', readonly id: string, readonly metadata: string }
      | { readonly __typename: 'GroupMember', readonly metadata: string, readonly account: { readonly address: string }, readonly group: { readonly id: string, readonly metadata: string } | null }
      | { readonly __typename: 'GroupPolicy', readonly address: string, readonly metadata: string, readonly group: { readonly id: string, readonly metadata: string } | null }
      | { readonly __typename: 'NameRecord', readonly name: string, readonly account: { readonly address: string } }
      | { readonly __typename: 'Proposal', readonly id: string, readonly title: string }
      | { readonly __typename: 'ProposalRecord', readonly id: string, readonly title: string }
      | { readonly __typename: 'Validator', readonly moniker: string | null, readonly operatorAddress: string | null, readonly address: string }
    > } };

export type ModulesQueryVariables = Exact<{ [key: string]: never; }>;


export type ModulesQuery = { readonly attribute: ReadonlyArray<{ readonly name: string }> | null, readonly gov: ReadonlyArray<{ readonly name: string }> | null, readonly group: ReadonlyArray<{ readonly name: string }> | null, readonly hold: ReadonlyArray<{ readonly name: string }> | null, readonly marker: ReadonlyArray<{ readonly name: string }> | null, readonly mint: ReadonlyArray<{ readonly name: string }> | null, readonly name: ReadonlyArray<{ readonly name: string }> | null, readonly slashing: ReadonlyArray<{ readonly name: string }> | null, readonly staking: ReadonlyArray<{ readonly name: string }> | null, readonly wasm: ReadonlyArray<{ readonly name: string }> | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type NamesQueryVariables = Exact<{
  accounts: ReadonlyArray<unknown> | unknown;
}>;


export type NamesQuery = { readonly _entities: ReadonlyArray<{ readonly address: string, readonly moduleName: string | null, readonly groupPolicy: { readonly metadata: string } | null, readonly contract: { readonly label: string } | null, readonly marker: { readonly denom: string } | null, readonly names: { readonly nodes: ReadonlyArray<{ readonly name: string }> } | null, readonly validator: { readonly moniker: string | null } | null, readonly memberships: { readonly nodes: ReadonlyArray<{ readonly metadata: string, readonly group: { readonly metadata: string } | null }> } | null } | null> };

export type NodesQueryVariables = Exact<{ [key: string]: never; }>;


export type NodesQuery = { readonly nodes: ReadonlyArray<{ readonly alias: string, readonly health: NodeHealth, readonly inUse: boolean, readonly height: string | null, readonly lag: string | null, readonly earliestHeight: string | null, readonly latency: string | null, readonly lastError: ErrorCode | null, readonly consecutiveFailures: number, readonly ejectedUntil: string | null }>, readonly archive: { readonly coverage: ReadonlyArray<{ readonly from: string, readonly to: string }> } | null };

export type PlaceFragment = { readonly height: string | null, readonly time: string | null, readonly hash: string | null };

export type RecordRowFragment = { readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly totalWeight: string | null, readonly closed: { readonly time: string | null } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly decisionPolicy:
    | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
    | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
    | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
   | null };

export type SignerQueryVariables = Exact<{
  address: string;
}>;


export type SignerQuery = { readonly head: { readonly height: string, readonly chainId: string } | null, readonly account: { readonly accountNumber: string | null, readonly sequence: string | null } | null };

export type CostQueryVariables = Exact<{
  tx: string;
}>;


export type CostQuery = { readonly calculateTxFees: { readonly estimatedGas: string, readonly totalFees: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null };

export type AccountPageFragment = { readonly account: { readonly address: string, readonly kind: AccountKind | null, readonly moduleName: string | null, readonly accountNumber: string | null, readonly sequence: string | null, readonly accountData?: string | null, readonly publicKey: { readonly type: string, readonly value: string } | null, readonly names?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly name: string }> } | null, readonly balances: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly exponent: number, readonly amount: string, readonly denom: string, readonly symbol: string } | null, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null }> } | null, readonly holds?: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null, readonly attributes?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly name: string, readonly value: string, readonly attributeType: AttributeType, readonly expirationDate: string | null }> } | null, readonly groups?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly metadata: string, readonly totalWeight: string, readonly member: { readonly weight: string, readonly weightPercent: string | null, readonly metadata: string } | null }> } | null, readonly groupPolicy?: { readonly address: string, readonly metadata: string, readonly group: { readonly id: string, readonly metadata: string } | null } | null, readonly marker?: { readonly denom: string } | null, readonly govVotes?: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null, readonly contract?: { readonly label: string } | null, readonly validator?: { readonly address: string, readonly moniker: string | null } | null, readonly staking?: { readonly total: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly delegations: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly operatorAddress: string, readonly validator: { readonly address: string, readonly moniker: string | null, readonly jailed: boolean | null, readonly isBonded: boolean | null, readonly operator?: { readonly govVotes: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null } | null, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly rewards: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null }> } | null, readonly unbonding: ReadonlyArray<{ readonly operatorAddress: string, readonly creationHeight: string, readonly completionTime: string, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly validator: { readonly address: string, readonly moniker: string | null } | null }> | null, readonly redelegations: ReadonlyArray<{ readonly operatorAddress: string, readonly creationHeight: string, readonly completionTime: string, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly validator: { readonly address: string, readonly moniker: string | null } | null, readonly toValidator: { readonly address: string, readonly moniker: string | null } | null }> | null, readonly rewards: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null, readonly commission: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null, readonly withdrawAddress: { readonly address: string } | null }, readonly groupProposals?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null, readonly votes?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly submitTime: string, readonly proposalId: string, readonly proposal: { readonly id: string, readonly title: string, readonly status: ProposalStatus } | null }> } | null } | null, readonly govProposals?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly votingEndTime: string | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type VotingValidatorFragment = { readonly address: string, readonly moniker: string | null, readonly jailed: boolean | null, readonly isBonded: boolean | null, readonly operator?: { readonly govVotes: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null };

export type AccountQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  delegations?: string | null | undefined;
  attribute?: boolean;
  gov?: boolean;
  group?: boolean;
  hold?: boolean;
  marker?: boolean;
  name?: boolean;
  staking?: boolean;
  wasm?: boolean;
}>;


export type AccountQuery = { readonly account: { readonly address: string, readonly kind: AccountKind | null, readonly moduleName: string | null, readonly accountNumber: string | null, readonly sequence: string | null, readonly accountData?: string | null, readonly publicKey: { readonly type: string, readonly value: string } | null, readonly names?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly name: string }> } | null, readonly balances: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly exponent: number, readonly amount: string, readonly denom: string, readonly symbol: string } | null, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null }> } | null, readonly holds?: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null, readonly attributes?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly name: string, readonly value: string, readonly attributeType: AttributeType, readonly expirationDate: string | null }> } | null, readonly groups?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly metadata: string, readonly totalWeight: string, readonly member: { readonly weight: string, readonly weightPercent: string | null, readonly metadata: string } | null }> } | null, readonly groupPolicy?: { readonly address: string, readonly metadata: string, readonly group: { readonly id: string, readonly metadata: string } | null } | null, readonly marker?: { readonly denom: string } | null, readonly govVotes?: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null, readonly contract?: { readonly label: string } | null, readonly validator?: { readonly address: string, readonly moniker: string | null } | null, readonly staking?: { readonly total: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly delegations: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly operatorAddress: string, readonly validator: { readonly address: string, readonly moniker: string | null, readonly jailed: boolean | null, readonly isBonded: boolean | null, readonly operator?: { readonly govVotes: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null } | null, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly rewards: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null }> } | null, readonly unbonding: ReadonlyArray<{ readonly operatorAddress: string, readonly creationHeight: string, readonly completionTime: string, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly validator: { readonly address: string, readonly moniker: string | null } | null }> | null, readonly redelegations: ReadonlyArray<{ readonly operatorAddress: string, readonly creationHeight: string, readonly completionTime: string, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly validator: { readonly address: string, readonly moniker: string | null } | null, readonly toValidator: { readonly address: string, readonly moniker: string | null } | null }> | null, readonly rewards: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null, readonly commission: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null, readonly withdrawAddress: { readonly address: string } | null }, readonly groupProposals?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null, readonly votes?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly submitTime: string, readonly proposalId: string, readonly proposal: { readonly id: string, readonly title: string, readonly status: ProposalStatus } | null }> } | null } | null, readonly govProposals?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly votingEndTime: string | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type AccountLiveQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
  delegations?: string | null | undefined;
  attribute?: boolean;
  gov?: boolean;
  group?: boolean;
  hold?: boolean;
  marker?: boolean;
  name?: boolean;
  staking?: boolean;
  wasm?: boolean;
}>;


export type AccountLiveQuery = { readonly account: { readonly address: string, readonly kind: AccountKind | null, readonly moduleName: string | null, readonly accountNumber: string | null, readonly sequence: string | null, readonly accountData?: string | null, readonly publicKey: { readonly type: string, readonly value: string } | null, readonly names?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly name: string }> } | null, readonly balances: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly exponent: number, readonly amount: string, readonly denom: string, readonly symbol: string } | null, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null }> } | null, readonly holds?: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null, readonly attributes?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly name: string, readonly value: string, readonly attributeType: AttributeType, readonly expirationDate: string | null }> } | null, readonly groups?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly metadata: string, readonly totalWeight: string, readonly member: { readonly weight: string, readonly weightPercent: string | null, readonly metadata: string } | null }> } | null, readonly groupPolicy?: { readonly address: string, readonly metadata: string, readonly group: { readonly id: string, readonly metadata: string } | null } | null, readonly marker?: { readonly denom: string } | null, readonly govVotes?: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null, readonly contract?: { readonly label: string } | null, readonly validator?: { readonly address: string, readonly moniker: string | null } | null, readonly staking?: { readonly total: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly delegations: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly operatorAddress: string, readonly validator: { readonly address: string, readonly moniker: string | null, readonly jailed: boolean | null, readonly isBonded: boolean | null, readonly operator?: { readonly govVotes: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null } | null, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly rewards: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null }> } | null, readonly unbonding: ReadonlyArray<{ readonly operatorAddress: string, readonly creationHeight: string, readonly completionTime: string, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly validator: { readonly address: string, readonly moniker: string | null } | null }> | null, readonly redelegations: ReadonlyArray<{ readonly operatorAddress: string, readonly creationHeight: string, readonly completionTime: string, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly validator: { readonly address: string, readonly moniker: string | null } | null, readonly toValidator: { readonly address: string, readonly moniker: string | null } | null }> | null, readonly rewards: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null, readonly commission: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null, readonly withdrawAddress: { readonly address: string } | null }, readonly groupProposals?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null, readonly votes?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly submitTime: string, readonly proposalId: string, readonly proposal: { readonly id: string, readonly title: string, readonly status: ProposalStatus } | null }> } | null } | null, readonly govProposals?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly votingEndTime: string | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type AccountHistoryQueryVariables = Exact<{
  address: string;
  sender: string;
}>;


export type AccountHistoryQuery = { readonly account: { readonly transfers: { readonly completeFrom: string, readonly nodes: ReadonlyArray<{ readonly kind: TransferKind, readonly height: string, readonly time: string | null, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly sender: { readonly address: string, readonly moduleName: string | null } | null, readonly recipient: { readonly address: string, readonly moduleName: string | null }, readonly transaction: { readonly hash: string, readonly code: number } | null }> } | null } | null, readonly transactions: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null };

export type AccountFeesQueryVariables = Exact<{
  address: string;
}>;


export type AccountFeesQuery = { readonly account: { readonly transfers: { readonly completeFrom: string, readonly nodes: ReadonlyArray<{ readonly kind: TransferKind, readonly height: string, readonly time: string | null, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly sender: { readonly address: string, readonly moduleName: string | null } | null, readonly recipient: { readonly address: string, readonly moduleName: string | null }, readonly transaction: { readonly hash: string, readonly code: number } | null }> } | null } | null };

export type AccountRecordsQueryVariables = Exact<{
  address: string;
  cast?: string | null | undefined;
  missed?: string | null | undefined;
}>;


export type AccountRecordsQuery = { readonly account: { readonly voteRecords: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly option: VoteOption, readonly weight: string | null, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null }, readonly record: { readonly title: string, readonly status: ProposalStatus } | null }> } | null } | null, readonly missed: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly closed: { readonly time: string | null } | null }> } | null };

export type AccountGovRecordsQueryVariables = Exact<{
  address: string;
  cast?: string | null | undefined;
}>;


export type AccountGovRecordsQuery = { readonly account: { readonly govVoteRecords: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly round: number, readonly replaced: boolean, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }>, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null }, readonly record: { readonly title: string, readonly status: GovRecordStatus } | null }> } | null } | null };

export type BlockPageFragment = { readonly block: { readonly height: string, readonly hash: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null, readonly header: { readonly appHash: string, readonly dataHash: string, readonly validatorsHash: string, readonly consensusHash: string, readonly lastBlockId: { readonly hash: string } }, readonly transactions: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly gasUsed: string, readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly fee: { readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null, readonly results: { readonly finalizeBlockEvents: ReadonlyArray<{ readonly type: string, readonly json: unknown, readonly attributes: ReadonlyArray<{ readonly key: string, readonly value: string }> }> } | null, readonly lastCommit: { readonly round: number, readonly signatures: ReadonlyArray<{ readonly blockIdFlag: BlockIdFlag, readonly timestamp: string | null, readonly validator: { readonly address: string, readonly moniker: string | null } | null }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type BlockQueryVariables = Exact<{
  height: string | number;
  after?: string | null | undefined;
}>;


export type BlockQuery = { readonly block: { readonly height: string, readonly hash: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null, readonly header: { readonly appHash: string, readonly dataHash: string, readonly validatorsHash: string, readonly consensusHash: string, readonly lastBlockId: { readonly hash: string } }, readonly transactions: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly gasUsed: string, readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly fee: { readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null, readonly results: { readonly finalizeBlockEvents: ReadonlyArray<{ readonly type: string, readonly json: unknown, readonly attributes: ReadonlyArray<{ readonly key: string, readonly value: string }> }> } | null, readonly lastCommit: { readonly round: number, readonly signatures: ReadonlyArray<{ readonly blockIdFlag: BlockIdFlag, readonly timestamp: string | null, readonly validator: { readonly address: string, readonly moniker: string | null } | null }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type BlockLiveQueryVariables = Exact<{
  height: string | number;
  after?: string | null | undefined;
}>;


export type BlockLiveQuery = { readonly block: { readonly height: string, readonly hash: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null, readonly header: { readonly appHash: string, readonly dataHash: string, readonly validatorsHash: string, readonly consensusHash: string, readonly lastBlockId: { readonly hash: string } }, readonly transactions: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly gasUsed: string, readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly fee: { readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null, readonly results: { readonly finalizeBlockEvents: ReadonlyArray<{ readonly type: string, readonly json: unknown, readonly attributes: ReadonlyArray<{ readonly key: string, readonly value: string }> }> } | null, readonly lastCommit: { readonly round: number, readonly signatures: ReadonlyArray<{ readonly blockIdFlag: BlockIdFlag, readonly timestamp: string | null, readonly validator: { readonly address: string, readonly moniker: string | null } | null }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type BlocksPageFragment = { readonly blocks: { readonly pageInfo: { readonly hasNextPage: boolean }, readonly nodes: ReadonlyArray<{ readonly height: string, readonly hash: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type BlocksQueryVariables = Exact<{
  from?: string | number | null | undefined;
}>;


export type BlocksQuery = { readonly blocks: { readonly pageInfo: { readonly hasNextPage: boolean }, readonly nodes: ReadonlyArray<{ readonly height: string, readonly hash: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type BlocksLiveQueryVariables = Exact<{
  from?: string | number | null | undefined;
}>;


export type BlocksLiveQuery = { readonly blocks: { readonly pageInfo: { readonly hasNextPage: boolean }, readonly nodes: ReadonlyArray<{ readonly height: string, readonly hash: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ProposalChangesQueryVariables = Exact<{
  id: string | number;
}>;


export type ProposalChangesQuery = { readonly proposal: { readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null } | null };

export type GroupChangesQueryVariables = Exact<{
  id: string | number;
}>;


export type GroupChangesQuery = { readonly group: { readonly metadata: string, readonly totalWeight: string, readonly admin: { readonly address: string }, readonly members: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly weight: string, readonly metadata: string, readonly account: { readonly address: string } }> } | null, readonly policies: { readonly nodes: ReadonlyArray<{ readonly address: string, readonly metadata: string, readonly decisionPolicy:
          | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
         }> } | null } | null };

export type AccountChangesQueryVariables = Exact<{
  address: string;
  group?: boolean;
}>;


export type AccountChangesQuery = { readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly groups?: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly metadata: string }> } | null } | null };

export type BlockOfTimeQueryVariables = Exact<{
  time: string;
}>;


export type BlockOfTimeQuery = { readonly blockAt: { readonly height: string } | null };

export type ValidatorChangeFragment = { readonly moniker: string | null, readonly isBonded: boolean | null, readonly jailed: boolean | null, readonly commissionPercent: string | null, readonly tokens: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null };

export type ValidatorChangesQueryVariables = Exact<{
  address: string;
  account: string;
  isOperator: boolean;
}>;


export type ValidatorChangesQuery = { readonly validator?: { readonly moniker: string | null, readonly isBonded: boolean | null, readonly jailed: boolean | null, readonly commissionPercent: string | null, readonly tokens: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null } | null, readonly account?: { readonly validator: { readonly moniker: string | null, readonly isBonded: boolean | null, readonly jailed: boolean | null, readonly commissionPercent: string | null, readonly tokens: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null } | null } | null };

export type ContractPageFragment = { readonly contract: { readonly address: string, readonly label: string, readonly codeId: string, readonly info: unknown, readonly ibcPort: string | null, readonly created: { readonly height: string } | null, readonly creator: { readonly address: string }, readonly admin: { readonly address: string } | null, readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null }, readonly code: { readonly checksum: string, readonly access: ContractAccess, readonly creator: { readonly address: string }, readonly permitted: ReadonlyArray<{ readonly address: string }> } | null, readonly history: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly operation: ContractHistoryOperation, readonly codeId: string, readonly message: unknown, readonly updated: { readonly height: string } | null }> } | null, readonly state: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly key: string, readonly keyText: string | null, readonly value: string, readonly json: unknown }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ContractQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
}>;


export type ContractQuery = { readonly contract: { readonly address: string, readonly label: string, readonly codeId: string, readonly info: unknown, readonly ibcPort: string | null, readonly created: { readonly height: string } | null, readonly creator: { readonly address: string }, readonly admin: { readonly address: string } | null, readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null }, readonly code: { readonly checksum: string, readonly access: ContractAccess, readonly creator: { readonly address: string }, readonly permitted: ReadonlyArray<{ readonly address: string }> } | null, readonly history: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly operation: ContractHistoryOperation, readonly codeId: string, readonly message: unknown, readonly updated: { readonly height: string } | null }> } | null, readonly state: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly key: string, readonly keyText: string | null, readonly value: string, readonly json: unknown }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ContractLiveQueryVariables = Exact<{
  address: string;
  after?: string | null | undefined;
}>;


export type ContractLiveQuery = { readonly contract: { readonly address: string, readonly label: string, readonly codeId: string, readonly info: unknown, readonly ibcPort: string | null, readonly created: { readonly height: string } | null, readonly creator: { readonly address: string }, readonly admin: { readonly address: string } | null, readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null }, readonly code: { readonly checksum: string, readonly access: ContractAccess, readonly creator: { readonly address: string }, readonly permitted: ReadonlyArray<{ readonly address: string }> } | null, readonly history: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly operation: ContractHistoryOperation, readonly codeId: string, readonly message: unknown, readonly updated: { readonly height: string } | null }> } | null, readonly state: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly key: string, readonly keyText: string | null, readonly value: string, readonly json: unknown }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ContractCallsQueryVariables = Exact<{
  address: string;
}>;


export type ContractCallsQuery = { readonly transactions: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null };

export type ContractAnswerQueryVariables = Exact<{
  address: string;
  msg: unknown;
}>;


export type ContractAnswerQuery = { readonly contract: { readonly query: unknown } | null };

export type GovProposalPageFragment = { readonly stakingPool: { readonly bonded: { readonly denom: string, readonly amount: string, readonly display: { readonly exponent: number, readonly symbol: string, readonly denom: string } | null } } | null, readonly govParams: { readonly minDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly expeditedMinDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly govProposal: { readonly id: string, readonly title: string, readonly summary: string, readonly metadata: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly failedReason: string, readonly submitTime: string, readonly depositEndTime: string, readonly votingStartTime: string | null, readonly votingEndTime: string | null, readonly proposer: { readonly address: string } | null, readonly totalDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null, readonly json: unknown }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly burnsDeposits: boolean, readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string } | null, readonly votes: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly metadata: string, readonly voter: { readonly address: string, readonly validator: { readonly address: string, readonly moniker: string | null } | null }, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null, readonly deposits: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly depositor: { readonly address: string }, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> }> } | null, readonly pendingValidators: ReadonlyArray<{ readonly address: string, readonly moniker: string | null, readonly tokens: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null } | null> | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type GovProposalQueryVariables = Exact<{
  id: string | number;
  votes?: string | null | undefined;
  deposits?: string | null | undefined;
}>;


export type GovProposalQuery = { readonly stakingPool: { readonly bonded: { readonly denom: string, readonly amount: string, readonly display: { readonly exponent: number, readonly symbol: string, readonly denom: string } | null } } | null, readonly govParams: { readonly minDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly expeditedMinDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly govProposal: { readonly id: string, readonly title: string, readonly summary: string, readonly metadata: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly failedReason: string, readonly submitTime: string, readonly depositEndTime: string, readonly votingStartTime: string | null, readonly votingEndTime: string | null, readonly proposer: { readonly address: string } | null, readonly totalDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null, readonly json: unknown }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly burnsDeposits: boolean, readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string } | null, readonly votes: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly metadata: string, readonly voter: { readonly address: string, readonly validator: { readonly address: string, readonly moniker: string | null } | null }, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null, readonly deposits: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly depositor: { readonly address: string }, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> }> } | null, readonly pendingValidators: ReadonlyArray<{ readonly address: string, readonly moniker: string | null, readonly tokens: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null } | null> | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type GovProposalLiveQueryVariables = Exact<{
  id: string | number;
  votes?: string | null | undefined;
  deposits?: string | null | undefined;
}>;


export type GovProposalLiveQuery = { readonly stakingPool: { readonly bonded: { readonly denom: string, readonly amount: string, readonly display: { readonly exponent: number, readonly symbol: string, readonly denom: string } | null } } | null, readonly govParams: { readonly minDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly expeditedMinDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly govProposal: { readonly id: string, readonly title: string, readonly summary: string, readonly metadata: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly failedReason: string, readonly submitTime: string, readonly depositEndTime: string, readonly votingStartTime: string | null, readonly votingEndTime: string | null, readonly proposer: { readonly address: string } | null, readonly totalDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null, readonly json: unknown }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly burnsDeposits: boolean, readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string } | null, readonly votes: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly metadata: string, readonly voter: { readonly address: string, readonly validator: { readonly address: string, readonly moniker: string | null } | null }, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null, readonly deposits: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly depositor: { readonly address: string }, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> }> } | null, readonly pendingValidators: ReadonlyArray<{ readonly address: string, readonly moniker: string | null, readonly tokens: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null } | null> | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type GovRecordQueryVariables = Exact<{
  id: string | number;
  cast?: string | null | undefined;
}>;


export type GovRecordQuery = { readonly govProposalRecord: { readonly id: string, readonly title: string, readonly summary: string, readonly metadata: string, readonly status: GovRecordStatus, readonly expedited: boolean, readonly complete: boolean, readonly log: string | null, readonly depositEnd: GovDepositEnd | null, readonly submitTime: string, readonly depositEndTime: string | null, readonly votingStartTime: string | null, readonly votingEndTime: string | null, readonly proposer: { readonly address: string } | null, readonly submitted: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } | null, readonly votingBegan: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } | null, readonly decided: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } | null, readonly decidedBy: { readonly address: string } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null, readonly json: unknown }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly audit: { readonly agrees: boolean, readonly computed: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } } | null, readonly rounds: ReadonlyArray<{ readonly number: number, readonly ended: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } | null, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly audit: { readonly agrees: boolean, readonly computed: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } } | null }>, readonly votes: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly round: number, readonly replaced: boolean, readonly power: string | null, readonly delegatedPower: string | null, readonly validatorPower: string | null, readonly isValidator: boolean, readonly voter: { readonly address: string }, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }>, readonly validator: { readonly address: string, readonly moniker: string | null } | null, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } }> } | null, readonly deposits: ReadonlyArray<{ readonly depositor: { readonly address: string }, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } }>, readonly missedBy: ReadonlyArray<{ readonly operatorAddress: string, readonly account: { readonly address: string }, readonly validator: { readonly address: string, readonly moniker: string | null } | null }> | null } | null };

export type GroupPageFragment = { readonly group: { readonly id: string, readonly metadata: string, readonly version: string, readonly totalWeight: string, readonly createdAt: string, readonly admin: { readonly address: string }, readonly members: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly weight: string, readonly weightPercent: string | null, readonly metadata: string, readonly addedAt: string, readonly account: { readonly address: string } }> } | null, readonly policies: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly address: string, readonly metadata: string, readonly version: string, readonly decisionPolicy:
          | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        , readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null } }> } | null, readonly proposals: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly votes: { readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly voter: { readonly address: string } }> } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type GroupQueryVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
  marker?: boolean;
}>;


export type GroupQuery = { readonly group: { readonly id: string, readonly metadata: string, readonly version: string, readonly totalWeight: string, readonly createdAt: string, readonly admin: { readonly address: string }, readonly members: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly weight: string, readonly weightPercent: string | null, readonly metadata: string, readonly addedAt: string, readonly account: { readonly address: string } }> } | null, readonly policies: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly address: string, readonly metadata: string, readonly version: string, readonly decisionPolicy:
          | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        , readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null } }> } | null, readonly proposals: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly votes: { readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly voter: { readonly address: string } }> } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type GroupLiveQueryVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
  marker?: boolean;
}>;


export type GroupLiveQuery = { readonly group: { readonly id: string, readonly metadata: string, readonly version: string, readonly totalWeight: string, readonly createdAt: string, readonly admin: { readonly address: string }, readonly members: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly weight: string, readonly weightPercent: string | null, readonly metadata: string, readonly addedAt: string, readonly account: { readonly address: string } }> } | null, readonly policies: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly address: string, readonly metadata: string, readonly version: string, readonly decisionPolicy:
          | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        , readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null } }> } | null, readonly proposals: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly votes: { readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly voter: { readonly address: string } }> } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type GroupRecordsQueryVariables = Exact<{
  id: string | number;
  status?: ReadonlyArray<ProposalStatus> | ProposalStatus | null | undefined;
}>;


export type GroupRecordsQuery = { readonly group: { readonly participation: ReadonlyArray<{ readonly eligible: number, readonly voted: number, readonly percent: string | null, readonly account: { readonly address: string } }> | null } | null, readonly proposalRecords: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly totalWeight: string | null, readonly closed: { readonly time: string | null } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly decisionPolicy:
        | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
       | null }> } | null };

export type GroupsPageFragment = { readonly groups: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly metadata: string, readonly version: string, readonly totalWeight: string, readonly createdAt: string, readonly members: { readonly totalCount: string | null } | null, readonly open: { readonly totalCount: string | null } | null, readonly policies: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null } }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type GroupsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type GroupsQuery = { readonly groups: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly metadata: string, readonly version: string, readonly totalWeight: string, readonly createdAt: string, readonly members: { readonly totalCount: string | null } | null, readonly open: { readonly totalCount: string | null } | null, readonly policies: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null } }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type GroupsLiveQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type GroupsLiveQuery = { readonly groups: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly metadata: string, readonly version: string, readonly totalWeight: string, readonly createdAt: string, readonly members: { readonly totalCount: string | null } | null, readonly open: { readonly totalCount: string | null } | null, readonly policies: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null } }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type HomePageFragment = { readonly latest: { readonly nodes: ReadonlyArray<{ readonly height: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null, readonly transactions: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null }> } | null, readonly stakingPool?: { readonly inflationPercent?: string | null, readonly annualPercentage?: string | null, readonly bonded: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly notBonded: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } } | null, readonly mine?: { readonly groupProposals: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null } | null, readonly govProposals?: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly votingEndTime: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string } | null }> } | null, readonly groups?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly proposals: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
              | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type HomeBlockFragment = { readonly height: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null, readonly transactions: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null };

export type HomeQueryVariables = Exact<{
  me?: string;
  hasMe?: boolean;
  gov?: boolean;
  group?: boolean;
  mint?: boolean;
  staking?: boolean;
}>;


export type HomeQuery = { readonly latest: { readonly nodes: ReadonlyArray<{ readonly height: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null, readonly transactions: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null }> } | null, readonly stakingPool?: { readonly inflationPercent?: string | null, readonly annualPercentage?: string | null, readonly bonded: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly notBonded: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } } | null, readonly mine?: { readonly groupProposals: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null } | null, readonly govProposals?: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly votingEndTime: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string } | null }> } | null, readonly groups?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly proposals: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
              | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type HomeLiveQueryVariables = Exact<{
  me?: string;
  hasMe?: boolean;
  gov?: boolean;
  group?: boolean;
  mint?: boolean;
  staking?: boolean;
}>;


export type HomeLiveQuery = { readonly latest: { readonly nodes: ReadonlyArray<{ readonly height: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null, readonly transactions: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null }> } | null, readonly stakingPool?: { readonly inflationPercent?: string | null, readonly annualPercentage?: string | null, readonly bonded: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly notBonded: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } } | null, readonly mine?: { readonly groupProposals: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null } | null, readonly govProposals?: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly votingEndTime: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string } | null }> } | null, readonly groups?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly proposals: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
              | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type HomeBlocksQueryVariables = Exact<{ [key: string]: never; }>;


export type HomeBlocksQuery = { readonly blocks: { readonly nodes: ReadonlyArray<{ readonly height: string, readonly time: string, readonly numTxs: string }> } | null, readonly newest: { readonly nodes: ReadonlyArray<{ readonly height: string, readonly time: string, readonly numTxs: string, readonly blockSize: string | null, readonly proposer: { readonly address: string, readonly moniker: string | null } | null, readonly transactions: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null }> } | null };

export type PolicyPageFragment = { readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly version: string, readonly createdAt: string, readonly admin: { readonly address: string }, readonly decisionPolicy:
      | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
    , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string, readonly members: { readonly totalCount: string | null } | null } | null, readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly exponent: number, readonly amount: string, readonly denom: string, readonly symbol: string } | null, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null }> } | null }, readonly proposals: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly proposers: ReadonlyArray<{ readonly address: string }>, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type PolicyQueryVariables = Exact<{
  address: string;
  status?: ReadonlyArray<ProposalStatus> | ProposalStatus | null | undefined;
  after?: string | null | undefined;
  marker?: boolean;
}>;


export type PolicyQuery = { readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly version: string, readonly createdAt: string, readonly admin: { readonly address: string }, readonly decisionPolicy:
      | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
    , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string, readonly members: { readonly totalCount: string | null } | null } | null, readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly exponent: number, readonly amount: string, readonly denom: string, readonly symbol: string } | null, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null }> } | null }, readonly proposals: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly proposers: ReadonlyArray<{ readonly address: string }>, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type PolicyLiveQueryVariables = Exact<{
  address: string;
  status?: ReadonlyArray<ProposalStatus> | ProposalStatus | null | undefined;
  after?: string | null | undefined;
  marker?: boolean;
}>;


export type PolicyLiveQuery = { readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly version: string, readonly createdAt: string, readonly admin: { readonly address: string }, readonly decisionPolicy:
      | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
    , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string, readonly members: { readonly totalCount: string | null } | null } | null, readonly account: { readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly exponent: number, readonly amount: string, readonly denom: string, readonly symbol: string } | null, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null }> } | null }, readonly proposals: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly proposers: ReadonlyArray<{ readonly address: string }>, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
            | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type PolicyRecordsQueryVariables = Exact<{
  address: string;
  status?: ReadonlyArray<ProposalStatus> | ProposalStatus | null | undefined;
  after?: string | null | undefined;
}>;


export type PolicyRecordsQuery = { readonly proposalRecords: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly totalWeight: string | null, readonly closed: { readonly time: string | null } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly decisionPolicy:
        | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
       | null }> } | null };

export type ProposalPageFragment = { readonly proposal: { readonly summary: string, readonly metadata: string, readonly groupVersion: string, readonly groupPolicyVersion: string, readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly proposers: ReadonlyArray<{ readonly address: string }>, readonly outcome: { readonly undecidedWeight: string, readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly finalTallyResult: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string }, readonly messages: ReadonlyArray<{ readonly json: unknown, readonly type: string, readonly inWords: string | null }>, readonly votes: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly metadata: string, readonly submitTime: string, readonly member: { readonly weight: string, readonly weightPercent: string | null, readonly metadata: string } | null, readonly voter: { readonly address: string } }> } | null, readonly pendingVoters: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly weight: string, readonly weightPercent: string | null, readonly metadata: string, readonly account: { readonly address: string } }> } | null, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
        | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ProposalQueryVariables = Exact<{
  id: string | number;
}>;


export type ProposalQuery = { readonly proposal: { readonly summary: string, readonly metadata: string, readonly groupVersion: string, readonly groupPolicyVersion: string, readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly proposers: ReadonlyArray<{ readonly address: string }>, readonly outcome: { readonly undecidedWeight: string, readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly finalTallyResult: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string }, readonly messages: ReadonlyArray<{ readonly json: unknown, readonly type: string, readonly inWords: string | null }>, readonly votes: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly metadata: string, readonly submitTime: string, readonly member: { readonly weight: string, readonly weightPercent: string | null, readonly metadata: string } | null, readonly voter: { readonly address: string } }> } | null, readonly pendingVoters: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly weight: string, readonly weightPercent: string | null, readonly metadata: string, readonly account: { readonly address: string } }> } | null, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
        | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ProposalLiveQueryVariables = Exact<{
  id: string | number;
}>;


export type ProposalLiveQuery = { readonly proposal: { readonly summary: string, readonly metadata: string, readonly groupVersion: string, readonly groupPolicyVersion: string, readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly proposers: ReadonlyArray<{ readonly address: string }>, readonly outcome: { readonly undecidedWeight: string, readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly finalTallyResult: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string }, readonly messages: ReadonlyArray<{ readonly json: unknown, readonly type: string, readonly inWords: string | null }>, readonly votes: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly metadata: string, readonly submitTime: string, readonly member: { readonly weight: string, readonly weightPercent: string | null, readonly metadata: string } | null, readonly voter: { readonly address: string } }> } | null, readonly pendingVoters: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly weight: string, readonly weightPercent: string | null, readonly metadata: string, readonly account: { readonly address: string } }> } | null, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
        | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ProposalTransactionsQueryVariables = Exact<{
  value: string;
}>;


export type ProposalTransactionsQuery = { readonly submitted: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null, readonly voted: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null, readonly executed: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly events: ReadonlyArray<{ readonly json: unknown }>, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null, readonly withdrawn: { readonly nodes: ReadonlyArray<{ readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }> | null, readonly signers: ReadonlyArray<{ readonly address: string }> | null }> } | null };

export type ProposalRecordQueryVariables = Exact<{
  id: string | number;
}>;


export type ProposalRecordQuery = { readonly proposalRecord: { readonly summary: string, readonly metadata: string, readonly votingPeriodEnd: string, readonly closedBy: ProposalClosing | null, readonly complete: boolean, readonly groupId: string | null, readonly groupPolicyAddress: string, readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly totalWeight: string | null, readonly pruned: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } | null, readonly proposers: ReadonlyArray<{ readonly address: string }>, readonly messages: ReadonlyArray<{ readonly json: unknown, readonly type: string, readonly inWords: string | null }>, readonly groupPolicy: { readonly metadata: string, readonly group: { readonly metadata: string, readonly members: { readonly nodes: ReadonlyArray<{ readonly metadata: string, readonly account: { readonly address: string } }> } | null } | null } | null, readonly votes: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly origin: VoteOrigin, readonly weight: string | null, readonly voter: { readonly address: string }, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } }> } | null, readonly missing: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly weight: string, readonly weightPercent: string | null, readonly account: { readonly address: string } }> } | null, readonly tallyHistory: ReadonlyArray<{ readonly time: string, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } }> | null, readonly executions: ReadonlyArray<{ readonly result: ProposalExecutorResult, readonly logs: string, readonly executor: { readonly address: string } | null, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } }>, readonly timeline: ReadonlyArray<{ readonly kind: ProposalEventKind, readonly detail: string | null, readonly account: { readonly address: string } | null, readonly vote: { readonly option: VoteOption } | null, readonly at: { readonly height: string | null, readonly time: string | null, readonly hash: string | null } }>, readonly closed: { readonly time: string | null } | null, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly decisionPolicy:
      | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
     | null } | null };

export type ProposalsPageFragment = { readonly open?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly votingEndTime: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string } | null }> } | null, readonly deposits?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly depositEndTime: string, readonly expedited: boolean, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly totalDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> }> } | null, readonly govParams?: { readonly minDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly expeditedMinDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly govProposals?: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly submitTime: string, readonly votingEndTime: string | null, readonly failedReason: string, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null }> } | null, readonly groups?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly proposals: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
              | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ProposalsQueryVariables = Exact<{
  after?: string | null | undefined;
  gov?: boolean;
  group?: boolean;
}>;


export type ProposalsQuery = { readonly open?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly votingEndTime: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string } | null }> } | null, readonly deposits?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly depositEndTime: string, readonly expedited: boolean, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly totalDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> }> } | null, readonly govParams?: { readonly minDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly expeditedMinDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly govProposals?: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly submitTime: string, readonly votingEndTime: string | null, readonly failedReason: string, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null }> } | null, readonly groups?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly proposals: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
              | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ProposalsLiveQueryVariables = Exact<{
  after?: string | null | undefined;
  gov?: boolean;
  group?: boolean;
}>;


export type ProposalsLiveQuery = { readonly open?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly votingEndTime: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly passes: boolean, readonly reason: GovReason, readonly bondedTokens: string, readonly turnoutPercent: string, readonly quorumPercent: string, readonly yesPercent: string, readonly thresholdPercent: string, readonly vetoPercent: string, readonly vetoThresholdPercent: string } | null }> } | null, readonly deposits?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly depositEndTime: string, readonly expedited: boolean, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly totalDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> }> } | null, readonly govParams?: { readonly minDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly expeditedMinDeposit: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly govProposals?: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovProposalStatus, readonly expedited: boolean, readonly submitTime: string, readonly votingEndTime: string | null, readonly failedReason: string, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null }> } | null, readonly groups?: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly proposals: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly executableFrom: string | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
              | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
              | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
            , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ClosedOfGroupsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ClosedOfGroupsQuery = { readonly proposalRecords: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly totalWeight: string | null, readonly closed: { readonly time: string | null } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly inWords: string | null }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly decisionPolicy:
        | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
       | null }> } | null };

export type DeletedProposalsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type DeletedProposalsQuery = { readonly govProposalRecords: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovRecordStatus, readonly proposer: { readonly address: string } | null, readonly decided: { readonly time: string | null } | null }> } | null };

export type AccountStatementQueryVariables = Exact<{
  address: string;
  from: string;
  to?: string | null | undefined;
}>;


export type AccountStatementQuery = { readonly account: { readonly address: string, readonly statement: { readonly from: string, readonly fromTime: string, readonly to: string, readonly toTime: string, readonly completeFrom: string, readonly sources: ReadonlyArray<StatementSource>, readonly denoms: ReadonlyArray<{ readonly denom: string, readonly opening: string, readonly closing: string, readonly unexplained: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string, readonly exponent: number } | null, readonly lines: ReadonlyArray<{ readonly kind: StatementLineKind, readonly amount: string, readonly balance: string, readonly height: string | null, readonly time: string | null, readonly counterparty: { readonly address: string, readonly moduleName: string | null } | null, readonly transaction: { readonly hash: string } | null }> }> } | null } | null };

export type StatusQueryVariables = Exact<{ [key: string]: never; }>;


export type StatusQuery = { readonly head: { readonly height: string, readonly time: string, readonly chainId: string, readonly hash: string, readonly verified: { readonly signedPower: string, readonly totalPower: string, readonly trustedFrom: string, readonly provesReads: boolean } | null } | null, readonly nodes: ReadonlyArray<{ readonly alias: string, readonly health: NodeHealth, readonly inUse: boolean, readonly chainId: string | null, readonly height: string | null, readonly lag: string | null, readonly earliestHeight: string | null, readonly catchingUp: boolean | null, readonly txIndex: boolean | null, readonly latency: string | null, readonly consecutiveFailures: number, readonly lastError: ErrorCode | null, readonly ejectedUntil: string | null, readonly status: { readonly lastBlockAge: string, readonly nodeInfo: { readonly moniker: string, readonly version: string }, readonly syncInfo: { readonly earliestBlockHeight: string, readonly earliestBlockTime: string } } | null, readonly netInfo: { readonly nPeers: string } | null }>, readonly numUnconfirmedTransactions: { readonly total: string, readonly totalBytes: string } | null, readonly abciInfo: { readonly data: string, readonly version: string } | null, readonly archive: { readonly mode: ArchiveMode, readonly storage: ArchiveStorage, readonly lag: string, readonly notRecorded: ReadonlyArray<string>, readonly proposals: string, readonly votes: string, readonly sizeBytes: string, readonly auditFailures: string, readonly unexplained: string, readonly coverage: ReadonlyArray<{ readonly from: string, readonly to: string }>, readonly backfill: { readonly from: string, readonly to: string, readonly next: string, readonly blocksPerSecond: number, readonly secondsLeft: string | null } | null } | null };

export type LimitsQueryVariables = Exact<{ [key: string]: never; }>;


export type LimitsQuery = { readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null, readonly limits: ReadonlyArray<{ readonly name: string, readonly value: string, readonly unit: LimitUnit, readonly code: ErrorCode | null, readonly description: string }> };

export type TrustedBlockQueryVariables = Exact<{
  height: string | number;
}>;


export type TrustedBlockQuery = { readonly block: { readonly height: string, readonly time: string, readonly hash: string } | null };

export type TokenPageFragment = { readonly supplyOf: { readonly denom: string, readonly amount: string, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly denomMetadata: { readonly name: string, readonly symbol: string, readonly description: string, readonly display: string, readonly base: string, readonly denomUnits: ReadonlyArray<{ readonly denom: string, readonly exponent: number }> } | null, readonly marker?: { readonly denom: string, readonly markerType: MarkerType, readonly status: MarkerStatus, readonly supplyFixed: boolean, readonly allowGovernanceControl: boolean, readonly allowForcedTransfer: boolean, readonly requiredAttributes: ReadonlyArray<string>, readonly account: { readonly address: string }, readonly manager: { readonly address: string } | null, readonly accessControl: ReadonlyArray<{ readonly permissions: ReadonlyArray<Access>, readonly account: { readonly address: string } }>, readonly escrow: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null, readonly netAssetValues: ReadonlyArray<{ readonly volume: string, readonly updatedBlockHeight: string, readonly price: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly pricePerDisplayUnit: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null } | null, readonly holders: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly supplyPercent: string | null, readonly account: { readonly address: string, readonly kind: AccountKind | null, readonly moduleName: string | null }, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type TokenQueryVariables = Exact<{
  denom: string;
  after?: string | null | undefined;
  marker?: boolean;
}>;


export type TokenQuery = { readonly supplyOf: { readonly denom: string, readonly amount: string, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly denomMetadata: { readonly name: string, readonly symbol: string, readonly description: string, readonly display: string, readonly base: string, readonly denomUnits: ReadonlyArray<{ readonly denom: string, readonly exponent: number }> } | null, readonly marker?: { readonly denom: string, readonly markerType: MarkerType, readonly status: MarkerStatus, readonly supplyFixed: boolean, readonly allowGovernanceControl: boolean, readonly allowForcedTransfer: boolean, readonly requiredAttributes: ReadonlyArray<string>, readonly account: { readonly address: string }, readonly manager: { readonly address: string } | null, readonly accessControl: ReadonlyArray<{ readonly permissions: ReadonlyArray<Access>, readonly account: { readonly address: string } }>, readonly escrow: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null, readonly netAssetValues: ReadonlyArray<{ readonly volume: string, readonly updatedBlockHeight: string, readonly price: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly pricePerDisplayUnit: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null } | null, readonly holders: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly supplyPercent: string | null, readonly account: { readonly address: string, readonly kind: AccountKind | null, readonly moduleName: string | null }, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type TokenLiveQueryVariables = Exact<{
  denom: string;
  after?: string | null | undefined;
  marker?: boolean;
}>;


export type TokenLiveQuery = { readonly supplyOf: { readonly denom: string, readonly amount: string, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly denomMetadata: { readonly name: string, readonly symbol: string, readonly description: string, readonly display: string, readonly base: string, readonly denomUnits: ReadonlyArray<{ readonly denom: string, readonly exponent: number }> } | null, readonly marker?: { readonly denom: string, readonly markerType: MarkerType, readonly status: MarkerStatus, readonly supplyFixed: boolean, readonly allowGovernanceControl: boolean, readonly allowForcedTransfer: boolean, readonly requiredAttributes: ReadonlyArray<string>, readonly account: { readonly address: string }, readonly manager: { readonly address: string } | null, readonly accessControl: ReadonlyArray<{ readonly permissions: ReadonlyArray<Access>, readonly account: { readonly address: string } }>, readonly escrow: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null, readonly netAssetValues: ReadonlyArray<{ readonly volume: string, readonly updatedBlockHeight: string, readonly price: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }, readonly pricePerDisplayUnit: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null } | null, readonly holders: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly supplyPercent: string | null, readonly account: { readonly address: string, readonly kind: AccountKind | null, readonly moduleName: string | null }, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type TokenHistoryQueryVariables = Exact<{
  denom: string;
  marker?: boolean;
}>;


export type TokenHistoryQuery = { readonly marker?: { readonly netAssetValueHistory: { readonly completeFrom: string, readonly nodes: ReadonlyArray<{ readonly updatedBlockHeight: string, readonly source: string | null, readonly price: { readonly denom: string }, readonly pricePerDisplayUnit: { readonly amount: string, readonly denom: string, readonly symbol: string } | null, readonly updatedBlock: { readonly time: string } | null, readonly transaction: { readonly hash: string } | null }> } | null } | null, readonly transfers: { readonly completeFrom: string, readonly nodes: ReadonlyArray<{ readonly kind: TransferKind, readonly height: string, readonly time: string | null, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly sender: { readonly address: string, readonly moduleName: string | null } | null, readonly recipient: { readonly address: string, readonly moduleName: string | null }, readonly transaction: { readonly hash: string, readonly code: number } | null }> } | null };

export type MarkersPageFragment = { readonly markers: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly markerType: MarkerType, readonly status: MarkerStatus, readonly metadata: { readonly name: string, readonly symbol: string } | null, readonly circulation: { readonly denom: string, readonly amount: string, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly netAssetValues: ReadonlyArray<{ readonly pricePerDisplayUnit: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type MarkersQueryVariables = Exact<{
  after?: string | null | undefined;
  marker?: boolean;
}>;


export type MarkersQuery = { readonly markers: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly markerType: MarkerType, readonly status: MarkerStatus, readonly metadata: { readonly name: string, readonly symbol: string } | null, readonly circulation: { readonly denom: string, readonly amount: string, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly netAssetValues: ReadonlyArray<{ readonly pricePerDisplayUnit: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type MarkersLiveQueryVariables = Exact<{
  after?: string | null | undefined;
  marker?: boolean;
}>;


export type MarkersLiveQuery = { readonly markers: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly markerType: MarkerType, readonly status: MarkerStatus, readonly metadata: { readonly name: string, readonly symbol: string } | null, readonly circulation: { readonly denom: string, readonly amount: string, readonly value?: { readonly amount: string, readonly denom: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly netAssetValues: ReadonlyArray<{ readonly pricePerDisplayUnit: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type SuppliesPageFragment = { readonly totalSupply: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly metadata: { readonly name: string, readonly description: string } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type SuppliesQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type SuppliesQuery = { readonly totalSupply: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly metadata: { readonly name: string, readonly description: string } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type SuppliesLiveQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type SuppliesLiveQuery = { readonly totalSupply: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly metadata: { readonly name: string, readonly description: string } | null, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type TransactionPageFragment = { readonly transaction: { readonly index: number, readonly gasWanted: string, readonly gasUsed: string, readonly memo: string | null, readonly timeoutHeight: string | null, readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly fee: { readonly gasLimit: string, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly payer: { readonly address: string }, readonly granter: { readonly address: string } | null } | null, readonly messages: ReadonlyArray<{ readonly json: unknown, readonly type: string, readonly inWords: string | null }> | null, readonly transfers: ReadonlyArray<{ readonly kind: TransferKind, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly sender: { readonly address: string, readonly moduleName: string | null } | null, readonly recipient: { readonly address: string, readonly moduleName: string | null } }> | null, readonly contractEvents: ReadonlyArray<{ readonly inWords: string | null, readonly contract: { readonly address: string } }>, readonly events: ReadonlyArray<{ readonly type: string, readonly msgIndex: number | null, readonly json: unknown, readonly attributes: ReadonlyArray<{ readonly key: string, readonly value: string }> }>, readonly signers: ReadonlyArray<{ readonly address: string }> | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type TransactionQueryVariables = Exact<{
  hash: string;
}>;


export type TransactionQuery = { readonly transaction: { readonly index: number, readonly gasWanted: string, readonly gasUsed: string, readonly memo: string | null, readonly timeoutHeight: string | null, readonly hash: string, readonly height: string, readonly time: string | null, readonly code: number, readonly codespace: string, readonly log: string, readonly fee: { readonly gasLimit: string, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly payer: { readonly address: string }, readonly granter: { readonly address: string } | null } | null, readonly messages: ReadonlyArray<{ readonly json: unknown, readonly type: string, readonly inWords: string | null }> | null, readonly transfers: ReadonlyArray<{ readonly kind: TransferKind, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }>, readonly sender: { readonly address: string, readonly moduleName: string | null } | null, readonly recipient: { readonly address: string, readonly moduleName: string | null } }> | null, readonly contractEvents: ReadonlyArray<{ readonly inWords: string | null, readonly contract: { readonly address: string } }>, readonly events: ReadonlyArray<{ readonly type: string, readonly msgIndex: number | null, readonly json: unknown, readonly attributes: ReadonlyArray<{ readonly key: string, readonly value: string }> }>, readonly signers: ReadonlyArray<{ readonly address: string }> | null } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ValidatorPartsFragment = { readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly votingPower: string | null, readonly votingPowerPercent: string | null, readonly isBonded: boolean | null, readonly jailed: boolean | null, readonly commissionPercent: string | null, readonly tokens?: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly publicKey: { readonly type: string, readonly value: string } | null, readonly signingInfo?: { readonly startHeight: string, readonly missedBlocks: string, readonly window: string, readonly uptimePercent: string | null, readonly jailedUntil: string | null, readonly tombstoned: boolean } | null, readonly delegations?: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly delegator: { readonly address: string }, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> } | null, readonly operator: { readonly address: string, readonly staking?: { readonly commission: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null }, readonly govVotes?: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null };

export type ValidatorPageFragment = { readonly validator?: { readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly votingPower: string | null, readonly votingPowerPercent: string | null, readonly isBonded: boolean | null, readonly jailed: boolean | null, readonly commissionPercent: string | null, readonly tokens?: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly publicKey: { readonly type: string, readonly value: string } | null, readonly signingInfo?: { readonly startHeight: string, readonly missedBlocks: string, readonly window: string, readonly uptimePercent: string | null, readonly jailedUntil: string | null, readonly tombstoned: boolean } | null, readonly delegations?: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly delegator: { readonly address: string }, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> } | null, readonly operator: { readonly address: string, readonly staking?: { readonly commission: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null }, readonly govVotes?: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null } | null, readonly account?: { readonly validator: { readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly votingPower: string | null, readonly votingPowerPercent: string | null, readonly isBonded: boolean | null, readonly jailed: boolean | null, readonly commissionPercent: string | null, readonly tokens?: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly publicKey: { readonly type: string, readonly value: string } | null, readonly signingInfo?: { readonly startHeight: string, readonly missedBlocks: string, readonly window: string, readonly uptimePercent: string | null, readonly jailedUntil: string | null, readonly tombstoned: boolean } | null, readonly delegations?: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly delegator: { readonly address: string }, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> } | null, readonly operator: { readonly address: string, readonly staking?: { readonly commission: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null }, readonly govVotes?: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null } | null } | null, readonly govProposals?: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly votingEndTime: string | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ValidatorQueryVariables = Exact<{
  address: string;
  account: string;
  isOperator: boolean;
  after?: string | null | undefined;
  gov?: boolean;
  slashing?: boolean;
  staking?: boolean;
}>;


export type ValidatorQuery = { readonly validator?: { readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly votingPower: string | null, readonly votingPowerPercent: string | null, readonly isBonded: boolean | null, readonly jailed: boolean | null, readonly commissionPercent: string | null, readonly tokens?: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly publicKey: { readonly type: string, readonly value: string } | null, readonly signingInfo?: { readonly startHeight: string, readonly missedBlocks: string, readonly window: string, readonly uptimePercent: string | null, readonly jailedUntil: string | null, readonly tombstoned: boolean } | null, readonly delegations?: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly delegator: { readonly address: string }, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> } | null, readonly operator: { readonly address: string, readonly staking?: { readonly commission: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null }, readonly govVotes?: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null } | null, readonly account?: { readonly validator: { readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly votingPower: string | null, readonly votingPowerPercent: string | null, readonly isBonded: boolean | null, readonly jailed: boolean | null, readonly commissionPercent: string | null, readonly tokens?: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly publicKey: { readonly type: string, readonly value: string } | null, readonly signingInfo?: { readonly startHeight: string, readonly missedBlocks: string, readonly window: string, readonly uptimePercent: string | null, readonly jailedUntil: string | null, readonly tombstoned: boolean } | null, readonly delegations?: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly delegator: { readonly address: string }, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> } | null, readonly operator: { readonly address: string, readonly staking?: { readonly commission: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null }, readonly govVotes?: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null } | null } | null, readonly govProposals?: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly votingEndTime: string | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ValidatorLiveQueryVariables = Exact<{
  address: string;
  account: string;
  isOperator: boolean;
  after?: string | null | undefined;
  gov?: boolean;
  slashing?: boolean;
  staking?: boolean;
}>;


export type ValidatorLiveQuery = { readonly validator?: { readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly votingPower: string | null, readonly votingPowerPercent: string | null, readonly isBonded: boolean | null, readonly jailed: boolean | null, readonly commissionPercent: string | null, readonly tokens?: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly publicKey: { readonly type: string, readonly value: string } | null, readonly signingInfo?: { readonly startHeight: string, readonly missedBlocks: string, readonly window: string, readonly uptimePercent: string | null, readonly jailedUntil: string | null, readonly tombstoned: boolean } | null, readonly delegations?: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly delegator: { readonly address: string }, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> } | null, readonly operator: { readonly address: string, readonly staking?: { readonly commission: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null }, readonly govVotes?: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null } | null, readonly account?: { readonly validator: { readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly votingPower: string | null, readonly votingPowerPercent: string | null, readonly isBonded: boolean | null, readonly jailed: boolean | null, readonly commissionPercent: string | null, readonly tokens?: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null, readonly publicKey: { readonly type: string, readonly value: string } | null, readonly signingInfo?: { readonly startHeight: string, readonly missedBlocks: string, readonly window: string, readonly uptimePercent: string | null, readonly jailedUntil: string | null, readonly tombstoned: boolean } | null, readonly delegations?: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly delegator: { readonly address: string }, readonly balance: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> } | null, readonly operator: { readonly address: string, readonly staking?: { readonly commission: ReadonlyArray<{ readonly denom: string, readonly whole: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } }> | null }, readonly govVotes?: { readonly nodes: ReadonlyArray<{ readonly proposalId: string, readonly options: ReadonlyArray<{ readonly option: VoteOption, readonly weight: string }> }> } | null } | null } | null } | null, readonly govProposals?: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly votingEndTime: string | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ValidatorRecordsQueryVariables = Exact<{
  operator: string;
  account: string;
  missed?: string | null | undefined;
}>;


export type ValidatorRecordsQuery = { readonly account: { readonly validator: { readonly govParticipation: { readonly decided: number, readonly voted: number, readonly missed: number, readonly percent: string | null, readonly yes: number, readonly abstain: number, readonly no: number, readonly noWithVeto: number, readonly split: number } | null } | null } | null, readonly missed: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: GovRecordStatus, readonly decided: { readonly time: string | null } | null }> } | null };

export type ValidatorsPageFragment = { readonly validators: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly votingPower: string | null, readonly votingPowerPercent: string | null, readonly proposerPriority: string | null }> } | null, readonly stakingPool?: { readonly bonded: { readonly amount: string }, readonly validators: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly jailed: boolean | null, readonly isBonded: boolean | null, readonly commissionPercent: string | null, readonly tokens: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null }> } | null } | null, readonly blocks: { readonly nodes: ReadonlyArray<{ readonly height: string, readonly proposer: { readonly address: string } | null, readonly lastCommit: { readonly height: string, readonly signatures: ReadonlyArray<{ readonly blockIdFlag: BlockIdFlag, readonly validatorAddress: string | null }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ValidatorsQueryVariables = Exact<{
  after?: string | null | undefined;
  staking?: boolean;
}>;


export type ValidatorsQuery = { readonly validators: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly votingPower: string | null, readonly votingPowerPercent: string | null, readonly proposerPriority: string | null }> } | null, readonly stakingPool?: { readonly bonded: { readonly amount: string }, readonly validators: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly jailed: boolean | null, readonly isBonded: boolean | null, readonly commissionPercent: string | null, readonly tokens: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null }> } | null } | null, readonly blocks: { readonly nodes: ReadonlyArray<{ readonly height: string, readonly proposer: { readonly address: string } | null, readonly lastCommit: { readonly height: string, readonly signatures: ReadonlyArray<{ readonly blockIdFlag: BlockIdFlag, readonly validatorAddress: string | null }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ValidatorsLiveQueryVariables = Exact<{
  after?: string | null | undefined;
  staking?: boolean;
}>;


export type ValidatorsLiveQuery = { readonly validators: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly votingPower: string | null, readonly votingPowerPercent: string | null, readonly proposerPriority: string | null }> } | null, readonly stakingPool?: { readonly bonded: { readonly amount: string }, readonly validators: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly address: string, readonly moniker: string | null, readonly operatorAddress: string | null, readonly jailed: boolean | null, readonly isBonded: boolean | null, readonly commissionPercent: string | null, readonly tokens: { readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null } | null }> } | null } | null, readonly blocks: { readonly nodes: ReadonlyArray<{ readonly height: string, readonly proposer: { readonly address: string } | null, readonly lastCommit: { readonly height: string, readonly signatures: ReadonlyArray<{ readonly blockIdFlag: BlockIdFlag, readonly validatorAddress: string | null }> } | null }> } | null, readonly head: { readonly height: string, readonly time: string, readonly chainId: string } | null };

export type ProposalProofQueryVariables = Exact<{
  id: string | number;
}>;


export type ProposalProofQuery = { readonly proposal: { readonly id: string, readonly title: string, readonly summary: string, readonly metadata: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly submitTime: string, readonly votingPeriodEnd: string, readonly proposers: ReadonlyArray<{ readonly address: string }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string, readonly totalWeight: string, readonly undecidedWeight: string } | null, readonly finalTallyResult: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string }, readonly votes: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly metadata: string, readonly submitTime: string, readonly member: { readonly weight: string, readonly weightPercent: string | null, readonly metadata: string } | null, readonly voter: { readonly address: string } }> } | null, readonly pendingVoters: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly weight: string, readonly weightPercent: string | null, readonly metadata: string, readonly account: { readonly address: string } }> } | null, readonly groupPolicy: { readonly address: string, readonly metadata: string, readonly decisionPolicy:
        | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
        | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
      , readonly group: { readonly id: string, readonly metadata: string, readonly totalWeight: string } | null } | null } | null };

export type AccountProofQueryVariables = Exact<{
  address: string;
}>;


export type AccountProofQuery = { readonly account: { readonly address: string, readonly balances: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string }> } | null } | null };

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
export const PlaceFragmentDoc = new TypedDocumentString(`
    fragment Place on Occurrence {
  height
  time
  hash
}
    `, {"fragmentName":"Place"}) as unknown as TypedDocumentString<PlaceFragment, unknown>;
export const CountsFragmentDoc = new TypedDocumentString(`
    fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
    `, {"fragmentName":"Counts"}) as unknown as TypedDocumentString<CountsFragment, unknown>;
export const RuleFragmentDoc = new TypedDocumentString(`
    fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
    `, {"fragmentName":"Rule"}) as unknown as TypedDocumentString<RuleFragment, unknown>;
export const RecordRowFragmentDoc = new TypedDocumentString(`
    fragment RecordRow on ProposalRecord {
  id
  title
  status
  executorResult
  submitTime
  closed {
    time
  }
  totalWeight
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  decisionPolicy {
    ...Rule
  }
}
    fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}`, {"fragmentName":"RecordRow"}) as unknown as TypedDocumentString<RecordRowFragment, unknown>;
export const ShownFragmentDoc = new TypedDocumentString(`
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
    `, {"fragmentName":"Shown"}) as unknown as TypedDocumentString<ShownFragment, unknown>;
export const MoneyFragmentDoc = new TypedDocumentString(`
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
    `, {"fragmentName":"Money"}) as unknown as TypedDocumentString<MoneyFragment, unknown>;
export const ValuedFragmentDoc = new TypedDocumentString(`
    fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`, {"fragmentName":"Valued"}) as unknown as TypedDocumentString<ValuedFragment, unknown>;
export const VotingValidatorFragmentDoc = new TypedDocumentString(`
    fragment VotingValidator on Validator {
  address
  moniker
  jailed
  isBonded
  operator @include(if: $gov) {
    govVotes(first: 20) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
  }
}
    `, {"fragmentName":"VotingValidator"}) as unknown as TypedDocumentString<VotingValidatorFragment, unknown>;
export const ProposalRowFragmentDoc = new TypedDocumentString(`
    fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
    fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}`, {"fragmentName":"ProposalRow"}) as unknown as TypedDocumentString<ProposalRowFragment, unknown>;
export const AccountPageFragmentDoc = new TypedDocumentString(`
    fragment AccountPage on Query {
  ...Shown
  account(address: $address) {
    address
    kind
    moduleName
    accountNumber
    sequence
    accountData @include(if: $attribute)
    publicKey {
      type
      value
    }
    names(first: 10) @include(if: $name) {
      totalCount
      nodes {
        name
      }
    }
    balances(first: 20, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...Valued
        display {
          exponent
        }
      }
    }
    holds @include(if: $hold) {
      ...Money
    }
    attributes(first: 20) @include(if: $attribute) {
      totalCount
      nodes {
        name
        value
        attributeType
        expirationDate
      }
    }
    groups(first: 20) @include(if: $group) {
      totalCount
      nodes {
        id
        metadata
        totalWeight
        member(address: $address) {
          weight
          weightPercent
          metadata
        }
      }
    }
    groupPolicy @include(if: $group) {
      address
      metadata
      group {
        id
        metadata
      }
    }
    marker @include(if: $marker) {
      denom
    }
    govVotes(first: 20) @include(if: $gov) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
    contract @include(if: $wasm) {
      label
    }
    validator @include(if: $staking) {
      address
      moniker
    }
    staking @include(if: $staking) {
      total {
        ...Money
      }
      delegations(first: 20, after: $delegations) {
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          operatorAddress
          validator {
            ...VotingValidator
          }
          balance {
            ...Money
          }
          rewards {
            denom
            whole {
              ...Money
            }
          }
        }
      }
      unbonding {
        operatorAddress
        creationHeight
        completionTime
        balance {
          ...Money
        }
        validator {
          address
          moniker
        }
      }
      redelegations {
        operatorAddress
        creationHeight
        completionTime
        balance {
          ...Money
        }
        validator {
          address
          moniker
        }
        toValidator {
          address
          moniker
        }
      }
      rewards {
        denom
        whole {
          ...Money
        }
      }
      commission {
        denom
        whole {
          ...Money
        }
      }
      withdrawAddress {
        address
      }
    }
    groupProposals(awaitingVote: true, first: 20, reverse: true) @include(if: $group) {
      totalCount
      nodes {
        ...ProposalRow
      }
    }
    votes(first: 20, reverse: true) @include(if: $group) {
      totalCount
      nodes {
        option
        submitTime
        proposalId
        proposal {
          id
          title
          status
        }
      }
    }
  }
  govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 20) @include(if: $gov) {
    totalCount
    nodes {
      id
      title
      votingEndTime
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment VotingValidator on Validator {
  address
  moniker
  jailed
  isBonded
  operator @include(if: $gov) {
    govVotes(first: 20) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
  }
}`, {"fragmentName":"AccountPage"}) as unknown as TypedDocumentString<AccountPageFragment, unknown>;
export const TransactionRowFragmentDoc = new TypedDocumentString(`
    fragment TransactionRow on Transaction {
  hash
  height
  time
  code
  codespace
  log
  messages {
    type
    inWords
  }
  signers {
    address
  }
}
    `, {"fragmentName":"TransactionRow"}) as unknown as TypedDocumentString<TransactionRowFragment, unknown>;
export const BlockPageFragmentDoc = new TypedDocumentString(`
    fragment BlockPage on Query {
  ...Shown
  block(height: $height) {
    height
    hash
    time
    numTxs
    blockSize
    proposer {
      address
      moniker
    }
    header {
      lastBlockId {
        hash
      }
      appHash
      dataHash
      validatorsHash
      consensusHash
    }
    transactions(first: 30, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...TransactionRow
        gasUsed
        fee {
          amount {
            ...Money
          }
        }
      }
    }
    results {
      finalizeBlockEvents {
        type
        json
        attributes {
          key
          value
        }
      }
    }
    lastCommit {
      round
      signatures {
        blockIdFlag
        validator {
          address
          moniker
        }
        timestamp
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment TransactionRow on Transaction {
  hash
  height
  time
  code
  codespace
  log
  messages {
    type
    inWords
  }
  signers {
    address
  }
}`, {"fragmentName":"BlockPage"}) as unknown as TypedDocumentString<BlockPageFragment, unknown>;
export const BlocksPageFragmentDoc = new TypedDocumentString(`
    fragment BlocksPage on Query {
  ...Shown
  blocks(first: 40, maxHeight: $from) {
    pageInfo {
      hasNextPage
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
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}`, {"fragmentName":"BlocksPage"}) as unknown as TypedDocumentString<BlocksPageFragment, unknown>;
export const ValidatorChangeFragmentDoc = new TypedDocumentString(`
    fragment ValidatorChange on Validator {
  moniker
  isBonded
  jailed
  commissionPercent
  tokens {
    ...Money
  }
}
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`, {"fragmentName":"ValidatorChange"}) as unknown as TypedDocumentString<ValidatorChangeFragment, unknown>;
export const ContractPageFragmentDoc = new TypedDocumentString(`
    fragment ContractPage on Query {
  ...Shown
  contract(address: $address) {
    address
    label
    codeId
    info
    ibcPort
    created {
      height
    }
    creator {
      address
    }
    admin {
      address
    }
    account {
      balances(first: 20) {
        nodes {
          ...Money
        }
      }
    }
    code {
      creator {
        address
      }
      checksum
      access
      permitted {
        address
      }
    }
    history(first: 20) {
      totalCount
      nodes {
        operation
        codeId
        message
        updated {
          height
        }
      }
    }
    state(first: 20, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        key
        keyText
        value
        json
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`, {"fragmentName":"ContractPage"}) as unknown as TypedDocumentString<ContractPageFragment, unknown>;
export const GovCountsFragmentDoc = new TypedDocumentString(`
    fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
    `, {"fragmentName":"GovCounts"}) as unknown as TypedDocumentString<GovCountsFragment, unknown>;
export const GovRulesFragmentDoc = new TypedDocumentString(`
    fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}
    `, {"fragmentName":"GovRules"}) as unknown as TypedDocumentString<GovRulesFragment, unknown>;
export const GovProposalPageFragmentDoc = new TypedDocumentString(`
    fragment GovProposalPage on Query {
  ...Shown
  stakingPool {
    bonded {
      denom
      amount
      display {
        exponent
        symbol
        denom
      }
    }
  }
  govParams {
    minDeposit {
      ...Money
    }
    expeditedMinDeposit {
      ...Money
    }
  }
  govProposal(id: $id) {
    id
    title
    summary
    metadata
    status
    expedited
    failedReason
    submitTime
    depositEndTime
    votingStartTime
    votingEndTime
    proposer {
      address
    }
    totalDeposit {
      ...Money
    }
    messages {
      type
      inWords
      json
    }
    tally {
      ...GovCounts
    }
    outcome {
      ...GovRules
      burnsDeposits
    }
    votes(first: 20, after: $votes) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        voter {
          address
          validator {
            address
            moniker
          }
        }
        options {
          option
          weight
        }
        metadata
      }
    }
    deposits(first: 20, after: $deposits) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        depositor {
          address
        }
        amount {
          ...Money
        }
      }
    }
    pendingValidators {
      address
      moniker
      tokens {
        ...Money
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}`, {"fragmentName":"GovProposalPage"}) as unknown as TypedDocumentString<GovProposalPageFragment, unknown>;
export const GroupPageFragmentDoc = new TypedDocumentString(`
    fragment GroupPage on Query {
  ...Shown
  group(id: $id) {
    id
    metadata
    version
    totalWeight
    createdAt
    admin {
      address
    }
    members(first: 50, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        weight
        weightPercent
        metadata
        addedAt
        account {
          address
        }
      }
    }
    policies(first: 20) {
      totalCount
      nodes {
        address
        metadata
        version
        decisionPolicy {
          ...Rule
        }
        account {
          balances(first: 10) {
            nodes {
              ...Valued
            }
          }
        }
      }
    }
    proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 10, reverse: true) {
      totalCount
      nodes {
        ...ProposalRow
        votes(first: 50) {
          nodes {
            option
            voter {
              address
            }
          }
        }
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}`, {"fragmentName":"GroupPage"}) as unknown as TypedDocumentString<GroupPageFragment, unknown>;
export const GroupsPageFragmentDoc = new TypedDocumentString(`
    fragment GroupsPage on Query {
  ...Shown
  groups(first: 10, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      metadata
      version
      totalWeight
      createdAt
      members(first: 1) {
        totalCount
      }
      open: proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 1) {
        totalCount
      }
      policies(first: 5) {
        totalCount
        nodes {
          address
          metadata
          decisionPolicy {
            ...Rule
          }
          account {
            balances(first: 3) {
              nodes {
                ...Money
              }
            }
          }
        }
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`, {"fragmentName":"GroupsPage"}) as unknown as TypedDocumentString<GroupsPageFragment, unknown>;
export const HomeBlockFragmentDoc = new TypedDocumentString(`
    fragment HomeBlock on Block {
  height
  time
  numTxs
  blockSize
  proposer {
    address
    moniker
  }
  transactions(first: 5, reverse: true) {
    nodes {
      hash
      code
      codespace
      log
      messages {
        type
        inWords
      }
      signers {
        address
      }
    }
  }
}
    `, {"fragmentName":"HomeBlock"}) as unknown as TypedDocumentString<HomeBlockFragment, unknown>;
export const GovProposalRowFragmentDoc = new TypedDocumentString(`
    fragment GovProposalRow on GovProposal {
  id
  title
  status
  expedited
  votingEndTime
  messages {
    type
    inWords
  }
  tally {
    ...GovCounts
  }
  outcome {
    ...GovRules
  }
}
    fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}`, {"fragmentName":"GovProposalRow"}) as unknown as TypedDocumentString<GovProposalRowFragment, unknown>;
export const HomePageFragmentDoc = new TypedDocumentString(`
    fragment HomePage on Query {
  ...Shown
  latest: blocks(first: 1) {
    nodes {
      ...HomeBlock
    }
  }
  stakingPool @include(if: $staking) {
    bonded {
      ...Money
    }
    notBonded {
      ...Money
    }
    inflationPercent @include(if: $mint)
    annualPercentage @include(if: $mint)
  }
  mine: account(address: $me) @include(if: $hasMe) {
    groupProposals(awaitingVote: true, first: 30) {
      nodes {
        ...ProposalRow
      }
    }
  }
  govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 20) @include(if: $gov) {
    nodes {
      ...GovProposalRow
    }
  }
  groups(first: 20) @include(if: $group) {
    totalCount
    nodes {
      id
      proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 10) {
        totalCount
        nodes {
          ...ProposalRow
        }
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}
fragment GovProposalRow on GovProposal {
  id
  title
  status
  expedited
  votingEndTime
  messages {
    type
    inWords
  }
  tally {
    ...GovCounts
  }
  outcome {
    ...GovRules
  }
}
fragment HomeBlock on Block {
  height
  time
  numTxs
  blockSize
  proposer {
    address
    moniker
  }
  transactions(first: 5, reverse: true) {
    nodes {
      hash
      code
      codespace
      log
      messages {
        type
        inWords
      }
      signers {
        address
      }
    }
  }
}`, {"fragmentName":"HomePage"}) as unknown as TypedDocumentString<HomePageFragment, unknown>;
export const PolicyPageFragmentDoc = new TypedDocumentString(`
    fragment PolicyPage on Query {
  ...Shown
  groupPolicy(address: $address) {
    address
    metadata
    version
    createdAt
    admin {
      address
    }
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
      members(first: 1) {
        totalCount
      }
    }
    account {
      balances(first: 20) {
        nodes {
          ...Valued
          display {
            exponent
          }
        }
      }
    }
    proposals(status: $status, first: 40, after: $after, reverse: true) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...ProposalRow
        proposers {
          address
        }
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}`, {"fragmentName":"PolicyPage"}) as unknown as TypedDocumentString<PolicyPageFragment, unknown>;
export const ProposalPageFragmentDoc = new TypedDocumentString(`
    fragment ProposalPage on Query {
  ...Shown
  proposal(id: $id) {
    ...ProposalRow
    summary
    metadata
    groupVersion
    groupPolicyVersion
    proposers {
      address
    }
    outcome {
      undecidedWeight
    }
    finalTallyResult {
      ...Counts
    }
    messages {
      json
    }
    votes(first: 100) {
      totalCount
      nodes {
        option
        metadata
        submitTime
        member {
          weight
          weightPercent
          metadata
        }
        voter {
          address
        }
      }
    }
    pendingVoters(first: 100) {
      totalCount
      nodes {
        weight
        weightPercent
        metadata
        account {
          address
        }
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}`, {"fragmentName":"ProposalPage"}) as unknown as TypedDocumentString<ProposalPageFragment, unknown>;
export const ProposalsPageFragmentDoc = new TypedDocumentString(`
    fragment ProposalsPage on Query {
  ...Shown
  open: govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 50) @include(if: $gov) {
    totalCount
    nodes {
      ...GovProposalRow
    }
  }
  deposits: govProposals(status: PROPOSAL_STATUS_DEPOSIT_PERIOD, first: 20) @include(if: $gov) {
    totalCount
    nodes {
      id
      title
      depositEndTime
      expedited
      messages {
        type
        inWords
      }
      totalDeposit {
        ...Money
      }
    }
  }
  govParams @include(if: $gov) {
    minDeposit {
      ...Money
    }
    expeditedMinDeposit {
      ...Money
    }
  }
  govProposals(first: 20, after: $after, reverse: true) @include(if: $gov) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      status
      expedited
      submitTime
      votingEndTime
      failedReason
      tally {
        ...GovCounts
      }
    }
  }
  groups(first: 20) @include(if: $group) {
    totalCount
    nodes {
      id
      proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 20) {
        totalCount
        nodes {
          ...ProposalRow
        }
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}
fragment GovProposalRow on GovProposal {
  id
  title
  status
  expedited
  votingEndTime
  messages {
    type
    inWords
  }
  tally {
    ...GovCounts
  }
  outcome {
    ...GovRules
  }
}`, {"fragmentName":"ProposalsPage"}) as unknown as TypedDocumentString<ProposalsPageFragment, unknown>;
export const TokenPageFragmentDoc = new TypedDocumentString(`
    fragment TokenPage on Query {
  ...Shown
  supplyOf(denom: $denom) {
    ...Valued
  }
  denomMetadata(denom: $denom) {
    name
    symbol
    description
    display
    base
    denomUnits {
      denom
      exponent
    }
  }
  marker(denom: $denom) @include(if: $marker) {
    denom
    markerType
    status
    supplyFixed
    allowGovernanceControl
    allowForcedTransfer
    requiredAttributes
    account {
      address
    }
    manager {
      address
    }
    accessControl {
      permissions
      account {
        address
      }
    }
    escrow {
      ...Money
    }
    netAssetValues {
      price {
        ...Money
      }
      volume
      pricePerDisplayUnit {
        amount
        denom
        symbol
      }
      updatedBlockHeight
    }
  }
  holders(denom: $denom, first: 20, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      supplyPercent
      account {
        address
        kind
        moduleName
      }
      balance {
        ...Money
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}`, {"fragmentName":"TokenPage"}) as unknown as TypedDocumentString<TokenPageFragment, unknown>;
export const MarkersPageFragmentDoc = new TypedDocumentString(`
    fragment MarkersPage on Query {
  ...Shown
  markers(first: 20, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      denom
      markerType
      status
      metadata {
        name
        symbol
      }
      circulation {
        ...Valued
      }
      netAssetValues {
        pricePerDisplayUnit {
          amount
          denom
          symbol
        }
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}`, {"fragmentName":"MarkersPage"}) as unknown as TypedDocumentString<MarkersPageFragment, unknown>;
export const SuppliesPageFragmentDoc = new TypedDocumentString(`
    fragment SuppliesPage on Query {
  ...Shown
  totalSupply(first: 20, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...Money
      metadata {
        name
        description
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`, {"fragmentName":"SuppliesPage"}) as unknown as TypedDocumentString<SuppliesPageFragment, unknown>;
export const TransactionPageFragmentDoc = new TypedDocumentString(`
    fragment TransactionPage on Query {
  ...Shown
  transaction(hash: $hash) {
    ...TransactionRow
    index
    gasWanted
    gasUsed
    memo
    timeoutHeight
    fee {
      amount {
        ...Money
      }
      gasLimit
      payer {
        address
      }
      granter {
        address
      }
    }
    messages {
      json
    }
    transfers {
      kind
      amount {
        ...Money
      }
      sender {
        address
        moduleName
      }
      recipient {
        address
        moduleName
      }
    }
    contractEvents {
      inWords
      contract {
        address
      }
    }
    events {
      type
      msgIndex
      json
      attributes {
        key
        value
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment TransactionRow on Transaction {
  hash
  height
  time
  code
  codespace
  log
  messages {
    type
    inWords
  }
  signers {
    address
  }
}`, {"fragmentName":"TransactionPage"}) as unknown as TypedDocumentString<TransactionPageFragment, unknown>;
export const ValidatorPartsFragmentDoc = new TypedDocumentString(`
    fragment ValidatorParts on Validator {
  address
  moniker
  operatorAddress
  votingPower
  votingPowerPercent
  isBonded
  jailed
  commissionPercent
  tokens @include(if: $staking) {
    ...Money
  }
  publicKey {
    type
    value
  }
  signingInfo @include(if: $slashing) {
    startHeight
    missedBlocks
    window
    uptimePercent
    jailedUntil
    tombstoned
  }
  delegations(first: 20, after: $after) @include(if: $staking) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      delegator {
        address
      }
      balance {
        ...Money
      }
    }
  }
  operator {
    address
    staking @include(if: $staking) {
      commission {
        denom
        whole {
          ...Money
        }
      }
    }
    govVotes(first: 50) @include(if: $gov) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
  }
}
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`, {"fragmentName":"ValidatorParts"}) as unknown as TypedDocumentString<ValidatorPartsFragment, unknown>;
export const ValidatorPageFragmentDoc = new TypedDocumentString(`
    fragment ValidatorPage on Query {
  ...Shown
  validator(address: $address) @skip(if: $isOperator) {
    ...ValidatorParts
  }
  account(address: $account) @include(if: $isOperator) {
    validator {
      ...ValidatorParts
    }
  }
  govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 50) @include(if: $gov) {
    nodes {
      id
      title
      votingEndTime
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment ValidatorParts on Validator {
  address
  moniker
  operatorAddress
  votingPower
  votingPowerPercent
  isBonded
  jailed
  commissionPercent
  tokens @include(if: $staking) {
    ...Money
  }
  publicKey {
    type
    value
  }
  signingInfo @include(if: $slashing) {
    startHeight
    missedBlocks
    window
    uptimePercent
    jailedUntil
    tombstoned
  }
  delegations(first: 20, after: $after) @include(if: $staking) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      delegator {
        address
      }
      balance {
        ...Money
      }
    }
  }
  operator {
    address
    staking @include(if: $staking) {
      commission {
        denom
        whole {
          ...Money
        }
      }
    }
    govVotes(first: 50) @include(if: $gov) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
  }
}`, {"fragmentName":"ValidatorPage"}) as unknown as TypedDocumentString<ValidatorPageFragment, unknown>;
export const ValidatorsPageFragmentDoc = new TypedDocumentString(`
    fragment ValidatorsPage on Query {
  ...Shown
  validators(first: 100) {
    totalCount
    nodes {
      address
      moniker
      operatorAddress
      votingPower
      votingPowerPercent
      proposerPriority
    }
  }
  stakingPool @include(if: $staking) {
    bonded {
      amount
    }
    validators(first: 50, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        address
        moniker
        operatorAddress
        jailed
        isBonded
        commissionPercent
        tokens {
          ...Money
        }
      }
    }
  }
  blocks(first: 100) {
    nodes {
      height
      proposer {
        address
      }
      lastCommit {
        height
        signatures {
          blockIdFlag
          validatorAddress
        }
      }
    }
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`, {"fragmentName":"ValidatorsPage"}) as unknown as TypedDocumentString<ValidatorsPageFragment, unknown>;
export const HeadDocument = new TypedDocumentString(`
    query Head {
  ...Shown
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}`) as unknown as TypedDocumentString<HeadQuery, HeadQueryVariables>;
export const HeadLiveDocument = new TypedDocumentString(`
    query HeadLive @live {
  ...Shown
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}`) as unknown as TypedDocumentString<HeadLiveQuery, HeadLiveQueryVariables>;
export const FindTransactionDocument = new TypedDocumentString(`
    query FindTransaction($hash: Hex!) {
  transaction(hash: $hash) {
    hash
  }
  blockByHash(hash: $hash) {
    height
  }
}
    `) as unknown as TypedDocumentString<FindTransactionQuery, FindTransactionQueryVariables>;
export const FindNumberDocument = new TypedDocumentString(`
    query FindNumber($height: Int64!, $id: ID!, $gov: Boolean! = true, $group: Boolean! = true) {
  block(height: $height) {
    height
  }
  proposal(id: $id) @include(if: $group) {
    id
    title
  }
  proposalRecord(id: $id) @include(if: $group) {
    title
  }
  govProposal(id: $id) @include(if: $gov) {
    id
    title
  }
  govProposalRecord(id: $id) @include(if: $gov) {
    title
  }
  group(id: $id) @include(if: $group) {
    id
    metadata
  }
}
    `) as unknown as TypedDocumentString<FindNumberQuery, FindNumberQueryVariables>;
export const FindAddressDocument = new TypedDocumentString(`
    query FindAddress($address: String!, $group: Boolean! = true, $marker: Boolean! = true, $wasm: Boolean! = true) {
  account(address: $address) {
    address
    kind
    groupPolicy @include(if: $group) {
      metadata
    }
    marker @include(if: $marker) {
      denom
    }
    contract @include(if: $wasm) {
      label
    }
  }
}
    `) as unknown as TypedDocumentString<FindAddressQuery, FindAddressQueryVariables>;
export const FindWordsDocument = new TypedDocumentString(`
    query FindWords($text: String!, $first: Int!) {
  search(text: $text, first: $first) {
    note
    isComplete
    pageInfo {
      hasNextPage
    }
    nodes {
      __typename
      ... on Account {
        address
      }
      ... on NameRecord {
        name
        account {
          address
        }
      }
      ... on Validator {
        moniker
        operatorAddress
        address
      }
      ... on Coin {
        denom
        display {
          symbol
        }
      }
      ... on Group {
        id
        metadata
      }
      ... on GroupPolicy {
        address
        metadata
        group {
          id
          metadata
        }
      }
      ... on GroupMember {
        account {
          address
        }
        metadata
        group {
          id
          metadata
        }
      }
      ... on Proposal {
        id
        title
      }
      ... on ProposalRecord {
        id
        title
      }
      ... on GovProposal {
        id
        title
      }
      ... on GovProposalRecord {
        id
        title
      }
    }
  }
}
    `) as unknown as TypedDocumentString<FindWordsQuery, FindWordsQueryVariables>;
export const ModulesDocument = new TypedDocumentString(`
    query Modules @live {
  ...Shown
  attribute: modules(prefix: "provenance.attribute.v1.") {
    name
  }
  gov: modules(prefix: "cosmos.gov.v1.") {
    name
  }
  group: modules(prefix: "cosmos.group.v1.") {
    name
  }
  hold: modules(prefix: "provenance.hold.v1.") {
    name
  }
  marker: modules(prefix: "provenance.marker.v1.") {
    name
  }
  mint: modules(prefix: "cosmos.mint.v1beta1.") {
    name
  }
  name: modules(prefix: "provenance.name.v1.") {
    name
  }
  slashing: modules(prefix: "cosmos.slashing.v1beta1.") {
    name
  }
  staking: modules(prefix: "cosmos.distribution.v1beta1.") {
    name
  }
  wasm: modules(prefix: "cosmwasm.wasm.v1.") {
    name
  }
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}`) as unknown as TypedDocumentString<ModulesQuery, ModulesQueryVariables>;
export const NamesDocument = new TypedDocumentString(`
    query Names($accounts: [_Any!]!) {
  _entities(representations: $accounts) {
    ... on Account {
      address
      moduleName
      groupPolicy {
        metadata
      }
      contract {
        label
      }
      marker {
        denom
      }
      names(first: 1) {
        nodes {
          name
        }
      }
      validator {
        moniker
      }
      memberships(first: 1) {
        nodes {
          metadata
          group {
            metadata
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<NamesQuery, NamesQueryVariables>;
export const NodesDocument = new TypedDocumentString(`
    query Nodes {
  nodes {
    alias
    health
    inUse
    height
    lag
    earliestHeight
    latency
    lastError
    consecutiveFailures
    ejectedUntil
  }
  archive {
    coverage {
      from
      to
    }
  }
}
    `) as unknown as TypedDocumentString<NodesQuery, NodesQueryVariables>;
export const SignerDocument = new TypedDocumentString(`
    query Signer($address: String!) {
  head {
    height
    chainId
  }
  account(address: $address) {
    accountNumber
    sequence
  }
}
    `) as unknown as TypedDocumentString<SignerQuery, SignerQueryVariables>;
export const CostDocument = new TypedDocumentString(`
    query Cost($tx: String!) {
  calculateTxFees(tx: $tx, gasAdjustment: 1.5) {
    estimatedGas
    totalFees {
      ...Money
    }
  }
}
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`) as unknown as TypedDocumentString<CostQuery, CostQueryVariables>;
export const AccountDocument = new TypedDocumentString(`
    query Account($address: String!, $after: String, $delegations: String, $attribute: Boolean! = true, $gov: Boolean! = true, $group: Boolean! = true, $hold: Boolean! = true, $marker: Boolean! = true, $name: Boolean! = true, $staking: Boolean! = true, $wasm: Boolean! = true) {
  ...AccountPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment AccountPage on Query {
  ...Shown
  account(address: $address) {
    address
    kind
    moduleName
    accountNumber
    sequence
    accountData @include(if: $attribute)
    publicKey {
      type
      value
    }
    names(first: 10) @include(if: $name) {
      totalCount
      nodes {
        name
      }
    }
    balances(first: 20, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...Valued
        display {
          exponent
        }
      }
    }
    holds @include(if: $hold) {
      ...Money
    }
    attributes(first: 20) @include(if: $attribute) {
      totalCount
      nodes {
        name
        value
        attributeType
        expirationDate
      }
    }
    groups(first: 20) @include(if: $group) {
      totalCount
      nodes {
        id
        metadata
        totalWeight
        member(address: $address) {
          weight
          weightPercent
          metadata
        }
      }
    }
    groupPolicy @include(if: $group) {
      address
      metadata
      group {
        id
        metadata
      }
    }
    marker @include(if: $marker) {
      denom
    }
    govVotes(first: 20) @include(if: $gov) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
    contract @include(if: $wasm) {
      label
    }
    validator @include(if: $staking) {
      address
      moniker
    }
    staking @include(if: $staking) {
      total {
        ...Money
      }
      delegations(first: 20, after: $delegations) {
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          operatorAddress
          validator {
            ...VotingValidator
          }
          balance {
            ...Money
          }
          rewards {
            denom
            whole {
              ...Money
            }
          }
        }
      }
      unbonding {
        operatorAddress
        creationHeight
        completionTime
        balance {
          ...Money
        }
        validator {
          address
          moniker
        }
      }
      redelegations {
        operatorAddress
        creationHeight
        completionTime
        balance {
          ...Money
        }
        validator {
          address
          moniker
        }
        toValidator {
          address
          moniker
        }
      }
      rewards {
        denom
        whole {
          ...Money
        }
      }
      commission {
        denom
        whole {
          ...Money
        }
      }
      withdrawAddress {
        address
      }
    }
    groupProposals(awaitingVote: true, first: 20, reverse: true) @include(if: $group) {
      totalCount
      nodes {
        ...ProposalRow
      }
    }
    votes(first: 20, reverse: true) @include(if: $group) {
      totalCount
      nodes {
        option
        submitTime
        proposalId
        proposal {
          id
          title
          status
        }
      }
    }
  }
  govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 20) @include(if: $gov) {
    totalCount
    nodes {
      id
      title
      votingEndTime
    }
  }
}
fragment VotingValidator on Validator {
  address
  moniker
  jailed
  isBonded
  operator @include(if: $gov) {
    govVotes(first: 20) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<AccountQuery, AccountQueryVariables>;
export const AccountLiveDocument = new TypedDocumentString(`
    query AccountLive($address: String!, $after: String, $delegations: String, $attribute: Boolean! = true, $gov: Boolean! = true, $group: Boolean! = true, $hold: Boolean! = true, $marker: Boolean! = true, $name: Boolean! = true, $staking: Boolean! = true, $wasm: Boolean! = true) @live {
  ...AccountPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment AccountPage on Query {
  ...Shown
  account(address: $address) {
    address
    kind
    moduleName
    accountNumber
    sequence
    accountData @include(if: $attribute)
    publicKey {
      type
      value
    }
    names(first: 10) @include(if: $name) {
      totalCount
      nodes {
        name
      }
    }
    balances(first: 20, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...Valued
        display {
          exponent
        }
      }
    }
    holds @include(if: $hold) {
      ...Money
    }
    attributes(first: 20) @include(if: $attribute) {
      totalCount
      nodes {
        name
        value
        attributeType
        expirationDate
      }
    }
    groups(first: 20) @include(if: $group) {
      totalCount
      nodes {
        id
        metadata
        totalWeight
        member(address: $address) {
          weight
          weightPercent
          metadata
        }
      }
    }
    groupPolicy @include(if: $group) {
      address
      metadata
      group {
        id
        metadata
      }
    }
    marker @include(if: $marker) {
      denom
    }
    govVotes(first: 20) @include(if: $gov) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
    contract @include(if: $wasm) {
      label
    }
    validator @include(if: $staking) {
      address
      moniker
    }
    staking @include(if: $staking) {
      total {
        ...Money
      }
      delegations(first: 20, after: $delegations) {
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          operatorAddress
          validator {
            ...VotingValidator
          }
          balance {
            ...Money
          }
          rewards {
            denom
            whole {
              ...Money
            }
          }
        }
      }
      unbonding {
        operatorAddress
        creationHeight
        completionTime
        balance {
          ...Money
        }
        validator {
          address
          moniker
        }
      }
      redelegations {
        operatorAddress
        creationHeight
        completionTime
        balance {
          ...Money
        }
        validator {
          address
          moniker
        }
        toValidator {
          address
          moniker
        }
      }
      rewards {
        denom
        whole {
          ...Money
        }
      }
      commission {
        denom
        whole {
          ...Money
        }
      }
      withdrawAddress {
        address
      }
    }
    groupProposals(awaitingVote: true, first: 20, reverse: true) @include(if: $group) {
      totalCount
      nodes {
        ...ProposalRow
      }
    }
    votes(first: 20, reverse: true) @include(if: $group) {
      totalCount
      nodes {
        option
        submitTime
        proposalId
        proposal {
          id
          title
          status
        }
      }
    }
  }
  govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 20) @include(if: $gov) {
    totalCount
    nodes {
      id
      title
      votingEndTime
    }
  }
}
fragment VotingValidator on Validator {
  address
  moniker
  jailed
  isBonded
  operator @include(if: $gov) {
    govVotes(first: 20) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<AccountLiveQuery, AccountLiveQueryVariables>;
export const AccountHistoryDocument = new TypedDocumentString(`
    query AccountHistory($address: String!, $sender: String!) {
  account(address: $address) {
    transfers(kinds: [SEND, MULTI_SEND, MARKER_TRANSFER, OTHER], first: 20) {
      completeFrom
      nodes {
        kind
        height
        time
        amount {
          ...Money
        }
        sender {
          address
          moduleName
        }
        recipient {
          address
          moduleName
        }
        transaction {
          hash
          code
        }
      }
    }
  }
  transactions(
    where: [{key: "message.sender", value: $sender}]
    first: 20
    reverse: true
  ) {
    nodes {
      ...TransactionRow
    }
  }
}
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment TransactionRow on Transaction {
  hash
  height
  time
  code
  codespace
  log
  messages {
    type
    inWords
  }
  signers {
    address
  }
}`) as unknown as TypedDocumentString<AccountHistoryQuery, AccountHistoryQueryVariables>;
export const AccountFeesDocument = new TypedDocumentString(`
    query AccountFees($address: String!) {
  account(address: $address) {
    transfers(kinds: [FEE], direction: OUT, first: 20) {
      completeFrom
      nodes {
        kind
        height
        time
        amount {
          ...Money
        }
        sender {
          address
          moduleName
        }
        recipient {
          address
          moduleName
        }
        transaction {
          hash
          code
        }
      }
    }
  }
}
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`) as unknown as TypedDocumentString<AccountFeesQuery, AccountFeesQueryVariables>;
export const AccountRecordsDocument = new TypedDocumentString(`
    query AccountRecords($address: String!, $cast: String, $missed: String) {
  account(address: $address) {
    voteRecords(first: 10, after: $cast) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        proposalId
        option
        weight
        at {
          ...Place
        }
        record {
          title
          status
        }
      }
    }
  }
  missed: proposalRecords(filter: {missedBy: $address}, first: 10, after: $missed) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      status
      closed {
        time
      }
    }
  }
}
    fragment Place on Occurrence {
  height
  time
  hash
}`) as unknown as TypedDocumentString<AccountRecordsQuery, AccountRecordsQueryVariables>;
export const AccountGovRecordsDocument = new TypedDocumentString(`
    query AccountGovRecords($address: String!, $cast: String) {
  account(address: $address) {
    govVoteRecords(first: 10, after: $cast) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        proposalId
        options {
          option
          weight
        }
        round
        replaced
        at {
          ...Place
        }
        record {
          title
          status
        }
      }
    }
  }
}
    fragment Place on Occurrence {
  height
  time
  hash
}`) as unknown as TypedDocumentString<AccountGovRecordsQuery, AccountGovRecordsQueryVariables>;
export const BlockDocument = new TypedDocumentString(`
    query Block($height: Int64!, $after: String) {
  ...BlockPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment TransactionRow on Transaction {
  hash
  height
  time
  code
  codespace
  log
  messages {
    type
    inWords
  }
  signers {
    address
  }
}
fragment BlockPage on Query {
  ...Shown
  block(height: $height) {
    height
    hash
    time
    numTxs
    blockSize
    proposer {
      address
      moniker
    }
    header {
      lastBlockId {
        hash
      }
      appHash
      dataHash
      validatorsHash
      consensusHash
    }
    transactions(first: 30, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...TransactionRow
        gasUsed
        fee {
          amount {
            ...Money
          }
        }
      }
    }
    results {
      finalizeBlockEvents {
        type
        json
        attributes {
          key
          value
        }
      }
    }
    lastCommit {
      round
      signatures {
        blockIdFlag
        validator {
          address
          moniker
        }
        timestamp
      }
    }
  }
}`) as unknown as TypedDocumentString<BlockQuery, BlockQueryVariables>;
export const BlockLiveDocument = new TypedDocumentString(`
    query BlockLive($height: Int64!, $after: String) @live {
  ...BlockPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment TransactionRow on Transaction {
  hash
  height
  time
  code
  codespace
  log
  messages {
    type
    inWords
  }
  signers {
    address
  }
}
fragment BlockPage on Query {
  ...Shown
  block(height: $height) {
    height
    hash
    time
    numTxs
    blockSize
    proposer {
      address
      moniker
    }
    header {
      lastBlockId {
        hash
      }
      appHash
      dataHash
      validatorsHash
      consensusHash
    }
    transactions(first: 30, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...TransactionRow
        gasUsed
        fee {
          amount {
            ...Money
          }
        }
      }
    }
    results {
      finalizeBlockEvents {
        type
        json
        attributes {
          key
          value
        }
      }
    }
    lastCommit {
      round
      signatures {
        blockIdFlag
        validator {
          address
          moniker
        }
        timestamp
      }
    }
  }
}`) as unknown as TypedDocumentString<BlockLiveQuery, BlockLiveQueryVariables>;
export const BlocksDocument = new TypedDocumentString(`
    query Blocks($from: Int64) {
  ...BlocksPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment BlocksPage on Query {
  ...Shown
  blocks(first: 40, maxHeight: $from) {
    pageInfo {
      hasNextPage
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
}`) as unknown as TypedDocumentString<BlocksQuery, BlocksQueryVariables>;
export const BlocksLiveDocument = new TypedDocumentString(`
    query BlocksLive($from: Int64) @live {
  ...BlocksPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment BlocksPage on Query {
  ...Shown
  blocks(first: 40, maxHeight: $from) {
    pageInfo {
      hasNextPage
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
}`) as unknown as TypedDocumentString<BlocksLiveQuery, BlocksLiveQueryVariables>;
export const ProposalChangesDocument = new TypedDocumentString(`
    query ProposalChanges($id: ID!) {
  proposal(id: $id) {
    status
    executorResult
    tally {
      ...Counts
    }
  }
}
    fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}`) as unknown as TypedDocumentString<ProposalChangesQuery, ProposalChangesQueryVariables>;
export const GroupChangesDocument = new TypedDocumentString(`
    query GroupChanges($id: ID!) {
  group(id: $id) {
    metadata
    totalWeight
    admin {
      address
    }
    members(first: 100) {
      totalCount
      nodes {
        weight
        metadata
        account {
          address
        }
      }
    }
    policies(first: 20) {
      nodes {
        address
        metadata
        decisionPolicy {
          ...Rule
        }
      }
    }
  }
}
    fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}`) as unknown as TypedDocumentString<GroupChangesQuery, GroupChangesQueryVariables>;
export const AccountChangesDocument = new TypedDocumentString(`
    query AccountChanges($address: String!, $group: Boolean! = true) {
  account(address: $address) {
    balances(first: 20) {
      nodes {
        ...Money
      }
    }
    groups(first: 20) @include(if: $group) {
      nodes {
        id
        metadata
      }
    }
  }
}
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`) as unknown as TypedDocumentString<AccountChangesQuery, AccountChangesQueryVariables>;
export const BlockOfTimeDocument = new TypedDocumentString(`
    query BlockOfTime($time: DateTime!) {
  blockAt(time: $time) {
    height
  }
}
    `) as unknown as TypedDocumentString<BlockOfTimeQuery, BlockOfTimeQueryVariables>;
export const ValidatorChangesDocument = new TypedDocumentString(`
    query ValidatorChanges($address: String!, $account: String!, $isOperator: Boolean!) {
  validator(address: $address) @skip(if: $isOperator) {
    ...ValidatorChange
  }
  account(address: $account) @include(if: $isOperator) {
    validator {
      ...ValidatorChange
    }
  }
}
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment ValidatorChange on Validator {
  moniker
  isBonded
  jailed
  commissionPercent
  tokens {
    ...Money
  }
}`) as unknown as TypedDocumentString<ValidatorChangesQuery, ValidatorChangesQueryVariables>;
export const ContractDocument = new TypedDocumentString(`
    query Contract($address: String!, $after: String) {
  ...ContractPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment ContractPage on Query {
  ...Shown
  contract(address: $address) {
    address
    label
    codeId
    info
    ibcPort
    created {
      height
    }
    creator {
      address
    }
    admin {
      address
    }
    account {
      balances(first: 20) {
        nodes {
          ...Money
        }
      }
    }
    code {
      creator {
        address
      }
      checksum
      access
      permitted {
        address
      }
    }
    history(first: 20) {
      totalCount
      nodes {
        operation
        codeId
        message
        updated {
          height
        }
      }
    }
    state(first: 20, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        key
        keyText
        value
        json
      }
    }
  }
}`) as unknown as TypedDocumentString<ContractQuery, ContractQueryVariables>;
export const ContractLiveDocument = new TypedDocumentString(`
    query ContractLive($address: String!, $after: String) @live {
  ...ContractPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment ContractPage on Query {
  ...Shown
  contract(address: $address) {
    address
    label
    codeId
    info
    ibcPort
    created {
      height
    }
    creator {
      address
    }
    admin {
      address
    }
    account {
      balances(first: 20) {
        nodes {
          ...Money
        }
      }
    }
    code {
      creator {
        address
      }
      checksum
      access
      permitted {
        address
      }
    }
    history(first: 20) {
      totalCount
      nodes {
        operation
        codeId
        message
        updated {
          height
        }
      }
    }
    state(first: 20, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        key
        keyText
        value
        json
      }
    }
  }
}`) as unknown as TypedDocumentString<ContractLiveQuery, ContractLiveQueryVariables>;
export const ContractCallsDocument = new TypedDocumentString(`
    query ContractCalls($address: String!) {
  transactions(
    where: [{key: "execute._contract_address", value: $address}]
    first: 20
    reverse: true
  ) {
    nodes {
      ...TransactionRow
    }
  }
}
    fragment TransactionRow on Transaction {
  hash
  height
  time
  code
  codespace
  log
  messages {
    type
    inWords
  }
  signers {
    address
  }
}`) as unknown as TypedDocumentString<ContractCallsQuery, ContractCallsQueryVariables>;
export const ContractAnswerDocument = new TypedDocumentString(`
    query ContractAnswer($address: String!, $msg: JSON!) {
  contract(address: $address) {
    query(msg: $msg)
  }
}
    `) as unknown as TypedDocumentString<ContractAnswerQuery, ContractAnswerQueryVariables>;
export const GovProposalDocument = new TypedDocumentString(`
    query GovProposal($id: ID!, $votes: String, $deposits: String) {
  ...GovProposalPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}
fragment GovProposalPage on Query {
  ...Shown
  stakingPool {
    bonded {
      denom
      amount
      display {
        exponent
        symbol
        denom
      }
    }
  }
  govParams {
    minDeposit {
      ...Money
    }
    expeditedMinDeposit {
      ...Money
    }
  }
  govProposal(id: $id) {
    id
    title
    summary
    metadata
    status
    expedited
    failedReason
    submitTime
    depositEndTime
    votingStartTime
    votingEndTime
    proposer {
      address
    }
    totalDeposit {
      ...Money
    }
    messages {
      type
      inWords
      json
    }
    tally {
      ...GovCounts
    }
    outcome {
      ...GovRules
      burnsDeposits
    }
    votes(first: 20, after: $votes) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        voter {
          address
          validator {
            address
            moniker
          }
        }
        options {
          option
          weight
        }
        metadata
      }
    }
    deposits(first: 20, after: $deposits) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        depositor {
          address
        }
        amount {
          ...Money
        }
      }
    }
    pendingValidators {
      address
      moniker
      tokens {
        ...Money
      }
    }
  }
}`) as unknown as TypedDocumentString<GovProposalQuery, GovProposalQueryVariables>;
export const GovProposalLiveDocument = new TypedDocumentString(`
    query GovProposalLive($id: ID!, $votes: String, $deposits: String) @live {
  ...GovProposalPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}
fragment GovProposalPage on Query {
  ...Shown
  stakingPool {
    bonded {
      denom
      amount
      display {
        exponent
        symbol
        denom
      }
    }
  }
  govParams {
    minDeposit {
      ...Money
    }
    expeditedMinDeposit {
      ...Money
    }
  }
  govProposal(id: $id) {
    id
    title
    summary
    metadata
    status
    expedited
    failedReason
    submitTime
    depositEndTime
    votingStartTime
    votingEndTime
    proposer {
      address
    }
    totalDeposit {
      ...Money
    }
    messages {
      type
      inWords
      json
    }
    tally {
      ...GovCounts
    }
    outcome {
      ...GovRules
      burnsDeposits
    }
    votes(first: 20, after: $votes) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        voter {
          address
          validator {
            address
            moniker
          }
        }
        options {
          option
          weight
        }
        metadata
      }
    }
    deposits(first: 20, after: $deposits) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        depositor {
          address
        }
        amount {
          ...Money
        }
      }
    }
    pendingValidators {
      address
      moniker
      tokens {
        ...Money
      }
    }
  }
}`) as unknown as TypedDocumentString<GovProposalLiveQuery, GovProposalLiveQueryVariables>;
export const GovRecordDocument = new TypedDocumentString(`
    query GovRecord($id: ID!, $cast: String) {
  govProposalRecord(id: $id) {
    id
    title
    summary
    metadata
    status
    expedited
    complete
    log
    depositEnd
    submitTime
    depositEndTime
    votingStartTime
    votingEndTime
    proposer {
      address
    }
    submitted {
      ...Place
    }
    votingBegan {
      ...Place
    }
    decided {
      ...Place
    }
    decidedBy {
      address
    }
    messages {
      type
      inWords
      json
    }
    tally {
      ...GovCounts
    }
    audit {
      agrees
      computed {
        ...GovCounts
      }
    }
    rounds {
      number
      ended {
        ...Place
      }
      tally {
        ...GovCounts
      }
      audit {
        agrees
        computed {
          ...GovCounts
        }
      }
    }
    votes(first: 20, after: $cast, reverse: true) {
      totalCount
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
        delegatedPower
        validatorPower
        isValidator
        validator {
          address
          moniker
        }
        at {
          ...Place
        }
      }
    }
    deposits {
      depositor {
        address
      }
      amount {
        ...Money
      }
      at {
        ...Place
      }
    }
    missedBy {
      operatorAddress
      account {
        address
      }
      validator {
        address
        moniker
      }
    }
  }
}
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment Place on Occurrence {
  height
  time
  hash
}`) as unknown as TypedDocumentString<GovRecordQuery, GovRecordQueryVariables>;
export const GroupDocument = new TypedDocumentString(`
    query Group($id: ID!, $after: String, $marker: Boolean! = true) {
  ...GroupPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment GroupPage on Query {
  ...Shown
  group(id: $id) {
    id
    metadata
    version
    totalWeight
    createdAt
    admin {
      address
    }
    members(first: 50, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        weight
        weightPercent
        metadata
        addedAt
        account {
          address
        }
      }
    }
    policies(first: 20) {
      totalCount
      nodes {
        address
        metadata
        version
        decisionPolicy {
          ...Rule
        }
        account {
          balances(first: 10) {
            nodes {
              ...Valued
            }
          }
        }
      }
    }
    proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 10, reverse: true) {
      totalCount
      nodes {
        ...ProposalRow
        votes(first: 50) {
          nodes {
            option
            voter {
              address
            }
          }
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<GroupQuery, GroupQueryVariables>;
export const GroupLiveDocument = new TypedDocumentString(`
    query GroupLive($id: ID!, $after: String, $marker: Boolean! = true) @live {
  ...GroupPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment GroupPage on Query {
  ...Shown
  group(id: $id) {
    id
    metadata
    version
    totalWeight
    createdAt
    admin {
      address
    }
    members(first: 50, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        weight
        weightPercent
        metadata
        addedAt
        account {
          address
        }
      }
    }
    policies(first: 20) {
      totalCount
      nodes {
        address
        metadata
        version
        decisionPolicy {
          ...Rule
        }
        account {
          balances(first: 10) {
            nodes {
              ...Valued
            }
          }
        }
      }
    }
    proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 10, reverse: true) {
      totalCount
      nodes {
        ...ProposalRow
        votes(first: 50) {
          nodes {
            option
            voter {
              address
            }
          }
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<GroupLiveQuery, GroupLiveQueryVariables>;
export const GroupRecordsDocument = new TypedDocumentString(`
    query GroupRecords($id: ID!, $status: [ProposalStatus!]) {
  group(id: $id) {
    participation(last: 20) {
      account {
        address
      }
      eligible
      voted
      percent
    }
  }
  proposalRecords(filter: {groupId: $id, status: $status}, first: 6) {
    totalCount
    nodes {
      ...RecordRow
    }
  }
}
    fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment RecordRow on ProposalRecord {
  id
  title
  status
  executorResult
  submitTime
  closed {
    time
  }
  totalWeight
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  decisionPolicy {
    ...Rule
  }
}`) as unknown as TypedDocumentString<GroupRecordsQuery, GroupRecordsQueryVariables>;
export const GroupsDocument = new TypedDocumentString(`
    query Groups($after: String) {
  ...GroupsPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment GroupsPage on Query {
  ...Shown
  groups(first: 10, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      metadata
      version
      totalWeight
      createdAt
      members(first: 1) {
        totalCount
      }
      open: proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 1) {
        totalCount
      }
      policies(first: 5) {
        totalCount
        nodes {
          address
          metadata
          decisionPolicy {
            ...Rule
          }
          account {
            balances(first: 3) {
              nodes {
                ...Money
              }
            }
          }
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<GroupsQuery, GroupsQueryVariables>;
export const GroupsLiveDocument = new TypedDocumentString(`
    query GroupsLive($after: String) @live {
  ...GroupsPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment GroupsPage on Query {
  ...Shown
  groups(first: 10, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      metadata
      version
      totalWeight
      createdAt
      members(first: 1) {
        totalCount
      }
      open: proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 1) {
        totalCount
      }
      policies(first: 5) {
        totalCount
        nodes {
          address
          metadata
          decisionPolicy {
            ...Rule
          }
          account {
            balances(first: 3) {
              nodes {
                ...Money
              }
            }
          }
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<GroupsLiveQuery, GroupsLiveQueryVariables>;
export const HomeDocument = new TypedDocumentString(`
    query Home($me: String! = "", $hasMe: Boolean! = false, $gov: Boolean! = true, $group: Boolean! = true, $mint: Boolean! = true, $staking: Boolean! = true) {
  ...HomePage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}
fragment GovProposalRow on GovProposal {
  id
  title
  status
  expedited
  votingEndTime
  messages {
    type
    inWords
  }
  tally {
    ...GovCounts
  }
  outcome {
    ...GovRules
  }
}
fragment HomePage on Query {
  ...Shown
  latest: blocks(first: 1) {
    nodes {
      ...HomeBlock
    }
  }
  stakingPool @include(if: $staking) {
    bonded {
      ...Money
    }
    notBonded {
      ...Money
    }
    inflationPercent @include(if: $mint)
    annualPercentage @include(if: $mint)
  }
  mine: account(address: $me) @include(if: $hasMe) {
    groupProposals(awaitingVote: true, first: 30) {
      nodes {
        ...ProposalRow
      }
    }
  }
  govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 20) @include(if: $gov) {
    nodes {
      ...GovProposalRow
    }
  }
  groups(first: 20) @include(if: $group) {
    totalCount
    nodes {
      id
      proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 10) {
        totalCount
        nodes {
          ...ProposalRow
        }
      }
    }
  }
}
fragment HomeBlock on Block {
  height
  time
  numTxs
  blockSize
  proposer {
    address
    moniker
  }
  transactions(first: 5, reverse: true) {
    nodes {
      hash
      code
      codespace
      log
      messages {
        type
        inWords
      }
      signers {
        address
      }
    }
  }
}`) as unknown as TypedDocumentString<HomeQuery, HomeQueryVariables>;
export const HomeLiveDocument = new TypedDocumentString(`
    query HomeLive($me: String! = "", $hasMe: Boolean! = false, $gov: Boolean! = true, $group: Boolean! = true, $mint: Boolean! = true, $staking: Boolean! = true) @live {
  ...HomePage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}
fragment GovProposalRow on GovProposal {
  id
  title
  status
  expedited
  votingEndTime
  messages {
    type
    inWords
  }
  tally {
    ...GovCounts
  }
  outcome {
    ...GovRules
  }
}
fragment HomePage on Query {
  ...Shown
  latest: blocks(first: 1) {
    nodes {
      ...HomeBlock
    }
  }
  stakingPool @include(if: $staking) {
    bonded {
      ...Money
    }
    notBonded {
      ...Money
    }
    inflationPercent @include(if: $mint)
    annualPercentage @include(if: $mint)
  }
  mine: account(address: $me) @include(if: $hasMe) {
    groupProposals(awaitingVote: true, first: 30) {
      nodes {
        ...ProposalRow
      }
    }
  }
  govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 20) @include(if: $gov) {
    nodes {
      ...GovProposalRow
    }
  }
  groups(first: 20) @include(if: $group) {
    totalCount
    nodes {
      id
      proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 10) {
        totalCount
        nodes {
          ...ProposalRow
        }
      }
    }
  }
}
fragment HomeBlock on Block {
  height
  time
  numTxs
  blockSize
  proposer {
    address
    moniker
  }
  transactions(first: 5, reverse: true) {
    nodes {
      hash
      code
      codespace
      log
      messages {
        type
        inWords
      }
      signers {
        address
      }
    }
  }
}`) as unknown as TypedDocumentString<HomeLiveQuery, HomeLiveQueryVariables>;
export const HomeBlocksDocument = new TypedDocumentString(`
    query HomeBlocks {
  blocks(first: 60) {
    nodes {
      height
      time
      numTxs
    }
  }
  newest: blocks(first: 12) {
    nodes {
      ...HomeBlock
    }
  }
}
    fragment HomeBlock on Block {
  height
  time
  numTxs
  blockSize
  proposer {
    address
    moniker
  }
  transactions(first: 5, reverse: true) {
    nodes {
      hash
      code
      codespace
      log
      messages {
        type
        inWords
      }
      signers {
        address
      }
    }
  }
}`) as unknown as TypedDocumentString<HomeBlocksQuery, HomeBlocksQueryVariables>;
export const PolicyDocument = new TypedDocumentString(`
    query Policy($address: String!, $status: [ProposalStatus!], $after: String, $marker: Boolean! = true) {
  ...PolicyPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment PolicyPage on Query {
  ...Shown
  groupPolicy(address: $address) {
    address
    metadata
    version
    createdAt
    admin {
      address
    }
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
      members(first: 1) {
        totalCount
      }
    }
    account {
      balances(first: 20) {
        nodes {
          ...Valued
          display {
            exponent
          }
        }
      }
    }
    proposals(status: $status, first: 40, after: $after, reverse: true) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...ProposalRow
        proposers {
          address
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<PolicyQuery, PolicyQueryVariables>;
export const PolicyLiveDocument = new TypedDocumentString(`
    query PolicyLive($address: String!, $status: [ProposalStatus!], $after: String, $marker: Boolean! = true) @live {
  ...PolicyPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment PolicyPage on Query {
  ...Shown
  groupPolicy(address: $address) {
    address
    metadata
    version
    createdAt
    admin {
      address
    }
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
      members(first: 1) {
        totalCount
      }
    }
    account {
      balances(first: 20) {
        nodes {
          ...Valued
          display {
            exponent
          }
        }
      }
    }
    proposals(status: $status, first: 40, after: $after, reverse: true) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...ProposalRow
        proposers {
          address
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<PolicyLiveQuery, PolicyLiveQueryVariables>;
export const PolicyRecordsDocument = new TypedDocumentString(`
    query PolicyRecords($address: String!, $status: [ProposalStatus!], $after: String) {
  proposalRecords(
    filter: {groupPolicyAddress: $address, status: $status}
    first: 20
    after: $after
  ) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...RecordRow
    }
  }
}
    fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment RecordRow on ProposalRecord {
  id
  title
  status
  executorResult
  submitTime
  closed {
    time
  }
  totalWeight
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  decisionPolicy {
    ...Rule
  }
}`) as unknown as TypedDocumentString<PolicyRecordsQuery, PolicyRecordsQueryVariables>;
export const ProposalDocument = new TypedDocumentString(`
    query Proposal($id: ID!) {
  ...ProposalPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment ProposalPage on Query {
  ...Shown
  proposal(id: $id) {
    ...ProposalRow
    summary
    metadata
    groupVersion
    groupPolicyVersion
    proposers {
      address
    }
    outcome {
      undecidedWeight
    }
    finalTallyResult {
      ...Counts
    }
    messages {
      json
    }
    votes(first: 100) {
      totalCount
      nodes {
        option
        metadata
        submitTime
        member {
          weight
          weightPercent
          metadata
        }
        voter {
          address
        }
      }
    }
    pendingVoters(first: 100) {
      totalCount
      nodes {
        weight
        weightPercent
        metadata
        account {
          address
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<ProposalQuery, ProposalQueryVariables>;
export const ProposalLiveDocument = new TypedDocumentString(`
    query ProposalLive($id: ID!) @live {
  ...ProposalPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment ProposalPage on Query {
  ...Shown
  proposal(id: $id) {
    ...ProposalRow
    summary
    metadata
    groupVersion
    groupPolicyVersion
    proposers {
      address
    }
    outcome {
      undecidedWeight
    }
    finalTallyResult {
      ...Counts
    }
    messages {
      json
    }
    votes(first: 100) {
      totalCount
      nodes {
        option
        metadata
        submitTime
        member {
          weight
          weightPercent
          metadata
        }
        voter {
          address
        }
      }
    }
    pendingVoters(first: 100) {
      totalCount
      nodes {
        weight
        weightPercent
        metadata
        account {
          address
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<ProposalLiveQuery, ProposalLiveQueryVariables>;
export const ProposalTransactionsDocument = new TypedDocumentString(`
    query ProposalTransactions($value: String!) {
  submitted: transactions(
    where: [{key: "cosmos.group.v1.EventSubmitProposal.proposal_id", value: $value}]
    first: 1
  ) {
    nodes {
      ...TransactionRow
    }
  }
  voted: transactions(
    where: [{key: "cosmos.group.v1.EventVote.proposal_id", value: $value}]
    first: 50
  ) {
    nodes {
      ...TransactionRow
    }
  }
  executed: transactions(
    where: [{key: "cosmos.group.v1.EventExec.proposal_id", value: $value}]
    first: 10
  ) {
    nodes {
      ...TransactionRow
      events(type: "cosmos.group.v1.EventExec") {
        json
      }
    }
  }
  withdrawn: transactions(
    where: [{key: "cosmos.group.v1.EventWithdrawProposal.proposal_id", value: $value}]
    first: 1
  ) {
    nodes {
      ...TransactionRow
    }
  }
}
    fragment TransactionRow on Transaction {
  hash
  height
  time
  code
  codespace
  log
  messages {
    type
    inWords
  }
  signers {
    address
  }
}`) as unknown as TypedDocumentString<ProposalTransactionsQuery, ProposalTransactionsQueryVariables>;
export const ProposalRecordDocument = new TypedDocumentString(`
    query ProposalRecord($id: ID!) {
  proposalRecord(id: $id) {
    ...RecordRow
    summary
    metadata
    votingPeriodEnd
    closedBy
    complete
    groupId
    groupPolicyAddress
    pruned {
      ...Place
    }
    proposers {
      address
    }
    messages {
      json
    }
    groupPolicy {
      metadata
      group {
        metadata
        members(first: 100) {
          nodes {
            metadata
            account {
              address
            }
          }
        }
      }
    }
    votes(first: 100, reverse: true) {
      totalCount
      nodes {
        option
        origin
        weight
        voter {
          address
        }
        at {
          ...Place
        }
      }
    }
    missing: electorate(voted: false, first: 100) {
      totalCount
      nodes {
        weight
        weightPercent
        account {
          address
        }
      }
    }
    tallyHistory {
      time
      tally {
        ...Counts
      }
    }
    executions {
      result
      logs
      executor {
        address
      }
      at {
        ...Place
      }
    }
    timeline {
      kind
      detail
      account {
        address
      }
      vote {
        option
      }
      at {
        ...Place
      }
    }
  }
}
    fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment Place on Occurrence {
  height
  time
  hash
}
fragment RecordRow on ProposalRecord {
  id
  title
  status
  executorResult
  submitTime
  closed {
    time
  }
  totalWeight
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  decisionPolicy {
    ...Rule
  }
}`) as unknown as TypedDocumentString<ProposalRecordQuery, ProposalRecordQueryVariables>;
export const ProposalsDocument = new TypedDocumentString(`
    query Proposals($after: String, $gov: Boolean! = true, $group: Boolean! = true) {
  ...ProposalsPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}
fragment GovProposalRow on GovProposal {
  id
  title
  status
  expedited
  votingEndTime
  messages {
    type
    inWords
  }
  tally {
    ...GovCounts
  }
  outcome {
    ...GovRules
  }
}
fragment ProposalsPage on Query {
  ...Shown
  open: govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 50) @include(if: $gov) {
    totalCount
    nodes {
      ...GovProposalRow
    }
  }
  deposits: govProposals(status: PROPOSAL_STATUS_DEPOSIT_PERIOD, first: 20) @include(if: $gov) {
    totalCount
    nodes {
      id
      title
      depositEndTime
      expedited
      messages {
        type
        inWords
      }
      totalDeposit {
        ...Money
      }
    }
  }
  govParams @include(if: $gov) {
    minDeposit {
      ...Money
    }
    expeditedMinDeposit {
      ...Money
    }
  }
  govProposals(first: 20, after: $after, reverse: true) @include(if: $gov) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      status
      expedited
      submitTime
      votingEndTime
      failedReason
      tally {
        ...GovCounts
      }
    }
  }
  groups(first: 20) @include(if: $group) {
    totalCount
    nodes {
      id
      proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 20) {
        totalCount
        nodes {
          ...ProposalRow
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<ProposalsQuery, ProposalsQueryVariables>;
export const ProposalsLiveDocument = new TypedDocumentString(`
    query ProposalsLive($after: String, $gov: Boolean! = true, $group: Boolean! = true) @live {
  ...ProposalsPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment ProposalRow on Proposal {
  id
  title
  status
  executorResult
  submitTime
  votingPeriodEnd
  executableFrom
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  outcome {
    decision
    yesNeeded
    totalWeight
  }
  groupPolicy {
    address
    metadata
    decisionPolicy {
      ...Rule
    }
    group {
      id
      metadata
      totalWeight
    }
  }
}
fragment GovCounts on GovTally {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment GovRules on GovOutcome {
  passes
  reason
  bondedTokens
  turnoutPercent
  quorumPercent
  yesPercent
  thresholdPercent
  vetoPercent
  vetoThresholdPercent
}
fragment GovProposalRow on GovProposal {
  id
  title
  status
  expedited
  votingEndTime
  messages {
    type
    inWords
  }
  tally {
    ...GovCounts
  }
  outcome {
    ...GovRules
  }
}
fragment ProposalsPage on Query {
  ...Shown
  open: govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 50) @include(if: $gov) {
    totalCount
    nodes {
      ...GovProposalRow
    }
  }
  deposits: govProposals(status: PROPOSAL_STATUS_DEPOSIT_PERIOD, first: 20) @include(if: $gov) {
    totalCount
    nodes {
      id
      title
      depositEndTime
      expedited
      messages {
        type
        inWords
      }
      totalDeposit {
        ...Money
      }
    }
  }
  govParams @include(if: $gov) {
    minDeposit {
      ...Money
    }
    expeditedMinDeposit {
      ...Money
    }
  }
  govProposals(first: 20, after: $after, reverse: true) @include(if: $gov) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      status
      expedited
      submitTime
      votingEndTime
      failedReason
      tally {
        ...GovCounts
      }
    }
  }
  groups(first: 20) @include(if: $group) {
    totalCount
    nodes {
      id
      proposals(status: [PROPOSAL_STATUS_SUBMITTED], first: 20) {
        totalCount
        nodes {
          ...ProposalRow
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<ProposalsLiveQuery, ProposalsLiveQueryVariables>;
export const ClosedOfGroupsDocument = new TypedDocumentString(`
    query ClosedOfGroups($after: String) {
  proposalRecords(filter: {closed: true}, first: 20, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...RecordRow
    }
  }
}
    fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}
fragment RecordRow on ProposalRecord {
  id
  title
  status
  executorResult
  submitTime
  closed {
    time
  }
  totalWeight
  messages {
    type
    inWords
  }
  tally {
    ...Counts
  }
  decisionPolicy {
    ...Rule
  }
}`) as unknown as TypedDocumentString<ClosedOfGroupsQuery, ClosedOfGroupsQueryVariables>;
export const DeletedProposalsDocument = new TypedDocumentString(`
    query DeletedProposals($after: String) {
  govProposalRecords(
    filter: {status: [CANCELLED, DROPPED]}
    first: 10
    after: $after
  ) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      status
      proposer {
        address
      }
      decided {
        time
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DeletedProposalsQuery, DeletedProposalsQueryVariables>;
export const AccountStatementDocument = new TypedDocumentString(`
    query AccountStatement($address: String!, $from: String!, $to: String) {
  account(address: $address) {
    address
    statement(from: $from, to: $to) {
      from
      fromTime
      to
      toTime
      completeFrom
      sources
      denoms {
        denom
        display {
          amount
          denom
          symbol
          exponent
        }
        opening
        closing
        unexplained
        lines {
          kind
          amount
          balance
          height
          time
          counterparty {
            address
            moduleName
          }
          transaction {
            hash
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AccountStatementQuery, AccountStatementQueryVariables>;
export const StatusDocument = new TypedDocumentString(`
    query Status {
  head {
    height
    time
    chainId
    hash
    verified {
      signedPower
      totalPower
      trustedFrom
      provesReads
    }
  }
  nodes {
    alias
    health
    inUse
    chainId
    height
    lag
    earliestHeight
    catchingUp
    txIndex
    latency
    consecutiveFailures
    lastError
    ejectedUntil
    status {
      lastBlockAge
      nodeInfo {
        moniker
        version
      }
      syncInfo {
        earliestBlockHeight
        earliestBlockTime
      }
    }
    netInfo {
      nPeers
    }
  }
  numUnconfirmedTransactions {
    total
    totalBytes
  }
  abciInfo {
    data
    version
  }
  archive {
    mode
    storage
    lag
    coverage {
      from
      to
    }
    backfill {
      from
      to
      next
      blocksPerSecond
      secondsLeft
    }
    notRecorded
    proposals
    votes
    sizeBytes
    auditFailures
    unexplained
  }
}
    `) as unknown as TypedDocumentString<StatusQuery, StatusQueryVariables>;
export const LimitsDocument = new TypedDocumentString(`
    query Limits {
  head {
    height
    time
    chainId
  }
  limits {
    name
    value
    unit
    code
    description
  }
}
    `) as unknown as TypedDocumentString<LimitsQuery, LimitsQueryVariables>;
export const TrustedBlockDocument = new TypedDocumentString(`
    query TrustedBlock($height: Int64!) {
  block(height: $height) {
    height
    time
    hash
  }
}
    `) as unknown as TypedDocumentString<TrustedBlockQuery, TrustedBlockQueryVariables>;
export const TokenDocument = new TypedDocumentString(`
    query Token($denom: String!, $after: String, $marker: Boolean! = true) {
  ...TokenPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment TokenPage on Query {
  ...Shown
  supplyOf(denom: $denom) {
    ...Valued
  }
  denomMetadata(denom: $denom) {
    name
    symbol
    description
    display
    base
    denomUnits {
      denom
      exponent
    }
  }
  marker(denom: $denom) @include(if: $marker) {
    denom
    markerType
    status
    supplyFixed
    allowGovernanceControl
    allowForcedTransfer
    requiredAttributes
    account {
      address
    }
    manager {
      address
    }
    accessControl {
      permissions
      account {
        address
      }
    }
    escrow {
      ...Money
    }
    netAssetValues {
      price {
        ...Money
      }
      volume
      pricePerDisplayUnit {
        amount
        denom
        symbol
      }
      updatedBlockHeight
    }
  }
  holders(denom: $denom, first: 20, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      supplyPercent
      account {
        address
        kind
        moduleName
      }
      balance {
        ...Money
      }
    }
  }
}`) as unknown as TypedDocumentString<TokenQuery, TokenQueryVariables>;
export const TokenLiveDocument = new TypedDocumentString(`
    query TokenLive($denom: String!, $after: String, $marker: Boolean! = true) @live {
  ...TokenPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment TokenPage on Query {
  ...Shown
  supplyOf(denom: $denom) {
    ...Valued
  }
  denomMetadata(denom: $denom) {
    name
    symbol
    description
    display
    base
    denomUnits {
      denom
      exponent
    }
  }
  marker(denom: $denom) @include(if: $marker) {
    denom
    markerType
    status
    supplyFixed
    allowGovernanceControl
    allowForcedTransfer
    requiredAttributes
    account {
      address
    }
    manager {
      address
    }
    accessControl {
      permissions
      account {
        address
      }
    }
    escrow {
      ...Money
    }
    netAssetValues {
      price {
        ...Money
      }
      volume
      pricePerDisplayUnit {
        amount
        denom
        symbol
      }
      updatedBlockHeight
    }
  }
  holders(denom: $denom, first: 20, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      supplyPercent
      account {
        address
        kind
        moduleName
      }
      balance {
        ...Money
      }
    }
  }
}`) as unknown as TypedDocumentString<TokenLiveQuery, TokenLiveQueryVariables>;
export const TokenHistoryDocument = new TypedDocumentString(`
    query TokenHistory($denom: String!, $marker: Boolean! = true) {
  marker(denom: $denom) @include(if: $marker) {
    netAssetValueHistory(first: 100) {
      completeFrom
      nodes {
        price {
          denom
        }
        pricePerDisplayUnit {
          amount
          denom
          symbol
        }
        updatedBlockHeight
        updatedBlock {
          time
        }
        source
        transaction {
          hash
        }
      }
    }
  }
  transfers(
    denom: $denom
    kinds: [SEND, MULTI_SEND, MARKER_TRANSFER, OTHER]
    first: 20
  ) {
    completeFrom
    nodes {
      kind
      height
      time
      amount {
        ...Money
      }
      sender {
        address
        moduleName
      }
      recipient {
        address
        moduleName
      }
      transaction {
        hash
        code
      }
    }
  }
}
    fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}`) as unknown as TypedDocumentString<TokenHistoryQuery, TokenHistoryQueryVariables>;
export const MarkersDocument = new TypedDocumentString(`
    query Markers($after: String, $marker: Boolean! = true) {
  ...MarkersPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment MarkersPage on Query {
  ...Shown
  markers(first: 20, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      denom
      markerType
      status
      metadata {
        name
        symbol
      }
      circulation {
        ...Valued
      }
      netAssetValues {
        pricePerDisplayUnit {
          amount
          denom
          symbol
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<MarkersQuery, MarkersQueryVariables>;
export const MarkersLiveDocument = new TypedDocumentString(`
    query MarkersLive($after: String, $marker: Boolean! = true) @live {
  ...MarkersPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment Valued on Coin {
  ...Money
  value @include(if: $marker) {
    amount
    denom
    display {
      amount
      denom
      symbol
    }
  }
}
fragment MarkersPage on Query {
  ...Shown
  markers(first: 20, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      denom
      markerType
      status
      metadata {
        name
        symbol
      }
      circulation {
        ...Valued
      }
      netAssetValues {
        pricePerDisplayUnit {
          amount
          denom
          symbol
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<MarkersLiveQuery, MarkersLiveQueryVariables>;
export const SuppliesDocument = new TypedDocumentString(`
    query Supplies($after: String) {
  ...SuppliesPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment SuppliesPage on Query {
  ...Shown
  totalSupply(first: 20, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...Money
      metadata {
        name
        description
      }
    }
  }
}`) as unknown as TypedDocumentString<SuppliesQuery, SuppliesQueryVariables>;
export const SuppliesLiveDocument = new TypedDocumentString(`
    query SuppliesLive($after: String) @live {
  ...SuppliesPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment SuppliesPage on Query {
  ...Shown
  totalSupply(first: 20, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...Money
      metadata {
        name
        description
      }
    }
  }
}`) as unknown as TypedDocumentString<SuppliesLiveQuery, SuppliesLiveQueryVariables>;
export const TransactionDocument = new TypedDocumentString(`
    query Transaction($hash: Hex!) {
  ...TransactionPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment TransactionRow on Transaction {
  hash
  height
  time
  code
  codespace
  log
  messages {
    type
    inWords
  }
  signers {
    address
  }
}
fragment TransactionPage on Query {
  ...Shown
  transaction(hash: $hash) {
    ...TransactionRow
    index
    gasWanted
    gasUsed
    memo
    timeoutHeight
    fee {
      amount {
        ...Money
      }
      gasLimit
      payer {
        address
      }
      granter {
        address
      }
    }
    messages {
      json
    }
    transfers {
      kind
      amount {
        ...Money
      }
      sender {
        address
        moduleName
      }
      recipient {
        address
        moduleName
      }
    }
    contractEvents {
      inWords
      contract {
        address
      }
    }
    events {
      type
      msgIndex
      json
      attributes {
        key
        value
      }
    }
  }
}`) as unknown as TypedDocumentString<TransactionQuery, TransactionQueryVariables>;
export const ValidatorDocument = new TypedDocumentString(`
    query Validator($address: String!, $account: String!, $isOperator: Boolean!, $after: String, $gov: Boolean! = true, $slashing: Boolean! = true, $staking: Boolean! = true) {
  ...ValidatorPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment ValidatorParts on Validator {
  address
  moniker
  operatorAddress
  votingPower
  votingPowerPercent
  isBonded
  jailed
  commissionPercent
  tokens @include(if: $staking) {
    ...Money
  }
  publicKey {
    type
    value
  }
  signingInfo @include(if: $slashing) {
    startHeight
    missedBlocks
    window
    uptimePercent
    jailedUntil
    tombstoned
  }
  delegations(first: 20, after: $after) @include(if: $staking) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      delegator {
        address
      }
      balance {
        ...Money
      }
    }
  }
  operator {
    address
    staking @include(if: $staking) {
      commission {
        denom
        whole {
          ...Money
        }
      }
    }
    govVotes(first: 50) @include(if: $gov) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
  }
}
fragment ValidatorPage on Query {
  ...Shown
  validator(address: $address) @skip(if: $isOperator) {
    ...ValidatorParts
  }
  account(address: $account) @include(if: $isOperator) {
    validator {
      ...ValidatorParts
    }
  }
  govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 50) @include(if: $gov) {
    nodes {
      id
      title
      votingEndTime
    }
  }
}`) as unknown as TypedDocumentString<ValidatorQuery, ValidatorQueryVariables>;
export const ValidatorLiveDocument = new TypedDocumentString(`
    query ValidatorLive($address: String!, $account: String!, $isOperator: Boolean!, $after: String, $gov: Boolean! = true, $slashing: Boolean! = true, $staking: Boolean! = true) @live {
  ...ValidatorPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment ValidatorParts on Validator {
  address
  moniker
  operatorAddress
  votingPower
  votingPowerPercent
  isBonded
  jailed
  commissionPercent
  tokens @include(if: $staking) {
    ...Money
  }
  publicKey {
    type
    value
  }
  signingInfo @include(if: $slashing) {
    startHeight
    missedBlocks
    window
    uptimePercent
    jailedUntil
    tombstoned
  }
  delegations(first: 20, after: $after) @include(if: $staking) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      delegator {
        address
      }
      balance {
        ...Money
      }
    }
  }
  operator {
    address
    staking @include(if: $staking) {
      commission {
        denom
        whole {
          ...Money
        }
      }
    }
    govVotes(first: 50) @include(if: $gov) {
      nodes {
        proposalId
        options {
          option
          weight
        }
      }
    }
  }
}
fragment ValidatorPage on Query {
  ...Shown
  validator(address: $address) @skip(if: $isOperator) {
    ...ValidatorParts
  }
  account(address: $account) @include(if: $isOperator) {
    validator {
      ...ValidatorParts
    }
  }
  govProposals(status: PROPOSAL_STATUS_VOTING_PERIOD, first: 50) @include(if: $gov) {
    nodes {
      id
      title
      votingEndTime
    }
  }
}`) as unknown as TypedDocumentString<ValidatorLiveQuery, ValidatorLiveQueryVariables>;
export const ValidatorRecordsDocument = new TypedDocumentString(`
    query ValidatorRecords($operator: String!, $account: String!, $missed: String) {
  account(address: $account) {
    validator {
      govParticipation(last: 100) {
        decided
        voted
        missed
        percent
        yes
        abstain
        no
        noWithVeto
        split
      }
    }
  }
  missed: govProposalRecords(
    filter: {missedBy: $operator}
    first: 10
    after: $missed
  ) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      status
      decided {
        time
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ValidatorRecordsQuery, ValidatorRecordsQueryVariables>;
export const ValidatorsDocument = new TypedDocumentString(`
    query Validators($after: String, $staking: Boolean! = true) {
  ...ValidatorsPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment ValidatorsPage on Query {
  ...Shown
  validators(first: 100) {
    totalCount
    nodes {
      address
      moniker
      operatorAddress
      votingPower
      votingPowerPercent
      proposerPriority
    }
  }
  stakingPool @include(if: $staking) {
    bonded {
      amount
    }
    validators(first: 50, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        address
        moniker
        operatorAddress
        jailed
        isBonded
        commissionPercent
        tokens {
          ...Money
        }
      }
    }
  }
  blocks(first: 100) {
    nodes {
      height
      proposer {
        address
      }
      lastCommit {
        height
        signatures {
          blockIdFlag
          validatorAddress
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<ValidatorsQuery, ValidatorsQueryVariables>;
export const ValidatorsLiveDocument = new TypedDocumentString(`
    query ValidatorsLive($after: String, $staking: Boolean! = true) @live {
  ...ValidatorsPage
}
    fragment Shown on Query {
  head {
    height
    time
    chainId
  }
}
fragment Money on Coin {
  denom
  amount
  display {
    amount
    denom
    symbol
  }
}
fragment ValidatorsPage on Query {
  ...Shown
  validators(first: 100) {
    totalCount
    nodes {
      address
      moniker
      operatorAddress
      votingPower
      votingPowerPercent
      proposerPriority
    }
  }
  stakingPool @include(if: $staking) {
    bonded {
      amount
    }
    validators(first: 50, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        address
        moniker
        operatorAddress
        jailed
        isBonded
        commissionPercent
        tokens {
          ...Money
        }
      }
    }
  }
  blocks(first: 100) {
    nodes {
      height
      proposer {
        address
      }
      lastCommit {
        height
        signatures {
          blockIdFlag
          validatorAddress
        }
      }
    }
  }
}`) as unknown as TypedDocumentString<ValidatorsLiveQuery, ValidatorsLiveQueryVariables>;
export const ProposalProofDocument = new TypedDocumentString(`
    query ProposalProof($id: ID!) {
  proposal(id: $id) {
    id
    title
    summary
    metadata
    status
    executorResult
    submitTime
    votingPeriodEnd
    proposers {
      address
    }
    tally {
      ...Counts
    }
    outcome {
      decision
      yesNeeded
      totalWeight
      undecidedWeight
    }
    finalTallyResult {
      ...Counts
    }
    votes(first: 100) {
      totalCount
      nodes {
        option
        metadata
        submitTime
        member {
          weight
          weightPercent
          metadata
        }
        voter {
          address
        }
      }
    }
    pendingVoters(first: 100) {
      totalCount
      nodes {
        weight
        weightPercent
        metadata
        account {
          address
        }
      }
    }
    groupPolicy {
      address
      metadata
      decisionPolicy {
        ...Rule
      }
      group {
        id
        metadata
        totalWeight
      }
    }
  }
}
    fragment Rule on DecisionPolicy {
  type
  windows {
    votingPeriod
    minExecutionPeriod
  }
  ... on ThresholdDecisionPolicy {
    threshold
  }
  ... on PercentageDecisionPolicy {
    percentage
  }
}
fragment Counts on TallyResult {
  yesCount
  noCount
  abstainCount
  noWithVetoCount
}`) as unknown as TypedDocumentString<ProposalProofQuery, ProposalProofQueryVariables>;
export const AccountProofDocument = new TypedDocumentString(`
    query AccountProof($address: String!) {
  account(address: $address) {
    address
    balances(first: 20) {
      totalCount
      nodes {
        denom
        amount
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AccountProofQuery, AccountProofQueryVariables>;