import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import { pause } from '../../chain/base/time.ts';
import { type Connection, createReadTurns, DatabaseError, rowFrom, storedText, transact } from '../database/database.ts';
import type { RunRead } from '../store/archiveStore.ts';

/** Time to connect, in ms. */
const connectTimeout = 5_000;

/** The longest statement, in ms, before the server cancels it. */
const writeTimeout = 30_000;

/** OIDs of int4 and int8. */
const integerTypes: readonly number[] = [20, 23];

/** OID of bytea. */
const bytesType = 17;

const parseBytes = (text: string): Uint8Array => Buffer.from(text.slice(2), 'hex');

/**
 * Settings of each connection. The server notices within 7 s that the host of a client is gone, and then releases its locks. The compilation of a
 * statement (`jit`) takes longer than any statement of the archive needs. A statement runs in one process, so that one caller does not take all cores.
 */
const sessionOptions = [
  'tcp_keepalives_idle=3',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=2',
  'timezone=UTC',
  'jit=off',
  'max_parallel_workers_per_gather=0',
];

/** Options of connections to the database at `url`. Unqualified tables are those of `schema`. */
export function postgresOptions(url: string, schema: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'stele',
    keepAlive: true,
    keepAliveInitialDelayMillis: 3_000,
    connectionTimeoutMillis: connectTimeout,
    statement_timeout: writeTimeout,
    options: [...sessionOptions, `search_path=${schema}`].map((setting) => `-c ${setting}`).join(' '),
    types: {
      getTypeParser: (oid: number) => (oid === bytesType ? parseBytes : integerTypes.includes(oid) ? BigInt : String),
    },
  };
}

/** Replaces `?` by `$1`, `$2` and so on. No statement of the archive has a `?` within a text. */
function numbered(text: string): string {
  let count = 0;
  return text.replace(/\?/g, () => `$${++count}`);
}

function nameOf(names: Map<string, string>, text: string): string {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}

/**
 * A connection that runs statements on a client of PostgreSQL. With `names`, which belong to this client, each statement is prepared when it first
 * runs, and stays prepared.
 */
export function postgresConnection(client: Pick<pg.ClientBase, 'query'>, names?: Map<string, string>): Connection {
  return {
    dialect: 'postgres',
    async run(text, values) {
      try {
        const parameters = values.map((value) =>
          typeof value === 'string' ? storedText(value) : typeof value === 'bigint' ? String(value) : value,
        );
        const statement = { text: numbered(text), values: parameters, ...(names && { name: nameOf(names, text) }) };
        const { rows } = await client.query<Record<string, unknown>>(statement);
        return rows.map(rowFrom);
      } catch (error) {
        throw postgresError(error);
      }
    },
  };
}

/**
 * The error of a statement. Class 53 is lack of resources, where 53100 is a full disk; 08 and 57 are lost connections and a server that stops; 40
 * and 55 are conflicts that pass. Anything without a code comes from the socket.
 */
function postgresError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  const message = error instanceof Error ? error.message : String(error);
  if (code === '53100') return new DatabaseError('FULL', 'the disk of the database is full', error);
  const isTransient = code === '' || ['08', '53', '57', '40', '55', '25'].includes(code.slice(0, 2));
  return new DatabaseError(isTransient ? 'LOST' : 'FAILED', `${code} ${message}`.trim(), error);
}

/** How long the database has to close connections, in ms. */
const endTimeout = 1_000;

/** The sockets of connections to a database, which are closed also if its host is gone. */
function createSockets() {
  const open = new Set<Socket>();
  return {
    stream(): Socket {
      const socket = new Socket();
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return socket;
    },
    /** Waits for the end of the connections, but no longer than {@link endTimeout}, and closes the sockets that are left. */
    async closeAfter(end: Promise<unknown>): Promise<void> {
      const controller = new AbortController();
      const limit = pause(endTimeout, controller.signal).catch(() => undefined);
      await Promise.race([end.catch(() => undefined), limit]);
      controller.abort();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Connections for reading. A caller has one of them at a time. */
const readConnections = 4;

/** How long a read waits for its turn, in ms. */
const turnTimeout = 5_000;

/** The longest statement, in ms, before the server cancels it. A request is answered within `request.deadline`, which is 15 s by default. */
const readTimeout = 8_000;

/** Statements that a connection keeps prepared. Afterwards it is closed, because that is the only way in which the driver forgets them. */
const keptStatements = 100;

/**
 * Creates the connections for reading. They connect when they are first used. A read that gets no connection within 5 s fails. `queryTimeout` is the
 * longest wait for a response, in ms; then the host counts as gone, and the connection is closed.
 */
export function createPostgresReads(url: string, schema: string, queryTimeout = 10_000) {
  const sockets = createSockets();
  const pool = new pg.Pool({
    ...postgresOptions(url, schema),
    max: readConnections,
    statement_timeout: readTimeout,
    query_timeout: queryTimeout,
    stream: sockets.stream,
  });
  // A connection that is lost is replaced when the next one is needed.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  // Changes of webhooks do not wait for reads. It connects when it is first used.
  const changes = new pg.Pool({
    ...postgresOptions(url, schema),
    max: 1,
    query_timeout: queryTimeout,
    stream: sockets.stream,
  });
  changes.on('error', () => undefined);
  changes.on('connect', (client) => client.on('error', () => undefined));

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
    dialect: 'postgres' as const,
    /** Rejects with the signal's reason as soon as it is aborted. A statement that waits for a connection then does not run. */
    run: reading(false),
    /**
     * The same for short statements, whose planning takes longer than they do: a connection prepares each once. The database plans them without regard
     * to the values, so statements of which some values select much more than others do not belong here.
     */
    runPrepared: reading(true),
    /** Runs `work` in one write transaction, on a connection that does not need the lock of the writer. Rejects with a `DatabaseError`. */
    async transact<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
      const client = await changes.connect().catch((error: unknown) => {
        throw postgresError(error);
      });
      let isUsable = true;
      try {
        const connection = postgresConnection(client, preparedNames(client));
        return await transact(connection, () => work(connection));
      } catch (error) {
        isUsable = false;
        throw error;
      } finally {
        client.release(!isUsable || preparedNames(client).size > keptStatements);
      }
    },
    end: () => sockets.closeAfter(Promise.all([pool.end(), changes.end()])),
  };
}

/** Interval of the attempts to get the lock, in ms. */
const lockInterval = 1_000;

/** The connection that holds the lock of the writer. Its loss releases the lock, and its writes then fail. */
export interface WriterConnection extends Connection {
  /** Whether the connection, and with it the lock, is gone. */
  isLost(): boolean;
  end(): Promise<void>;
}

function lockKey(schema: string): bigint {
  return createHash('sha256').update(`stele archive ${schema}`).digest().readBigInt64BE();
}

async function connect(url: string, schema: string, queryTimeout: number) {
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
