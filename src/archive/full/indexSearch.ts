import type { EventCondition } from '../../chain/events/eventQuery.ts';

/** A search in the index of mode FULL. */
export interface IndexSearch {
  readonly kind: 'tx' | 'block' | 'account';
  /** The conditions on tags other than the height. One event matches all of them. */
  readonly conditions: readonly EventCondition[];
  /** The hash of the only transaction that can match, in upper case hex; the heights do not count then. */
  readonly hash: string | undefined;
  /** Heights, both included. */
  readonly low: bigint;
  readonly high: bigint;
  readonly newestFirst: boolean;
  /** Number of matches before the first one that is returned, and the most that are returned. */
  readonly offset: number;
  readonly limit: number;
  /** Whether each transaction has a proof that its block contains it. */
  readonly prove: boolean;
}

/** The matches of a search. */
export interface IndexPage {
  /** Number of all matches. */
  readonly total: bigint;
  /** JSON of the list of results, as a node prints them. */
  readonly items: string;
}

/** The part of an account in a transaction: it signed it, or took part in it in any way. */
export type AccountRole = 'SIGNER' | 'ANY';

/** The place of a transaction in the chain, as a key of a list. */
export interface TransactionKey {
  readonly height: bigint;
  readonly index: number;
}
