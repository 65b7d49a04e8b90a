import pg from 'pg';
import { type Connection, DatabaseError } from '../database/connection.ts';
import { createReadTurns } from '../database/readTurns.ts';
import type { RunRead } from '../store/archiveStore.ts';
import { postgresConnection, postgresError, postgresOptions } from './connection.ts';
import { createSockets } from './sockets.ts';

/** Connections for reading. A caller has one of them at a time. */
const readConnections = 4;

/** How long a read waits for its turn, in ms. */
const turnTimeout = 5_000;

/** The longest statement, in ms, before the server cancels it. A request is answered within `request.deadline`, which is 15 s by default. */
const statementTimeout = 8_000;

/** Statements that a connection keeps prepared. Afterwards it is closed, because that is the only way in which the driver forgets them. */
const keptStatements = 100;

/** Connections for reading. */
export interface PostgresReads extends Connection {
  /** Rejects with the signal's reason as soon as it is aborted. A statement that waits for a connection then does not run. */
  readonly run: RunRead;
  /**
   * The same for short statements, whose planning takes longer than they do: a connection prepares each once. The database plans them without regard
   * to the values, so statements of which some values select much more than others do not belong here.
   */
  readonly runPrepared: RunRead;
  end(): Promise<void>;
}

/**
 * Creates the connections for reading. They connect when they are first used. A read that gets no connection within 5 s fails. `queryTimeout` is the
 * longest wait for a response, in ms; then the host counts as gone, and the connection is closed.
 */
export function createPostgresReads(url: string, schema: string, queryTimeout = 10_000): PostgresReads {
  const sockets = createSockets();
  const pool = new pg.Pool({
    ...postgresOptions(url, schema),
    max: readConnections,
    statement_timeout: statementTimeout,
    query_timeout: queryTimeout,
    stream: sockets.stream,
  });
  // A connection that is lost is replaced when the next one is needed.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  /** Names of the prepared statements of each connection, by their text. */
  const namesOf = new WeakMap<pg.PoolClient, Map<string, string>>();

  function preparedNames(client: pg.PoolClient): Map<string, string> {
    const names = namesOf.get(client) ?? new Map<string, string>();
    namesOf.set(client, names);
    return names;
  }

  const turns = createReadTurns(Array.from({ length: readConnections }, (_, index) => index));

  async function run(isPrepared: boolean, ...[text, values, signal]: Parameters<RunRead>): ReturnType<RunRead> {
    const client = await pool.connect().catch((error: unknown) => {
      throw postgresError(error);
    });
    const names = isPrepared ? preparedNames(client) : undefined;
    let isUsable = true;
    try {
      signal?.throwIfAborted();
      return await postgresConnection(client, names).run(text, values);
    } catch (error) {
      // A prepared statement fails for ever after a change of its tables.
      isUsable = !(error instanceof DatabaseError && (isPrepared || error.failure === 'LOST'));
      throw error;
    } finally {
      client.release(!isUsable || (names !== undefined && names.size > keptStatements));
    }
  }

  const reading =
    (isPrepared: boolean): RunRead =>
    async (text, values, signal, caller = '') => {
      const late = new AbortController();
      const timer = setTimeout(
        () => late.abort(new DatabaseError('LOST', 'no connection to the database was free in time')),
        turnTimeout,
      );
      const work = (): ReturnType<RunRead> => {
        clearTimeout(timer);
        return run(isPrepared, text, values, signal);
      };
      try {
        return await turns.run(caller, work, signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
      } finally {
        clearTimeout(timer);
      }
    };

  return {
    dialect: 'postgres',
    run: reading(false),
    runPrepared: reading(true),
    end: () => sockets.closeAfter(pool.end()),
  };
}
