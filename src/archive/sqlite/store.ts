import { statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../chain/base/thread.ts';
import {
  createReadTurns,
  DatabaseError,
  type DatabaseFailure,
  type Row,
  type Sql,
  type SqlValue,
} from '../database/database.ts';
import type { EarlierFacts, EarlierKey } from '../facts.ts';
import type { IndexPage, IndexSearch } from '../full/search.ts';
import type { NewProof } from '../proofs.ts';
import type { KeptRehearsal } from '../rehearsals.ts';
import type { ArchiveStore, RunRead } from '../store/archiveStore.ts';
import type { StoreRun } from '../store/past.ts';
import {
  type Coverage,
  type CoverageState,
  createCoverageState,
  createGroupedRecord,
  type RangeStart,
  type RecordedBlock,
  RecordingRefused,
  type RefusalReason,
} from '../store/ranges.ts';
import { ArchiveMismatch } from '../store/schema.ts';

export interface WorkerOptions {
  readonly file: string;
  readonly chainId: string;
  /** `writer` creates the file and its tables; `reader` only reads. */
  readonly role: 'writer' | 'reader';
  readonly maxPages?: number | undefined;
}

/** A request to the worker, which handles one after the other. After `close` it takes no other. */
export type WorkerRequest =
  | { readonly kind: 'close' }
  | { readonly kind: 'prepare' }
  | { readonly kind: 'begin'; readonly start: RangeStart }
  | { readonly kind: 'record'; readonly blocks: readonly RecordedBlock[] }
  | { readonly kind: 'addEarlier'; readonly found: EarlierKey & EarlierFacts }
  | { readonly kind: 'addProof'; readonly proof: NewProof }
  | { readonly kind: 'addRehearsal'; readonly rehearsal: KeptRehearsal }
  | { readonly kind: 'addRoots'; readonly runs: readonly StoreRun[] }
  | { readonly kind: 'change'; readonly statements: readonly Sql[] }
  | { readonly kind: 'expire'; readonly before: bigint }
  | { readonly kind: 'search'; readonly search: IndexSearch }
  | { readonly kind: 'read'; readonly text: string; readonly values: readonly SqlValue[] };

/** What the worker returns: rows for `read`, those of each statement for `change`, a page for `search`, nothing for `close`, and else the coverage. */
export interface WorkerResult {
  readonly rows?: readonly Row[];
  readonly changed?: readonly (readonly Row[])[];
  readonly page?: IndexPage | null;
  readonly coverage?: Coverage;
  /** Whether `addEarlier` has changed something, or whether more is left to `expire`. */
  readonly isTrue?: boolean;
}

/** An error as it passes between threads, which keep no classes. */
type WorkerError =
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

function unpackError(error: WorkerError): Error {
  if (error.kind === 'database') return new DatabaseError(error.failure, error.message);
  if (error.kind === 'refused') return new RecordingRefused(error.reason, error.message);
  if (error.kind === 'mismatch') return new ArchiveMismatch(error.message);
  return new Error(error.message);
}

/** A thread that runs requests on a SQLite file. It starts with the first one, and again after it has ended. It does not keep the process alive. */
function createSqliteThread(options: WorkerOptions) {
  /** In the order of the requests, in which the thread replies. */
  const waiting: { resolve(result: WorkerResult): void; reject(error: Error): void }[] = [];
  let worker: Worker | undefined;
  let isClosed = false;

  function failAll(ended: Worker, message: string): void {
    // After an error, the thread also exits; another one may have been started by then.
    if (worker !== ended) return;
    worker = undefined;
    for (const { reject } of waiting.splice(0)) reject(new DatabaseError('LOST', message));
  }

  function start(): Worker {
    const started = startThread('archiveWorker', new URL('./worker.ts', import.meta.url), options);
    started.on('message', ({ result, error }: WorkerReply) => {
      const waiter = waiting.shift();
      if (waiting.length === 0) started.unref();
      if (result !== undefined) waiter?.resolve(result);
      else waiter?.reject(unpackError(error));
    });
    started.on('error', (error) => failAll(started, `the thread of the archive failed: ${error.message}`));
    started.on('exit', () => failAll(started, 'the thread of the archive has ended'));
    return started;
  }

  /** Rejects with the error of the request, or with a `DatabaseError` if the thread has ended. */
  function request(workerRequest: WorkerRequest): Promise<WorkerResult> {
    if (isClosed) return Promise.reject(new DatabaseError('LOST', 'the archive is closed'));
    return new Promise((resolve, reject) => {
      worker ??= start();
      worker.ref();
      worker.postMessage(workerRequest);
      waiting.push({ resolve, reject });
    });
  }

  return {
    request,
    async close(): Promise<void> {
      // A thread that is ended within a transaction would keep the lock of the file.
      if (worker !== undefined) await request({ kind: 'close' }).catch(() => undefined);
      await worker?.terminate();
      isClosed = true;
    },
  };
}

interface SqliteStoreOptions {
  readonly file: string;
  readonly chainId: string;
  /** Whether the file is temporary, and the archive counts as one in memory. */
  readonly isTemporary?: boolean;
  /** The most pages of the file: no limit by default. */
  readonly maxPages?: number | undefined;
  /** Where the coverage is noted. */
  readonly coverage?: CoverageState | undefined;
}

/** Threads that read. Each is started when the others are busy. */
const readThreads = 3;

function fileSize(file: string): bigint {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.size ?? 0n;
}

/**
 * The storage in a SQLite file. No statement runs in the calling thread: one thread writes, and the others read, each caller in one of them at a time. Nothing
 * is opened before {@link ArchiveStore.becomeWriter}.
 */
export function createSqliteStore(options: SqliteStoreOptions): ArchiveStore {
  const { file, chainId, isTemporary = false, maxPages, coverage = createCoverageState() } = options;
  const writer = createSqliteThread({ file, chainId, role: 'writer', maxPages });
  const readers = Array.from({ length: readThreads }, () => createSqliteThread({ file, chainId, role: 'reader' }));
  const turns = createReadTurns(readers);

  async function write(request: WorkerRequest): Promise<boolean> {
    const { coverage: next, isTrue = false } = await writer.request(request);
    if (next !== undefined) coverage.set(next);
    return isTrue;
  }

  /** Asks a thread that reads. The writer must have made the tables. */
  async function request(workerRequest: WorkerRequest, signal: AbortSignal | undefined, caller = ''): Promise<WorkerResult> {
    if (coverage.get().ranges.length === 0 && fileSize(file) === 0n)
      throw new DatabaseError('LOST', 'the archive is not open yet');
    return turns.run(caller, (reader) => reader.request(workerRequest), signal);
  }

  const read: RunRead = async (text, values, signal, caller) =>
    (await request({ kind: 'read', text, values }, signal, caller)).rows ?? [];

  return {
    storage: isTemporary ? 'MEMORY' : 'SQLITE',
    coverage: coverage.get,
    onCoverage: coverage.onChange,
    becomeWriter: async () => void (await write({ kind: 'prepare' })),
    begin: async (start) => void (await write({ kind: 'begin', start })),
    record: createGroupedRecord(async (blocks) => void (await write({ kind: 'record', blocks }))),
    read,
    scan: read,
    search: async (search, signal, caller) => (await request({ kind: 'search', search }, signal, caller)).page ?? null,
    addEarlier: (earlierFacts) => write({ kind: 'addEarlier', found: earlierFacts }),
    addProof: async (proof) => void (await write({ kind: 'addProof', proof })),
    addRehearsal: async (rehearsal) => void (await write({ kind: 'addRehearsal', rehearsal })),
    addRoots: async (runs) => void (await write({ kind: 'addRoots', runs })),
    change: async (statements) => (await writer.request({ kind: 'change', statements })).changed ?? [],
    expire: (before) => write({ kind: 'expire', before }),
    sizeBytes: async () => fileSize(file) + fileSize(`${file}-wal`),
    async close() {
      await Promise.all([writer, ...readers].map((thread) => thread.close()));
    },
  };
}
