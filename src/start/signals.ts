import type { Limits } from '../config/limits/limits.ts';

/** The signals that stop the server, with their numbers. */
const signals = { SIGINT: 2, SIGTERM: 15 } as const;

type StopSignal = keyof typeof signals;

/**
 * The same signal twice within this time, in ms, counts once: the terminal sends Ctrl-C to npm and to the server, and npm
 * forwards it.
 */
const duplicateSignalTime = 100;

/**
 * On the first signal, calls `stop` with the times of the drain, and exits once it has resolved, or after `shutdown.exit`. On the second
 * signal, exits at once. Ctrl-C skips the drain delay.
 */
export function stopOnSignal(
  limits: Limits,
  stop: (times: { readonly delay: number; readonly limit: number }) => Promise<void>,
): void {
  let first: { readonly signal: StopSignal; readonly at: number } | undefined;
  const onSignal = async (signal: StopSignal): Promise<void> => {
    if (first !== undefined) {
      if (signal === first.signal && performance.now() - first.at < duplicateSignalTime) return;
      // The exit status of shells for a signal.
      process.exit(128 + signals[signal]);
    }
    first = { signal, at: performance.now() };
    setTimeout(() => process.exit(1), limits['shutdown.exit']);
    await stop({ delay: signal === 'SIGINT' ? 0 : limits['shutdown.delay'], limit: limits['shutdown.drain'] });
    process.exit(0);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
}

/** Ignores the signals. For workers, which their primary stops: a terminal sends Ctrl-C to all processes. */
export function ignoreSignals(): void {
  for (const signal of Object.keys(signals)) process.on(signal, () => undefined);
}
