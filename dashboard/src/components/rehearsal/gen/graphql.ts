/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Why a proposal cannot be rehearsed. */
export type RehearsalCause =
  /** You have used up your rehearsals for now. Retry later. */
  | 'BUDGET'
  /** The node for simulations is busy, does not answer, or is left alone after a simulation that did not end. Retry later. */
  | 'BUSY'
  /** A message executes a contract, or may do so. This server rehearses no contracts (--rehearse-contracts). */
  | 'CONTRACT'
  /** The rehearsal did not end in time. It is not tried again. */
  | 'DID_NOT_END'
  /** The minimum execution period is not over, and nobody can shorten it, because the admin of the policy cannot sign. */
  | 'EXECUTION_PERIOD'
  /** The messages run in the name of the governance module, whose account cannot sign, so no node simulates them. */
  | 'GOVERNANCE_MODULE'
  /** Too few accounts can sign the votes that would accept it. */
  | 'NOBODY_CAN_SIGN'
  /** The votes of the rehearsal were not enough. */
  | 'NOT_ACCEPTED'
  /** This server has no node for simulations. The operator can set --simulation-node. */
  | 'NO_NODE'
  /** This server rehearses proposals for callers with a token only. */
  | 'NO_TOKEN'
  /** A rehearsal runs on the newest block only. */
  | 'PAST'
  /** The node refused the transaction of the rehearsal. */
  | 'REFUSED'
  /** The messages are too large to be rehearsed here. */
  | 'TOO_LARGE'
  /** A proposal is rehearsed with at most 99 messages. */
  | 'TOO_MANY_MESSAGES'
  /** The decision policy has a type that this server does not know. */
  | 'UNKNOWN_POLICY'
  /** A message has a type or a field that this server cannot read. */
  | 'UNKNOWN_TYPE';

/** How a rehearsal ends. */
export type RehearsalOutcome =
  /** It is not known what would happen. `cause` and `reason` say why. */
  | 'CANNOT_REHEARSE'
  /** A message would fail, and nothing would be changed. */
  | 'FAILS'
  /** All messages would be executed. */
  | 'SUCCEEDS';

