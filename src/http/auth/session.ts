import type { Session, Viewer } from '../../reads/viewer.ts';

/** Longest time between two looks at whether the key of a token still stands, ms: with that of the key set within ten minutes (reliability.md T17). */
const lookInterval = 5 * 60_000;

/**
 * Makes the session of a verified token. While somebody waits for its end it looks at `isOver` every five minutes, which tells
 * whether the token does not verify any more; `now` is the time of day in ms.
 */
export function createSession(options: {
  readonly viewer: Viewer;
  readonly now: () => number;
  readonly isOver: () => Promise<boolean>;
}): Session {
  const { viewer, now, isOver } = options;
  const waiting = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  function arm(): void {
    timer = setTimeout(look, Math.min(Math.max(viewer.expiresAt - now(), 0), lookInterval));
    timer.unref();
  }

  async function look(): Promise<void> {
    timer = undefined;
    isLooking = true;
    const over = now() >= viewer.expiresAt || (await isOver());
    isLooking = false;
    if (!over) {
      if (waiting.size > 0) arm();
      return;
    }
    const told = [...waiting];
    waiting.clear();
    for (const tell of told) tell();
  }

  return {
    viewer,
    onEnd(tell) {
      // The same function may wait twice.
      const own = (): void => tell();
      waiting.add(own);
      if (timer === undefined && !isLooking) arm();
      return () => {
        if (!waiting.delete(own) || waiting.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}
