import { createHash } from 'node:crypto';
import pg from 'pg';
import { pause } from '../../chain/base/waiting.ts';
import { type Connection, DatabaseError } from '../database/connection.ts';
import { postgresConnection, postgresError, postgresOptions } from './connection.ts';
import { createSockets } from './sockets.ts';

/** Interval of the attempts to get the lock, in ms. */
const lockInterval = 1_000;

/** The connection that holds the lock of the writer. Its loss releases the lock, and its writes then fail. */
export interface WriterConnection extends Connection {
  /** Whether the connection, and with it the lock, is gone. */
  isLost(): boolean;
  end(): Promise<void>;
}

/** The key of the advisory lock of a chain's archive. */
function lockKey(schema: string): bigint {
  return createHash('sha256').update(`stele archive ${schema}`).digest().readBigInt64BE();
}

interface OpenConnection {
  readonly client: pg.Client;
  isLost(): boolean;
  end(): Promise<void>;
}

async function connect(url: string, schema: string, queryTimeout: number): Promise<OpenConnection> {
  const sockets = createSockets();
  const client = new pg.Client({ ...postgresOptions(url, schema), query_timeout: queryTimeout, stream: sockets.stream });
  const end = (): Promise<void> => sockets.closeAfter(client.end());
  let isLost = false;
  const lose = (): void => {
    isLost = true;
  };
  client.on('error', lose).on('end', lose);
  try {
    await client.connect();
  } catch (error) {
    await end();
    throw postgresError(error);
  }
  return { client, isLost: () => isLost, end };
}

/**
 * Connects and waits until this connection has the lock of the writer. Calls `onStandby` while another one has it. Rejects with the signal's reason, or
 * with a `DatabaseError` if the database cannot be reached. `queryTimeout` is the longest wait for the response to a statement, in ms; then the
 * connection counts as lost.
 */
export async function takeWriterLock(
  url: string,
  schema: string,
  signal: AbortSignal,
  onStandby: () => void,
  queryTimeout = 20_000,
): Promise<WriterConnection> {
  const { client, isLost, end } = await connect(url, schema, queryTimeout);
  const connection = postgresConnection(client);
  try {
    for (;;) {
      signal.throwIfAborted();
      const [row] = await connection.run('SELECT CAST(pg_try_advisory_lock(?) AS INT) AS has_lock', [lockKey(schema)]);
      if (row?.has_lock === 1n) break;
      onStandby();
      await pause(lockInterval, signal);
      if (isLost()) throw new DatabaseError('LOST', 'the connection to the database was lost');
    }
  } catch (error) {
    await end();
    throw error;
  }
  return {
    dialect: 'postgres',
    isLost,
    end,
    async run(text, values) {
      if (isLost()) throw new DatabaseError('LOST', 'the connection to the database was lost');
      try {
        return await connection.run(text, values);
      } catch (error) {
        // Whether the statement ran is unknown after a timeout. Without this connection the server rolls it back.
        if (error instanceof DatabaseError && /timeout/i.test(error.message)) await end();
        throw error;
      }
    },
  };
}
