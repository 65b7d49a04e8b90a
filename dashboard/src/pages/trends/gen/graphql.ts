/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type GroupTurnoutQueryVariables = Exact<{
  id: string | number;
  first: number;
}>;


export type GroupTurnoutQuery = { readonly proposalRecords: { readonly pageInfo: { readonly hasNextPage: boolean }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly submitTime: string, readonly totalWeight: string | null, readonly complete: boolean, readonly tally: { readonly yesCount: string, readonly noCount: string, readonly abstainCount: string, readonly noWithVetoCount: string } | null, readonly members: { readonly totalCount: string | null } | null, readonly voters: { readonly totalCount: string | null } | null }> } | null };

export type MemberTurnoutQueryVariables = Exact<{
  id: string | number;
  member: string;
  first: number;
}>;


export type MemberTurnoutQuery = { readonly voted: { readonly pageInfo: { readonly hasNextPage: boolean }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly submitTime: string, readonly vote: { readonly weight: string | null } | null }> } | null, readonly missed: { readonly pageInfo: { readonly hasNextPage: boolean }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly submitTime: string }> } | null };

export type TreasuryQueryVariables = Exact<{
  address: string;
  from: string;
}>;


export type TreasuryQuery = { readonly account: { readonly statement: { readonly from: string, readonly fromTime: string, readonly to: string, readonly toTime: string, readonly completeFrom: string, readonly denoms: ReadonlyArray<{ readonly denom: string, readonly opening: string, readonly closing: string, readonly unexplained: string, readonly display: { readonly amount: string, readonly denom: string, readonly symbol: string, readonly exponent: number } | null, readonly lines: ReadonlyArray<{ readonly amount: string, readonly balance: string, readonly time: string | null }> }> } | null } | null };

export type HoldersPartQueryVariables = Exact<{
  denom: string;
  after?: string | null | undefined;
}>;


export type HoldersPartQuery = { readonly supplyOf: { readonly amount: string } | null, readonly holders: { readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly account: { readonly address: string, readonly moduleName: string | null }, readonly balance: { readonly amount: string } }> } | null };

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

export const GroupTurnoutDocument = new TypedDocumentString(`
    query GroupTurnout($id: ID!, $first: Int!) {
  proposalRecords(filter: {groupId: $id, closed: true}, first: $first) {
    pageInfo {
      hasNextPage
    }
    nodes {
      id
      title
      submitTime
      tally {
        yesCount
        noCount
        abstainCount
        noWithVetoCount
      }
      totalWeight
      members: electorate(first: 0) {
        totalCount
      }
      voters: electorate(first: 0, voted: true) {
        totalCount
      }
      complete
    }
  }
}
    `) as unknown as TypedDocumentString<GroupTurnoutQuery, GroupTurnoutQueryVariables>;
export const MemberTurnoutDocument = new TypedDocumentString(`
    query MemberTurnout($id: ID!, $member: String!, $first: Int!) {
  voted: proposalRecords(
    filter: {groupId: $id, voter: $member, closed: true}
    first: $first
  ) {
    pageInfo {
      hasNextPage
    }
    nodes {
      id
      title
      submitTime
      vote(voter: $member) {
        weight
      }
    }
  }
  missed: proposalRecords(
    filter: {groupId: $id, missedBy: $member}
    first: $first
  ) {
    pageInfo {
      hasNextPage
    }
    nodes {
      id
      title
      submitTime
    }
  }
}
    `) as unknown as TypedDocumentString<MemberTurnoutQuery, MemberTurnoutQueryVariables>;
export const TreasuryDocument = new TypedDocumentString(`
    query Treasury($address: String!, $from: String!) {
  account(address: $address) {
    statement(from: $from) {
      from
      fromTime
      to
      toTime
      completeFrom
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
          amount
          balance
          time
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TreasuryQuery, TreasuryQueryVariables>;
export const HoldersPartDocument = new TypedDocumentString(`
    query HoldersPart($denom: String!, $after: String) {
  supplyOf(denom: $denom) {
    amount
  }
  holders(denom: $denom, first: 100, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      account {
        address
        moduleName
      }
      balance {
        amount
      }
    }
  }
}
    `) as unknown as TypedDocumentString<HoldersPartQuery, HoldersPartQueryVariables>;