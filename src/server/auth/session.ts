import type { Session, Viewer } from '../../reads/viewer.ts';

/**
 * Longest time between two checks whether a session has ended, in ms. With the refresh of the keys, a removed key ends its
 * sessions within ten minutes (docs/security.md, T17).
 */
const checkInterval = 5 * 60_000;

/**
 * Creates the session of a verified token. While a listener waits for its end, it calls `isOver` every five minutes, which
 * returns whether the token no longer verifies. `now` returns the time of day in ms.
 */
export function createSession(options: {
  readonly viewer: Viewer;
  readonly now: () => number;
  readonly isOver: () => Promise<boolean>;
}): Session {
  const { viewer, now, isOver } = options;
  const waiting = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  function arm(): void {
    timer = setTimeout(check, Math.min(Math.max(viewer.expiresAt - now(), 0), checkInterval));
    timer.unref();
  }

  async function check(): Promise<void> {
    timer = undefined;
    isChecking = true;
    const over = now() >= viewer.expiresAt || (await isOver());
    isChecking = false;
    if (!over) {
      if (waiting.size > 0) arm();
      return;
    }
    const listeners = [...waiting];
    waiting.clear();
    for (const notify of listeners) notify();
  }

  return {
    viewer,
    onEnd(listener) {
      // The same function may be registered twice.
      const own = (): void => listener();
      waiting.add(own);
      if (timer === undefined && !isChecking) arm();
      return () => {
        if (!waiting.delete(own) || waiting.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}
