import { types } from 'node:util';
import pg from 'pg';
import { type Connection, DatabaseError, originalText, type Row, type SqlValue, storedText } from '../database/connection.ts';

/** Time to connect, in ms. */
const connectTimeout = 5_000;

/** The longest statement, in ms, before the server cancels it. */
const statementTimeout = 30_000;

/** OIDs of int4 and int8. */
const integerTypes: readonly number[] = [20, 23];

/** OID of bytea. */
const bytesType = 17;

/** The bytes in the text format of bytea. */
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
    statement_timeout: statementTimeout,
    options: [...sessionOptions, `search_path=${schema}`].map((setting) => `-c ${setting}`).join(' '),
    types: {
      getTypeParser: (oid: number) => (oid === bytesType ? parseBytes : integerTypes.includes(oid) ? BigInt : String),
    },
  };
}

/** Replaces `?` by `$1`, `$2` and so on. No statement of the archive has a `?` within a text. */
export function numbered(text: string): string {
  let count = 0;
  return text.replace(/\?/g, () => `$${++count}`);
}

/** The name of a prepared statement, by its text. A text without one gets one. */
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
        return rows.map(readRow);
      } catch (error) {
        throw postgresError(error);
      }
    },
  };
}

function readRow(row: Record<string, unknown>): Row {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, readValue(value)]));
}

function readValue(value: unknown): SqlValue {
  if (typeof value === 'string') return originalText(value);
  if (typeof value === 'bigint' || value === null) return value;
  if (types.isUint8Array(value)) return value;
  throw new TypeError(`PostgreSQL returned a value of type ${typeof value}`);
}

/**
 * The error of a statement. Class 53 is lack of resources, where 53100 is a full disk; 08 and 57 are lost connections and a server that stops; 40
 * and 55 are conflicts that pass. Anything without a code comes from the socket.
 */
export function postgresError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  const message = error instanceof Error ? error.message : String(error);
  if (code === '53100') return new DatabaseError('FULL', 'the disk of the database is full', error);
  const isTransient = code === '' || ['08', '53', '57', '40', '55', '25'].includes(code.slice(0, 2));
  return new DatabaseError(isTransient ? 'LOST' : 'FAILED', `${code} ${message}`.trim(), error);
}
