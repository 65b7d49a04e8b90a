import { parentPort, workerData } from 'node:worker_threads';
import { createQueue, runAll, transact } from '../database/database.ts';
import { searchIndex } from '../full/search.ts';
import { expireContents } from '../full/storeContents.ts';
import { storeEarlier } from '../recording/earlier.ts';
import { storeRuns } from '../store/past.ts';
import { storeProof } from '../store/proofs.ts';
import { beginRange, readCoverage, recordBlocks } from '../store/ranges.ts';
import { storeRehearsal } from '../store/rehearsals.ts';
import { prepareSchema } from '../store/schema.ts';
import { openSqlite, type Sqlite } from './connection.ts';
import { packError, type WorkerOptions, type WorkerReply, type WorkerRequest, type WorkerResult } from './store.ts';

// The thread of a SQLite file: SQLite's calls block the thread that makes them. Each worker has a connection of its own.

const { file, chainId, role, maxPages }: WorkerOptions = workerData;
let openFile: Sqlite | undefined;

/** The connection. A file that could not be opened is tried again with each request. */
function connection(): Sqlite {
  openFile ??= openSqlite(file, { isReader: role === 'reader', maxPages });
  return openFile;
}

async function write(work: (database: Sqlite) => Promise<unknown>): Promise<WorkerResult> {
  const database = connection();
  return transact(database, async () => {
    const isTrue = (await work(database)) === true;
    return { isTrue, coverage: await readCoverage(database) };
  });
}

async function handle(request: WorkerRequest): Promise<WorkerResult> {
  switch (request.kind) {
    case 'close':
      openFile?.close();
      return {};
    case 'prepare':
      return write((database) => prepareSchema(database, chainId));
    case 'begin':
      return write((database) => beginRange(database, request.start));
    case 'record':
      return write((database) => recordBlocks(database, request.blocks));
    case 'addEarlier':
      return write((database) => storeEarlier(database, request.found));
    case 'addProof':
      return write((database) => storeProof(database, request.proof));
    case 'addRehearsal':
      return write((database) => storeRehearsal(database, request.rehearsal));
    case 'addRoots':
      return write((database) => storeRuns(database, request.runs));
    case 'change': {
      const database = connection();
      return { changed: await transact(database, () => runAll(database, request.statements)) };
    }
    case 'expire':
      return write((database) => expireContents(database, request.before));
    case 'search': {
      const database = connection();
      return { page: await searchIndex(async ({ text, values }) => database.runNow(text, values), request.search) };
    }
    case 'read':
      return { rows: connection().runNow(request.text, request.values) };
  }
}

const reply = (message: WorkerReply): void => parentPort?.postMessage(message);
const inTurn = createQueue();

parentPort?.on('message', (request: WorkerRequest) =>
  inTurn(async () => {
    try {
      reply({ result: await handle(request) });
    } catch (error) {
      reply({ error: packError(error) });
    }
  }),
);
