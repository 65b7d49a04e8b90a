/** A value of a column or a parameter. */
export type SqlValue = bigint | string | Uint8Array | null;

/** A row by the names of its columns. */
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

/** The inverse of {@link storedText}. */
export function originalText(stored: string): string {
  return stored.startsWith(jsonMark) ? String(JSON.parse(stored.slice(1))) : stored;
}
