/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string | number; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** Bytes in standard base64 with padding. */
  Base64: { input: string; output: string; }
  /** RFC 3339 time in UTC with up to nine decimals (RPC text as it is, protobuf times with 0, 3, 6 or 9 decimals): "2026-11-21T02:48:14.454934720Z". Never cut to milliseconds. */
  DateTime: { input: string; output: string; }
  /** Exact decimal text such as "7" or "2.5", of any size; never a float. Coin amounts are whole numbers of base units. */
  Decimal: { input: string; output: string; }
  /** Length of time in seconds with its unit, as in protobuf JSON: "20s", "0.5s"; nanoseconds are kept. */
  Duration: { input: string; output: string; }
  /** Bytes in upper case hexadecimal. In: either case, `0x` allowed. */
  Hex: { input: string; output: string; }
  /** Signed 64-bit integer. Out: decimal string. In: integer or decimal string; anything else is refused with the bound it broke. */
  Int64: { input: string | number; output: string; }
  /** Any JSON value. Decoded protobuf follows the canonical protobuf JSON mapping: names are lowerCamelCase (input takes snake_case too), defaults are written, 64-bit integers are strings, bytes are base64, an `Any` has `@type`. */
  JSON: { input: unknown; output: unknown; }
  /** Unsigned 64-bit integer. Out: decimal string. In: integer or decimal string; anything else is refused with the bound it broke. */
  UInt64: { input: string | number; output: string; }
};

/** An address. Everything but the address is read when asked for, by the module it belongs to. */
export type Account = {
  /** Bech32: an account, or a scope (`scope1…`), which can have attributes too. */
  readonly address: Scalars['String']['output'];
  /** Group policies that it administers. */
  readonly administeredGroupPolicies: Maybe<GroupPolicyConnection>;
  /** Groups that it administers. */
  readonly administeredGroups: Maybe<GroupConnection>;
  /** The group policy of this address; null when it is none. */
  readonly groupPolicy: Maybe<GroupPolicy>;
  /**
   * derived: proposals of all groups that it is a member of, by ascending id; with `awaitingVote`, those that it may still
   * vote on and has not. OPERATION_TOO_COMPLEX rather than an incomplete list.
   */
  readonly groupProposals: Maybe<ProposalConnection>;
  /** Groups that it is a member of. */
  readonly groups: Maybe<GroupConnection>;
  /** Its votes that the chain still holds, by ascending proposal id. */
  readonly votes: Maybe<VoteConnection>;
};


/** An address. Everything but the address is read when asked for, by the module it belongs to. */
export type AccountAdministeredGroupPoliciesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** An address. Everything but the address is read when asked for, by the module it belongs to. */
export type AccountAdministeredGroupsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** An address. Everything but the address is read when asked for, by the module it belongs to. */
export type AccountGroupProposalsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  awaitingVote?: InputMaybe<Scalars['Boolean']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
  status?: InputMaybe<ReadonlyArray<ProposalStatus>>;
};


/** An address. Everything but the address is read when asked for, by the module it belongs to. */
export type AccountGroupsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** An address. Everything but the address is read when asked for, by the module it belongs to. */
export type AccountVotesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};

/** A protobuf message inside another (`Any`): what a transaction or proposal does. */
export type AnyMessage = {
  /** Decoded by the chain's own description; null when the chain does not describe the type. */
  readonly json: Maybe<Scalars['JSON']['output']>;
  /** Protobuf type, such as `/cosmos.bank.v1beta1.MsgSend`. */
  readonly type: Scalars['String']['output'];
  /** The message's bytes, as on the wire. */
  readonly value: Scalars['Base64']['output'];
};

/** A block. */
export type Block = {
  readonly blockId: BlockId;
  readonly chainId: Scalars['String']['output'];
  readonly hash: Scalars['Hex']['output'];
  readonly header: Header;
  readonly height: Scalars['Int64']['output'];
  /** Number of transactions. */
  readonly numTxs: Scalars['Int64']['output'];
  readonly time: Scalars['DateTime']['output'];
};

/** Identity of a block: its hash and that of its parts. */
export type BlockId = {
  readonly hash: Scalars['Hex']['output'];
  readonly parts: PartSetHeader;
};

/** Protocol versions of a block. */
export type ConsensusVersion = {
  readonly app: Scalars['UInt64']['output'];
  readonly block: Scalars['UInt64']['output'];
};

