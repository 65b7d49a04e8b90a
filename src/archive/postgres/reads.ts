import pg from 'pg';
import { abortable } from '../../chain/base/waiting.ts';
import { type Connection, DatabaseError } from '../database/connection.ts';
import type { RunRead } from '../store/archiveStore.ts';
import { postgresConnection, postgresError, postgresOptions } from './connection.ts';
import { createSockets } from './sockets.ts';

/** Connections for reading. */
const readConnections = 4;

/** The longest statement, in ms, before the server cancels it. A request is answered within `request.deadline`, which is 15 s by default. */
const statementTimeout = 8_000;

/** Connections for reading. */
export interface PostgresReads extends Connection {
  /** Rejects with the signal's reason as soon as it is aborted. A statement that waits for a connection then does not run. */
  readonly run: RunRead;
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

  async function run(...[text, values, signal]: Parameters<RunRead>): ReturnType<RunRead> {
    const client = await pool.connect().catch((error: unknown) => {
      throw postgresError(error);
    });
    let isUsable = true;
    try {
      signal?.throwIfAborted();
      return await postgresConnection(client).run(text, values);
    } catch (error) {
      isUsable = !(error instanceof DatabaseError && error.failure === 'LOST');
      throw error;
    } finally {
      client.release(!isUsable);
    }
  }

  return {
    dialect: 'postgres',
    run: (text, values, signal) => abortable(run(text, values, signal), signal),
    end: () => sockets.closeAfter(pool.end()),
  };
}
