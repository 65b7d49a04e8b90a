import { types } from 'node:util';
import { onAbort } from '../../chain/base/time.ts';

export type SqlValue = bigint | string | Uint8Array | null;

export type Row = Readonly<Record<string, SqlValue>>;

/** The two databases that run the same SQL. They differ in the names of types and in how parameters are marked. */
export type Dialect = 'sqlite' | 'postgres';

/** Runs SQL with `?` for parameters. Statements that return nothing resolve with no rows. Rejects with a {@link DatabaseError}. */
export interface Connection {
  readonly dialect: Dialect;
  run(text: string, values: readonly SqlValue[]): Promise<readonly Row[]>;
}

/**
 * Why a statement failed. FULL: no space is left. LOST: the connection is gone or the database refuses work at the moment; the same statement may
 * succeed later. FAILED: anything else.
 */
export type DatabaseFailure = 'FULL' | 'LOST' | 'FAILED';

/** The failure of a statement or of a connection. The message has no credentials. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly failure: DatabaseFailure;

  constructor(failure: DatabaseFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

/** Begins a stored text that is JSON, because the text itself cannot be stored. */
const jsonMark = '\u0001';

/**
 * The text to store for a text of the chain. PostgreSQL stores no NUL, and neither database stores half of a surrogate pair. Equal texts are stored
 * equally.
 */
export function storedText(text: string): string {
  return text.includes('\0') || text.startsWith(jsonMark) || !text.isWellFormed() ? jsonMark + JSON.stringify(text) : text;
}

function originalText(stored: string): string {
  return stored.startsWith(jsonMark) ? String(JSON.parse(stored.slice(1))) : stored;
}

function valueFrom(value: unknown): SqlValue {
  if (typeof value === 'string') return originalText(value);
  if (typeof value === 'bigint' || value === null || types.isUint8Array(value)) return value;
  if (types.isArrayBuffer(value)) return new Uint8Array(value);
  throw new TypeError(`the database returned a value of type ${typeof value}`);
}

/** A row of a driver, with the texts as they were before {@link storedText}. */
export function rowFrom(row: unknown): Row {
  if (typeof row !== 'object' || row === null) throw new TypeError('a row of the database is not an object');
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, valueFrom(value)]));
}

function wrong(column: string, what: string): TypeError {
  return new TypeError(`column ${column} of the archive has no ${what}`);
}

/** The integer in a column. Throws for anything else. */
export function integerAt(row: Row, column: string): bigint {
  const value = row[column];
  if (typeof value !== 'bigint') throw wrong(column, 'integer');
  return value;
}

export function integerOrNull(row: Row, column: string): bigint | null {
  return row[column] === null ? null : integerAt(row, column);
}

export function numberAt(row: Row, column: string): number {
  return Number(integerAt(row, column));
}

/** The text in a column. Throws for anything else. */
export function textAt(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw wrong(column, 'text');
  return value;
}

/** The bytes in a column. Throws for anything else. */
export function bytesAt(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (typeof value !== 'object' || value === null) throw wrong(column, 'bytes');
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : textAt(row, column);
}

/** The text in a column, which must be one of `names`. */
export function oneOf<const T extends string>(row: Row, column: string, names: readonly T[]): T {
  const text = textAt(row, column);
  const match = names.find((name) => name === text);
  if (match === undefined) throw wrong(column, `known value, but ${text}`);
  return match;
}

/** The largest integer of the databases. */
export const largestInteger = 9_223_372_036_854_775_807n;

/** The integer, or the nearest one that the databases hold. They refuse a parameter beyond it. */
export const storable = (value: bigint): bigint =>
  value > largestInteger ? largestInteger : value < -largestInteger ? -largestInteger : value;

