/**
 * The tools that every server has: documents with a description, as an operator can add more. An agent reads the descriptions, so they say when to use a
 * tool, and how.
 */
export const shippedTools: readonly string[] = [
  `"""
Lists the proposals of a group of x/group, the newest first: titles, statuses, tallies, ends of voting. The chain deletes a proposal some time after its end: find_past_proposals has those.
"""
query find_proposals(
  "Id of the group, in decimal."
  $groupId: ID!
  "Only these statuses. Default: all."
  $status: [ProposalStatus!]
  $first: Int = 20
  "\`endCursor\` of the page before."
  $after: String
) {
  group(id: $groupId) {
    id
    metadata
    totalWeight
    proposals(first: $first, after: $after, status: $status, reverse: true) {
      pageInfo { hasNextPage endCursor }
      nodes {
        id title status executorResult submitTime votingPeriodEnd groupPolicyAddress
        tally { yesCount noCount abstainCount noWithVetoCount }
      }
    }
  }
}`,
  `"""
Lists the proposals that an account can vote on. With awaitingVote, only those that it has not voted on yet: "you must still vote".
"""
query find_proposals_of_account(
  "Bech32 address of the account."
  $account: String!
  $awaitingVote: Boolean = true
  $status: [ProposalStatus!]
  $first: Int = 20
  "\`endCursor\` of the page before."
  $after: String
) {
  account(address: $account) {
    address
    groupProposals(awaitingVote: $awaitingVote, status: $status, first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id title status submitTime votingPeriodEnd votingTimeLeft groupPolicy { address group { id metadata } } }
    }
  }
}`,
  `"""
Lists proposals of x/group that this server has recorded, also those that the chain has deleted, the newest first. null if the server keeps no records.
"""
query find_past_proposals(
  $filter: ProposalRecordFilter
  $first: Int = 20
  "\`endCursor\` of the page before."
  $after: String
) {
  proposalRecords(filter: $filter, first: $first, after: $after, reverse: true) {
    pageInfo { hasNextPage endCursor }
    nodes { id title status executorResult submitTime votingPeriodEnd groupId closedBy complete tally { yesCount noCount abstainCount noWithVetoCount } }
  }
}`,
  `"""
Lists the proposals of the chain-wide governance (x/gov), the newest first.
"""
query find_gov_proposals(
  $status: GovProposalStatus
  $first: Int = 20
  "\`endCursor\` of the page before."
  $after: String
) {
  govProposals(status: $status, first: $first, after: $after, reverse: true) {
    pageInfo { hasNextPage endCursor }
    nodes { id title summary status votingEndTime }
  }
}`,
  `"""
Shows one proposal of x/group: its texts, its messages, its rules, its tally and its votes.
"""
query proposal(
  "Id of the proposal, in decimal."
  $id: ID!
) {
  proposal(id: $id) {
    id title summary metadata status executorResult outcome { decision yesPercent noPercent votedPercent undecidedWeight yesNeeded } submitTime votingPeriodEnd votingTimeLeft executableFrom
    proposers { address }
    tally { yesCount noCount abstainCount noWithVetoCount }
    messages { type inWords json }
    groupPolicy {
      address
      decisionPolicy {
        type
        windows { votingPeriod minExecutionPeriod }
        ... on ThresholdDecisionPolicy { threshold }
        ... on PercentageDecisionPolicy { percentage }
      }
      group { id totalWeight }
    }
    votes(first: 50) { pageInfo { hasNextPage endCursor } nodes { voter { address } option submitTime metadata } }
  }
}`,
  `"""
Lists the members that have not voted on a proposal of x/group yet, with their weights, beside the tally and the time that is left.
"""
query who_must_vote(
  "Id of the proposal, in decimal."
  $id: ID!
  $first: Int = 50
  "\`endCursor\` of the page before."
  $after: String
) {
  proposal(id: $id) {
    id title status votingPeriodEnd votingTimeLeft
    tally { yesCount noCount abstainCount noWithVetoCount }
    groupPolicy {
      decisionPolicy { ... on ThresholdDecisionPolicy { threshold } ... on PercentageDecisionPolicy { percentage } }
      group { id totalWeight }
    }
    pendingVoters(first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { account { address } weight weightPercent }
    }
  }
}`,
  `"""
Says what a proposal of x/group would do if it ran now: whether it would fail, which balances change, what is transferred. It is a simulation on the newest block: no vote, no signature, and no promise.
"""
query rehearse_proposal(
  "Id of the proposal, in decimal."
  $id: ID!
) {
  proposal(id: $id) {
    id title status
    messages { type inWords }
    rehearsal {
      outcome cause reason assumption height gasUsed gasShare
      failedMessage { index error inWords }
      transfers { sender { address } recipient { address } amount { amount denom } }
      balanceChanges { account { address } denom before after }
      stateChanges
      isCut
    }
  }
}`,
  `"""
The statement of an account between two heights or times: opening and closing balances, and each movement. Lines that no transaction explains are marked.
"""
query account_statement(
  "Bech32 address of the account."
  $account: String!
  "A height, or an RFC 3339 time in UTC. Movements after it are listed."
  $from: String!
  "A height, or an RFC 3339 time in UTC. Default: now."
  $to: String
) {
  account(address: $account) {
    address
    statement(from: $from, to: $to) {
      from to fromTime toTime completeFrom sources
      denoms {
        denom opening closing unexplained
        lines { height time kind amount balance counterparty { address } transaction { hash } }
      }
    }
  }
}`,
  `"""
Explains a transaction by its hash: whether it succeeded, its messages in words, its fee, who signed it, and what it transferred.
"""
query explain_transaction(
  "Hash of the transaction, in hexadecimal."
  $hash: Hex!
) {
  transaction(hash: $hash) {
    hash height time code codespace log gasUsed gasWanted memo
    signers { address }
    fee { amount { amount denom } payer { address } }
    messages { type inWords json }
    transfers { sender { address } recipient { address } amount { amount denom } }
  }
}`,
];

