import { parentPort, workerData } from 'node:worker_threads';
import { transact } from '../database/database.ts';
import type { EarlierFacts, EarlierKey } from '../facts.ts';
import { searchIndex } from '../full/search.ts';
import { expireContents } from '../full/storeContents.ts';
import { storeEarlier } from '../recording/earlier.ts';
import { beginRange, readCoverage, recordBlocks } from '../store/ranges.ts';
import { prepareSchema } from '../store/schema.ts';
import { openSqlite, type Sqlite } from './connection.ts';
import { packError, type WorkerOptions, type WorkerReply, type WorkerRequest, type WorkerResult } from './store.ts';

// The thread of a SQLite file: SQLite's calls block the thread that makes them. Each worker has a connection of its own.

const { file, chainId, role, maxPages }: WorkerOptions = workerData;
let opened: Sqlite | undefined;

/** The connection. A file that could not be opened is tried again with each request. */
function connection(): Sqlite {
  opened ??= openSqlite(file, { isReader: role === 'reader', maxPages });
  return opened;
}

async function write(work: (database: Sqlite) => Promise<void>): Promise<WorkerResult> {
  const database = connection();
  const coverage = await transact(database, async () => {
    await work(database);
    return readCoverage(database);
  });
  return { kind: 'coverage', coverage };
}

async function expire(before: bigint): Promise<WorkerResult> {
  const database = connection();
  return transact(database, async () => {
    const hasMore = await expireContents(database, before);
    return { kind: 'expired', hasMore, coverage: await readCoverage(database) };
  });
}

async function addEarlier(found: EarlierKey & EarlierFacts): Promise<WorkerResult> {
  const database = connection();
  return transact(database, async () => {
    const isChanged = await storeEarlier(database, found);
    return { kind: 'added', isChanged, coverage: await readCoverage(database) };
  });
}

async function handle(request: WorkerRequest): Promise<WorkerResult> {
  if (request.kind === 'close') {
    opened?.close();
    return { kind: 'closed' };
  }
  if (request.kind === 'prepare') return write((database) => prepareSchema(database, chainId));
  if (request.kind === 'begin') return write((database) => beginRange(database, request.start));
  if (request.kind === 'record') return write((database) => recordBlocks(database, request.blocks));
  if (request.kind === 'addEarlier') return addEarlier(request.found);
  if (request.kind === 'expire') return expire(request.before);
  if (request.kind === 'search') {
    const database = connection();
    return {
      kind: 'found',
      page: await searchIndex(async ({ text, values }) => database.runNow(text, values), request.search),
    };
  }
  const { text, values } = request;
  return { kind: 'rows', rows: connection().runNow(text, values) };
}

const reply = (message: WorkerReply): void => parentPort?.postMessage(message);

parentPort?.on('message', async (request: WorkerRequest) => {
  try {
    reply({ result: await handle(request) });
  } catch (error) {
    reply({ error: packError(error) });
  }
});
