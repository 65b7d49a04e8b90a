import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { scrubbed } from './log.ts';

/**
 * Where a fault of this server was caught: `exception` and `rejection` reached the process, `socket` was thrown while an event
 * of a client's connection was handled.
 */
export type FaultKind = 'exception' | 'rejection' | 'socket';

/** Faults that fail no request. Each is counted and logged, and the process continues. */
export type Faults = ReturnType<typeof createFaults>;

export type FaultCounts = ReturnType<Faults['counts']>;

/** `report` writes the log line. */
export function createFaults(report: (error: unknown, requestId: string) => void) {
  const counts = { exception: 0, rejection: 0, socket: 0 };
  return {
    /** Counts a fault and logs it with the id of its request or connection, or with a new id. */
    note(kind: FaultKind, error: unknown, requestId: string = randomUUID()): void {
      counts[kind] += 1;
      report(error, requestId);
    },
    counts: (): Readonly<Record<FaultKind, number>> => ({ ...counts }),
  };
}

export interface FaultOwner {
  readonly faults: Faults;
  /** The id of its request, for the log. */
  requestId(): string | undefined;
  /** Closes it at once. */
  abandon(): void;
}

/**
 * Runs the handler of an event. If it throws, the error is noted and the owner is closed: an exception must neither end the
 * process nor leave a connection open without a response.
 */
export function contain(owner: FaultOwner, handler: () => void): void {
  try {
    handler();
  } catch (error) {
    try {
      owner.faults.note('socket', error, owner.requestId());
    } finally {
      owner.abandon();
    }
  }
}

/**
 * Keeps the process running after uncaught exceptions and unhandled rejections. If noting one fails, the state of the process
 * is unknown: it writes one line to stderr and exits with status 1.
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
    // Synchronous, because queued output would be lost.
    writeSync(2, `stele: the process exits because an unhandled ${kind} could not be logged: ${nameOf(error)}\n`);
  } finally {
    process.exit(1);
  }
}

/** Returns the first line of a message, or the type of the value if reading the message throws. */
function nameOf(error: unknown): string {
  try {
    return scrubbed(String(error).split('\n', 1)[0] ?? '');
  } catch {
    return typeof error;
  }
}
