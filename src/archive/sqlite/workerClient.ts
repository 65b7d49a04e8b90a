import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { onAbort } from '../../chain/base/waiting.ts';
import { DatabaseError } from '../database/connection.ts';
import { unpackError, type WorkerOptions, type WorkerReply, type WorkerRequest, type WorkerResult } from './requests.ts';

/** A thread that runs requests on a SQLite file, one after the other. */
export interface SqliteWorker {
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

/** A request that waits or runs. */
interface Waiter {
  readonly request: WorkerRequest;
  resolve(result: WorkerResult): void;
  reject(error: Error): void;
}

/** Starts the thread of a SQLite file. It does not keep the process alive. */
export function startSqliteWorker(options: WorkerOptions): SqliteWorker {
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