/** Rows by the integer in a column. */
export function groupedBy(rows: readonly Row[], column: string): ReadonlyMap<bigint, readonly Row[]> {
  const groups = new Map<bigint, Row[]>();
  for (const row of rows) {
    const key = integerAt(row, column);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

/** A piece of SQL with the values of its parameters, in order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

function isSql(part: SqlValue | Sql): part is Sql {
  return typeof part === 'object' && part !== null && 'text' in part;
}

/** Rows of one statement that writes, at most. */
export const mostRows = 64;

/** The items in portions for statements of at most `most` rows. Few sizes make few statements to prepare: each is a quarter of the one before it. */
export function portions<T>(items: readonly T[], most: number): readonly (readonly T[])[] {
  const result: (readonly T[])[] = [];
  for (let [start, size] = [0, most]; start < items.length; ) {
    for (; size > items.length - start; ) size /= 4;
    result.push(items.slice(start, start + size));
    start += size;
  }
  return result;
}

/** SQL from a template. A piece of SQL is inserted as it is; any other value becomes a parameter. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  const values: SqlValue[] = [];
  const texts = strings.map((text, index) => {
    const part = parts[index];
    if (part === undefined) return text;
    if (isSql(part)) {
      values.push(...part.values);
      return text + part.text;
    }
    values.push(part);
    return `${text}?`;
  });
  return { text: texts.join(''), values };
}

export function joinSql(pieces: readonly Sql[], separator: string): Sql {
  return { text: pieces.map(({ text }) => text).join(separator), values: pieces.flatMap(({ values }) => values) };
}

export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`1 = 1` : joinSql(conditions, ' AND ');
}

/** A list of parameters in parentheses, for IN. */
export function listOf(values: readonly SqlValue[]): Sql {
  return values.length === 0
    ? sql`(NULL)`
    : sql`(${joinSql(
        values.map((value) => sql`${value}`),
        ', ',
      )})`;
}

/** A query for each item, all in one statement. A query may have an order and a limit of its own; the rows come in the order of the items. */
export function unionAll(queries: readonly Sql[]): Sql {
  return joinSql(
    queries.map((query, index) => sql`SELECT * FROM (${query}) AS ${{ text: `part_${index}`, values: [] }}`),
    ' UNION ALL ',
  );
}

/** Runs `work` in one write transaction: all of it is committed, or nothing. The caller runs one transaction at a time on a connection. */
export async function transact<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  // SQLite takes the lock for writing at once, so that what the transaction reads stays true.
  await connection.run(connection.dialect === 'sqlite' ? 'BEGIN IMMEDIATE' : 'BEGIN', []);
  try {
    const result = await work();
    await connection.run('COMMIT', []);
    return result;
  } catch (error) {
    // A full disk or a lost connection has ended the transaction already.
    await connection.run('ROLLBACK', []).catch(() => undefined);
    throw error;
  }
}

/** Runs statements one after the other. Returns the rows of each. */
export async function runAll(connection: Connection, statements: readonly Sql[]): Promise<readonly (readonly Row[])[]> {
  const results: (readonly Row[])[] = [];
  for (const { text, values } of statements) results.push(await connection.run(text, values));
  return results;
}

/** Runs asynchronous work one after the other, in the order of the calls. A failure does not affect the next one. */
export function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

interface Waiting<C> {
  begin(connection: C): Promise<unknown>;
}

interface Queue<C> {
  readonly waiting: Set<Waiting<C>>;
  isRunning: boolean;
  /** Time that its work has taken, in ms. */
  used: number;
}

/**
 * Creates the turns of callers on connections. One piece of work of a caller runs at a time. A free connection gets the work of the caller that has used
 * the least time since it began to wait, so a caller waits for one piece of the work of others, however many requests they have.
 */
export function createReadTurns<C>(connections: readonly C[]) {
  const free = [...connections];
  const queues = new Map<string, Queue<C>>();

  function next(): readonly [string, Queue<C>] | undefined {
    let best: readonly [string, Queue<C>] | undefined;
    for (const entry of queues) {
      const [, queue] = entry;
      if (!queue.isRunning && queue.waiting.size > 0 && (best === undefined || queue.used < best[1].used)) best = entry;
    }
    return best;
  }

  function beginNext(): void {
    for (;;) {
      const turn = free.length > 0 ? next() : undefined;
      if (turn === undefined) return;
      const connection = free.shift();
      const [name, queue] = turn;
      const [first] = queue.waiting;
      if (connection === undefined || first === undefined) return;
      queue.waiting.delete(first);
      queue.isRunning = true;
      const beginning = performance.now();
      void first.begin(connection).finally(() => {
        queue.isRunning = false;
        queue.used += performance.now() - beginning;
        // The one that was used last is used again, because the others may not have been started.
        free.unshift(connection);
        if (queue.waiting.size === 0) queues.delete(name);
        beginNext();
      });
    }
  }

  return {
    /**
     * Runs `work` on a connection when it is the turn of `caller`. Rejects with the signal's reason as soon as it is aborted: work that still waits then is
     * dropped, and work that has begun keeps its connection to its end.
     */
    run<T>(caller: string, work: (connection: C) => Promise<T>, signal?: AbortSignal): Promise<T> {
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        // A caller that comes has no advantage over those that are there.
        const leastUsed = queues.size === 0 ? 0 : Math.min(...[...queues.values()].map((queue) => queue.used));
        const queue = queues.get(caller) ?? { waiting: new Set(), isRunning: false, used: leastUsed };
        queues.set(caller, queue);
        const removeListener = onAbort(signal, () => {
          queue.waiting.delete(waiting);
          if (queue.waiting.size === 0 && !queue.isRunning) queues.delete(caller);
          reject(signal?.reason);
        });
        const waiting: Waiting<C> = {
          async begin(connection) {
            try {
              resolve(await work(connection));
            } catch (error) {
              reject(error);
            } finally {
              removeListener();
            }
          },
        };
        queue.waiting.add(waiting);
        beginNext();
      });
    },
  };
}
