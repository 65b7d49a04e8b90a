import type { Result, SteleError, TypedDocument } from '@stele/client';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { at } from '../routing/router.ts';
import { asFailure, isLasting } from './failures.ts';
import { headArrived } from './nodes.ts';
import { hideBlock, showBlock } from './shown.ts';
import { retrying, stele } from './stele.ts';

/** The two operations of a page: at a height, and moving with the head. */
export interface PageDocuments<T, V> {
  readonly past: TypedDocument<T, V>;
  readonly live: TypedDocument<T, V>;
}

/** What every page reads besides its own. */
export interface WithHead {
  readonly head: { readonly height: string; readonly time: string; readonly chainId: string } | null;
}

/** What a page has to show. */
export interface PageState<T> {
  /** The newest data. undefined until it has arrived. */
  readonly data?: T;
  /** The height at which the data, apart from the head, last changed. */
  readonly changed?: bigint;
  /** Errors of single fields. */
  readonly partial: readonly SteleError[];
  /** Why there is no data, or no newer data. */
  readonly failure?: SteleError;
  /** Whether the data belongs to other variables or another height than the page asks for, because theirs has not arrived. */
  readonly isStale: boolean;
}

/** The longest time between attempts of a read that fails for a time, in ms. */
const longestWait = 8_000;

/**
 * Reads the document of a page: live, or at the height in the URL. A failed read is tried again until it can no longer succeed. While other variables are
 * being read, the page keeps the data that it has.
 */
export function usePage<T extends WithHead, V>({ past, live }: PageDocuments<T, V>, variables: V): PageState<T> {
  const height = at.value;
  const [state, setState] = useState<PageState<T>>({ partial: [], isStale: false });
  const key = JSON.stringify([variables, height?.toString()]);

  // Before the next frame is painted: the first content does not wait for a frame without it.
  useLayoutEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let last = '';

    function take({ data, errors = [], height: read }: Result<T>): void {
      if (signal.aborted) return;
      const [failure] = errors;
      // The types say that there is data, which a whole failure has not.
      if (Object(data) !== data) {
        if (failure !== undefined) setState((before) => ({ ...before, failure }));
        return;
      }
      retrying.value = undefined;
      const { head, ...rest } = data;
      const text = JSON.stringify(rest);
      const block = BigInt(read ?? head?.height ?? height ?? 0);
      showBlock({ height: block, time: head?.time, chainId: head?.chainId });
      if (height === undefined) headArrived(head?.time);
      setState((before) => {
        const changed = text === last && before.changed !== undefined ? before.changed : block;
        return { data, changed, partial: errors, isStale: false };
      });
      last = text;
    }

    async function read(): Promise<void> {
      for (let wait = 500; !signal.aborted; wait = Math.min(2 * wait, longestWait)) {
        try {
          if (height !== undefined) return take(await stele.query(past, variables, { height, signal }));
          for await (const result of stele.live(live, variables, { signal })) {
            take(result);
            wait = 500;
          }
        } catch (error) {
          if (signal.aborted) return;
          const failure = asFailure(error);
          setState((before) => ({ ...before, failure, isStale: false }));
          if (isLasting(failure)) return;
        }
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }

    setState((before) => ({ ...before, isStale: before.data !== undefined }));
    void read();
    return () => leaving.abort();
  }, [key]);

  useEffect(() => hideBlock, []);
  return state;
}
