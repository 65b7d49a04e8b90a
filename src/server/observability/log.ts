import type { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { pino } from 'pino';
import type { Evidence, TrustRecord } from '../../chain/lightClient/lightClient.ts';
import type { RootsStatus } from '../../chain/roots/stateRoots.ts';
import type { AnswerEvidence } from '../../chain/transports/quorum.ts';
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

const rootsMessages = {
  NO_TABLE: 'answers are kept by height: no table of stores holds for the application (see --stores)',
  NO_PROOFS: 'answers are kept by height: the nodes return no valid proofs of stores',
} as const;

export type Log = ReturnType<typeof createLog>;

/** Largest buffer of stdout, in bytes. Beyond it, lines are dropped. */
const maxBuffer = 1024 * 1024;

/** Shortest time in ms between two lines about spans that could not be sent. */
const tracesInterval = 60_000;

/** Creates the log. `level` is the lowest level that is written: requests are `info`, failures `error`. */
export function createLog(options: { readonly level: string; readonly out: Writable }) {
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
    request: (line: RequestLine): void => log.info(line, 'request'),
    /**
     * Logs a failure of this server with the id of the request. `count` is the number of fields or events that failed in the same
     * way, by default 1.
     */
    error: (error: unknown, requestId: string, count = 1): void =>
      log.error({ requestId, error: scrubbed(textOf(error)), ...(count > 1 && { count }) }, 'failure'),
    simulation: (node: string): void => log.warn({ node }, 'node does not end a simulation and is left alone'),
    /** Logs a change of a node's state. */
    node({ state, ...line }: NodeLine): void {
      log[state === 'ANSWERS' ? 'info' : 'warn'](line, nodeMessages[state]);
    },
    archive({ message, isTrouble, code, detail }: ArchiveLine): void {
      const line = { ...(code && { code }), ...(detail && { detail: scrubbed(detail).slice(0, textMax) }) };
      log[isTrouble ? 'warn' : 'info'](line, message);
    },
    /** Logs whether answers are kept by the roots of their stores, and why not. */
    roots({ state, ...line }: RootsStatus): void {
      if (state === 'UNKNOWN' || state === 'OFF') return;
      if (state === 'USED') log.info(line, 'answers are kept by the roots of their stores');
      else log.info({ ...line, code: state }, rootsMessages[state]);
    },
    /** Logs the block that the verification of heads begins with. */
    trust({ chainId, kind, from }: TrustRecord): void {
      const line = { chainId, height: from.height.toString(), hash: from.hash };
      if (kind === 'CHECKPOINT') log.info(line, 'blocks are verified from the block of --trust on');
      else
        log.warn(
          line,
          'blocks are verified from this block on, which the nodes agree on; compare it with a source that you trust (see --trust)',
        );
    },
    /** Logs that no block can be verified. */
    unverified: (reason: string): void =>
      log.warn(
        { reason: reason.slice(0, textMax) },
        'blocks are not verified, because no node returns what verifies them; they are believed until one does (see --verify)',
      ),
    /** Logs a block of a node that does not verify. */
    evidence({ kind, node, chainId, height, hash, code, reason }: Evidence): void {
      const line = { node, chainId, height: height.toString(), hash, code, reason: reason.slice(0, textMax) };
      if (kind === 'CONFLICT') log.error(line, 'the validators signed two different blocks: the chain is attacked');
      else if (kind === 'READ')
        log.warn(line, 'node returned an answer about the state that is proven to be wrong; it is not used');
      else log.warn(line, 'node returned a block that does not verify; it is not used');
    },
    /** Logs that nodes gave different answers. */
    difference({ kind, nodes, chainId, height, method, params, other }: AnswerEvidence): void {
      const { path } = params;
      const line = {
        ...{ node: nodes.join(), others: other.nodes.join(), chainId, height: height?.toString(), method },
        ...(typeof path === 'string' && { path: path.slice(0, textMax) }),
      };
      if (kind === 'OUTVOTED') log.warn(line, 'node gave another answer than most nodes; it is put aside');
      else log.warn(line, 'nodes gave different answers, and none has a majority');
    },
    keys: (error: unknown): void =>
      log.warn({ error: scrubbed(textOf(error)) }, 'signing keys are not kept; tokens are invalid after a restart'),
    /** Logs that the shared store is lost (`trouble`: why), or back (undefined). */
    shared(trouble: string | undefined): void {
      if (trouble === undefined) log.info('shared store is used again');
      else log.warn({ code: trouble }, 'shared store cannot be used; limits hold per process');
    },
    plugins: (): void => log.info('answers of GraphQL are not kept, because a plugin runs for every request'),
    worker: (line: { readonly pid: number | undefined; readonly reason: string }): void =>
      log.warn(line, 'worker ended; it is started again'),
    traces(error: unknown): void {
      const now = performance.now();
      if (now < nextTraces) return;
      nextTraces = now + tracesInterval;
      log.warn({ error: scrubbed(textOf(error)) }, 'spans were not sent');
    },
    /** Number of lines dropped because stdout was blocked. */
    dropped: (): number => dropped,
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
