import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { onAbort } from '../../chain/base/waiting.ts';
import { DatabaseError, type DatabaseFailure, type Row, type SqlValue } from '../database/database.ts';
import { createReadTurns } from '../database/readTurns.ts';
import type { EarlierFacts, EarlierKey } from '../facts.ts';
import type { IndexPage, IndexSearch } from '../full/search.ts';
import { type ArchiveStore, createCoverageState, type RunRead } from '../store/archiveStore.ts';
import {
  type Coverage,
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

interface SqliteWorker {
  /**
   * Rejects with the error of the request, with a `DatabaseError` if the thread has ended, and with the signal's reason as soon as it is aborted. A
   * request that still waits then is dropped; one that has begun runs to its end.
   */
  request(request: WorkerRequest, signal?: AbortSignal): Promise<WorkerResult>;
  close(): Promise<void>;
}

/** Starts the thread. In a build it is a file of its own. From source, tsx loads it, because a thread does not inherit a test runner's loader. */
function startThread(options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./archiveWorker.js', import.meta.url), { workerData: options });
  const loader = new URL('api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm'))).href;
  const file = new URL('./worker.ts', import.meta.url).href;
  const code = `void import('${loader}').then(({ register }) => register()).then(() => import('${file}'))`;
  return new Worker(code, { eval: true, workerData: options, execArgv: [] });
}

interface Waiter {
  readonly request: WorkerRequest;
  resolve(result: WorkerResult): void;
  reject(error: Error): void;
}

function startSqliteWorker(options: WorkerOptions): SqliteWorker {
  /** In the order of the requests. */
  const waiting = new Set<Waiter>();
  let running: Waiter | undefined;
  let worker: Worker | undefined;
  let isClosed = false;

  function failAll(ended: Worker, message: string): void {
    // After an error, the thread also exits; another one may have been started by then.
    if (worker !== ended) return;
    worker = undefined;
    const failed = [...(running === undefined ? [] : [running]), ...waiting];
    running = undefined;
    waiting.clear();
    for (const { reject } of failed) reject(new DatabaseError('LOST', message));
  }

  /** The thread. It is started again after it has ended. */
  function thread(): Worker {
    if (worker !== undefined) return worker;
    const started = startThread(options);
    started.unref();
    started.on('message', ({ result, error }: WorkerReply) => {
      const waiter = running;
      running = undefined;
      runNext();
      if (result !== undefined) waiter?.resolve(result);
      else waiter?.reject(unpackError(error));
      if (running === undefined) started.unref();
    });
    started.on('error', (error) => failAll(started, `the thread of the archive failed: ${error.message}`));
    started.on('exit', () => failAll(started, 'the thread of the archive has ended'));
    worker = started;
    return started;
  }

  /** Sends the next request to the thread if it has none. They wait here, where they can be dropped. */
  function runNext(): void {
    const [next] = waiting;
    if (running !== undefined || next === undefined) return;
    waiting.delete(next);
    running = next;
    const target = thread();
    target.ref();
    target.postMessage(next.request);
  }

  function request(wanted: WorkerRequest, signal?: AbortSignal): Promise<WorkerResult> {
    if (isClosed) return Promise.reject(new DatabaseError('LOST', 'the archive is closed'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const removeListener = onAbort(signal, () => {
        waiting.delete(waiter);
        reject(signal?.reason);
      });
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          removeListener();
          settle(value);
        };
      const waiter: Waiter = { request: wanted, resolve: settled(resolve), reject: settled(reject) };
      waiting.add(waiter);
      runNext();
    });
  }

  return {
    request,
    async close() {
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
  const { file, chainId, isTemporary = false, maxPages } = options;
  const coverage = createCoverageState();
  const writer = startSqliteWorker({ file, chainId, role: 'writer', maxPages });
  const readers = Array.from({ length: readThreads }, () => startSqliteWorker({ file, chainId, role: 'reader' }));
  const turns = createReadTurns(readers);

  async function write(request: WorkerRequest): Promise<void> {
    const result = await writer.request(request);
    if (result.kind === 'coverage') coverage.set(result.coverage);
  }

  /** Asks a thread that reads. The writer must have made the tables. */
  async function request(wanted: WorkerRequest, signal: AbortSignal | undefined, caller = ''): Promise<WorkerResult> {
    if (coverage.get().ranges.length === 0 && fileSize(file) === 0n)
      throw new DatabaseError('LOST', 'the archive is not open yet');
    return turns.run(caller, (reader) => reader.request(wanted), signal);
  }

  const read: RunRead = async (text, values, signal, caller) => {
    const result = await request({ kind: 'read', text, values }, signal, caller);
    return result.kind === 'rows' ? result.rows : [];
  };

  return {
    storage: isTemporary ? 'MEMORY' : 'SQLITE',
    coverage: coverage.get,
    onCoverage: coverage.onChange,
    becomeWriter: () => write({ kind: 'prepare' }),
    begin: (start) => write({ kind: 'begin', start }),
    record: createGroupedRecord((blocks) => write({ kind: 'record', blocks })),
    read,
    scan: read,
    async search(search, signal, caller) {
      const result = await request({ kind: 'search', search }, signal, caller);
      return result.kind === 'found' ? result.page : null;
    },
    async addEarlier(found) {
      const result = await writer.request({ kind: 'addEarlier', found });
      if (result.kind !== 'added') return false;
      coverage.set(result.coverage);
      return result.isChanged;
    },
    async expire(before) {
      const result = await writer.request({ kind: 'expire', before });
      if (result.kind !== 'expired') return false;
      coverage.set(result.coverage);
      return result.hasMore;
    },
    sizeBytes: async () => fileSize(file) + fileSize(`${file}-wal`),
    async close() {
      await Promise.all([writer, ...readers].map((thread) => thread.close()));
    },
  };
}