/** The rule by which a tally is decided. */
export type DecisionPolicy = {
  /** Decoded; null when the chain does not describe the type. */
  readonly json: Maybe<Scalars['JSON']['output']>;
  /** Protobuf type, such as `/cosmos.group.v1.ThresholdDecisionPolicy`. */
  readonly type: Scalars['String']['output'];
  /** null for a policy of a type unknown to this server. */
  readonly windows: Maybe<DecisionPolicyWindows>;
};

/** How long a policy's proposals are voted on, and how long they must wait before they run. */
export type DecisionPolicyWindows = {
  readonly minExecutionPeriod: Scalars['Duration']['output'];
  readonly votingPeriod: Scalars['Duration']['output'];
};

/** A group of accounts with voting weights. */
export type Group = {
  readonly admin: Account;
  readonly createdAt: Scalars['DateTime']['output'];
  readonly id: Scalars['ID']['output'];
  /** One member; null when the account is none. */
  readonly member: Maybe<GroupMember>;
  /** By address. */
  readonly members: Maybe<GroupMemberConnection>;
  readonly metadata: Scalars['String']['output'];
  /** By address. */
  readonly policies: Maybe<GroupPolicyConnection>;
  /** derived: proposals of all policies of the group, by ascending id. OPERATION_TOO_COMPLEX rather than an incomplete list. */
  readonly proposals: Maybe<ProposalConnection>;
  readonly totalWeight: Scalars['Decimal']['output'];
  /** Goes up by one with each change of the group. */
  readonly version: Scalars['UInt64']['output'];
};


/** A group of accounts with voting weights. */
export type GroupMemberArgs = {
  address: Scalars['String']['input'];
};


/** A group of accounts with voting weights. */
export type GroupMembersArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** A group of accounts with voting weights. */
export type GroupPoliciesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** A group of accounts with voting weights. */
export type GroupProposalsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
  status?: InputMaybe<ReadonlyArray<ProposalStatus>>;
};

/** A page of groups. */
export type GroupConnection = {
  readonly edges: ReadonlyArray<GroupEdge>;
  readonly nodes: ReadonlyArray<Group>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Maybe<Scalars['UInt64']['output']>;
};

/** One of a page of groups, with its cursor. */
export type GroupEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: Group;
};

/** An account's membership of a group. */
export type GroupMember = {
  readonly account: Account;
  readonly addedAt: Scalars['DateTime']['output'];
  readonly group: Maybe<Group>;
  readonly groupId: Scalars['ID']['output'];
  readonly metadata: Scalars['String']['output'];
  readonly weight: Scalars['Decimal']['output'];
  /** derived: percent of the group's total weight, 0 to 100; null when that is 0. */
  readonly weightPercent: Maybe<Scalars['Decimal']['output']>;
};

/** A page of group members. */
export type GroupMemberConnection = {
  readonly edges: ReadonlyArray<GroupMemberEdge>;
  readonly nodes: ReadonlyArray<GroupMember>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Maybe<Scalars['UInt64']['output']>;
};

/** One of a page of group members, with its cursor. */
export type GroupMemberEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: GroupMember;
};

/** An account that a group controls through a decision policy. */
export type GroupPolicy = {
  /** The same address as an account: its balances, attributes, transfers. */
  readonly account: Account;
  readonly address: Scalars['String']['output'];
  readonly admin: Account;
  readonly createdAt: Scalars['DateTime']['output'];
  readonly decisionPolicy: DecisionPolicy;
  readonly group: Maybe<Group>;
  readonly groupId: Scalars['ID']['output'];
  readonly metadata: Scalars['String']['output'];
  /** By ascending id. With `status`, only these (derived: the chain cannot filter). */
  readonly proposals: Maybe<ProposalConnection>;
  /** Goes up by one with each change of the policy. */
  readonly version: Scalars['UInt64']['output'];
};


/** An account that a group controls through a decision policy. */
export type GroupPolicyProposalsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
  status?: InputMaybe<ReadonlyArray<ProposalStatus>>;
};

/** A page of group policies. */
export type GroupPolicyConnection = {
  readonly edges: ReadonlyArray<GroupPolicyEdge>;
  readonly nodes: ReadonlyArray<GroupPolicy>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Maybe<Scalars['UInt64']['output']>;
};

/** One of a page of group policies, with its cursor. */
export type GroupPolicyEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: GroupPolicy;
};