/**
 * The tool that finds what a text names. It asks only for what has the form of the text: see {@link lookupVariables}.
 */
export const lookupTool = `"""
Finds what a text names on the chain: an address, a hash of a transaction or block, a height, the id of a proposal or group; for any other text what has all its words: names, validators, tokens, groups, members and proposals. Members that do not fit are absent or null.
"""
query search(
  $text: String!
  $isAddress: Boolean!
  $hash: Hex!
  $isHash: Boolean!
  $number: ID!
  $height: Int64!
  $isNumber: Boolean!
  $isWords: Boolean!
  $after: String
) {
  account(address: $text) @include(if: $isAddress) {
    address kind moduleName
    balances(first: 20) { pageInfo { hasNextPage endCursor } nodes { amount denom } }
    groupPolicy { address group { id } }
    groups(first: 20) { pageInfo { hasNextPage endCursor } nodes { id } }
  }
  transaction(hash: $hash) @include(if: $isHash) { hash height time code messages { type inWords } }
  blockByHash(hash: $hash) @include(if: $isHash) { height time hash }
  proposal(id: $number) @include(if: $isNumber) { id title status }
  proposalRecord(id: $number) @include(if: $isNumber) { id title status submitTime }
  govProposal(id: $number) @include(if: $isNumber) { id title status }
  group(id: $number) @include(if: $isNumber) { id metadata totalWeight admin { address } }
  block(height: $height) @include(if: $isNumber) { height time hash }
  search(text: $text, after: $after) @include(if: $isWords) {
    isComplete
    pageInfo { hasNextPage endCursor }
    nodes {
      __typename
      ... on NameRecord { name account { address } }
      ... on Validator { moniker operatorAddress }
      ... on Coin { denom amount }
      ... on Group { id metadata }
      ... on GroupPolicy { address metadata }
      ... on GroupMember { account { address } metadata group { id metadata } }
      ... on Proposal { id title }
      ... on ProposalRecord { id title }
      ... on GovProposal { id title }
      ... on GovProposalRecord { id title }
    }
  }
}`;

/** Whether a document is that of a tool that ships, so that callers without a token may run it whatever it costs. */
export function isShipped(text: string): boolean {
  return shippedTools.includes(text) || text === lookupTool;
}

const emptyHash = '0'.repeat(64);

/** The variables of {@link lookupTool} for a text, and the cursor of the page before if there is one. */
export function lookupVariables(text: string, after: unknown): Record<string, unknown> {
  const isHash = /^(0x)?[0-9a-fA-F]{64}$/.test(text);
  const isNumber = /^\d{1,18}$/.test(text);
  const isAddress = /^[a-z]{1,20}1[02-9ac-hj-np-z]{38,58}$/.test(text);
  const isWords = !isHash && !isNumber && !isAddress;
  const number = isNumber ? text : '0';
  return { text, isAddress, isHash, hash: isHash ? text : emptyHash, isNumber, number, height: number, isWords, after };
}
