import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { DatabaseError } from '../database/connection.ts';
import {
  unpackError,
  type WorkerCall,
  type WorkerOptions,
  type WorkerReply,
  type WorkerRequest,
  type WorkerResult,
} from './requests.ts';

/** A thread that runs requests on a SQLite file, one after the other. */
export interface SqliteWorker {
  /** Rejects with the error of the request, or with a `DatabaseError` if the thread has ended. */
  request(request: WorkerRequest): Promise<WorkerResult>;
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
  resolve(result: WorkerResult): void;
  reject(error: Error): void;
}

/** Starts the thread of a SQLite file. It does not keep the process alive. */
export function startSqliteWorker(options: WorkerOptions): SqliteWorker {
  const waiting = new Map<number, Waiter>();
  let worker: Worker | undefined;
  let count = 0;
  let isClosed = false;

  function failAll(message: string): void {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new DatabaseError('LOST', message));
    waiting.clear();
  }

  /** The thread. It is started again after it has ended. */
  function thread(): Worker {
    if (worker !== undefined) return worker;
    const started = startThread(options);
    started.unref();
    started.on('message', ({ id, result, error }: WorkerReply) => {
      const waiter = waiting.get(id);
      waiting.delete(id);
      if (result !== undefined) waiter?.resolve(result);
      else waiter?.reject(unpackError(error));
      if (waiting.size === 0) started.unref();
    });
    started.on('error', (error) => failAll(`the thread of the archive failed: ${error.message}`));
    started.on('exit', () => failAll('the thread of the archive has ended'));
    worker = started;
    return started;
  }

  function request(wanted: WorkerRequest): Promise<WorkerResult> {
    if (isClosed) return Promise.reject(new DatabaseError('LOST', 'the archive is closed'));
    const id = count++;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      const call: WorkerCall = { id, request: wanted };
      const running = thread();
      running.ref();
      running.postMessage(call);
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
