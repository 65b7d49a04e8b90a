import Database from 'libsql';
import { LRUCache } from 'lru-cache';
import { type Connection, DatabaseError, type Row, rowFrom, type SqlValue, storedText } from '../database/database.ts';

/** An open SQLite file. Its calls block the thread. */
export interface Sqlite extends Connection {
  readonly dialect: 'sqlite';
  /** Runs a statement and returns its rows. Throws a {@link DatabaseError}. */
  runNow(text: string, values: readonly SqlValue[]): readonly Row[];
  close(): void;
}

export interface SqliteOptions {
  /** Whether writes are refused. */
  readonly isReader?: boolean;
  /** The most pages of the file: no limit by default. */
  readonly maxPages?: number | undefined;
}

/** Prepared statements that are kept. */
const keptStatements = 300;

/** How long a statement waits for the lock of another process, in ms. */
const lockTimeout = 1_000;

/** Memory for pages of a connection that writes, in KiB. The index of mode FULL is written all over its pages. */
const cacheSize = 32_000;

/** The pages of 4 KiB in the log of a connection that writes, after which they are moved to the file. The default of 1,000 moves many pages several times. */
const checkpointPages = 4_000;

/** Opens or creates a SQLite file in WAL mode. Throws a {@link DatabaseError}. */
export function openSqlite(file: string, { isReader = false, maxPages }: SqliteOptions = {}): Sqlite {
  const database = attempt(() => new Database(file));
  const statements = new LRUCache<string, Database.Statement>({ max: keptStatements });
  attempt(() => {
    database.pragma(`busy_timeout = ${lockTimeout}`);
    database.pragma('journal_mode = WAL');
    // A commit survives the end of the process. The loss of power may undo the newest commits, each as a whole.
    database.pragma('synchronous = NORMAL');
    database.pragma('temp_store = MEMORY');
    if (isReader) {
      database.pragma('query_only = ON');
    } else {
      database.pragma(`cache_size = -${cacheSize}`);
      database.pragma(`wal_autocheckpoint = ${checkpointPages}`);
    }
    if (maxPages !== undefined) database.pragma(`max_page_count = ${maxPages}`);
  });

  function prepared(text: string): Database.Statement {
    const keptStatement = statements.get(text);
    if (keptStatement !== undefined) return keptStatement;
    const statement = database.prepare(text).safeIntegers(true);
    statements.set(text, statement);
    return statement;
  }

  function runNow(text: string, values: readonly SqlValue[]): readonly Row[] {
    return attempt(() => {
      const parameters = values.map((value) => (typeof value === 'string' ? storedText(value) : value));
      const statement = prepared(text);
      // In a list, because a single parameter of bytes is taken for an object of named parameters.
      if (statement.reader) return statement.all(parameters).map(rowFrom);
      statement.run(parameters);
      return [];
    });
  }

  return {
    dialect: 'sqlite',
    runNow,
    run: async (text, values) => runNow(text, values),
    close: () => void database.close(),
  };
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw sqliteError(error);
  }
}

/** Codes of SQLite that a later try may not meet. */
const transient = ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_IOERR', 'SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_PROTOCOL'];

function sqliteError(error: unknown): DatabaseError {
  if (!(error instanceof Error)) return new DatabaseError('LOST', String(error));
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'SQLITE_FULL') return new DatabaseError('FULL', 'the disk or the database file is full', error);
  const isTransient = transient.some((prefix) => code.startsWith(prefix)) || /unable to open/i.test(error.message);
  return new DatabaseError(isTransient ? 'LOST' : 'FAILED', `${code} ${error.message}`.trim(), error);
}
