import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { scrubbed } from './log.ts';

/**
 * Where a fault of this server was caught: `exception` and `rejection` reached the process, `socket` was thrown while an event of a client's
 * connection was handled.
 */
export type FaultKind = 'exception' | 'rejection' | 'socket';

/** Counts since the start, by kind. */
export type FaultCounts = Readonly<Record<FaultKind, number>>;

/** Faults that no request answers for: each is counted and logged, and the process goes on. */
export interface Faults {
  /** Counts a fault and logs it, with the id of the request or connection that it belongs to, or with a new id. */
  note(kind: FaultKind, error: unknown, requestId?: string): void;
  counts(): FaultCounts;
}

/** Makes the counters, all zero. `report` writes the line of the log. */
export function createFaults(report: (error: unknown, requestId: string) => void): Faults {
  const counts = { exception: 0, rejection: 0, socket: 0 };
  return {
    note(kind, error, requestId = randomUUID()) {
      counts[kind] += 1;
      report(error, requestId);
    },
    counts: () => ({ ...counts }),
  };
}

/** What an event of a connection belongs to. */
export interface FaultOwner {
  readonly faults: Faults;
  /** The id of the request that made it, for the log. */
  readonly requestId: () => string | undefined;
  /** Ends it at once. */
  readonly abandon: () => void;
}

/**
 * Runs the handler of an event. What it throws is noted, and ends what the event belongs to: an exception must neither end the
 * process nor leave a connection behind that nothing answers.
 */
export function contain({ faults, requestId, abandon }: FaultOwner, handler: () => void): void {
  try {
    handler();
  } catch (error) {
    try {
      faults.note('socket', error, requestId());
    } finally {
      abandon();
    }
  }
}

/**
 * Keeps the process alive through exceptions and rejections that nothing else handles. If noting one fails, the state of the process is
 * unknown: one line goes to stderr, and the process ends with status 1.
 */
export function surviveFaults(faults: Faults): void {
  const survive = (kind: FaultKind) => (fault: unknown) => {
    try {
      faults.note(kind, fault);
    } catch (error) {
      endProcess(kind, error);
    }
  };
  process.on('uncaughtException', survive('exception'));
  process.on('unhandledRejection', survive('rejection'));
}

function endProcess(kind: FaultKind, error: unknown): never {
  try {
    // Written at once: nothing that is queued is sent any more.
    writeSync(2, `stele: the process ends, because an unhandled ${kind} could not be logged: ${nameOf(error)}\n`);
  } finally {
    process.exit(1);
  }
}

/** The first line of a message; the name of the type where even that cannot be read. */
function nameOf(error: unknown): string {
  try {
    return scrubbed(String(error).split('\n', 1)[0] ?? '');
  } catch {
    return typeof error;
  }
}
