import type { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { pino } from 'pino';
import type { RequestLine } from './requestLog.ts';

export type NodeState = 'ANSWERS' | 'UNREACHABLE' | 'WRONG_CHAIN';

export interface NodeLine {
  /** Its alias, such as `node-1`. */
  readonly node: string;
  /** Host and port, never credentials. */
  readonly host: string | undefined;
  readonly state: NodeState;
  /** The code of its last failure. undefined if the node responds. */
  readonly code: string | undefined;
}

export interface ArchiveLine {
  /** What happened, in a few words. */
  readonly message: string;
  /** Whether an operator has to look into it. */
  readonly isTrouble: boolean;
  /** The code of the trouble, as the probe for operators shows it. */
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
}

const nodeMessages: Readonly<Record<NodeState, string>> = {
  ANSWERS: 'node responds',
  UNREACHABLE: 'node unreachable',
  WRONG_CHAIN: 'node on another chain',
};

export interface Log {
  request(line: RequestLine): void;
  /**
   * Logs a failure of this server with the id of the request. `count` is the number of fields or events that failed in the same
   * way, by default 1.
   */
  error(error: unknown, requestId: string, count?: number): void;
  /** Logs a node that does not end a simulation, at level `warn`. */
  simulation(node: string): void;
  /** Logs a change of a node's state: level `info` if the node responds, else `warn`. */
  node(line: NodeLine): void;
  /** Logs what happens to the archive: level `warn` for trouble, else `info`. */
  archive(line: ArchiveLine): void;
  /** Logs that the signing keys are not kept for the next start. */
  keys(error: unknown): void;
  /** Logs that the shared store is lost (`trouble`: why), or back (undefined). */
  shared(trouble: string | undefined): void;
  /** Logs that a worker process has ended and is started again. */
  worker(line: { readonly pid: number | undefined; readonly reason: string }): void;
  /** Logs that a plugin turns kept answers off. */
  plugins(): void;
  /** Logs that spans could not be sent, at most once a minute: level `warn`. */
  traces(error: unknown): void;
  /** Number of lines dropped because stdout was blocked. */
  dropped(): number;
}

/** Largest buffer of stdout, in bytes. Beyond it, lines are dropped. */
const maxBuffer = 1024 * 1024;

/** Shortest time in ms between two lines about spans that could not be sent. */
const tracesInterval = 60_000;

/** Creates the log. `level` is the lowest level that is written: requests are `info`, failures `error`. */
export function createLog(options: { readonly level: string; readonly out: Writable }): Log {
  const { level, out } = options;
  let dropped = 0;
  let unreported = 0;
  let nextTraces = 0;

  function write(line: string): void {
    if (!out.writable || out.writableLength > maxBuffer) {
      dropped += 1;
      unreported += 1;
      return;
    }
    if (unreported > 0) {
      const lost = unreported;
      unreported = 0;
      log.warn({ dropped: lost }, 'log lines dropped');
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
    simulation(node) {
      log.warn({ node }, 'node does not end a simulation and is left alone');
    },
    node({ state, ...line }) {
      log[state === 'ANSWERS' ? 'info' : 'warn'](line, nodeMessages[state]);
    },
    archive({ message, isTrouble, code, detail }) {
      const line = { ...(code && { code }), ...(detail && { detail: scrubbed(detail).slice(0, textMax) }) };
      log[isTrouble ? 'warn' : 'info'](line, message);
    },
    keys: (error) =>
      log.warn({ error: scrubbed(textOf(error)) }, 'signing keys are not kept; tokens are invalid after a restart'),
    shared(trouble) {
      if (trouble === undefined) log.info('shared store is used again');
      else log.warn({ code: trouble }, 'shared store cannot be used; limits hold per process');
    },
    plugins: () => log.info('answers of GraphQL are not kept, because a plugin runs for every request'),
    worker: (line) => log.warn(line, 'worker ended; it is started again'),
    traces(error) {
      const now = performance.now();
      if (now < nextTraces) return;
      nextTraces = now + tracesInterval;
      log.warn({ error: scrubbed(textOf(error)) }, 'spans were not sent');
    },
    dropped: () => dropped,
  };
}

/** The most causes of an error that are logged, because causes may be circular. */
const causesMax = 5;

/** Longest logged text of an error, in characters. */
const textMax = 16 * 1024;

/** Returns the stack of an error and its causes, cut at 16,384 characters. Other values are formatted as Node prints them. */
function textOf(error: unknown, causes = causesMax): string {
  if (!(error instanceof Error)) return (typeof error === 'string' ? error : inspect(error, { depth: 1 })).slice(0, textMax);
  const cause = error.cause === undefined || causes === 0 ? '' : `\ncaused by ${textOf(error.cause, causes - 1)}`;
  return `${error.stack ?? error.message}${cause}`.slice(0, textMax);
}

/** Replaces everything in a text that could be a token or a password by `[redacted]`. */
export function scrubbed(text: string): string {
  return text
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [redacted]')
    .replace(/\beyJ[\w-]*\.[\w-]*\.?[\w-]*/g, '[redacted]')
    .replace(/\/\/[^\s/@]+@/g, '//[redacted]@');
}