export type RehearsalPartsFragment = { readonly outcome: RehearsalOutcome, readonly cause: RehearsalCause | null, readonly reason: string | null, readonly assumption: string | null, readonly height: string | null, readonly gasUsed: string | null, readonly gasShare: number | null, readonly isCut: boolean, readonly stateChanges: ReadonlyArray<string>, readonly failedMessage: { readonly index: number | null, readonly error: string, readonly inWords: string | null, readonly message: { readonly type: string } | null } | null, readonly transfers: ReadonlyArray<{ readonly sender: { readonly address: string, readonly moduleName: string | null } | null, readonly recipient: { readonly address: string, readonly moduleName: string | null }, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> }>, readonly balanceChanges: ReadonlyArray<{ readonly denom: string, readonly before: string, readonly after: string, readonly account: { readonly address: string, readonly moduleName: string | null }, readonly displayBefore: { readonly amount: string, readonly denom: string, readonly symbol: string } | null, readonly displayAfter: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> };

export type ProposalRehearsalQueryVariables = Exact<{
  id: string | number;
}>;


export type ProposalRehearsalQuery = { readonly proposal: { readonly rehearsal: { readonly outcome: RehearsalOutcome, readonly cause: RehearsalCause | null, readonly reason: string | null, readonly assumption: string | null, readonly height: string | null, readonly gasUsed: string | null, readonly gasShare: number | null, readonly isCut: boolean, readonly stateChanges: ReadonlyArray<string>, readonly failedMessage: { readonly index: number | null, readonly error: string, readonly inWords: string | null, readonly message: { readonly type: string } | null } | null, readonly transfers: ReadonlyArray<{ readonly sender: { readonly address: string, readonly moduleName: string | null } | null, readonly recipient: { readonly address: string, readonly moduleName: string | null }, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> }>, readonly balanceChanges: ReadonlyArray<{ readonly denom: string, readonly before: string, readonly after: string, readonly account: { readonly address: string, readonly moduleName: string | null }, readonly displayBefore: { readonly amount: string, readonly denom: string, readonly symbol: string } | null, readonly displayAfter: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null } | null };

export type RehearseQueryVariables = Exact<{
  policy: string;
  messages: ReadonlyArray<unknown> | unknown;
}>;


export type RehearseQuery = { readonly rehearse: { readonly outcome: RehearsalOutcome, readonly cause: RehearsalCause | null, readonly reason: string | null, readonly assumption: string | null, readonly height: string | null, readonly gasUsed: string | null, readonly gasShare: number | null, readonly isCut: boolean, readonly stateChanges: ReadonlyArray<string>, readonly failedMessage: { readonly index: number | null, readonly error: string, readonly inWords: string | null, readonly message: { readonly type: string } | null } | null, readonly transfers: ReadonlyArray<{ readonly sender: { readonly address: string, readonly moduleName: string | null } | null, readonly recipient: { readonly address: string, readonly moduleName: string | null }, readonly amount: ReadonlyArray<{ readonly denom: string, readonly amount: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> }>, readonly balanceChanges: ReadonlyArray<{ readonly denom: string, readonly before: string, readonly after: string, readonly account: { readonly address: string, readonly moduleName: string | null }, readonly displayBefore: { readonly amount: string, readonly denom: string, readonly symbol: string } | null, readonly displayAfter: { readonly amount: string, readonly denom: string, readonly symbol: string } | null }> } | null };

export type BoardRehearsalsQueryVariables = Exact<{
  policy: string;
}>;


export type BoardRehearsalsQuery = { readonly groupPolicy: { readonly proposals: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly rehearsal: { readonly outcome: RehearsalOutcome, readonly reason: string | null } | null }> } | null } | null };

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
export const RehearsalPartsFragmentDoc = new TypedDocumentString(`
    fragment RehearsalParts on Rehearsal {
  outcome
  cause
  reason
  assumption
  height
  gasUsed
  gasShare
  isCut
  failedMessage {
    index
    error
    inWords
    message {
      type
    }
  }
  transfers {
    sender {
      address
      moduleName
    }
    recipient {
      address
      moduleName
    }
    amount {
      denom
      amount
      display {
        amount
        denom
        symbol
      }
    }
  }
  balanceChanges {
    account {
      address
      moduleName
    }
    denom
    before
    after
    displayBefore {
      amount
      denom
      symbol
    }
    displayAfter {
      amount
      denom
      symbol
    }
  }
  stateChanges
}
    `, {"fragmentName":"RehearsalParts"}) as unknown as TypedDocumentString<RehearsalPartsFragment, unknown>;
export const ProposalRehearsalDocument = new TypedDocumentString(`
    query ProposalRehearsal($id: ID!) @live {
  proposal(id: $id) {
    rehearsal {
      ...RehearsalParts
    }
  }
}
    fragment RehearsalParts on Rehearsal {
  outcome
  cause
  reason
  assumption
  height
  gasUsed
  gasShare
  isCut
  failedMessage {
    index
    error
    inWords
    message {
      type
    }
  }
  transfers {
    sender {
      address
      moduleName
    }
    recipient {
      address
      moduleName
    }
    amount {
      denom
      amount
      display {
        amount
        denom
        symbol
      }
    }
  }
  balanceChanges {
    account {
      address
      moduleName
    }
    denom
    before
    after
    displayBefore {
      amount
      denom
      symbol
    }
    displayAfter {
      amount
      denom
      symbol
    }
  }
  stateChanges
}`) as unknown as TypedDocumentString<ProposalRehearsalQuery, ProposalRehearsalQueryVariables>;
export const RehearseDocument = new TypedDocumentString(`
    query Rehearse($policy: String!, $messages: [JSON!]!) {
  rehearse(groupPolicyAddress: $policy, messages: $messages) {
    ...RehearsalParts
  }
}
    fragment RehearsalParts on Rehearsal {
  outcome
  cause
  reason
  assumption
  height
  gasUsed
  gasShare
  isCut
  failedMessage {
    index
    error
    inWords
    message {
      type
    }
  }
  transfers {
    sender {
      address
      moduleName
    }
    recipient {
      address
      moduleName
    }
    amount {
      denom
      amount
      display {
        amount
        denom
        symbol
      }
    }
  }
  balanceChanges {
    account {
      address
      moduleName
    }
    denom
    before
    after
    displayBefore {
      amount
      denom
      symbol
    }
    displayAfter {
      amount
      denom
      symbol
    }
  }
  stateChanges
}`) as unknown as TypedDocumentString<RehearseQuery, RehearseQueryVariables>;
export const BoardRehearsalsDocument = new TypedDocumentString(`
    query BoardRehearsals($policy: String!) @live {
  groupPolicy(address: $policy) {
    proposals(
      status: [PROPOSAL_STATUS_SUBMITTED, PROPOSAL_STATUS_ACCEPTED]
      first: 20
      reverse: true
    ) {
      nodes {
        id
        rehearsal {
          outcome
          reason
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<BoardRehearsalsQuery, BoardRehearsalsQueryVariables>;