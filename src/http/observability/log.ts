import type { Writable } from 'node:stream';
import { inspect } from 'node:util';
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

/** What the log says of a node. */
export type NodeState = 'ANSWERS' | 'UNREACHABLE' | 'WRONG_CHAIN';

/** A node that cannot be reached, or that answers again. */
export interface NodeLine {
  /** Its alias, such as `node-1`. */
  readonly node: string;
  /** Host and port, never credentials. */
  readonly host: string | undefined;
  readonly state: NodeState;
  /** The code of its last failure, if it has failed. */
  readonly code: string | undefined;
}

const nodeMessages: Readonly<Record<NodeState, string>> = {
  ANSWERS: 'node answers',
  UNREACHABLE: 'node cannot be reached',
  WRONG_CHAIN: 'node is of another chain',
};

/** The log: JSON, a line each. */
export interface Log {
  request(line: RequestLine): void;
  /** A failure of this server, under the id that the caller was given. `count` is how many fields or events failed alike: 1 if absent. */
  error(error: unknown, requestId: string, count?: number): void;
  /** A change of what is known of a node: a warning, but information when it answers. */
  node(line: NodeLine): void;
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
    error: (error, requestId, count = 1) =>
      log.error({ requestId, error: scrubbed(textOf(error)), ...(count > 1 && { count }) }, 'failure'),
    node({ state, ...line }) {
      log[state === 'ANSWERS' ? 'info' : 'warn'](line, nodeMessages[state]);
    },
    dropped: () => dropped,
  };
}

/** Causes of a cause that are logged, which may be a circle. */
const causesMax = 5;

/** Longest text of an error that is logged, in characters. */
const textMax = 16 * 1024;

/** An error with its stack and its causes, cut at 16,384 characters. What is no error is logged as Node prints it. */
function textOf(error: unknown, causes = causesMax): string {
  if (!(error instanceof Error)) return (typeof error === 'string' ? error : inspect(error, { depth: 1 })).slice(0, textMax);
  const cause = error.cause === undefined || causes === 0 ? '' : `\ncaused by ${textOf(error.cause, causes - 1)}`;
  return `${error.stack ?? error.message}${cause}`.slice(0, textMax);
}

/** Replaces what could be a token or a password in a text by `[redacted]`. */
export function scrubbed(text: string): string {
  return text
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [redacted]')
    .replace(/\beyJ[\w-]*\.[\w-]*\.?[\w-]*/g, '[redacted]')
    .replace(/\/\/[^\s/@]+@/g, '//[redacted]@');
}
