import pg from 'pg';
import { abortable } from '../../chain/base/waiting.ts';
import { type Connection, DatabaseError } from '../database/connection.ts';
import { createFairQueue } from '../database/fairQueue.ts';
import type { RunRead } from '../store/archiveStore.ts';
import { postgresConnection, postgresError, postgresOptions } from './connection.ts';
import { createSockets } from './sockets.ts';

/** Connections for reading, and the most of them that one caller has at a time while others may want one. */
const readConnections = 4;
const callerConnections = 3;

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

  const waiting = createFairQueue<() => void>();
  /** The number of running reads by caller. */
  const running = new Map<string, number>();
  let busy = 0;

  function beginNext(): void {
    while (busy < readConnections) {
      const next = waiting.take((caller) => (running.get(caller) ?? 0) < callerConnections);
      if (next === undefined) return;
      busy += 1;
      running.set(next.caller, (running.get(next.caller) ?? 0) + 1);
      next.item();
    }
  }

  /** Runs work when it is the turn of its caller. Rejects if the turn does not come in time, or with the signal's reason. */
  async function inTurn<T>(caller: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    let since: number | undefined;
    let resolveTurn = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      resolveTurn = resolve;
    });
    const begin = (): void => {
      since = performance.now();
      resolveTurn();
    };
    waiting.add(caller, begin);
    beginNext();
    const late = AbortSignal.timeout(turnTimeout);
    try {
      await abortable(turn, signal === undefined ? late : AbortSignal.any([signal, late])).catch((error: unknown) => {
        signal?.throwIfAborted();
        throw new DatabaseError('LOST', 'no connection to the database was free in time', error);
      });
      return await work();
    } finally {
      waiting.remove(caller, begin);
      if (since !== undefined) end(caller, performance.now() - since);
    }
  }

  /** Ends the turn of a caller, which took this time in ms. */
  function end(caller: string, milliseconds: number): void {
    busy -= 1;
    const left = (running.get(caller) ?? 1) - 1;
    if (left === 0) running.delete(caller);
    else running.set(caller, left);
    waiting.charge(caller, milliseconds);
    beginNext();
  }

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
    (text, values, signal, caller = '') =>
      abortable(
        inTurn(caller, signal, () => run(isPrepared, text, values, signal)),
        signal,
      );

  return {
    dialect: 'postgres',
    run: reading(false),
    runPrepared: reading(true),
    end: () => sockets.closeAfter(pool.end()),
  };
}