/** A block header. Hashes of height H that depend on execution (appHash, lastResultsHash) are of block H - 1. */
export type Header = {
  readonly appHash: Scalars['Hex']['output'];
  readonly chainId: Scalars['String']['output'];
  readonly consensusHash: Scalars['Hex']['output'];
  readonly dataHash: Scalars['Hex']['output'];
  readonly evidenceHash: Scalars['Hex']['output'];
  readonly height: Scalars['Int64']['output'];
  /** Empty hashes in the first block. */
  readonly lastBlockId: BlockId;
  readonly lastCommitHash: Scalars['Hex']['output'];
  readonly lastResultsHash: Scalars['Hex']['output'];
  readonly nextValidatorsHash: Scalars['Hex']['output'];
  readonly proposerAddress: Scalars['Hex']['output'];
  readonly time: Scalars['DateTime']['output'];
  readonly validatorsHash: Scalars['Hex']['output'];
  readonly version: ConsensusVersion;
};

/** What a node says of itself to its peers. */
export type NodeInfo = {
  readonly channels: Scalars['Hex']['output'];
  readonly id: Scalars['String']['output'];
  readonly listenAddr: Scalars['String']['output'];
  readonly moniker: Scalars['String']['output'];
  /** Chain id. */
  readonly network: Scalars['String']['output'];
  readonly other: NodeInfoOther;
  readonly protocolVersion: ProtocolVersion;
  /** Of CometBFT, as built; not reliable. */
  readonly version: Scalars['String']['output'];
};

/** Further things a node says of itself. */
export type NodeInfoOther = {
  readonly rpcAddress: Scalars['String']['output'];
  /** `on` or `off`. */
  readonly txIndex: Scalars['String']['output'];
};

/** `status` of a node. Not of a height. */
export type NodeStatus = {
  /** derived: time since this server saw the newest block, by its own clock; grows while a chain is halted. */
  readonly lastBlockAge: Scalars['Duration']['output'];
  readonly nodeInfo: NodeInfo;
  readonly syncInfo: SyncInfo;
  readonly validatorInfo: ValidatorInfo;
};

/** A decision policy of a type unknown to this server. */
export type OtherDecisionPolicy = DecisionPolicy & {
  /** Decoded; null when the chain does not describe the type. */
  readonly json: Maybe<Scalars['JSON']['output']>;
  /** Protobuf type, such as `/cosmos.group.v1.ThresholdDecisionPolicy`. */
  readonly type: Scalars['String']['output'];
  readonly value: Scalars['Base64']['output'];
  /** null for a policy of a type unknown to this server. */
  readonly windows: Maybe<DecisionPolicyWindows>;
};

/**
 * Where a page lies in its list. Cursors are opaque, work from any item and belong to their list: one of another list is BAD_CURSOR.
 * `totalCount` of a connection is asked of the node only when selected, and null when the list cannot be counted.
 */
export type PageInfo = {
  /** Pass as `after` for the next page; null on an empty page. */
  readonly endCursor: Maybe<Scalars['String']['output']>;
  readonly hasNextPage: Scalars['Boolean']['output'];
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  readonly startCursor: Maybe<Scalars['String']['output']>;
};

/** The parts that a block was sent in. */
export type PartSetHeader = {
  readonly hash: Scalars['Hex']['output'];
  readonly total: Scalars['Int']['output'];
};

/** Accepted when yes is at least this share of the total weight. */
export type PercentageDecisionPolicy = DecisionPolicy & {
  /** Decoded; null when the chain does not describe the type. */
  readonly json: Maybe<Scalars['JSON']['output']>;
  /** A share above 0 and up to 1, as on the wire: `0.5` is 50 percent. */
  readonly percentage: Scalars['Decimal']['output'];
  /** Protobuf type, such as `/cosmos.group.v1.ThresholdDecisionPolicy`. */
  readonly type: Scalars['String']['output'];
  /** null for a policy of a type unknown to this server. */
  readonly windows: Maybe<DecisionPolicyWindows>;
};

