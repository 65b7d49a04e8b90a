import type { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Surface } from './requestStats.ts';

/** One request, as its line tells of it. Never what was asked or answered, nor who asked but as a hash. */
export interface RequestLine {
  readonly requestId: string;
  readonly surface: Surface;
  readonly operation: string | undefined;
  readonly code: string;
  /** Of HTTP; undefined for an operation on a WebSocket. */
  readonly status: number | undefined;
  readonly ms: number;
  readonly cost: number | undefined;
  /** The first 16 hex digits of the SHA-256 of the token's subject. */
  readonly subject: string | undefined;
}

/** The log: JSON, a line each. */
export interface Log {
  request(line: RequestLine): void;
  /** A failure of ours, with the id that the caller was given. */
  error(error: unknown, requestId: string): void;
  /** Lines that were not written because nobody reads them. */
  dropped(): number;
}

/** Bytes that may wait to be read. Above it lines are dropped, and never wait for room. */
const waitingMax = 1024 * 1024;

/** Makes the log. `level` is the least that is written: requests are `info`, failures `error`. */
export function createLog(options: { readonly level: string; readonly out: Writable }): Log {
  const { level, out } = options;
  let dropped = 0;
  let untold = 0;

  function write(line: string): void {
    if (!out.writable || out.writableLength > waitingMax) {
      dropped += 1;
      untold += 1;
      return;
    }
    if (untold > 0) {
      const lost = untold;
      untold = 0;
      log.warn({ dropped: lost }, 'lines were dropped');
    }
    out.write(line);
  }

  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );

  return {
    request: (line) => log.info(line, 'request'),
    error: (error, requestId) => log.error({ requestId, error: scrubbed(textOf(error)) }, 'failure'),
    dropped: () => dropped,
  };
}

/** An error with its stack and those that caused it. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${textOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** What could be a token or a password in a text of others is taken out. */
function scrubbed(text: string): string {
  return text
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [redacted]')
    .replace(/\beyJ[\w-]*\.[\w-]*\.?[\w-]*/g, '[redacted]')
    .replace(/\/\/[^\s/@]+@/g, '//[redacted]@');
}
