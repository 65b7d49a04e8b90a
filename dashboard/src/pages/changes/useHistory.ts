import type { SteleError } from '@stele/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFailure } from '../../data/failures.ts';
import { at } from '../../routing/router.ts';

/** A result of the past: the first block with it, and its data. */
export interface Step<T> {
  readonly height: string;
  readonly time: string;
  readonly data: T;
}

/** The part of the past that is read. */
export interface Range {
  readonly from: string;
  readonly to: bigint | undefined;
  readonly signal: AbortSignal;
}

/** Reads the results of a range, oldest first. */
export type ReadSteps<T> = (range: Range) => AsyncIterable<Step<T>>;

/** What was read of a history so far. */
export interface HistoryState<T> {
  /** Oldest first. The first is the state at the start. */
  readonly steps: readonly Step<T>[];
  readonly progress: 'reading' | 'paused' | 'complete' | 'failed';
  readonly failure?: SteleError;
  /** Whether it begins with the oldest block that can be read, because the one that was asked for is older. */
  readonly isCut: boolean;
}

/** How many changes are read before a visitor is asked. Each costs the server an execution. */
const atOnce = 30;

/**
 * Reads how a result came to be, from a time on, up to the height that the page shows. It pauses after some changes; the returned function goes on. If the start is older
 * than what can be read, it begins with the oldest block.
 */
export function useHistory<T>(readSteps: ReadSteps<T>, from: string): readonly [state: HistoryState<T>, goOn: () => void] {
  const [state, setState] = useState<HistoryState<T>>({ steps: [], progress: 'reading', isCut: false });
  const goOn = useRef<() => void>(() => undefined);
  const to = at.value;

  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;

    async function read(start: string, isCut: boolean): Promise<void> {
      const steps: Step<T>[] = [];
      const show = (progress: HistoryState<T>['progress'], failure?: SteleError): void => {
        if (!signal.aborted) setState({ steps: [...steps], progress, isCut, ...(failure && { failure }) });
      };
      try {
        for await (const { height, time, data } of readSteps({ from: start, to, signal })) {
          steps.push({ height, time, data });
          const isFull = steps.length % atOnce === 0;
          show(isFull ? 'paused' : 'reading');
          if (isFull)
            await new Promise<void>((resolve) => {
              goOn.current = resolve;
              signal.addEventListener('abort', () => resolve());
            });
        }
        show('complete');
      } catch (error) {
        const failure = asFailure(error);
        const { earliestHeight } = failure.facts;
        if (failure.code === 'HEIGHT_PRUNED' && !isCut && steps.length === 0 && typeof earliestHeight === 'string')
          return read(earliestHeight, true);
        show('failed', failure);
      }
    }

    void read(from, false);
    return () => leaving.abort();
  }, []);

  return [state, () => goOn.current()];
}