/** A proposal of a group policy (cosmos.group.v1). */
export type Proposal = {
  /** derived: block time before which executing it fails: submitTime plus the policy's minExecutionPeriod. */
  readonly executableFrom: Maybe<Scalars['DateTime']['output']>;
  readonly executorResult: ProposalExecutorResult;
  /** The stored tally: all 0 until it is final. */
  readonly finalTallyResult: TallyResult;
  readonly groupPolicy: Maybe<GroupPolicy>;
  readonly groupPolicyAddress: Scalars['String']['output'];
  /** Version of the policy when the proposal was submitted; changing the policy aborts its open proposals. */
  readonly groupPolicyVersion: Scalars['UInt64']['output'];
  /** Version of the group when the proposal was submitted. */
  readonly groupVersion: Scalars['UInt64']['output'];
  readonly id: Scalars['ID']['output'];
  /** What runs if it is accepted and executed. */
  readonly messages: ReadonlyArray<AnyMessage>;
  readonly metadata: Scalars['String']['output'];
  /** derived: what the decision policy says of the tally at this height. null unless votes are being taken. */
  readonly outcome: Maybe<ProposalOutcome>;
  /** derived: members of the group who may still vote and have not, by address. null when no more votes are taken. */
  readonly pendingVoters: Maybe<GroupMemberConnection>;
  readonly proposers: ReadonlyArray<Account>;
  readonly status: ProposalStatus;
  readonly submitTime: Scalars['DateTime']['output'];
  readonly summary: Scalars['String']['output'];
  /** The tally at this height, live while votes are taken. null when the chain gives none: aborted or withdrawn. */
  readonly tally: Maybe<TallyResult>;
  readonly title: Scalars['String']['output'];
  /** The vote of one account; null when it has not voted or the votes are deleted. */
  readonly vote: Maybe<Vote>;
  /** Votes, by voter. Empty once the tally is final: the chain deletes them. */
  readonly votes: Maybe<VoteConnection>;
  readonly votingPeriodEnd: Scalars['DateTime']['output'];
  /** derived: votingPeriodEnd less the time of the block read. null when no more votes are taken. */
  readonly votingTimeLeft: Maybe<Scalars['Duration']['output']>;
};


/** A proposal of a group policy (cosmos.group.v1). */
export type ProposalPendingVotersArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** A proposal of a group policy (cosmos.group.v1). */
export type ProposalVoteArgs = {
  voter: Scalars['String']['input'];
};


/** A proposal of a group policy (cosmos.group.v1). */
export type ProposalVotesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};

/** A page of proposals. */
export type ProposalConnection = {
  readonly edges: ReadonlyArray<ProposalEdge>;
  readonly nodes: ReadonlyArray<Proposal>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Maybe<Scalars['UInt64']['output']>;
};

/** One of a page of proposals, with its cursor. */
export type ProposalEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: Proposal;
};

/** What became of executing a proposal's messages. */
export type ProposalExecutorResult =
  /** A message failed; it can be tried again. */
  | 'PROPOSAL_EXECUTOR_RESULT_FAILURE'
  | 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN'
  /** Never in a stored proposal, which the chain deletes in that block; ProposalUpdate tells it. */
  | 'PROPOSAL_EXECUTOR_RESULT_SUCCESS'
  | 'PROPOSAL_EXECUTOR_RESULT_UNSPECIFIED'
  | 'UNRECOGNIZED';

/** derived: the tally of this height put to the decision policy and the group's total weight of this height. */
export type ProposalOutcome = {
  readonly abstainPercent: Maybe<Scalars['Decimal']['output']>;
  readonly decision: TallyDecision;
  readonly noPercent: Maybe<Scalars['Decimal']['output']>;
  readonly noWithVetoPercent: Maybe<Scalars['Decimal']['output']>;
  readonly totalWeight: Scalars['Decimal']['output'];
  /** Weight of the members who have not voted. */
  readonly undecidedWeight: Scalars['Decimal']['output'];
  /** All four options together (turnout). */
  readonly votedPercent: Maybe<Scalars['Decimal']['output']>;
  /** Yes weight still missing for acceptance; 0 when there is enough. */
  readonly yesNeeded: Scalars['Decimal']['output'];
  /** Percent of the total weight, 0 to 100; null when the total weight is 0. So the four below. */
  readonly yesPercent: Maybe<Scalars['Decimal']['output']>;
};

/** Where a proposal stands. */
export type ProposalStatus =
  /** The group policy changed while votes were taken. */
  | 'PROPOSAL_STATUS_ABORTED'
  | 'PROPOSAL_STATUS_ACCEPTED'
  | 'PROPOSAL_STATUS_REJECTED'
  /** Votes are being taken. */
  | 'PROPOSAL_STATUS_SUBMITTED'
  | 'PROPOSAL_STATUS_UNSPECIFIED'
  | 'PROPOSAL_STATUS_WITHDRAWN'
  | 'UNRECOGNIZED';

/** Protocol versions that a node speaks. */
export type ProtocolVersion = {
  readonly app: Scalars['UInt64']['output'];
  readonly block: Scalars['UInt64']['output'];
  readonly p2p: Scalars['UInt64']['output'];
};

/** A public key. */
export type PublicKey = {
  /** As on the wire: `/cosmos.crypto.secp256k1.PubKey`, `tendermint/PubKeyEd25519`, … */
  readonly type: Scalars['String']['output'];
  /** The key's bytes; for a composite key (multisig, module credential) its protobuf bytes. */
  readonly value: Scalars['Base64']['output'];
};

