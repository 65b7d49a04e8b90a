import type { JsonValue } from '../chain/wire/json.ts';
import type { Page, PageRequest } from '../reads/page.ts';
import type { Coverage, HeightRange, Holding } from './coverage.ts';
import type { RecordedTally } from './facts.ts';
import type { AccountRole } from './full/indexSearch.ts';
import type {
  ChangeRecord,
  Elector,
  ExecutionRecord,
  ParticipationRecord,
  ProposalRecord,
  ProposalRecordFilter,
  TallyPoint,
  VoteRecord,
} from './records.ts';

/** The part of a list to read. `reverse` reverses the order that the list has by itself; a cursor works in both directions. */
export type RecordPageRequest = PageRequest;

/** What an archive contains, for operators and `Query.archive`. */
export interface ArchiveStats {
  readonly mode: 'GOVERNANCE' | 'FULL';
  readonly storage: 'MEMORY' | 'SQLITE' | 'POSTGRES';
  /** Ascending. */
  readonly coverage: readonly HeightRange[];
  readonly proposals: bigint;
  readonly votes: bigint;
  /** Indexed transactions; null in mode GOVERNANCE. */
  readonly transactions: bigint | null;
  readonly sizeBytes: bigint;
  /** Proposals whose recomputed tally differs from the chain's. */
  readonly auditFailures: bigint;
  /** Proposals and votes that events name and neither a message nor the state explains. */
  readonly unexplained: bigint;
}

/** Options of a wait. */
export interface WaitOptions {
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the archive. Every read is as of a height: facts of later heights are left out. The caller first waits until the archive holds the height.
 * Values are frozen. Rejects with an `ArchiveUnavailable` if the database cannot be read.
 *
 * Reads by record take the records themselves and answer in their order. A statement reads some thousands of rows at most, so that no caller waits long for
 * that of another: reads of more rows are several statements.
 */
export interface ArchiveReader {
  /**
   * The same reader for a request of a caller: its reads reject with the signal's reason when it is aborted, and those that still wait are dropped. Reads take
   * turns by caller; those without one share the turns of one caller.
   */
  under(signal: AbortSignal | undefined, caller?: string): ArchiveReader;
  /** What is covered, as last seen by this process. Its `generation` belongs in the keys of cached answers. */
  coverage(): Coverage;
  /** Whether records can be read as of a height. */
  holding(height: bigint): Holding;
  /**
   * Resolves when the archive holds the height. Rejects with HEIGHT_NOT_YET_AVAILABLE after `milliseconds`, and with the same error at once if
   * the height is outside of the coverage and below its end.
   */
  waitFor(height: bigint, options: WaitOptions): Promise<void>;
  /** 1 query. Numbers of a large archive may be up to some seconds old. */
  stats(): Promise<ArchiveStats>;
  /** The records with these ids; null where the archive has none. 1 query. */
  records(ids: readonly bigint[], asOf: bigint): Promise<readonly (ProposalRecord | null)[]>;
  /** Recorded proposals, newest first. 1 query, 1 more for `missedBy`, and 1 more if `count` is set. */
  recordPage(filter: ProposalRecordFilter, page: RecordPageRequest, asOf: bigint): Promise<Page<ProposalRecord>>;
  /**
   * The tally of each record: the final one, or the present one while votes are taken. Null if the chain computed none or the members are not
   * known. At most 1 query.
   */
  tallies(records: readonly ProposalRecord[]): Promise<readonly (RecordedTally | null)[]>;
  /** The votes of each record, in the order in which they were cast. 1 query, and 1 more if `count` is set. */
  votes(records: readonly ProposalRecord[], page: RecordPageRequest): Promise<readonly Page<VoteRecord>[]>;
  /** The vote of an account on each record; null if none is recorded. 1 query. */
  votesOf(records: readonly ProposalRecord[], voter: string): Promise<readonly (VoteRecord | null)[]>;
  /**
   * Those who could vote on each record, by address; null if they are not known. `voted` keeps only those who did, or did not. 1 query, and 1
   * more if `count` is set.
   */
  electorate(
    records: readonly ProposalRecord[],
    page: RecordPageRequest,
    voted?: boolean,
  ): Promise<readonly (Page<Elector> | null)[]>;
  /** The attempts to execute each record, oldest first. 1 query. */
  executions(records: readonly ProposalRecord[]): Promise<readonly (readonly ExecutionRecord[])[]>;
  /**
   * The tally after each vote at the weights of the close, or of now while it is open: at most `points` points, thinned evenly, the first and the
   * last kept. Null if the members are not known. 1 query.
   */
  tallyHistory(records: readonly ProposalRecord[], points: number): Promise<readonly (readonly TallyPoint[] | null)[]>;
  /** The changes of the group and of the policy of each record, after its submission and up to its close, oldest first. 1 query. */
  changes(records: readonly ProposalRecord[]): Promise<readonly (readonly ChangeRecord[])[]>;
  /** The votes that an account has cast, newest first. 1 query, and 1 more if `count` is set. */
  votesByAccount(address: string, page: RecordPageRequest, asOf: bigint): Promise<Page<VoteRecord>>;
  /**
   * The transactions that an account signed or took part in, newest first, as results of `tx_search`. Null in mode GOVERNANCE. At most 9
   * queries.
   */
  accountTransactions(
    account: { readonly address: string; readonly role: AccountRole },
    page: RecordPageRequest,
    asOf: bigint,
  ): Promise<Page<JsonValue> | null>;
  /**
   * For each present member of the group, by address: how many of the last `last` closed proposals of the group it could vote on and did.
   * Proposals whose electorate is not known are left out. Null if the members are not known. 1 query.
   */
  participation(groupId: bigint, last: number, asOf: bigint): Promise<readonly ParticipationRecord[] | null>;
}

/** The database of the archive cannot be read or written at the moment. */
export class ArchiveUnavailable extends Error {
  override readonly name = 'ArchiveUnavailable';
}
