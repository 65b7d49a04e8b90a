/** Why a store cannot be used. */
export type StoreTrouble = 'SLOW' | 'UNREACHABLE' | 'FULL' | 'REFUSED';

/** Runs commands of a store while it can be used. */
export interface Breaker {
  /** Runs a command. Resolves to undefined if it fails, if it takes longer than the longest wait, or at once while the store is lost. */
  run<T>(command: () => Promise<T>): Promise<T | undefined>;
  isClosed(): boolean;
  stats(): { readonly answered: number; readonly failed: number; readonly skipped: number; readonly losses: number };
  /** Ends the probes. */
  stop(): void;
}

/** Options of {@link createBreaker}. */
export interface BreakerOptions {
  /** The longest wait for a command, in ms. */
  readonly wait: number;
  /** Writes to the store. Resolves if that works. */
  readonly probe: () => Promise<unknown>;
  /** Called once when the store is lost, unless it is back within {@link firstPause}. */
  readonly onLost: (trouble: StoreTrouble) => void;
  /** Called when the store is back after {@link onLost}. */
  readonly onBack: () => void;
}

/** The time until the first probe and between later ones, in ms. */
const firstPause = 100;
const laterPause = 1_000;

/** How long a new connection may take before the store counts as lost, in ms, and the time between probes until then. */
const startTime = 1_000;
const startPause = 20;

/** A command that took too long. */
class SlowError extends Error {
  override readonly name = 'SlowError';
}

/** Rejects with a {@link SlowError} if `work` takes longer than `wait` ms. Responses that have arrived by then are read first. */
function within<T>(work: Promise<T>, wait: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new SlowError())), wait);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function troubleOf(error: unknown): StoreTrouble {
  if (error instanceof SlowError) return 'SLOW';
  if (!(error instanceof Error)) return 'REFUSED';
  if (error.message.includes('OOM ')) return 'FULL';
  return error.name === 'ReplyError' ? 'REFUSED' : 'UNREACHABLE';
}

/**
 * Creates a breaker. After a failure the store is lost: nothing is sent until a probe succeeds. Requests never make probes. A
 * breaker begins as lost, with a probe at once, and reports that only if it lasts for a second.
 */
export function createBreaker({ wait, probe, onLost, onBack }: BreakerOptions): Breaker {
  const counts = { answered: 0, failed: 0, skipped: 0, losses: 0 };
  let isClosed = false;
  let isReported = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let startUntil = performance.now() + startTime;

  function probeAfter(pause: number): void {
    timer = setTimeout(() => {
      within(probe(), wait).then(
        () => {
          if (isStopped) return;
          isClosed = true;
          startUntil = 0;
          if (isReported) onBack();
          isReported = false;
        },
        (error: unknown) => {
          if (isStopped) return;
          if (performance.now() < startUntil) return probeAfter(startPause);
          if (!isReported) onLost(troubleOf(error));
          isReported = true;
          probeAfter(laterPause);
        },
      );
    }, pause);
    timer.unref();
  }

  function lose(): void {
    counts.failed += 1;
    if (!isClosed || isStopped) return;
    isClosed = false;
    counts.losses += 1;
    probeAfter(firstPause);
  }

  probeAfter(0);

  return {
    async run(command) {
      if (!isClosed) {
        counts.skipped += 1;
        return undefined;
      }
      try {
        const result = await within(command(), wait);
        counts.answered += 1;
        return result;
      } catch {
        lose();
        return undefined;
      }
    },
    isClosed: () => isClosed,
    stats: () => counts,
    stop() {
      isStopped = true;
      isClosed = false;
      clearTimeout(timer);
    },
  };
}