/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type Query = {
  /** An address (account or `scope1…`) and all that hangs on it. Never null for a well-formed address, known to the chain or not. */
  readonly account: Maybe<Account>;
  /**
   * The whole Query at another height (time travel). Fails with HEIGHT_PRUNED or HEIGHT_NOT_YET_AVAILABLE.
   * Hidden in a supergraph, whose entity fetches would leave this height: there the request header names it (conventions above).
   */
  readonly at: Maybe<Query>;
  /** A block; without a height, the one read at. */
  readonly block: Maybe<Block>;
  /** A group; null when there is none of this id. */
  readonly group: Maybe<Group>;
  /** Members of a group, by address. */
  readonly groupMembers: Maybe<GroupMemberConnection>;
  /** Group policies that an account administers, by address. */
  readonly groupPoliciesByAdmin: Maybe<GroupPolicyConnection>;
  /** Policies of a group, by address. */
  readonly groupPoliciesByGroup: Maybe<GroupPolicyConnection>;
  /** A group policy; null when this address is none. */
  readonly groupPolicy: Maybe<GroupPolicy>;
  /** All groups, by ascending id. */
  readonly groups: Maybe<GroupConnection>;
  /** Groups that an account administers. */
  readonly groupsByAdmin: Maybe<GroupConnection>;
  /** Groups that an account is a member of. */
  readonly groupsByMember: Maybe<GroupConnection>;
  /** The block that this part of the answer is read at: the newest this server has seen, or the one that the caller named. */
  readonly head: Maybe<Block>;
  /** A group proposal; null when the chain has none of this id (executed and expired ones are deleted). */
  readonly proposal: Maybe<Proposal>;
  /** Proposals of a group policy, by ascending id. */
  readonly proposalsByGroupPolicy: Maybe<ProposalConnection>;
  /** `status` of the node in use. Not of a height. */
  readonly status: Maybe<NodeStatus>;
  /** The live tally while votes are taken, the stored one after. null when there is no such proposal, or it is aborted or withdrawn. */
  readonly tallyResult: Maybe<TallyResult>;
  /** One vote; null when this account has not voted or the votes are already deleted. */
  readonly voteByProposalVoter: Maybe<Vote>;
  /** Votes on a proposal, by voter. Empty once the tally is final: the chain deletes them. */
  readonly votesByProposal: Maybe<VoteConnection>;
  /** Votes of an account that the chain still holds, by ascending proposal id. */
  readonly votesByVoter: Maybe<VoteConnection>;
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryAccountArgs = {
  address: Scalars['String']['input'];
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryAtArgs = {
  height: Scalars['Int64']['input'];
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryBlockArgs = {
  height?: InputMaybe<Scalars['Int64']['input']>;
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryGroupArgs = {
  id: Scalars['ID']['input'];
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryGroupMembersArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  groupId: Scalars['ID']['input'];
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryGroupPoliciesByAdminArgs = {
  admin: Scalars['String']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryGroupPoliciesByGroupArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  groupId: Scalars['ID']['input'];
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryGroupPolicyArgs = {
  address: Scalars['String']['input'];
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryGroupsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryGroupsByAdminArgs = {
  admin: Scalars['String']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryGroupsByMemberArgs = {
  address: Scalars['String']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryProposalArgs = {
  id: Scalars['ID']['input'];
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryProposalsByGroupPolicyArgs = {
  address: Scalars['String']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryTallyResultArgs = {
  proposalId: Scalars['ID']['input'];
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryVoteByProposalVoterArgs = {
  proposalId: Scalars['ID']['input'];
  voter: Scalars['String']['input'];
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryVotesByProposalArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  proposalId: Scalars['ID']['input'];
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
};


/** Everything that can be read. All of it is of one height unless a field says "Not of a height". */
export type QueryVotesByVoterArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
  reverse?: InputMaybe<Scalars['Boolean']['input']>;
  voter: Scalars['String']['input'];
};

/** How far a node has come. */
export type SyncInfo = {
  readonly catchingUp: Scalars['Boolean']['output'];
  readonly earliestAppHash: Scalars['Hex']['output'];
  readonly earliestBlockHash: Scalars['Hex']['output'];
  readonly earliestBlockHeight: Scalars['Int64']['output'];
  readonly earliestBlockTime: Scalars['DateTime']['output'];
  readonly latestAppHash: Scalars['Hex']['output'];
  readonly latestBlockHash: Scalars['Hex']['output'];
  readonly latestBlockHeight: Scalars['Int64']['output'];
  readonly latestBlockTime: Scalars['DateTime']['output'];
};

/** What a decision policy says of a tally. */
export type TallyDecision =
  /** Enough yes: executing now would accept it, whatever the others vote. */
  | 'ACCEPTED'
  /** Yes can no longer be enough: executing now would reject it. */
  | 'REJECTED'
  /** Still open. Rejected if voting ended with this tally. */
  | 'UNDECIDED';

/** Weights by option. Weights can be fractions: "2.5". */
export type TallyResult = {
  readonly abstainCount: Scalars['Decimal']['output'];
  readonly noCount: Scalars['Decimal']['output'];
  readonly noWithVetoCount: Scalars['Decimal']['output'];
  readonly yesCount: Scalars['Decimal']['output'];
};

/** Accepted when the yes weight reaches the threshold, or the whole weight where that is less. */
export type ThresholdDecisionPolicy = DecisionPolicy & {
  /** Decoded; null when the chain does not describe the type. */
  readonly json: Maybe<Scalars['JSON']['output']>;
  readonly threshold: Scalars['Decimal']['output'];
  /** Protobuf type, such as `/cosmos.group.v1.ThresholdDecisionPolicy`. */
  readonly type: Scalars['String']['output'];
  /** null for a policy of a type unknown to this server. */
  readonly windows: Maybe<DecisionPolicyWindows>;
};

/** A node's own validator key; voting power 0 when it is no validator. */
export type ValidatorInfo = {
  readonly address: Scalars['Hex']['output'];
  readonly publicKey: PublicKey;
  readonly votingPower: Scalars['Int64']['output'];
};

/** A vote on a group proposal; it cannot be changed. */
export type Vote = {
  /** derived: the voter's membership at this height. null when it has left the group: its vote then does not count. */
  readonly member: Maybe<GroupMember>;
  readonly metadata: Scalars['String']['output'];
  readonly option: VoteOption;
  readonly proposal: Maybe<Proposal>;
  readonly proposalId: Scalars['ID']['output'];
  readonly submitTime: Scalars['DateTime']['output'];
  readonly voter: Account;
};

/** A page of votes. */
export type VoteConnection = {
  readonly edges: ReadonlyArray<VoteEdge>;
  readonly nodes: ReadonlyArray<Vote>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Maybe<Scalars['UInt64']['output']>;
};

/** One of a page of votes, with its cursor. */
export type VoteEdge = {
  readonly cursor: Scalars['String']['output'];
  readonly node: Vote;
};

/** What was voted. Only YES counts for acceptance; the other three only count as decided. */
export type VoteOption =
  | 'UNRECOGNIZED'
  | 'VOTE_OPTION_ABSTAIN'
  | 'VOTE_OPTION_NO'
  | 'VOTE_OPTION_NO_WITH_VETO'
  | 'VOTE_OPTION_UNSPECIFIED'
  | 'VOTE_OPTION_YES';

/** What became of executing a proposal's messages. */
export type ProposalExecutorResult =
  /** A message failed; it can be tried again. */
  | 'PROPOSAL_EXECUTOR_RESULT_FAILURE'
  | 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN'
  /** Never in a stored proposal, which the chain deletes in that block; ProposalUpdate tells it. */
  | 'PROPOSAL_EXECUTOR_RESULT_SUCCESS'
  | 'PROPOSAL_EXECUTOR_RESULT_UNSPECIFIED'
  | 'UNRECOGNIZED';

/** Where a proposal stands. */
export type ProposalStatus =
  /** The group policy changed while votes were taken. */
  | 'PROPOSAL_STATUS_ABORTED'
  | 'PROPOSAL_STATUS_ACCEPTED'
  | 'PROPOSAL_STATUS_REJECTED'
  /** Votes are being taken. */
  | 'PROPOSAL_STATUS_SUBMITTED'
  | 'PROPOSAL_STATUS_UNSPECIFIED'
  | 'PROPOSAL_STATUS_WITHDRAWN'
  | 'UNRECOGNIZED';

/** What was voted. Only YES counts for acceptance; the other three only count as decided. */
export type VoteOption =
  | 'UNRECOGNIZED'
  | 'VOTE_OPTION_ABSTAIN'
  | 'VOTE_OPTION_NO'
  | 'VOTE_OPTION_NO_WITH_VETO'
  | 'VOTE_OPTION_UNSPECIFIED'
  | 'VOTE_OPTION_YES';

type Rule_OtherDecisionPolicy_Fragment = { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null };

type Rule_PercentageDecisionPolicy_Fragment = { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null };

type Rule_ThresholdDecisionPolicy_Fragment = { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null };

export type RuleFragment =
  | Rule_OtherDecisionPolicy_Fragment
  | Rule_PercentageDecisionPolicy_Fragment
  | Rule_ThresholdDecisionPolicy_Fragment
;

export type AwaitingMyVoteQueryVariables = Exact<{
  me: string;
}>;


export type AwaitingMyVoteQuery = { readonly account: { readonly groupProposals: { readonly totalCount: string | null } | null } | null };

export type BoardQueryVariables = Exact<{
  policy: string;
}>;


export type BoardQuery = { readonly proposalsByGroupPolicy: { readonly totalCount: string | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly votingPeriodEnd: string, readonly proposers: ReadonlyArray<{ readonly address: string }>, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly votes: { readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly submitTime: string, readonly voter: { readonly address: string } }> } | null, readonly groupPolicy: { readonly address: string, readonly group: { readonly id: string, readonly totalWeight: string, readonly members: { readonly nodes: ReadonlyArray<{ readonly weight: string, readonly account: { readonly address: string } }> } | null } | null } | null, readonly messages: ReadonlyArray<{ readonly type: string, readonly value: string, readonly json: unknown }> }> } | null };

export type BoardAtQueryVariables = Exact<{
  height: string | number;
  policy: string;
}>;


export type BoardAtQuery = { readonly at: { readonly head: { readonly height: string, readonly time: string } | null, readonly proposalsByGroupPolicy: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus, readonly tally: { readonly yesCount: string, readonly noCount: string } | null }> } | null } | null };

export type GroupPageQueryVariables = Exact<{
  id: string | number;
}>;


export type GroupPageQuery = { readonly group: { readonly id: string, readonly metadata: string, readonly version: string, readonly totalWeight: string, readonly createdAt: string, readonly admin: { readonly address: string }, readonly members: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly weight: string, readonly weightPercent: string | null, readonly metadata: string, readonly addedAt: string, readonly account: { readonly address: string } }> } | null, readonly policies: { readonly nodes: ReadonlyArray<{ readonly address: string, readonly metadata: string, readonly version: string, readonly decisionPolicy:
          | { readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          | { readonly percentage: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
          | { readonly threshold: string, readonly type: string, readonly windows: { readonly votingPeriod: string, readonly minExecutionPeriod: string } | null }
         }> } | null, readonly proposals: { readonly totalCount: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly status: ProposalStatus }> } | null } | null };

export type ByAccountQueryVariables = Exact<{
  address: string;
}>;


export type ByAccountQuery = { readonly groupsByMember: { readonly nodes: ReadonlyArray<{ readonly id: string }> } | null, readonly groupsByAdmin: { readonly nodes: ReadonlyArray<{ readonly id: string }> } | null, readonly groupPoliciesByAdmin: { readonly nodes: ReadonlyArray<{ readonly address: string }> } | null, readonly votesByVoter: { readonly nodes: ReadonlyArray<{ readonly option: VoteOption, readonly proposal: { readonly id: string, readonly title: string, readonly status: ProposalStatus } | null }> } | null };

export type ByGroupQueryVariables = Exact<{
  group: string | number;
  policy: string;
  proposal: string | number;
  voter: string;
}>;


export type ByGroupQuery = { readonly groups: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly policies: { readonly nodes: ReadonlyArray<{ readonly address: string }> } | null }> } | null, readonly groupMembers: { readonly nodes: ReadonlyArray<{ readonly groupId: string, readonly weight: string }> } | null, readonly groupPoliciesByGroup: { readonly nodes: ReadonlyArray<{ readonly address: string, readonly groupId: string }> } | null, readonly groupPolicy: { readonly address: string, readonly admin: { readonly address: string } } | null, readonly tallyResult: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly voteByProposalVoter: { readonly option: VoteOption } | null, readonly votesByProposal: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly option: VoteOption, readonly voter: { readonly address: string } } }> } | null };

export const RuleFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Rule"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DecisionPolicy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"windows"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"votingPeriod"}},{"kind":"Field","name":{"kind":"Name","value":"minExecutionPeriod"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ThresholdDecisionPolicy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"threshold"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PercentageDecisionPolicy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"percentage"}}]}}]}}]} as unknown as DocumentNode<RuleFragment, unknown>;
export const AwaitingMyVoteDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AwaitingMyVote"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"me"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"account"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"me"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"groupProposals"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"awaitingVote"},"value":{"kind":"BooleanValue","value":true}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}}]}}]}}]} as unknown as DocumentNode<AwaitingMyVoteQuery, AwaitingMyVoteQueryVariables>;
export const BoardDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Board"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"policy"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"proposalsByGroupPolicy"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"policy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}},{"kind":"Argument","name":{"kind":"Name","value":"reverse"},"value":{"kind":"BooleanValue","value":true}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"executorResult"}},{"kind":"Field","name":{"kind":"Name","value":"votingPeriodEnd"}},{"kind":"Field","name":{"kind":"Name","value":"proposers"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}},{"kind":"Field","name":{"kind":"Name","value":"tally"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"yesCount"}},{"kind":"Field","name":{"kind":"Name","value":"noCount"}},{"kind":"Field","name":{"kind":"Name","value":"abstainCount"}},{"kind":"Field","name":{"kind":"Name","value":"noWithVetoCount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"votes"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"option"}},{"kind":"Field","name":{"kind":"Name","value":"submitTime"}},{"kind":"Field","name":{"kind":"Name","value":"voter"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"groupPolicy"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"group"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"totalWeight"}},{"kind":"Field","name":{"kind":"Name","value":"members"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"weight"}},{"kind":"Field","name":{"kind":"Name","value":"account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"messages"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"json"}}]}}]}}]}}]}}]} as unknown as DocumentNode<BoardQuery, BoardQueryVariables>;
export const BoardAtDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"BoardAt"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"height"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int64"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"policy"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"at"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"height"},"value":{"kind":"Variable","name":{"kind":"Name","value":"height"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"head"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"height"}},{"kind":"Field","name":{"kind":"Name","value":"time"}}]}},{"kind":"Field","name":{"kind":"Name","value":"proposalsByGroupPolicy"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"policy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}},{"kind":"Argument","name":{"kind":"Name","value":"reverse"},"value":{"kind":"BooleanValue","value":true}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"tally"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"yesCount"}},{"kind":"Field","name":{"kind":"Name","value":"noCount"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<BoardAtQuery, BoardAtQueryVariables>;
export const GroupPageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"GroupPage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"group"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"totalWeight"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"admin"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}},{"kind":"Field","name":{"kind":"Name","value":"members"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"weight"}},{"kind":"Field","name":{"kind":"Name","value":"weightPercent"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"addedAt"}},{"kind":"Field","name":{"kind":"Name","value":"account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"policies"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"decisionPolicy"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Rule"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"proposals"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"status"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"PROPOSAL_STATUS_SUBMITTED"},{"kind":"EnumValue","value":"PROPOSAL_STATUS_ACCEPTED"}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}},{"kind":"Argument","name":{"kind":"Name","value":"reverse"},"value":{"kind":"BooleanValue","value":true}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Rule"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DecisionPolicy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"windows"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"votingPeriod"}},{"kind":"Field","name":{"kind":"Name","value":"minExecutionPeriod"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ThresholdDecisionPolicy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"threshold"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PercentageDecisionPolicy"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"percentage"}}]}}]}}]} as unknown as DocumentNode<GroupPageQuery, GroupPageQueryVariables>;
export const ByAccountDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ByAccount"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"address"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"groupsByMember"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"groupsByAdmin"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"admin"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"groupPoliciesByAdmin"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"admin"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"votesByVoter"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"voter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"option"}},{"kind":"Field","name":{"kind":"Name","value":"proposal"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ByAccountQuery, ByAccountQueryVariables>;
export const ByGroupDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ByGroup"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"group"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"policy"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"proposal"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"voter"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"groups"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"policies"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"groupMembers"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"groupId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"group"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"groupId"}},{"kind":"Field","name":{"kind":"Name","value":"weight"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"groupPoliciesByGroup"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"groupId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"group"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"groupId"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"groupPolicy"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"policy"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"admin"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"tallyResult"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"proposalId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"proposal"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"yesCount"}},{"kind":"Field","name":{"kind":"Name","value":"noCount"}},{"kind":"Field","name":{"kind":"Name","value":"abstainCount"}},{"kind":"Field","name":{"kind":"Name","value":"noWithVetoCount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"voteByProposalVoter"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"proposalId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"proposal"}}},{"kind":"Argument","name":{"kind":"Name","value":"voter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"voter"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"option"}}]}},{"kind":"Field","name":{"kind":"Name","value":"votesByProposal"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"proposalId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"proposal"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"option"}},{"kind":"Field","name":{"kind":"Name","value":"voter"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<ByGroupQuery, ByGroupQueryVariables>;