import type { Nanoseconds } from '../../chain/base/time.ts';
import type { Row, Sql, SqlValue } from '../database/database.ts';
import type { EarlierFacts, EarlierKey } from '../facts.ts';
import type { IndexPage, IndexSearch } from '../full/search.ts';
import type { NewProof } from '../proofs.ts';
import type { KeptRehearsal } from '../rehearsals.ts';
import type { StoreRun } from './past.ts';
import type { Coverage, RangeStart, RecordedBlock } from './ranges.ts';

/**
 * Runs a statement that reads. Callers take turns by the time that they have used. Rejects with a `DatabaseError`, or with the signal's reason as soon as it
 * is aborted.
 */
export type RunRead = (
  text: string,
  values: readonly SqlValue[],
  signal?: AbortSignal,
  caller?: string,
) => Promise<readonly Row[]>;

export interface ArchiveReads {
  readonly storage: 'MEMORY' | 'SQLITE' | 'POSTGRES';
  /** What is covered, as last seen. */
  coverage(): Coverage;
  /** Calls `listener` after each change of the coverage. Returns a function that removes the listener. */
  onCoverage(listener: () => void): () => void;
  /** For records and their parts: statements of a few milliseconds. */
  readonly read: RunRead;
  /** For lists and counts, which may take longer. */
  readonly scan: RunRead;
  /** Searches the index of mode FULL, without blocking the event loop. Null if the search needs too many rows. */
  search(search: IndexSearch, signal?: AbortSignal, caller?: string): Promise<IndexPage | null>;
  /** The size of the database on disk, in bytes. */
  sizeBytes(): Promise<bigint>;
}

export interface ArchiveStore extends ArchiveReads {
  /**
   * Resolves when this process may write: at once, or when it has got the lock that other servers on the same database compete for. Calls
   * `onStandby` if another one has it. Rejects with the signal's reason, or with a `DatabaseError` or an `ArchiveMismatch`.
   */
  becomeWriter(signal: AbortSignal, onStandby: () => void): Promise<void>;
  /** Begins a range. Rejects with a `RecordingRefused` or a `DatabaseError`; then nothing is stored. */
  begin(start: RangeStart): Promise<void>;
  /**
   * Records a block, in one transaction with other blocks that wait. With `mayWait`, it waits up to 200 ms for others. Rejects as {@link begin}.
   */
  record(block: RecordedBlock, mayWait?: boolean): Promise<void>;
  /** Stores what was found of a proposal before a range. Resolves with whether something changed. Rejects with a `DatabaseError`. */
  addEarlier(facts: EarlierKey & EarlierFacts): Promise<boolean>;
  /** Stores the proof of a proposal. One that is stored stays as it is. Rejects with a `DatabaseError`. */
  addProof(proof: NewProof): Promise<void>;
  /** Keeps the last rehearsal of a proposal. Rejects with a `DatabaseError`. */
  addRehearsal(rehearsal: KeptRehearsal): Promise<void>;
  /** Keeps roots of stores. Rejects with a `DatabaseError`. */
  addRoots(runs: readonly StoreRun[]): Promise<void>;
  /**
   * Runs statements in one transaction, from any server on the database: also from one that does not record. Resolves with the rows of each. Rejects with
   * a `DatabaseError`; then nothing is stored.
   */
  change(statements: readonly Sql[]): Promise<readonly (readonly Row[])[]>;
  /** Deletes some of what mode FULL has recorded of blocks before a time. Resolves with whether more is left. Rejects with a `DatabaseError`. */
  expire(before: Nanoseconds): Promise<boolean>;
  close(): Promise<void>;
}
