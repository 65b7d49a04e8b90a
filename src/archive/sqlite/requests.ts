import type { Coverage } from '../coverage.ts';
import { DatabaseError, type DatabaseFailure, type Row, type SqlValue } from '../database/connection.ts';
import type { EarlierFacts, EarlierKey } from '../facts.ts';
import type { IndexPage, IndexSearch } from '../full/indexSearch.ts';
import { type RangeStart, type RecordedBlock, RecordingRefused, type RefusalReason } from '../store/ranges.ts';
import { ArchiveMismatch } from '../store/schema.ts';

/** What the worker is started with. */
export interface WorkerOptions {
  readonly file: string;
  readonly chainId: string;
  /** `writer` creates the file and its tables; `reader` only reads. */
  readonly role: 'writer' | 'reader';
  readonly maxPages?: number | undefined;
}

/** A request to the worker, which gets the next one after its answer. After `close` it takes no other. */
export type WorkerRequest =
  | { readonly kind: 'close' }
  | { readonly kind: 'prepare' }
  | { readonly kind: 'begin'; readonly start: RangeStart }
  | { readonly kind: 'record'; readonly blocks: readonly RecordedBlock[] }
  | { readonly kind: 'addEarlier'; readonly found: EarlierKey & EarlierFacts }
  | { readonly kind: 'expire'; readonly before: bigint }
  | { readonly kind: 'search'; readonly search: IndexSearch }
  | { readonly kind: 'read'; readonly text: string; readonly values: readonly SqlValue[] };

/** What the worker returns: rows for `read`, a page for `search`, nothing for `close`, and else the coverage. */
export type WorkerResult =
  | { readonly kind: 'closed' }
  | { readonly kind: 'coverage'; readonly coverage: Coverage }
  | { readonly kind: 'added'; readonly coverage: Coverage; readonly isChanged: boolean }
  | { readonly kind: 'expired'; readonly coverage: Coverage; readonly hasMore: boolean }
  | { readonly kind: 'found'; readonly page: IndexPage | null }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] };

/** An error as it passes between threads, which keep no classes. */
export type WorkerError =
  | { readonly kind: 'database'; readonly failure: DatabaseFailure; readonly message: string }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly message: string }
  | { readonly kind: 'mismatch' | 'other'; readonly message: string };

/** The answer of the worker to its last request. */
export type WorkerReply =
  | { readonly result: WorkerResult; readonly error?: undefined }
  | { readonly error: WorkerError; readonly result?: undefined };

/** The form of an error that passes between threads. */
export function packError(error: unknown): WorkerError {
  if (error instanceof DatabaseError) return { kind: 'database', failure: error.failure, message: error.message };
  if (error instanceof RecordingRefused) return { kind: 'refused', reason: error.reason, message: error.message };
  if (error instanceof ArchiveMismatch) return { kind: 'mismatch', message: error.message };
  return { kind: 'other', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** The error of a {@link WorkerError}. */
export function unpackError(error: WorkerError): Error {
  if (error.kind === 'database') return new DatabaseError(error.failure, error.message);
  if (error.kind === 'refused') return new RecordingRefused(error.reason, error.message);
  if (error.kind === 'mismatch') return new ArchiveMismatch(error.message);
  return new Error(error.message);
}
