/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
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

/** Decision of a decision policy on a tally. */
export type TallyDecision =
  /** The yes weight suffices. Execution now would accept the proposal, whatever the remaining members vote. */
  | 'ACCEPTED'
  /** The yes weight can no longer suffice. Execution now would reject the proposal. */
  | 'REJECTED'
  /** The remaining votes can still decide. If the voting period ended with this tally, the proposal would be rejected. */
  | 'UNDECIDED';

export type SubmittedQueryVariables = Exact<{
  hash: string;
}>;


export type SubmittedQuery = { readonly transaction: { readonly events: ReadonlyArray<{ readonly json: unknown }> } | null };

export type FollowedProposalQueryVariables = Exact<{
  id: string | number;
}>;


export type FollowedProposalQuery = { readonly proposal: { readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult, readonly outcome: { readonly decision: TallyDecision, readonly yesNeeded: string } | null } | null, readonly proposalRecord: { readonly status: ProposalStatus, readonly executorResult: ProposalExecutorResult } | null };

export type WalletAccountQueryVariables = Exact<{
  address: string;
}>;


export type WalletAccountQuery = { readonly account: { readonly names: { readonly nodes: ReadonlyArray<{ readonly name: string }> } | null, readonly balances: { readonly nodes: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null } | null };

export type RecipientQueryVariables = Exact<{
  address: string;
}>;


export type RecipientQuery = { readonly account: { readonly kind: AccountKind | null, readonly moduleName: string | null, readonly contract: { readonly label: string } | null, readonly marker: { readonly denom: string } | null, readonly groupPolicy: { readonly metadata: string, readonly group: { readonly metadata: string } | null } | null, readonly validator: { readonly moniker: string | null } | null, readonly names: { readonly nodes: ReadonlyArray<{ readonly name: string }> } | null } | null };

export type WalletChainQueryVariables = Exact<{ [key: string]: never; }>;


export type WalletChainQuery = { readonly feeToken: string | null, readonly validators: { readonly nodes: ReadonlyArray<{ readonly operatorAddress: string | null, readonly tokens: { readonly denom: string } | null }> } | null };

export type WalletCoinQueryVariables = Exact<{
  denom: string;
}>;


export type WalletCoinQuery = { readonly denomMetadata: { readonly symbol: string, readonly display: string, readonly denomUnits: ReadonlyArray<{ readonly denom: string, readonly exponent: number }> } | null };

export type DescribedMessagesQueryVariables = Exact<{
  messages: ReadonlyArray<unknown> | unknown;
}>;


export type DescribedMessagesQuery = { readonly describeMessages: ReadonlyArray<{ readonly inWords: string | null }> | null };

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

export const SubmittedDocument = new TypedDocumentString(`
    query Submitted($hash: Hex!) {
  transaction(hash: $hash) {
    events(type: "cosmos.group.v1.EventSubmitProposal") {
      json
    }
  }
}
    `) as unknown as TypedDocumentString<SubmittedQuery, SubmittedQueryVariables>;
export const FollowedProposalDocument = new TypedDocumentString(`
    query FollowedProposal($id: ID!) @live {
  proposal(id: $id) {
    status
    executorResult
    outcome {
      decision
      yesNeeded
    }
  }
  proposalRecord(id: $id) {
    status
    executorResult
  }
}
    `) as unknown as TypedDocumentString<FollowedProposalQuery, FollowedProposalQueryVariables>;
export const WalletAccountDocument = new TypedDocumentString(`
    query WalletAccount($address: String!) {
  account(address: $address) {
    names(first: 1) {
      nodes {
        name
      }
    }
    balances(first: 3) {
      nodes {
        denom
        amount
        display {
          amount
          denom
          symbol
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<WalletAccountQuery, WalletAccountQueryVariables>;
export const RecipientDocument = new TypedDocumentString(`
    query Recipient($address: String!) {
  account(address: $address) {
    kind
    moduleName
    contract {
      label
    }
    marker {
      denom
    }
    groupPolicy {
      metadata
      group {
        metadata
      }
    }
    validator {
      moniker
    }
    names(first: 1) {
      nodes {
        name
      }
    }
  }
}
    `) as unknown as TypedDocumentString<RecipientQuery, RecipientQueryVariables>;
export const WalletChainDocument = new TypedDocumentString(`
    query WalletChain {
  feeToken
  validators(first: 1) {
    nodes {
      operatorAddress
      tokens {
        denom
      }
    }
  }
}
    `) as unknown as TypedDocumentString<WalletChainQuery, WalletChainQueryVariables>;
export const WalletCoinDocument = new TypedDocumentString(`
    query WalletCoin($denom: String!) {
  denomMetadata(denom: $denom) {
    symbol
    display
    denomUnits {
      denom
      exponent
    }
  }
}
    `) as unknown as TypedDocumentString<WalletCoinQuery, WalletCoinQueryVariables>;
export const DescribedMessagesDocument = new TypedDocumentString(`
    query DescribedMessages($messages: [JSON!]!) {
  describeMessages(messages: $messages) {
    inWords
  }
}
    `) as unknown as TypedDocumentString<DescribedMessagesQuery, DescribedMessagesQueryVariables>;